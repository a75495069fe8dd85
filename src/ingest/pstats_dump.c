/* The dict of a profile dump, its functions and values, and who wrote it: see marshal.h. */
#include <math.h>
#include <stdlib.h>

#include "base/spill.h"
#include "base/utf8.h"
#include "ingest/marshal.h"
#include "ingest/reader.h"

/* A dump that is being read. */
struct dump {
	struct marshal marshal;
	struct sink *sink;                  /* borrowed */
	const struct read_options *options; /* borrowed */
	/* By the number of a reference: what it means, or TEXT_NONE. */
	uint32_t *ref_text, *ref_function, *interned_text;
	struct buf text;   /* the newest name */
	struct buf bytes;  /* of the newest file where they are no UTF-8, else empty */
	struct buf digits; /* of the newest sums */
	struct buf shown;  /* dump_entry()'s */
	size_t entry;      /* where the key of the entry stands that is read */
	size_t ticked;     /* progress was told up to there */
	uint64_t calls;    /* from callers, so far */
	uint64_t spelt;    /* bytes of file names that are no UTF-8, so far */
	/* What tells the producer. */
	bool is_sampled, is_swapped, is_uncounted, is_pure, has_pairs;
};

#define SHOWN_NAME 120 /* bytes of a name in a message; longer ones are not shown */

/* Places of the items of a tuple or list; false: it is none, or has not that many. */
static bool dump_items(struct dump *d, const struct marshal_value *tuple, size_t n,
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

/* The entry that is read as messages call it, as far as its key is one: "b.py:10(f)"; until the next. */
static struct str dump_entry(struct dump *d)
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

/* Tells a finding at a byte of the text; when strict a warning is an error. */
static int dump_finding(struct dump *d, enum finding what, size_t at, struct err *err)
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
/* Bytes of file names that are told for each byte of the dump: all may share a long one. */
#define SPELT_PER_BYTE 8

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

/* As Python shows it, without the address, which would be the reading process's. */
static int add_code(struct dump *d, const struct marshal_value *value, struct err *err)
{
	struct marshal_code code = marshal_code(&d->marshal, value);

	if (code.name.type != MARSHAL_STRING || code.file.type != MARSHAL_STRING)
		return err_at(err, value->at, "a code object that cannot be read again");
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
		      "a key whose %s is %s; (file, line, name) is expected",
		      is_function ? "name" : "file", marshal_type_name(value->type));
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
	if (read_name(d, &value, is_function, err) < 0)
		return -1;
	struct str shown =
		utf8_cut(buf_str(&d->text), read_limits(d->options)->text_bytes);
	if (shown.n < d->text.n && dump_finding(d, FINDING_TEXT_SIZE, at, err) < 0)
		return -1;
	*text = d->sink->text(d->sink, shown);
	/* What is remembered has no such bytes; a name of that length is none. */
	bool has_bytes = !is_function && value.bytes.n <= FILE_NAME_MAX &&
			 d->spelt / SPELT_PER_BYTE <= d->marshal.text.n &&
			 marshal_add_file_name(&value, &d->bytes);
	d->spelt += has_bytes ? d->bytes.n : 0;
	if (known && !has_bytes)
		*known = *text;
	return 0;
}

static int read_line(struct dump *d, size_t at, int64_t *line, struct err *err)
{
	struct marshal_value value = marshal_at(&d->marshal, at);

	if (value.type != MARSHAL_INT && value.type != MARSHAL_BOOL)
		return err_at(err, value.at,
			      "a key whose line is %s; (file, line, name) is expected",
			      marshal_type_name(value.type));
	if (value.is_big || value.number == NUMBER_NONE)
		return err_at(err, value.at, "a line number out of range");
	*line = value.number;
	return 0;
}

/* The function that a key names, as the sink numbers it. */
static int dump_function(struct dump *d, size_t at, uint32_t *function, struct err *err)
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
		return err_at(err, at, "a key that is %s; (file, line, name) is expected",
			      key.type == MARSHAL_TUPLE ? "a tuple of another length"
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

/*
 * Counts and times that stand at those places, calls first.  Digits
 * are borrowed until the next.
 */
static int dump_sums(struct dump *d, const size_t *places, struct call_sums *sums,
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

/* What a caller has. */
static int dump_caller(struct dump *d, size_t at, struct call_sums *sums, struct err *err)
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

#define DUMP_MAX   ((size_t)1 << 30)
#define TEXT_MAX   ((size_t)1 << 30) /* of one name: Latin-1 may double */
#define TICK_BYTES ((size_t)1 << 20)

static bool is_null(const struct dump *d, size_t at)
{
	return d->marshal.text.p[at] == '0' || d->marshal.text.p[at] == (0x80 | '0');
}

/* The next key and value of a dict: 1, 0 at its end, -1. */
static int next_entry(struct dump *d, size_t *at, size_t *key, size_t *value)
{
	if (is_null(d, *at))
		return 0;
	*key = *at;
	*value = marshal_behind(&d->marshal, *key);
	if (!*value)
		return -1;
	if (is_null(d, *value))
		return 0; /* CPython drops a last key without a value */
	*at = marshal_behind(&d->marshal, *value);
	return *at ? 1 : -1;
}

static int tangled(const struct dump *d, struct err *err)
{
	return err_at(err, d->entry, "code objects too tangled to be read");
}

static int read_callers(struct dump *d, const struct marshal_value *callers,
			uint32_t callee, struct err *err)
{
	struct call_fact call = { .callee = callee };
	size_t at = callers->items, key, value;
	int more;

	while ((more = next_entry(d, &at, &key, &value)) > 0) {
		/* Each takes bytes of its own, unless one dict is given again and again. */
		if (++d->calls > d->marshal.text.n)
			return err_at(err, d->entry,
				      "more callers than the file has bytes");
		if (dump_caller(d, value, &call.sums, err) < 0 ||
		    dump_function(d, key, &call.caller, err) < 0 ||
		    d->sink->call(d->sink, &call, err) < 0)
			return -1;
	}
	return more < 0 ? tangled(d, err) : 0;
}

static void look_at_counts(struct dump *d, struct call_sums *sums)
{
	d->is_swapped |= call_sums_put_right(sums);
	d->is_uncounted |= sums->calls.n == -1 && sums->primitive.n == -1;
}

static int read_stat(struct dump *d, size_t key, size_t value, struct err *err)
{
	struct function_stat_fact stat = { .offset = key };
	struct marshal_value tuple = marshal_at(&d->marshal, value);
	size_t at[5];

	if (dump_function(d, key, &stat.function, err) < 0)
		return -1;
	if (!dump_items(d, &tuple, 5, at)) {
		struct str name = dump_entry(d);
		return err_at(
			err, tuple.at,
			"the value of %.*s is %s of another shape; (primitive calls, "
			"calls, self, total, callers) is expected",
			(int)name.n, name.p, marshal_type_name(tuple.type));
	}
	struct marshal_value callers = marshal_at(&d->marshal, at[4]);
	if (callers.type != MARSHAL_DICT) {
		struct str name = dump_entry(d);
		return err_at(err, callers.at, "the callers of %.*s are %s, not a dict",
			      (int)name.n, name.p, marshal_type_name(callers.type));
	}
	const size_t counts_first[] = { at[1], at[0], at[2], at[3] };
	if (dump_sums(d, counts_first, &stat.sums, err) < 0)
		return -1;
	look_at_counts(d, &stat.sums);
	if (d->sink->function_stat(d->sink, &stat, err) < 0)
		return -1;
	return read_callers(d, &callers, stat.function, err);
}

/* ("__sampled__",): True, among the functions of profiling.sampling's dumps. */
static bool is_marker(struct dump *d, size_t key, size_t value)
{
	struct marshal_value tuple = marshal_at(&d->marshal, key);

	if (tuple.type != MARSHAL_TUPLE || tuple.n != 1)
		return false;
	struct marshal_value name = marshal_at(&d->marshal, tuple.items);
	struct marshal_value said = marshal_at(&d->marshal, value);
	if (name.type != MARSHAL_STRING || !str_is(name.bytes, "__sampled__") ||
	    said.type != MARSHAL_BOOL)
		return false;
	d->is_sampled |= said.number != 0;
	return true;
}

static int read_dict(struct dump *d, const struct marshal_value *dict, struct err *err)
{
	size_t at = dict->items, key, value;
	uint64_t n = 0;
	int more;

	while ((more = next_entry(d, &at, &key, &value)) > 0) {
		d->entry = key;
		if (key - d->ticked >= TICK_BYTES) {
			d->ticked = key;
			if (d->sink->tick(d->sink, key, d->marshal.text.n, err) < 0)
				return -1;
		}
		if (is_marker(d, key, value))
			continue;
		if (read_stat(d, key, value, err) < 0)
			return -1;
		n++;
	}
	if (more < 0)
		return tangled(d, err);
	if (n == 0)
		return err_at(err, 0,
			      "the profile holds no functions: "
			      "was the profiler ever enabled?");
	return 0;
}

/* Who wrote it, as far as its counts tell. */
static const char *producer(const struct dump *d)
{
	if (d->is_sampled)
		return "sampling";
	if (d->is_uncounted)
		return "pyinstrument";
	if (d->is_swapped)
		return "yappi";
	return d->is_pure || (d->calls && !d->has_pairs) ? "profile" : "cprofile";
}

static int tell_profile(struct dump *d, struct err *err)
{
	struct profile_fact profile = { .format = "pstats",
					.dialect = producer(d),
					.rank = NUMBER_NONE,
					.world_size = NUMBER_NONE,
					.window_end_ns = NUMBER_NONE,
					.span_end_ns = NUMBER_NONE,
					.host = TEXT_NONE,
					.rules.all_slices = true };
	size_t left = d->marshal.text.n - d->marshal.end;

	d->entry = 0; /* what follows is about none of them */
	if (left && dump_finding(d, FINDING_TRAILING_BYTES, d->marshal.end, err) < 0)
		return -1;
	if (d->is_sampled && dump_finding(d, FINDING_COUNTS_ARE_SAMPLES, 0, err) < 0)
		return -1;
	if (!d->is_sampled && d->is_uncounted &&
	    dump_finding(d, FINDING_COUNTS_MISSING, 0, err) < 0)
		return -1;
	if (!d->is_sampled && d->is_swapped && !d->is_uncounted &&
	    dump_finding(d, FINDING_COUNTS_SWAPPED, 0, err) < 0)
		return -1;
	d->sink->profile(d->sink, &profile);
	return 0;
}

static uint32_t *nothing_known(struct spill *spill, size_t n)
{
	uint32_t *known = spill_alloc(spill, n + 1, sizeof(*known));

	memset(known, 0xff, (n + 1) * sizeof(*known)); /* TEXT_NONE */
	return known;
}

static int read_top(struct dump *d, struct err *err)
{
	struct marshal_value top = marshal_at(&d->marshal, 0);

	if (top.type != MARSHAL_DICT)
		return err_at(err, 0,
			      "not a profile: Python marshalled %s, a dict is expected",
			      marshal_type_name(top.type));
	d->ref_text = nothing_known(d->marshal.spill, d->marshal.nrefs);
	d->ref_function = nothing_known(d->marshal.spill, d->marshal.nrefs);
	d->interned_text = nothing_known(d->marshal.spill, d->marshal.ninterned);
	return read_dict(d, &top, err) < 0 ? -1 : tell_profile(d, err);
}

/* A dump that went through a copy in text mode has a CR before each LF. */
static void hint_at_text_mode(struct bytes text, struct err *err)
{
	size_t n = strlen(err->text);
	const uint8_t *lf = memchr(text.p, '\n', text.n);
	size_t pairs = 0, all = 0;

	for (; lf && all < 64; all++) {
		pairs += lf > text.p && lf[-1] == '\r';
		lf = memchr(lf + 1, '\n', text.n - (size_t)(lf + 1 - text.p));
	}
	if (all > 2 && pairs == all)
		snprintf(err->text + n, sizeof(err->text) - n,
			 "; was the file copied in text mode?");
}

static int dump_read(struct input *in, const struct read_options *options,
		     struct sink *sink, struct err *err)
{
	struct dump d = { .sink = sink, .options = options };
	struct bytes text = input_peek(in, DUMP_MAX, err);

	if (err->kind != ERR_NONE)
		return -1;
	if (text.n >= DUMP_MAX)
		return err_at(err, DUMP_MAX, "a dump of more than 1 GiB");
	buf_init(&d.text, TEXT_MAX);
	buf_init(&d.bytes, TEXT_MAX);
	buf_init(&d.shown, TEXT_MAX);
	buf_init(&d.digits, ERR_TEXT_MAX);
	int rc = marshal_open_in(&d.marshal, text, options->spill, err);
	if (rc < 0)
		hint_at_text_mode(text, err);
	else
		rc = read_top(&d, err);
	marshal_release(&d.marshal);
	spill_free(options->spill, d.ref_text);
	spill_free(options->spill, d.ref_function);
	spill_free(options->spill, d.interned_text);
	buf_release(&d.text);
	buf_release(&d.bytes);
	buf_release(&d.shown);
	buf_release(&d.digits);
	return rc;
}

static bool has_count(struct bytes head, uint8_t n)
{
	return head.n >= 6 && head.p[2] == n && !head.p[3] && !head.p[4] && !head.p[5];
}

/* Behind the brace of the dict: a key of three items, or of one. */
static bool is_key(struct bytes head)
{
	uint8_t code = head.p[1] & 0x7f;

	if (code == ')')
		return head.n > 2 && (head.p[2] == 3 || head.p[2] == 1);
	return code == '(' && (has_count(head, 3) || has_count(head, 1));
}

/* No text goes on like that behind a bracket, JSON with all its defects neither. */
static bool is_dict(struct bytes head)
{
	uint8_t next = head.n > 1 ? head.p[1] : ' ';

	if (strchr("():", next) || (next & 0x80 && strchr("()zZsuat", next & 0x7f)))
		return true;
	if (head.n > 4 && head.p[3] == 0 && head.p[4] == 0)
		return next > ' ' && next != '"' && next != '\'';
	return head.n > 2 && strchr("zZsut[{", next) && head.p[2] < '\t';
}

/* The head of another marshalled object: a count, a number, nothing at all. */
static bool is_other(struct bytes head)
{
	uint8_t code = head.p[0] & 0x7f;

	if (head.n == 1)
		return strchr("0NTFS.", head.p[0]) != NULL;
	if (code == ')' && head.p[0] & 0x80)
		return head.p[1] < '\t';
	if (head.n < 5 || !strchr("[(<>ci", code))
		return false;
	/* NULs stand between the entries of damaged JSON too */
	if (head.p[0] == '[' && (head.p[1] == 0 || strchr("\t\n\r ", head.p[1])))
		return false;
	/* a small count, or one that begins with what UTF-8 has not */
	return (head.p[3] == 0 && head.p[4] == 0) || head.p[1] >= 0xf8;
}

static enum probe dump_probe(struct bytes head)
{
	if (head.n < 1)
		return PROBE_NO;
	bool is_brace = (head.p[0] & 0x7f) == '{';
	if (is_brace && head.n == 2 && head.p[1] == '0')
		return PROBE_SURE;
	if (is_brace && head.n > 1 && is_key(head))
		return PROBE_SURE;
	/* no text begins with a byte above 0x7f */
	if (is_brace && (head.p[0] & 0x80 || is_dict(head)))
		return PROBE_LIKELY;
	return is_other(head) ? PROBE_LIKELY : PROBE_NO;
}

const struct reader pstats_dump_reader = {
	.name = "pstats",
	.help = "what cProfile and profile dump: pstats, .prof",
	.probe = dump_probe,
	.read = dump_read,
};
