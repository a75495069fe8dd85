/*
 * What yappi prints of functions: get_func_stats().print_all() (yappi.py, class YFuncStats).
 * Cells have fixed widths; what is longer loses its end, names their beginning, and ".."
 * stands for what is lost, so that such a count is not known.
 */
#include <math.h>

#include "ingest/printed.h"

#define COLUMNS_MAX 5
#define LOST        ".."

enum column {
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_MEAN,
	NCOLUMNS
};

static const char *const titles[NCOLUMNS] = {
	[COLUMN_NAME] = "name",  [COLUMN_CALLS] = "ncall", [COLUMN_SELF] = "tsub",
	[COLUMN_TOTAL] = "ttot", [COLUMN_MEAN] = "tavg",
};

struct table {
	enum column columns[COLUMNS_MAX];
	size_t n;
};

struct reading {
	struct printed in;
	struct table table;
	size_t at;    /* of the titles */
	size_t nlost; /* counts */
	struct buf clock;
};

/* "name  ncall  tsub  ttot  tavg", some of them; the name is the first. */
static bool is_titles(struct str line, struct table *t)
{
	bool has[NCOLUMNS] = { false };
	struct str word;

	*t = (struct table){ .n = 0 };
	while ((word = line_word(&line)).n) {
		size_t column = 0;
		while (column < NCOLUMNS && !str_is(word, titles[column]))
			column++;
		if (column == NCOLUMNS || has[column])
			return false;
		has[column] = true;
		t->columns[t->n++] = (enum column)column;
	}
	return t->n > 2 && t->columns[0] == COLUMN_NAME && has[COLUMN_CALLS] &&
	       (has[COLUMN_SELF] || has[COLUMN_TOTAL]);
}

static bool begins(struct str line, struct str *name)
{
	struct table table;

	*name = STR_LIT("");
	return is_titles(line, &table);
}

static enum probe yappi_probe(struct bytes head)
{
	return printed_probe(head, begins);
}

/* Drops the marks of what is lost at the end; true: there are some. */
static bool drop_lost(struct str *text)
{
	const struct str lost = STR_LIT(LOST);

	if (text->n < lost.n || !str_equal(str_behind(*text, text->n - lost.n), lost))
		return false;
	text->n -= lost.n;
	return true;
}

/* "12", "12/3"; -1 where digits are lost. */
static bool read_calls(struct reading *r, struct str text, struct call_sums *sums)
{
	const char *slash = memchr(text.p, '/', text.n);
	struct str calls = { text.p, slash ? (size_t)(slash - text.p) : text.n };

	if (drop_lost(&text)) {
		r->nlost++;
		sums->calls.n = sums->primitive.n = -1;
		return true;
	}
	if (!printed_count(calls, &sums->calls.n) || sums->calls.n < 0)
		return false;
	sums->primitive.n = sums->calls.n;
	return !slash ||
	       (printed_count(str_behind(text, calls.n + 1), &sums->primitive.n) &&
		sums->primitive.n >= 0);
}

/* Seconds; those of which only decimals are lost are as near as that. */
static bool read_seconds(struct str text, double *seconds)
{
	bool is_lost = drop_lost(&text);

	if (is_lost && !memchr(text.p, '.', text.n)) {
		*seconds = (double)NAN;
		return true;
	}
	return printed_number(text, seconds);
}

static bool read_cell(struct reading *r, enum column column, struct str text,
		      struct call_sums *sums)
{
	double mean;

	switch (column) {
	case COLUMN_CALLS:
		return read_calls(r, text, sums);
	case COLUMN_SELF:
		return read_seconds(text, &sums->self_s);
	case COLUMN_TOTAL:
		return read_seconds(text, &sums->total_s);
	case COLUMN_MEAN:
		return read_seconds(text, &mean);
	case COLUMN_NAME:
	case NCOLUMNS:
		break;
	}
	return false;
}

/* The last word, which the line loses. */
static struct str last_word(struct str *line)
{
	size_t at;

	*line = line_trimmed(*line);
	for (at = line->n; at > 0 && line->p[at - 1] != ' ' && line->p[at - 1] != '\t';)
		at--;
	struct str word = str_behind(*line, at);
	line->n = at;
	return word;
}

/* "w_long.py:19 main" as pstats has it; other names, of built-in ones, are names alone. */
static int tell_function(struct reading *r, struct str name, const struct call_sums *sums,
			 struct err *err)
{
	struct function_fact fact = { .line = 0 };
	struct str place = name;

	while (place.n > 0 && place.p[place.n - 1] != ':')
		place.n--;
	struct str rest = str_behind(name, place.n), line = line_word(&rest);
	if (place.n < 2 || !printed_count(line, &fact.line) || fact.line < 0 ||
	    line_is_blank(rest))
		return printed_function(&r->in, name, sums, err);
	place.n--;
	fact.file = printed_text(&r->in, place);
	fact.name = printed_text(&r->in, line_trimmed(rest));
	return printed_function_fact(&r->in, &fact, sums, err);
}

static int read_row(struct reading *r, struct err *err)
{
	struct call_sums sums = { .has_times = true,
				  .self_s = (double)NAN,
				  .total_s = (double)NAN };
	struct str line = r->in.lines.line;
	bool is_row = !r->in.lines.is_cut;
	size_t nlost = r->nlost;

	for (size_t i = r->table.n; i-- > 1 && is_row;)
		is_row = read_cell(r, r->table.columns[i], last_word(&line), &sums);
	line = line_trimmed(line);
	if (is_row && line.n)
		return tell_function(r, line, &sums, err);
	r->nlost = nlost;
	return printed_bad_row(&r->in, err);
}

static int find_titles(struct reading *r, struct err *err)
{
	const struct str clock = STR_LIT("Clock type: ");
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		struct str said = line_trimmed(r->in.lines.line);
		if (str_starts_with(said, clock)) {
			buf_clear(&r->clock);
			buf_add_str(&r->clock, str_behind(said, clock.n));
		}
		r->at = r->in.lines.start;
		if (is_titles(said, &r->table))
			return 1;
	}
	return more;
}

static int read_rows(struct reading *r, struct err *err)
{
	int more;

	while ((more = printed_next(&r->in, err)) > 0) {
		if (line_is_blank(r->in.lines.line))
			return 0;
		if (read_row(r, err) < 0)
			return -1;
	}
	return more;
}

static int tell_rest(struct reading *r, struct err *err)
{
	const struct profile_fact profile = printed_profile("yappi");

	if (r->in.nrows == 0)
		return err_at(err, r->at,
			      "the table of yappi has no rows: nothing was called, or it "
			      "was cut off");
	printed_metadata(&r->in, "clock", buf_str(&r->clock));
	if (r->nlost &&
	    printed_tell(&r->in, FINDING_COUNTS_LOST, r->at, STR_LIT(""), err) < 0)
		return -1;
	return printed_end(&r->in, &profile, err);
}

static int yappi_read(struct input *in, const struct read_options *options,
		      struct sink *sink, struct err *err)
{
	struct reading r = { .at = 0 };

	buf_init(&r.clock, SIZE_MAX);
	int rc = printed_open(&r.in, in, options, sink, err);
	if (rc == 0)
		rc = find_titles(&r, err);
	if (rc > 0)
		rc = read_rows(&r, err);
	if (rc == 0)
		rc = tell_rest(&r, err);
	printed_close(&r.in);
	buf_release(&r.clock);
	return rc;
}

const struct reader yappi_text_reader = {
	.name = "yappi-text",
	.help = "what yappi prints: get_func_stats().print_all()",
	.probe = yappi_probe,
	.read = yappi_read,
	.begins = begins,
	.is_print = true,
};
