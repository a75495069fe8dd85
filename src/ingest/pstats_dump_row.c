/* Functions and their numbers in a profile dump: see pstats_dump.h. */
#include <math.h>

#include "base/utf8.h"
#include "ingest/pstats_dump.h"

#define SHOWN_NAME 120 /* bytes of a name in a message; longer ones are not shown */

bool dump_items(struct dump *d, const struct marshal_value *tuple, size_t n,
		size_t *places)
{
	if ((tuple->type != MARSHAL_TUPLE && tuple->type != MARSHAL_LIST) ||
	    tuple->n != n)
		return false;
	size_t at = tuple->items;
	for (size_t i = 0; i < n; i++) {
		places[i] = at;
		if (i + 1 < n && !(at = marshal_behind(&d->marshal, at)))
			return false;
	}
	return true;
}

/* Long names may be shared by all entries, each of which may have a finding. */
static void show_name(struct dump *d, size_t at)
{
	struct marshal_value name = marshal_at(&d->marshal, at);

	if (name.type == MARSHAL_STRING && name.bytes.n <= SHOWN_NAME)
		marshal_add_text(&name, &d->shown);
	else
		buf_add_text(&d->shown, "...");
}

struct str dump_entry(struct dump *d)
{
	struct marshal_value key = marshal_at(&d->marshal, d->entry);
	size_t places[3];

	buf_clear(&d->shown);
	if (key.type != MARSHAL_TUPLE || !dump_items(d, &key, 3, places))
		return STR_LIT("an entry");
	struct marshal_value line = marshal_at(&d->marshal, places[1]);
	show_name(d, places[0]);
	buf_addf(&d->shown, ":%lld(", (long long)line.number);
	show_name(d, places[2]);
	buf_add_char(&d->shown, ')');
	return buf_str(&d->shown);
}

int dump_finding(struct dump *d, enum finding what, size_t at, struct err *err)
{
	if (d->options->strict && finding_kinds[what].severity != SEVERITY_INFO)
		return err_at(err, at, "%s", finding_kinds[what].what);
	struct str entry = d->entry ? dump_entry(d) : STR_LIT("");
	if (entry.n > SHOWN_NAME)
		entry.n = SHOWN_NAME;
	d->sink->finding(d->sink, what, at, STR_LIT(""), entry);
	return 0;
}

#define FILE_NAME_MAX 4096 /* bytes; PATH_MAX of Linux */

/* The memory of what a reference means: of texts, or of functions. */
static uint32_t *remembered(struct dump *d, size_t at, uint32_t *by_ref)
{
	const uint8_t *p = d->marshal.text.p + at;
	char code = (char)(p[0] & 0x7f);

	if (code != 'r' && (code != 'R' || by_ref != d->ref_text))
		return NULL;
	uint32_t number = (uint32_t)p[1] | (uint32_t)p[2] << 8 | (uint32_t)p[3] << 16 |
			  (uint32_t)p[4] << 24;
	return code == 'r' ? &by_ref[number] : &d->interned_text[number];
}

static int add_string(struct dump *d, const struct marshal_value *value, struct err *err)
{
	if (marshal_add_text(value, &d->text))
		return 0;
	return dump_finding(d, FINDING_UTF8, value->at, err);
}

/* All code objects may share one long name. */
static bool cut_parts(struct dump *d, struct marshal_code *code)
{
	struct str *name = &code->name.bytes, *file = &code->file.bytes;
	size_t n = name->n + file->n;
	size_t most = spelt_part(&d->spelt, n, d->marshal.text.n);

	*name = utf8_cut(*name, most);
	*file = utf8_cut(*file, most);
	return name->n + file->n < n;
}

/* As Python shows it, without the address, which would be the reading process's. */
static int add_code(struct dump *d, const struct marshal_value *value, struct err *err)
{
	struct marshal_code code = marshal_code(&d->marshal, value);

	if (code.name.type != MARSHAL_STRING || code.file.type != MARSHAL_STRING)
		return err_at(err, value->at, "a code object cannot be read again");
	if (cut_parts(d, &code) &&
	    dump_finding(d, FINDING_SHARED_SIZE, value->at, err) < 0)
		return -1;
	buf_add_text(&d->text, "<code object ");
	if (add_string(d, &code.name, err) < 0)
		return -1;
	buf_add_text(&d->text, ", file \"");
	if (add_string(d, &code.file, err) < 0)
		return -1;
	buf_addf(&d->text, "\", line %lld>", (long long)code.line);
	d->is_pure = true;
	return 0;
}

static int read_name(struct dump *d, const struct marshal_value *value, bool is_function,
		     struct err *err)
{
	buf_clear(&d->text);
	if (value->type == MARSHAL_CODE && is_function)
		return add_code(d, value, err);
	if (value->type == MARSHAL_STRING)
		return add_string(d, value, err);
	return err_at(err, value->at,
		      "the %s of a key is %s; (file, line, name) is expected",
		      is_function ? "name" : "file", marshal_type_name(value->type));
}

/* The number of a long text that stands there, or TEXT_NONE. */
static uint32_t long_text(const struct dump *d, const struct marshal_value *value)
{
	if (value->type != MARSHAL_STRING || value->bytes.n <= SPELT_PART)
		return TEXT_NONE;
	size_t probe = idmap_first(&d->long_texts, (int64_t)value->at);
	return idmap_next(&d->long_texts, &probe);
}

/* For those who come there again. */
static void remember(struct dump *d, const struct marshal_value *value, uint32_t *known,
		     uint32_t text)
{
	if (known)
		*known = text;
	if (value->type == MARSHAL_STRING && value->bytes.n > SPELT_PART)
		idmap_add(&d->long_texts, (int64_t)value->at, text);
}

/* The text of a file's or function's name; d->bytes takes what it is if no UTF-8. */
static int read_text(struct dump *d, size_t at, bool is_function, uint32_t *text,
		     struct err *err)
{
	uint32_t *known = remembered(d, at, d->ref_text);
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (!is_function)
		buf_clear(&d->bytes);
	if (known && *known != TEXT_NONE) {
		*text = *known;
		return 0;
	}
	if ((*text = long_text(d, &value)) != TEXT_NONE)
		return 0;
	if (read_name(d, &value, is_function, err) < 0)
		return -1;
	struct str shown =
		utf8_cut(buf_str(&d->text), read_limits(d->options)->text_bytes);
	if (shown.n < d->text.n && dump_finding(d, FINDING_TEXT_SIZE, at, err) < 0)
		return -1;
	*text = d->sink->text(d->sink, shown);
	/* What is remembered has no such bytes; a name of that length is none. */
	bool has_bytes = !is_function && value.bytes.n <= FILE_NAME_MAX &&
			 marshal_add_file_name(&value, &d->bytes) &&
			 spelt_take(&d->spelt, d->bytes.n, d->marshal.text.n);
	if (!has_bytes)
		remember(d, &value, known, *text);
	return 0;
}

static int read_line(struct dump *d, size_t at, int64_t *line, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (value.type != MARSHAL_INT && value.type != MARSHAL_BOOL)
		return err_at(err, value.at,
			      "the line of a key is %s; (file, line, name) is expected",
			      marshal_type_name(value.type));
	if (value.is_big || value.number == NUMBER_NONE)
		return err_at(err, value.at, "a line number out of range");
	*line = value.number;
	return 0;
}

int dump_function(struct dump *d, size_t at, uint32_t *function, struct err *err)
{
	uint32_t *known = remembered(d, at, d->ref_function);
	struct marshal_value key = marshal_at(&d->marshal, at);
	struct function_fact fact;
	size_t places[3];

	if (known && *known != TEXT_NONE) {
		*function = *known;
		return 0;
	}
	if (key.type != MARSHAL_TUPLE || !dump_items(d, &key, 3, places))
		return marshal_is_spent(&d->marshal)
			       ? marshal_spent(at, err)
			       : err_at(err, at,
					"a key is %s; (file, line, name) is expected",
					key.type == MARSHAL_TUPLE
						? "a tuple of another length"
						: marshal_type_name(key.type));
	if (read_text(d, places[0], false, &fact.file, err) < 0 ||
	    read_line(d, places[1], &fact.line, err) < 0 ||
	    read_text(d, places[2], true, &fact.name, err) < 0)
		return -1;
	fact.file_bytes = buf_str(&d->bytes);
	*function = d->sink->function(d->sink, &fact);
	if (known)
		*known = *function;
	return 0;
}

#define COUNT_MAX 9e18 /* that a float may tell */

static bool is_number(enum marshal_type type)
{
	return type == MARSHAL_INT || type == MARSHAL_BOOL || type == MARSHAL_FLOAT;
}

static int not_a_number(struct dump *d, const struct marshal_value *value,
			const char *what, struct err *err)
{
	struct str name = dump_entry(d);

	return err_at(err, value->at, "the %s of %.*s is %s, not a number", what,
		      (int)name.n, name.p, marshal_type_name(value->type));
}

/* `d->digits` takes the digits of a big one: they last until it is cleared. */
static int read_count(struct dump *d, size_t at, struct count *count, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (!is_number(value.type))
		return not_a_number(d, &value, "count of calls", err);
	*count = (struct count){ value.number, { NULL, 0 } };
	if (value.type == MARSHAL_FLOAT) {
		if (!(fabs(value.real) < COUNT_MAX))
			return not_a_number(d, &value, "count of calls", err);
		count->n = (int64_t)llrint(value.real);
		return dump_finding(d, FINDING_COUNT_NOT_WHOLE, value.at, err);
	}
	if (count->n == NUMBER_NONE)
		count->n++;
	if (!value.is_big)
		return 0;
	size_t before = d->digits.n;
	if (!marshal_add_digits(&d->marshal, &value, &d->digits))
		return err_at(err, value.at, "a count of calls with too many digits");
	count->digits = (struct str){ NULL, d->digits.n - before };
	return dump_finding(d, FINDING_COUNT_RANGE, value.at, err);
}

static int read_seconds(struct dump *d, size_t at, double *seconds, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (!is_number(value.type))
		return not_a_number(d, &value, "time", err);
	*seconds = value.real;
	return 0;
}

/* Digits were noted by their length, as the buffer may have moved since. */
static void find_digits(const struct dump *d, struct call_sums *sums)
{
	const char *p = d->digits.p;

	sums->calls.digits.p = p;
	sums->primitive.digits.p = p ? p + sums->calls.digits.n : p;
}

int dump_sums(struct dump *d, const size_t *places, struct call_sums *sums,
	      struct err *err)
{
	buf_clear(&d->digits);
	if (read_count(d, places[0], &sums->calls, err) < 0 ||
	    read_count(d, places[1], &sums->primitive, err) < 0 ||
	    read_seconds(d, places[2], &sums->self_s, err) < 0 ||
	    read_seconds(d, places[3], &sums->total_s, err) < 0)
		return -1;
	sums->has_times = true;
	find_digits(d, sums);
	return 0;
}

static int bad_caller(struct dump *d, const struct marshal_value *value, struct err *err)
{
	if (marshal_is_spent(&d->marshal))
		return marshal_spent(d->entry, err);
	struct str name = dump_entry(d);
	return err_at(
		err, value->at,
		"a caller of %.*s has %s; a count or (calls, primitive calls, self, "
		"total) is expected",
		(int)name.n, name.p, marshal_type_name(value->type));
}

/* Fours that Python 2.6 and 3.0 put behind each other where they should add. */
static int add_up(struct dump *d, const struct marshal_value *value,
		  struct call_sums *sums, struct err *err)
{
	size_t at = value->items;

	if (dump_spend(d, value->n / 4 - 1, err) < 0)
		return -1;
	*sums = (struct call_sums){ .has_times = true };
	for (size_t i = 0; i < value->n; i += 4) {
		size_t places[4];
		struct call_sums one;
		for (int k = 0; k < 4; k++) {
			places[k] = at;
			if (!(at = marshal_behind(&d->marshal, at)))
				return bad_caller(d, value, err);
		}
		if (dump_sums(d, places, &one, err) < 0)
			return -1;
		if (one.calls.digits.n || one.primitive.digits.n ||
		    __builtin_add_overflow(sums->calls.n, one.calls.n, &sums->calls.n) ||
		    __builtin_add_overflow(sums->primitive.n, one.primitive.n,
					   &sums->primitive.n))
			return err_at(err, value->at, "counts of calls beyond 64 bits");
		sums->self_s += one.self_s;
		sums->total_s += one.total_s;
	}
	return dump_finding(d, FINDING_CALLERS_CONCATENATED, value->at, err);
}

int dump_spend(struct dump *d, uint64_t n, struct err *err)
{
	d->calls += n;
	if (d->calls <= d->marshal.text.n)
		return 0;
	return err_at(err, d->entry, "more callers than the file has bytes");
}

int dump_caller(struct dump *d, size_t at, struct call_sums *sums, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);
	size_t places[4];

	*sums = (struct call_sums){ .primitive.n = NUMBER_NONE };
	if (is_number(value.type)) {
		buf_clear(&d->digits);
		if (read_count(d, at, &sums->calls, err) < 0)
			return -1;
		find_digits(d, sums);
		return 0;
	}
	d->has_pairs = true;
	if (value.type != MARSHAL_TUPLE && value.type != MARSHAL_LIST)
		return bad_caller(d, &value, err);
	if (value.n && value.n % 4 == 0 && value.n > 4)
		return add_up(d, &value, sums, err);
	if (!dump_items(d, &value, 4, places))
		return bad_caller(d, &value, err);
	return dump_sums(d, places, sums, err);
}
