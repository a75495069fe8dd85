/*
 * What line_profiler and memory_profiler print: tables of the lines of a function, also in
 * a log beside other output.  line_profiler's show_func() and memory_profiler's
 * show_results() tell the layouts:
 *
 *	Line #      Hits         Time  Per Hit   % Time  Line Contents
 *	Line #    Mem usage    Increment  Occurrences   Line Contents
 *
 * A cell that is too wide pushes the rest of its row to the right, so that rows are read
 * word by word, and the source begins so many blanks behind the last number.
 */
#include <math.h>

#include "base/decimal.h"
#include "base/product.h"
#include "ingest/line_rows.h"
#include "ingest/pstats_title.h"

#define TICK_BYTES   ((size_t)1 << 20)
#define TITLE_BYTES  512 /* of a line that a probe takes colours from */
#define MIB          1048576.0
#define USUAL_UNIT_S 1e-6
#define NS_PER_S     1e9
#define UNIT         STR_LIT("Timer unit: ")
#define LOOKED_AT    64 /* rows that the name of a function is looked for in */

enum table_kind { TABLE_NONE, TABLE_TIME, TABLE_MEMORY };

struct table_title {
	enum table_kind kind;
	size_t source; /* where the source begins */
	bool has_increment, has_occurrences;
};

struct report {
	struct line_rows rows;
	struct lines lines;
	struct sink *sink;
	/* Said above the next table. */
	struct buf file, name;
	int64_t line; /* or NUMBER_NONE */
	double total_s, unit_s;
	/* Of all tables. */
	size_t ntimes, nmemories, ngood, nbad, bad_at, ticked;
};

/* What follows the prefix; false: there is no such prefix. */
static bool after(struct str line, const char *prefix, struct str *rest)
{
	if (!str_starts_with(line, str_of(prefix)))
		return false;
	*rest = line_trimmed(str_behind(line, strlen(prefix)));
	return true;
}

/* Where the text stands in the line, or LINE_NONE. */
static size_t find(struct str line, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= line.n; i++)
		if (memcmp(line.p + i, text, n) == 0)
			return i;
	return LINE_NONE;
}

static struct table_title table_of(struct str line)
{
	struct table_title t = { .kind = TABLE_NONE };

	if (!str_starts_with(line_trimmed(line), STR_LIT("Line # ")))
		return t;
	t.source = find(line, "Line Contents");
	if (t.source == LINE_NONE)
		return t;
	if (find(line, " Mem usage") != LINE_NONE)
		t.kind = TABLE_MEMORY;
	else if (find(line, " Hits ") != LINE_NONE && find(line, " Time ") != LINE_NONE)
		t.kind = TABLE_TIME;
	t.has_increment = find(line, "Increment") != LINE_NONE;
	/* 0.58 spells it with one r, which its rows leave room for */
	t.has_occurrences = find(line, "Occur") != LINE_NONE;
	if (find(line, "Occurrences") != LINE_NONE)
		t.source--;
	return t;
}

/* "1e-06 s" */
static bool read_seconds(struct str text, double *seconds)
{
	struct str word = line_word(&text);
	double value;

	if (!decimal_real(word, &value) || !str_is(line_trimmed(text), "s") || value < 0)
		return false;
	*seconds = value;
	return true;
}

/* "Timer unit: 1e-06 s" */
static bool read_unit(struct str line, double *unit_s)
{
	struct str rest;
	double seconds;

	if (!after(line, UNIT.p, &rest) || !read_seconds(rest, &seconds) || seconds == 0)
		return false;
	*unit_s = seconds;
	return true;
}

/* "slow at line 3": the last such words, since names may be anything. */
static void read_function(struct report *r, struct str text)
{
	static const char words[] = " at line ";
	size_t at = LINE_NONE, from = 0, next;

	while ((next = find(str_behind(text, from), words)) != LINE_NONE) {
		at = from + next;
		from = at + 1;
	}
	buf_clear(&r->name);
	r->line = NUMBER_NONE;
	if (at != LINE_NONE && decimal_text_int(str_behind(text, at + sizeof(words) - 1),
						&r->line) == DECIMAL_OK)
		text.n = at;
	buf_add_str(&r->name, text);
}

static void set(struct buf *to, struct str text)
{
	buf_clear(to);
	buf_add_str(to, text);
}

static void forget(struct report *r)
{
	buf_clear(&r->file);
	buf_clear(&r->name);
	r->line = NUMBER_NONE;
	r->total_s = -1;
}

/* Is it one of the lines above tables?  Then it is remembered. */
static bool note_title(struct report *r, struct str line)
{
	struct str rest;

	line = line_trimmed(line);
	if (str_starts_with(line, UNIT)) {
		forget(r);
		return read_unit(line, &r->unit_s);
	}
	if (after(line, "Total time: ", &rest))
		return read_seconds(rest, &r->total_s);
	if (after(line, "File: ", &rest) || after(line, "Filename: ", &rest) ||
	    after(line, "Could not find file ", &rest))
		set(&r->file, rest);
	else if (after(line, "Function: ", &rest))
		read_function(r, rest);
	else
		return false;
	return true;
}

/* A row's words, from left to right. */
struct row_reader {
	struct str line;
	size_t at; /* behind the newest word */
	bool is_cut;
	bool is_beyond; /* a number is beyond 64 bits */
};

/* The nearest whole number. */
static void take(struct row_reader *w, double number, double times, int64_t *out)
{
	w->is_beyond |= !product_round(product_of(number, times), out);
}

/* Where the next word begins; the line's end: there is none. */
static size_t next_start(const struct row_reader *w)
{
	size_t at = w->at;

	while (at < w->line.n && (w->line.p[at] == ' ' || w->line.p[at] == '\t'))
		at++;
	return at;
}

/* Empty: there is none, or it may have been cut. */
static struct str next_word(struct row_reader *w)
{
	size_t from = next_start(w), to = from;

	while (to < w->line.n && w->line.p[to] != ' ' && w->line.p[to] != '\t')
		to++;
	w->at = to;
	if (w->is_cut && to == w->line.n)
		to = from;
	return (struct str){ w->line.p + from, to - from };
}

static bool next_number(struct row_reader *w, double *number)
{
	struct str word = next_word(w);

	return word.n && decimal_real(word, number);
}

static bool next_count(struct row_reader *w, int64_t *count)
{
	double number;

	if (!next_number(w, &number) || number != rint(number))
		return false;
	take(w, number, 1, count);
	return true;
}

/* "181.8 MiB", or MB, which was the same. */
static bool next_size(struct row_reader *w, int64_t *bytes)
{
	double number;

	if (!next_number(w, &number))
		return false;
	struct str unit = next_word(w);
	if (!str_is(unit, "MiB") && !str_is(unit, "MB"))
		return false;
	take(w, number, MIB, bytes);
	return true;
}

/* "%6s %9s %12s %8s %8s  %s": the share is blank where the total is 0. */
static bool read_times(const struct report *r, struct row_reader *w,
		       struct line_fact *line, size_t *source)
{
	double time, per_hit;

	if (!next_count(w, &line->hits) || !next_number(w, &time))
		return false;
	take(w, time, line_tick_ns(r->unit_s), &line->self_ns);
	/* the rest says nothing new, and may be cut */
	w->is_cut = false;
	if (!next_number(w, &per_hit))
		return w->at == w->line.n;
	size_t behind = w->at;
	if (next_start(w) > behind + 8) {
		*source = behind + 11;
		return true;
	}
	(void)next_word(w);
	*source = w->at + 2;
	return true;
}

static bool read_memory(const struct table_title *t, struct row_reader *w,
			struct line_fact *line, size_t *source)
{
	if (!next_size(w, &line->memory_bytes) ||
	    (t->has_increment && !next_size(w, &line->increment_bytes)) ||
	    (t->has_occurrences && !next_count(w, &line->hits)))
		return false;
	*source = w->at + 3;
	return true;
}

static bool is_loop(struct str source)
{
	source = line_trimmed(source);
	return str_starts_with(source, STR_LIT("for ")) ||
	       str_starts_with(source, STR_LIT("while ")) ||
	       str_starts_with(source, STR_LIT("async for "));
}

/* False: it is no row. */
static bool read_row(const struct report *r, const struct table_title *t,
		     struct line_row *row, struct str *source)
{
	struct row_reader w = { .line = r->lines.line, .is_cut = r->lines.is_cut };
	size_t at = t->source;

	*row = (struct line_row){ .fact = { .hits = NUMBER_NONE,
					    .self_ns = NUMBER_NONE,
					    .memory_bytes = NUMBER_NONE,
					    .increment_bytes = NUMBER_NONE } };
	if (!next_count(&w, &row->fact.line))
		return false;
	size_t first = next_start(&w);
	bool has_numbers = first < t->source && first < w.line.n;
	if (w.is_cut && !has_numbers && w.line.n <= t->source)
		return false; /* they may have been cut off */
	if (has_numbers && !(t->kind == TABLE_TIME ? read_times(r, &w, &row->fact, &at)
						   : read_memory(t, &w, &row->fact, &at)))
		return false;
	*source = at < w.line.n ? str_behind(w.line, at) : STR_LIT("");
	row->is_loop = is_loop(*source);
	row->is_beyond = w.is_beyond;
	return true;
}

/* "def f(", "def f[T](", "async def f(", "class C:" */
static bool name_of(struct str source, struct str *name)
{
	struct str rest = line_trimmed(source), word = line_word(&rest);

	if (str_is(word, "async"))
		word = line_word(&rest);
	if (!str_is(word, "def") && !str_is(word, "class"))
		return false;
	rest = line_trimmed(rest);
	size_t n = 0;
	while (n < rest.n && !strchr("([: ", rest.p[n]))
		n++;
	*name = (struct str){ rest.p, n };
	return n > 0 && n < rest.n; /* else it may be cut off */
}

/* Looks ahead for what the lines above the table do not say. */
static void find_name(struct report *r, const struct table_title *t)
{
	size_t back = r->lines.at;
	bool has_name = r->name.n > 0;
	struct str source, name;
	struct line_row row;

	for (int i = 0; i < LOOKED_AT && lines_next(&r->lines); i++) {
		if (line_is_blank(r->lines.line))
			break;
		if (!read_row(r, t, &row, &source))
			continue;
		if (r->line == NUMBER_NONE)
			r->line = row.fact.line;
		if (!has_name && name_of(source, &name)) {
			set(&r->name, name);
			has_name = true;
		}
	}
	r->lines.at = back;
	if (!has_name)
		set(&r->name, STR_LIT("<unknown>"));
}

static int add_row(struct report *r, struct line_row *row, struct str source,
		   struct err *err)
{
	if (line_rows_text(&r->rows, source, r->lines.start, &row->fact.text, err) < 0)
		return -1;
	r->ngood++;
	if (row->is_beyond &&
	    line_rows_finding(&r->rows, FINDING_LINE_RANGE, r->lines.start,
			      line_trimmed(r->lines.line), err) < 0)
		return -1;
	return line_rows_add(&r->rows, row, err);
}

static int skip_row(struct report *r, struct err *err)
{
	struct str line = line_trimmed(r->lines.line);

	if (r->lines.is_cut)
		return line_rows_finding(&r->rows, FINDING_TRUNCATED, r->lines.start,
					 line, err);
	if (r->nbad++ == 0)
		r->bad_at = r->lines.start;
	return line_rows_finding(&r->rows, FINDING_ROW_SYNTAX, r->lines.start, line, err);
}

static int tick(struct report *r, struct err *err)
{
	if (r->lines.at - r->ticked < TICK_BYTES)
		return 0;
	r->ticked = r->lines.at;
	return r->sink->tick(r->sink, r->lines.at, r->lines.text.n, err);
}

static bool is_rule(struct str line)
{
	line = line_trimmed(line);
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '=')
			return false;
	return line.n > 0;
}

/* Its rows, up to a blank line. */
static int read_rows(struct report *r, const struct table_title *t, struct err *err)
{
	struct line_row row;
	struct str source;

	while (lines_next(&r->lines) && !line_is_blank(r->lines.line)) {
		if (tick(r, err) < 0)
			return -1;
		if (is_rule(r->lines.line))
			continue;
		if (table_of(r->lines.line).kind || note_title(r, r->lines.line)) {
			r->lines.at = r->lines.start;
			return 0;
		}
		int rc = read_row(r, t, &row, &source) ? add_row(r, &row, source, err)
						       : skip_row(r, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int read_table(struct report *r, const struct table_title *t, struct err *err)
{
	struct line_function f = { .at = r->lines.start, .total_s = r->total_s };
	int64_t total_ns;

	find_name(r, t);
	f.line = r->line == NUMBER_NONE ? 0 : r->line;
	if (line_rows_text(&r->rows, buf_str(&r->file), f.at, &f.file, err) < 0 ||
	    line_rows_text(&r->rows, buf_str(&r->name), f.at, &f.name, err) < 0)
		return -1;
	if (!product_round(product_of(f.total_s, NS_PER_S), &total_ns) &&
	    line_rows_finding(&r->rows, FINDING_LINE_RANGE, f.at, STR_LIT(""), err) < 0)
		return -1;
	r->ntimes += t->kind == TABLE_TIME;
	r->nmemories += t->kind == TABLE_MEMORY;
	r->rows.is_timed = t->kind == TABLE_TIME;
	forget(r);
	if (line_rows_begin(&r->rows, &f, err) < 0)
		return -1;
	return read_rows(r, t, err);
}

static int read_tables(struct report *r, struct err *err)
{
	while (lines_next(&r->lines)) {
		const struct table_title t = table_of(r->lines.line);
		if (t.kind ? read_table(r, &t, err) < 0 : tick(r, err) < 0)
			return -1;
		if (!t.kind && !note_title(r, r->lines.line) &&
		    str_starts_with(line_trimmed(r->lines.line), UNIT) &&
		    skip_row(r, err) < 0)
			return -1;
	}
	if (r->ngood)
		return 0;
	if (r->nbad)
		return err_at(err, r->bad_at, "no row of the report can be read");
	return err_at(err, 0,
		      "the report of the line profiler has no rows: nothing was "
		      "profiled, or it was cut off");
}

static int tell_rest(struct report *r, struct err *err)
{
	const struct profile_fact profile = { .format = r->ntimes ? "line_profiler"
								  : "memory_profiler",
					      .dialect = "text",
					      PROFILE_FACT_NONE };

	if (r->lines.bad_utf8 != LINE_NONE &&
	    line_rows_finding(&r->rows, FINDING_UTF8, r->lines.bad_utf8, STR_LIT(""),
			      err) < 0)
		return -1;
	if (line_rows_finding(&r->rows, FINDING_LINES_ROUNDED, 0, STR_LIT(""), err) < 0)
		return -1;
	r->sink->profile(r->sink, &profile);
	return 0;
}

static int read_report(struct report *r, struct input *in, struct err *err)
{
	const char *damage = input_damage(in);
	struct str text = { (const char *)r->lines.text.p, r->lines.text.n };

	if (input_is_utf16(in) &&
	    line_rows_finding(&r->rows, FINDING_UTF16, 0, STR_LIT(""), err) < 0)
		return -1;
	if (damage && line_rows_finding(&r->rows, FINDING_COMPRESSION, text.n,
					str_of(damage), err) < 0)
		return -1;
	if (read_tables(r, err) < 0 || line_rows_tell(&r->rows, err) < 0)
		return -1;
	return tell_rest(r, err);
}

static int report_read(struct input *in, const struct read_options *options,
		       struct sink *sink, struct err *err)
{
	struct report r = { .sink = sink, .unit_s = USUAL_UNIT_S };
	struct bytes bytes;

	if (input_whole(in, "a text file", &bytes, err) < 0)
		return -1;
	line_rows_init(&r.rows, sink, options);
	lines_init(&r.lines, bytes);
	buf_init(&r.file, SIZE_MAX);
	buf_init(&r.name, SIZE_MAX);
	forget(&r);
	int rc = read_report(&r, in, err);
	buf_release(&r.file);
	buf_release(&r.name);
	lines_release(&r.lines);
	line_rows_release(&r.rows);
	return rc;
}

/* What print_stats() of line_profiler begins with; memory_profiler's tables are one report. */
static bool report_begins(struct str line, struct str *name)
{
	double unit_s;

	*name = STR_LIT("");
	return read_unit(line_trimmed(line), &unit_s);
}

/* The title of a table, or the line that begins what line_profiler prints. */
static enum probe report_probe(struct bytes head)
{
	char plain[TITLE_BYTES];
	struct str name;

	for (size_t at = lines_mark(head); at < head.n;) {
		const uint8_t *newline = memchr(head.p + at, '\n', head.n - at);
		size_t end = newline ? (size_t)(newline - head.p) : head.n;
		struct str line = { (const char *)head.p + at, end - at };
		line = line_plain(line, plain, sizeof(plain));
		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		if (table_of(line).kind || report_begins(line, &name))
			return PROBE_LIKELY;
		at = end + 1;
	}
	return PROBE_NO;
}

const struct reader line_report_reader = {
	.name = "line-report",
	.help = "what line_profiler and memory_profiler print",
	.probe = report_probe,
	.read = report_read,
	.begins = report_begins,
	.is_anywhere = true,
	.is_print = true,
};
