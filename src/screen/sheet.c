/* Answers laid out: see sheet.h. */
#include "screen/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "base/utf8.h"

/* A table's pieces on their way into the sheet. */
struct laying {
	struct drawing drawing;
	struct sheet *sheet;
	size_t row, tree; /* tree: the column of depths, or SHEET_NONE */
};

static void add_line(struct sheet *s, enum drawn kind, struct str text)
{
	size_t width = utf8_width(text);

	s->lines = xgrow(s->lines, &s->lines_cap, s->nlines + 1, sizeof(*s->lines));
	s->lines[s->nlines++] = (struct sheet_line){
		.kind = kind, .part = s->nparts - 1, .at = s->text.n, .n = text.n
	};
	buf_add_str(&s->text, text);
	if (width > s->widest)
		s->widest = width;
}

static void add_lines(struct sheet *s, enum drawn kind, struct str text)
{
	const char *end;

	while ((end = memchr(text.p, '\n', text.n)) != NULL) {
		add_line(s, kind, (struct str){ text.p, (size_t)(end - text.p) });
		text = str_behind(text, (size_t)(end - text.p) + 1);
	}
	add_line(s, kind, text);
}

static unsigned depth_of(const struct people *p, size_t row, size_t column)
{
	const struct cell *cell = &memtable_row(p->rows, row)[column];
	unsigned depth = 0;

	while (cell->type == CELL_TEXT && depth < cell->as.text.n &&
	       cell->as.text.p[depth] == ' ')
		depth++;
	return depth;
}

static bool lay_piece(struct drawing *d, enum drawn kind, struct str text)
{
	struct laying *l = (struct laying *)d;
	struct sheet *s = l->sheet;
	struct sheet_part *part = &s->parts[s->nparts - 1];

	if (kind == DRAWN_HEADING)
		part->heading = s->nlines;
	add_lines(s, kind, text.p ? text : STR_LIT(""));
	if (kind != DRAWN_ROW)
		return true;
	struct sheet_line *line = &s->lines[s->nlines - 1];
	line->row = l->row++;
	if (l->tree != SHEET_NONE)
		line->depth = depth_of(&part->people, line->row, l->tree);
	s->nrows++;
	return true;
}

/* As they were drawn. */
static void note_columns(struct sheet *s, struct sheet_part *part)
{
	const struct people *p = &part->people;
	size_t at = 0;

	part->ncolumns = p->ncolumns;
	part->columns =
		arena_alloc(&s->arena, (p->ncolumns + 1) * sizeof(*part->columns));
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct people_column *c = &p->columns[i];
		part->columns[i] = (struct sheet_column){ p->table->columns[c->at].name,
							  at, c->width, c->is_right };
		at += c->width + PEOPLE_GUTTER;
	}
}

static size_t column_called(const struct table *t, const char *name)
{
	for (size_t i = 0; name && i < t->ncolumns; i++)
		if (strcmp(t->columns[i].name, name) == 0)
			return i;
	return SHEET_NONE;
}

static int add_part(struct sheet *s, struct table *t, const struct sheet_layout *layout,
		    struct err *err)
{
	const struct render_opts opts = { .width = layout->width,
					  .name_max = layout->name_max,
					  .whole_names = layout->whole_names,
					  .shorten = layout->shorten };
	struct laying laying = { { lay_piece }, s, 0, column_called(t, layout->tree) };

	s->parts = xgrow(s->parts, &s->parts_cap, s->nparts + 1, sizeof(*s->parts));
	struct sheet_part *part = &s->parts[s->nparts++];
	*part = (struct sheet_part){ .heading = SHEET_NONE };
	if (s->nparts > 1)
		add_line(s, DRAWN_TEXT, STR_LIT(""));
	memtable_rewind(t);
	if (people_collect(&part->people, t, err) < 0)
		return -1;
	part->people.is_on_screen = true;
	people_draw(&part->people, &opts, &laying.drawing);
	note_columns(s, part);
	return 0;
}

int sheet_make(struct sheet *s, struct table *t, const struct sheet_layout *layout,
	       struct err *err)
{
	*s = (struct sheet){ 0 };
	buf_init(&s->text, SIZE_MAX / 2);
	for (; t; t = t->more)
		if (add_part(s, t, layout, err) < 0)
			return -1;
	return 0;
}

static void release_parts(struct sheet *s)
{
	for (size_t i = 0; i < s->nparts; i++)
		people_release(&s->parts[i].people);
	s->nparts = 0;
}

void sheet_of_text(struct sheet *s, const char *text, int width)
{
	static const struct column columns[] = { { "text", NULL, UNIT_TEXT } };
	struct memtable *m = memtable_new(columns, 1);
	struct err err = ERR_INIT;
	const struct sheet_layout layout = { .width = width };

	memtable_add_note(m, "%s", text);
	m->table.is_prose = true;
	m->table.empty = "";
	(void)sheet_make(s, &m->table, &layout, &err); /* rows of memory do not fail */
	release_parts(s);
	table_free(&m->table);
}

void sheet_release(struct sheet *s)
{
	release_parts(s);
	free(s->parts);
	free(s->lines);
	buf_release(&s->text);
	arena_release(&s->arena);
	*s = (struct sheet){ 0 };
}

struct str sheet_text(const struct sheet *s, size_t line)
{
	return (struct str){ s->text.p + s->lines[line].at, s->lines[line].n };
}

bool sheet_cell(const struct sheet *s, size_t line, const char *column, struct cell *cell)
{
	const struct sheet_line *l = &s->lines[line];

	if (l->kind != DRAWN_ROW || l->part >= s->nparts)
		return false;
	const struct people *p = &s->parts[l->part].people;
	size_t at = column_called(p->table, column);
	if (at == SHEET_NONE)
		return false;
	*cell = memtable_row(p->rows, l->row)[at];
	return cell->type != CELL_NULL;
}
