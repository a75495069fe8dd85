/* Functions: see pstats_dump.h. */
#include "base/utf8.h"
#include "ingest/pstats_dump.h"

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
