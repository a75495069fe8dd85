/* Reports as programs print them: see printed.h. */
#include "ingest/printed.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "ingest/json.h"
#include "ingest/tell.h"

#define TITLE_BYTES 512 /* of a line that a probe takes colours from */
#define TICK_BYTES  ((size_t)1 << 20)

int printed_tell(struct printed *p, enum finding what, size_t at, struct str excerpt,
		 struct err *err)
{
	return tell_finding(p->sink, p->options, what, at, excerpt, err);
}

int printed_bad_row(struct printed *p, struct err *err)
{
	return printed_tell(p, FINDING_ROW_SYNTAX, printed_at(p),
			    line_trimmed(p->lines.line), err);
}

/* How the text is encoded, where that is not plain UTF-8, and what is wrong with it. */
static int tell_encoding(struct printed *p, struct input *in, struct err *err)
{
	const char *damage = input_damage(in);

	if (input_is_utf16(in) && printed_tell(p, FINDING_UTF16, 0, STR_LIT(""), err) < 0)
		return -1;
	if (damage && printed_tell(p, FINDING_COMPRESSION, p->lines.text.n,
				   str_of(damage), err) < 0)
		return -1;
	if (p->lines.at == 0)
		return 0;
	return printed_tell(p, FINDING_BYTE_ORDER_MARK, 0, STR_LIT(""), err);
}

int printed_open(struct printed *p, struct input *in, const struct read_options *options,
		 struct sink *sink, struct err *err)
{
	struct bytes bytes;
	int rc = input_whole(in, "a text file", &bytes, err);

	*p = (struct printed){ .sink = sink, .options = options };
	lines_init(&p->lines, bytes);
	if (rc < 0)
		return -1;
	rc = tell_encoding(p, in, err);
	return rc;
}

void printed_close(struct printed *p)
{
	lines_release(&p->lines);
}

int printed_tick(struct printed *p, struct err *err)
{
	if (p->lines.at - p->ticked < TICK_BYTES)
		return 0;
	p->ticked = p->lines.at;
	return p->sink->tick(p->sink, p->lines.at, p->lines.text.n, err);
}

int printed_next(struct printed *p, struct err *err)
{
	if (!lines_next(&p->lines))
		return 0;
	return printed_tick(p, err) < 0 ? -1 : 1;
}

uint32_t printed_text(struct printed *p, struct str text)
{
	uint64_t most = read_limits(p->options)->text_bytes;

	if (most && text.n > most) {
		text = utf8_cut(text, most);
		p->has_cut_text = true;
	}
	return p->sink->text(p->sink, text);
}

void printed_metadata(struct printed *p, const char *key, struct str text)
{
	if (text.n)
		tell_text(p->sink, str_of(key), text);
}

int printed_function(struct printed *p, struct str name, const struct call_sums *sums,
		     struct err *err)
{
	struct function_fact fact = { .file = p->sink->text(p->sink, STR_LIT("~")),
				      .name = printed_text(p, name) };

	return printed_function_fact(p, &fact, sums, err);
}

int printed_function_fact(struct printed *p, const struct function_fact *function,
			  const struct call_sums *sums, struct err *err)
{
	struct function_stat_fact stat = { .function =
						   p->sink->function(p->sink, function),
					   .sums = *sums,
					   .offset = p->lines.start };

	/* numbers are given in order of first sight */
	if (stat.function < p->nfunctions &&
	    printed_tell(p, FINDING_DUPLICATE_FUNCTION, p->lines.start,
			 line_trimmed(p->lines.line), err) < 0)
		return -1;
	if (stat.function >= p->nfunctions)
		p->nfunctions = stat.function + 1;
	p->nrows++;
	return p->sink->function_stat(p->sink, &stat, err);
}

struct profile_fact printed_profile(const char *dialect)
{
	return (struct profile_fact){ .format = "pstats",
				      .dialect = dialect,
				      PROFILE_FACT_NONE,
				      .rules.all_slices = true };
}

int printed_end(struct printed *p, const struct profile_fact *profile, struct err *err)
{
	const struct str none = STR_LIT("");

	if (p->has_cut_text && printed_tell(p, FINDING_TEXT_SIZE, 0, none, err) < 0)
		return -1;
	if (p->lines.bad_utf8 != LINE_NONE &&
	    printed_tell(p, FINDING_UTF8, p->lines.bad_utf8, none, err) < 0)
		return -1;
	if (printed_tell(p, FINDING_ROUNDED, 0, none, err) < 0)
		return -1;
	p->sink->profile(p->sink, profile);
	return 0;
}

enum probe printed_probe(struct bytes head,
			 bool (*begins)(struct str line, struct str *name))
{
	char plain[TITLE_BYTES];
	struct str name;
	size_t at = lines_mark(head);

	while (at < head.n) {
		const uint8_t *newline = memchr(head.p + at, '\n', head.n - at);
		size_t end = newline ? (size_t)(newline - head.p) : head.n;
		struct str line = { (const char *)head.p + at, end - at };
		while (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (begins(line_plain(line, plain, sizeof(plain)), &name))
			return PROBE_LIKELY;
		at = end + 1;
	}
	return PROBE_NO;
}

bool printed_number(struct str text, double *number)
{
	text = line_trimmed(text);
	return text.n > 0 && text.n <= DECIMAL_TEXT_MAX && decimal_real(text, number);
}

bool printed_count(struct str text, int64_t *count)
{
	return decimal_text_int(line_trimmed(text), count) == DECIMAL_OK;
}
