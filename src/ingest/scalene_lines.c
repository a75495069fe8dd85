/* Which functions the lines of a profile of Scalene are in: see scalene.h. */
#include <stdlib.h>

#include "base/array.h"
#include "base/product.h"
#include "base/sort.h"
#include "ingest/scalene.h"

#define LINE_OF_MODULE UINT32_MAX /* in no function */
#define LINES_MAX      (UINT32_MAX - 1)
#define NS_PER_PERCENT 1e7 /* of a second */
#define BYTES_PER_MIB  1048576.0

void scalene_init(struct scalene *s, struct sink *sink,
		  const struct read_options *options)
{
	*s = (struct scalene){ .file = TEXT_NONE };
	line_rows_init(&s->rows, sink, options);
}

void scalene_release(struct scalene *s)
{
	line_rows_release(&s->rows);
	free(s->lines);
}

int scalene_begin_file(struct scalene *s, struct str name, uint64_t at, struct err *err)
{
	return line_rows_text(&s->rows, name, at, &s->file, err);
}

static size_t indent_of(struct str text)
{
	size_t n = 0;

	while (n < text.n && (text.p[n] == ' ' || text.p[n] == '\t'))
		n++;
	return n;
}

static bool is_of_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The name behind "def" or "async def"; empty: the line defines no function. */
static struct str defined(struct str text)
{
	if (str_starts_with(text, STR_LIT("async "))) {
		text = str_behind(text, 6);
		text = str_behind(text, indent_of(text));
	}
	if (!str_starts_with(text, STR_LIT("def ")))
		return STR_LIT("");
	text = str_behind(text, 4);
	text = str_behind(text, indent_of(text));
	size_t n = 0;
	while (n < text.n && is_of_name(text.p[n]))
		n++;
	return (struct str){ text.p, n };
}

int scalene_text(struct scalene *s, struct str text, struct scalene_line *line,
		 struct err *err)
{
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	if (line->is_function)
		return line_rows_text(&s->rows, text, line->at, &line->name, err);
	line->indent = indent_of(text);
	if (line->indent == text.n)
		line->indent = SIZE_MAX;
	struct str name = defined(str_behind(text, indent_of(text)));
	if (name.n && line_rows_text(&s->rows, name, line->at, &line->name, err) < 0)
		return -1;
	return line_rows_text(&s->rows, text, line->at, &line->text, err);
}

static bool has_data(const struct scalene_line *line)
{
	return !line->is_function && (line->percent > 0 || line->peak_mib > 0);
}

void scalene_add(struct scalene *s, const struct scalene_line *line)
{
	struct scalene_line *to = ARRAY_PUSH(s->lines, s->nlines, s->lines_cap);

	*to = *line;
	to->file = s->file;
	to->owner = LINE_OF_MODULE;
	if (line->text == TEXT_NONE)
		to->indent = SIZE_MAX;
	s->has_data |= has_data(to);
}

/* By file and line; of a line its entry among the functions comes first. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct scalene_line *x = &((const struct scalene_line *)context)[a];
	const struct scalene_line *y = &((const struct scalene_line *)context)[b];

	if (x->file != y->file)
		return x->file < y->file;
	if (x->line != y->line)
		return x->line < y->line;
	return x->is_function > y->is_function;
}

/* By function, then by line. */
static bool is_before_in_function(const void *context, uint32_t a, uint32_t b)
{
	const struct scalene_line *x = &((const struct scalene_line *)context)[a];
	const struct scalene_line *y = &((const struct scalene_line *)context)[b];

	if (x->file != y->file)
		return x->file < y->file;
	if (x->owner != y->owner)
		return x->owner < y->owner;
	return x->line < y->line;
}

/* Lines that define what is open, the outermost first. */
struct definitions {
	uint32_t *open; /* owned */
	size_t n, cap;
};

/*
 * What defines the function that begins at `line`, among the first `n` places of the
 * order and that one: its entry among the functions, else the line.
 */
static uint32_t find_start(const struct scalene *s, const uint32_t *order, size_t n,
			   int64_t line)
{
	const uint32_t file = s->lines[order[n]].file;
	size_t lo = 0, hi = n + 1;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		const struct scalene_line *at = &s->lines[order[middle]];
		if (at->file < file || (at->file == file && at->line < line))
			lo = middle + 1;
		else
			hi = middle;
	}
	const struct scalene_line *found = &s->lines[order[lo <= n ? lo : n]];
	return found->file == file && found->line == line ? order[lo] : LINE_OF_MODULE;
}

/* By what is left open of the lines before, which are less indented. */
static void find_by_indent(struct scalene *s, struct definitions *d, uint32_t at)
{
	struct scalene_line *line = &s->lines[at];

	while (d->n && line->indent != SIZE_MAX &&
	       s->lines[d->open[d->n - 1]].indent != SIZE_MAX &&
	       line->indent <= s->lines[d->open[d->n - 1]].indent)
		d->n--;
	if (line->name != TEXT_NONE)
		*ARRAY_PUSH(d->open, d->n, d->cap) = at;
	line->owner = d->n ? d->open[d->n - 1] : LINE_OF_MODULE;
}

static void find_owners(struct scalene *s, const uint32_t *order)
{
	struct definitions d = { .n = 0 };

	for (size_t i = 0; i < s->nlines; i++) {
		struct scalene_line *line = &s->lines[order[i]];
		if (i && line->file != s->lines[order[i - 1]].file)
			d.n = 0;
		if (line->is_function)
			continue;
		if (line->start == NUMBER_NONE)
			find_by_indent(s, &d, order[i]);
		else if (line->start > 0)
			line->owner = find_start(s, order, i, line->start);
	}
	free(d.open);
}

/* Empty lines around a function look like lines of it. */
static bool is_empty(const struct scalene_line *line)
{
	return !has_data(line) && line->indent == SIZE_MAX;
}

static int begin_function(struct scalene *s, const struct scalene_line *first,
			  struct err *err)
{
	struct sink *sink = s->rows.sink;
	struct line_function f = {
		.file = first->file, .line = 1, .total_s = -1, .at = first->at
	};

	if (first->owner != LINE_OF_MODULE) {
		f.line = s->lines[first->owner].line;
		f.name = s->lines[first->owner].name;
	}
	if (first->owner == LINE_OF_MODULE)
		f.name = sink->text(sink, STR_LIT("<module>"));
	else if (f.name == TEXT_NONE)
		f.name = sink->text(sink, STR_LIT("<unknown>"));
	return line_rows_begin(&s->rows, &f, err);
}

static int add_line(struct scalene *s, const struct scalene_line *line, double elapsed_s,
		    struct err *err)
{
	struct line_row row = { .fact = { .line = line->line,
					  .text = line->text,
					  .hits = NUMBER_NONE,
					  .self_ns = NUMBER_NONE,
					  .memory_bytes = NUMBER_NONE,
					  .increment_bytes = NUMBER_NONE } };
	bool fits = true;

	if (line->percent > 0)
		fits = product_round(product_times(product_of(line->percent, elapsed_s),
						   NS_PER_PERCENT),
				     &row.fact.self_ns);
	if (line->peak_mib > 0)
		fits &= product_round(product_of(line->peak_mib, BYTES_PER_MIB),
				      &row.fact.memory_bytes);
	if (!fits && line_rows_finding(&s->rows, FINDING_LINE_RANGE, line->at,
				       STR_LIT(""), err) < 0)
		return -1;
	return line_rows_add(&s->rows, &row, err);
}

/* The lines order[from] to order[to - 1] are a function's; without data it is not told. */
static int tell_function(struct scalene *s, const uint32_t *order, size_t from, size_t to,
			 double elapsed_s, struct err *err)
{
	size_t first = from;

	while (first < to && !has_data(&s->lines[order[first]]))
		first++;
	if (first == to)
		return 0;
	while (is_empty(&s->lines[order[from]]))
		from++;
	while (is_empty(&s->lines[order[to - 1]]))
		to--;
	if (begin_function(s, &s->lines[order[first]], err) < 0)
		return -1;
	for (size_t i = from; i < to; i++)
		if (!s->lines[order[i]].is_function &&
		    add_line(s, &s->lines[order[i]], elapsed_s, err) < 0)
			return -1;
	return 0;
}

/* A line is there once, or its shares were added up. */
static int check_lines(const struct scalene *s, const uint32_t *order, struct err *err)
{
	for (size_t i = 1; i < s->nlines; i++) {
		const struct scalene_line *before = &s->lines[order[i - 1]];
		const struct scalene_line *line = &s->lines[order[i]];
		if (line->file == before->file && line->line == before->line &&
		    !line->is_function && !before->is_function)
			return err_at(err, line->at, "line %lld of a file is there twice",
				      (long long)line->line);
	}
	return 0;
}

int scalene_tell(struct scalene *s, double elapsed_s, struct err *err)
{
	if (s->nlines > LINES_MAX)
		return err_set(err, ERR_INPUT, "more than %u lines in one profile",
			       LINES_MAX);
	uint32_t *order = sorted_places(s->nlines, is_before, s->lines);
	int rc = check_lines(s, order, err);
	find_owners(s, order);
	free(order);
	order = sorted_places(s->nlines, is_before_in_function, s->lines);
	for (size_t from = 0, to; from < s->nlines && rc == 0; from = to) {
		const struct scalene_line *first = &s->lines[order[from]];
		for (to = from + 1; to < s->nlines &&
				    s->lines[order[to]].file == first->file &&
				    s->lines[order[to]].owner == first->owner;)
			to++;
		rc = tell_function(s, order, from, to, elapsed_s, err);
	}
	free(order);
	return rc == 0 ? line_rows_tell(&s->rows, err) : -1;
}
