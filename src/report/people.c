/* A table put into words for people: see people.h. */
#include "report/people.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/field.h"
#include "base/idmap.h"
#include "base/utf8.h"

/* SQLite's limit for one text; escaped, a longer one is cut, nothing else. */
#define CELL_MAX ((size_t)INT32_MAX)

#define LEAST_NAME 30 /* terminal cells of text before columns leave */

/* Of one terminal cell a text keeps so many; a character and its marks have 12. */
#define BYTES_A_CELL ((size_t)1024)

#define DIFFERS 1000 /* numbers of a column so many times another: a unit for each */

/* What a column's cells have in common. */
struct summary {
	double largest, smallest; /* magnitudes; the smallest that is not 0, or 0 */
	bool has_fractions, has_numbers, has_text, has_infinite;
};

static void add_number(struct summary *s, double value)
{
	double magnitude = fabs(value);

	s->has_numbers = true;
	s->has_infinite |= !isfinite(value);
	if (!isfinite(value))
		return;
	if (magnitude > s->largest)
		s->largest = magnitude;
	if (magnitude > 0 && (s->smallest == 0 || magnitude < s->smallest))
		s->smallest = magnitude;
	if (value != floor(value))
		s->has_fractions = true;
}

static void summarize(struct summary *s, const struct memtable *rows, size_t column)
{
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *cell = &memtable_row(rows, i)[column];
		if (cell->type == CELL_INT)
			add_number(s, (double)cell->as.integer);
		else if (cell->type == CELL_REAL)
			add_number(s, cell->as.real);
		else if (cell->type == CELL_TEXT)
			s->has_text = true;
	}
}

static bool is_compared(const struct table *t, size_t column)
{
	return t->fields && (t->fields[column]->flags & FIELD_COMPARED);
}

/* Of the column, or of all that it is compared with: they have one scale. */
static struct summary summary_for_scale(const struct people *p, size_t column)
{
	const struct table *t = p->table;
	struct summary s = { 0 };

	for (size_t i = 0; i < t->ncolumns; i++)
		if (i == column || (is_compared(t, i) && is_compared(t, column) &&
				    t->columns[i].unit == t->columns[column].unit))
			summarize(&s, p->rows, i);
	return s;
}

/*
 * In one unit the smallest would show no two digits, or the others too many.  Moments
 * keep one unit: they are read as places on one line.
 */
static bool needs_scales(struct scale scale, const struct summary *s)
{
	double two_digits = scale.divisor * pow(10, 1 - scale.decimals);

	return units_has_rungs(scale.unit) && scale.unit != UNIT_TIME &&
	       s->smallest > 0 && scale.decimals > 0 &&
	       (s->largest >= DIFFERS * s->smallest || s->smallest < two_digits);
}

/* The unit is named once: not behind a title that says "%" itself. */
static struct str make_heading(struct people *p, const struct column *column,
			       const char *label)
{
	const char *title = column->title ? column->title : column->name;

	buf_clear(&p->cell);
	utf8_add_visible(&p->cell, str_of(title));
	if (label[0] && !strchr(title, '%'))
		buf_addf(&p->cell, " (%s)", label);
	return arena_copy(&p->arena, buf_str(&p->cell));
}

/* By the address, which the memtable has one of for equal long texts. */
static size_t *find_firsts(struct people *p, size_t column)
{
	size_t n = p->rows->nrows;
	struct idmap rows;

	if (!p->rows->longs.n)
		return NULL;
	size_t *firsts = arena_alloc(&p->arena, n * sizeof(*firsts));
	idmap_init(&rows, 0);
	for (size_t row = 0; row < n; row++) {
		const struct cell *cell = &memtable_row(p->rows, row)[column];
		firsts[row] = row;
		if (cell->type != CELL_TEXT || cell->as.text.n < MEMTABLE_LONG)
			continue;
		int64_t address = (int64_t)(uintptr_t)cell->as.text.p;
		size_t at = idmap_first(&rows, address);
		uint32_t first = idmap_next(&rows, &at);
		if (first == UINT32_MAX)
			idmap_add(&rows, address, (uint32_t)row);
		else
			firsts[row] = first;
	}
	idmap_release(&rows);
	return firsts;
}

static void measure(struct people *p, size_t row, size_t column)
{
	struct people_column *c = &p->columns[column];

	if (people_first(c, row) != row)
		return;
	size_t width = utf8_width(people_cell(p, row, column));
	if (width > c->width)
		c->width = width;
	if (memtable_row(p->rows, row)[c->at].type != CELL_TEXT &&
	    width > c->number_width)
		c->number_width = width;
}

/* Only null, or amounts of 0. */
static bool says_nothing(enum unit unit, const struct summary *s)
{
	bool is_amount = units_is_number(unit) && unit != UNIT_ID && unit != UNIT_TIME;

	if (s->has_text || !s->has_numbers)
		return !s->has_text;
	return is_amount && s->largest == 0 && !s->has_infinite;
}

int people_collect(struct people *p, struct table *t, struct err *err)
{
	*p = (struct people){ .table = t, .rows = memtable_new(t->columns, t->ncolumns) };
	buf_init(&p->cell, CELL_MAX);
	p->columns = arena_alloc(&p->arena, t->ncolumns * sizeof(*p->columns));
	if (memtable_add_table(p->rows, t, err) < 0)
		return -1;
	for (size_t i = 0; i < t->ncolumns; i++) {
		enum unit unit = t->columns[i].unit;
		struct summary s = { 0 }, all = summary_for_scale(p, i);
		struct scale scale = units_scale(unit, all.largest, all.has_fractions);
		bool has_scales = needs_scales(scale, &all);
		summarize(&s, p->rows, i);
		bool is_right = units_is_number(unit) ||
				(unit == UNIT_ANY && s.has_numbers && !s.has_text);
		if (t->drops_zeros && p->rows->nrows && says_nothing(unit, &s))
			continue;
		struct people_column *c = &p->columns[p->ncolumns++];
		*c = (struct people_column){
			.at = i,
			.least = t->fields ? t->fields[i]->least : 0,
			.heading = make_heading(p, &t->columns[i],
						has_scales ? "" : scale.label),
			.scale = scale,
			.has_scales = has_scales,
			.is_right = is_right,
			.firsts = s.has_text ? find_firsts(p, i) : NULL,
		};
		c->width = utf8_width(c->heading);
	}
	for (size_t row = 0; row < p->rows->nrows; row++)
		for (size_t i = 0; i < p->ncolumns; i++)
			measure(p, row, i);
	for (size_t i = 0; i < p->ncolumns; i++)
		p->columns[i].whole_width = p->columns[i].width;
	return 0;
}

/* Cells without which the column cannot be read. */
static size_t least_width(const struct people_column *c)
{
	size_t least = c->least ? c->least : LEAST_NAME;

	return c->is_right || c->width < least ? c->width : least;
}

void people_fit(struct people *p, size_t width, size_t gutter)
{
	while (p->table->fields && p->ncolumns) {
		size_t needed = 0, stay = 0;
		int leaves = 0;
		for (size_t i = 0; i < p->ncolumns; i++) {
			const struct people_column *c = &p->columns[i];
			int number = p->table->fields[c->at]->leaves;
			needed += least_width(c) + (i ? gutter : 0);
			if (number > leaves)
				leaves = number;
		}
		if (needed <= width || !leaves)
			break;
		for (size_t i = 0; i < p->ncolumns; i++)
			if (p->table->fields[p->columns[i].at]->leaves != leaves)
				p->columns[stay++] = p->columns[i];
		p->nhidden += p->ncolumns - stay;
		p->ncolumns = stay;
	}
}

void people_release(struct people *p)
{
	if (p->rows)
		table_free(&p->rows->table);
	arena_release(&p->arena);
	buf_release(&p->cell);
}

static struct str visible(struct people *p, struct str text)
{
	buf_clear(&p->cell);
	utf8_add_visible(&p->cell, text);
	return buf_str(&p->cell);
}

struct str people_cell(struct people *p, size_t row, size_t column)
{
	const struct people_column *c = &p->columns[column];
	const struct cell *cell = &memtable_row(p->rows, row)[c->at];

	if (c->texts)
		return c->texts[row];
	if (cell->type == CELL_TEXT)
		return visible(p, cell->as.text);
	return c->has_scales ? units_short(c->scale.unit, *cell, p->number)
			     : units_cell(c->scale, *cell, p->number);
}

static size_t wider(size_t width, struct str text)
{
	size_t cells = utf8_width(text);

	return cells > width ? cells : width;
}

/* The texts of the column without those that an earlier row has; returns how many. */
static size_t whole_texts(struct people *p, const struct people_column *column,
			  struct str *whole)
{
	size_t at = (size_t)(column - p->columns), n = 0;

	for (size_t row = 0; row < p->rows->nrows; row++)
		if (people_first(column, row) == row)
			whole[n++] = arena_copy(&p->arena, people_cell(p, row, at));
	return n;
}

/* What became of them, in the same array, to all rows. */
static void spread(const struct people_column *column, struct str *texts, size_t n,
		   size_t nrows)
{
	for (size_t row = nrows; row-- > 0;)
		if (people_first(column, row) == row)
			texts[row] = texts[--n];
	for (size_t row = 0; row < nrows; row++)
		texts[row] = texts[people_first(column, row)];
}

void people_shorten(struct people *p, struct people_column *column, size_t cells,
		    apart_shorten_fn *by)
{
	size_t nrows = p->rows->nrows;
	struct str *whole = arena_alloc(&p->arena, (nrows + 1) * sizeof(*whole));
	struct str *texts = arena_alloc(&p->arena, (nrows + 1) * sizeof(*texts));

	column->texts = NULL;
	size_t n = whole_texts(p, column, whole);
	apart_shorten(whole, n, cells, by, &p->arena, texts);
	apart_shorten(&column->heading, 1, cells, NULL, &p->arena, &column->heading);
	column->width = utf8_width(column->heading);
	for (size_t i = 0; i < n; i++)
		column->width = wider(column->width, texts[i]);
	if (n < nrows)
		spread(column, texts, n, nrows);
	column->texts = texts;
}

static struct str ends_of(struct people *p, struct str text, size_t most)
{
	struct str start = utf8_cut(text, most / 2);
	struct str end = str_behind(text, utf8_cut(text, text.n - most / 2).n);
	char *ends = arena_alloc(&p->arena, start.n + end.n);

	memcpy(ends, start.p, start.n);
	memcpy(ends + start.n, end.p, end.n);
	return (struct str){ ends, start.n + end.n };
}

void people_cut_middles(struct people *p, size_t cells)
{
	size_t most = cells < SIZE_MAX / BYTES_A_CELL ? cells * BYTES_A_CELL : SIZE_MAX;

	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct people_column *c = &p->columns[i];
		for (size_t row = 0; row < p->rows->nrows && !c->is_right; row++) {
			size_t n = p->rows->table.ncolumns, first = people_first(c, row);
			struct cell *column = p->rows->cells + c->at;
			struct cell *cell = &column[row * n];
			if (first != row)
				*cell = column[first * n];
			else if (cell->type == CELL_TEXT && cell->as.text.n > most)
				cell->as.text = ends_of(p, cell->as.text, most);
		}
	}
}

struct str people_line(struct people *p, const char *text)
{
	return visible(p, str_of(text));
}

/* "20 of 1,432 rows, 93.1% of self CPU time" */
static void add_rows(struct people *p)
{
	int64_t drawn = (int64_t)p->rows->nrows, total = p->table->total_rows;
	char number[UNITS_TEXT_MAX];

	if (total < 0) /* there may be more, which nobody looked for */
		buf_add_text(&p->cell, "first ");
	buf_add_str(&p->cell, units_text(UNIT_COUNT, cell_int(drawn), number));
	if (total > drawn)
		buf_addf(&p->cell, " of %s",
			 units_text(UNIT_COUNT, cell_int(total), number).p);
	buf_add_text(&p->cell, drawn == 1 && total <= 1 ? " row" : " rows");
	if (total < 0 && drawn && !p->is_on_screen)
		buf_add_text(&p->cell, "; -n 0 shows all");
	if (p->table->share) {
		buf_add_text(&p->cell, ", ");
		utf8_add_visible(&p->cell, str_of(p->table->share));
	}
}

struct str people_footer(struct people *p, size_t width)
{
	char hidden[64];

	buf_clear(&p->cell);
	if (!p->table->is_form)
		add_rows(p);
	if (!p->nhidden)
		return buf_str(&p->cell);
	snprintf(hidden, sizeof(hidden), "%zu column%s hidden, %s shows %s", p->nhidden,
		 p->nhidden == 1 ? "" : "s", p->is_on_screen ? "w" : "--wide",
		 p->nhidden == 1 ? "it" : "them");
	bool fits =
		utf8_width(buf_str(&p->cell)) + strlen("; ") + strlen(hidden) <= width;
	if (p->cell.n)
		buf_add_text(&p->cell, fits ? "; " : "\n");
	buf_add_text(&p->cell, hidden);
	return buf_str(&p->cell);
}
