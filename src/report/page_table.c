/* Tables of a page: see page_table.h. */
#include "report/page_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/field.h"
#include "base/utf8.h"
#include "report/json_text.h"
#include "report/page_blob.h"
#include "report/people.h"

#define ROWS        50
#define NAME_CELLS  64  /* of a name that is not clicked */
#define TITLE_BYTES 500 /* of a whole name in an attribute */

struct drawing {
	struct page *page;
	const struct page_table *how;
	struct people people;
	struct str *
		*whole; /* owned, in the arena: by drawn column; NULL: not shortened */
};

/* The text behind "share_pct " in a list of such words; empty: it is not in it. */
static struct str words_of(const char *list, const char *column)
{
	size_t n = strlen(column);

	while (list && *list) {
		size_t len = strcspn(list, ";");
		if (len > n && strncmp(list, column, n) == 0 && list[n] == ' ')
			return (struct str){ list + n + 1, len - n - 1 };
		list += len + (list[len] == ';');
	}
	return (struct str){ .n = 0 };
}

static const struct column *column_at(const struct drawing *d, size_t i)
{
	return &d->people.table->columns[d->people.columns[i].at];
}

/* Titles say "%" in many ways: "Kernel%", "% time", "Util (%)"; without that it stays. */
static struct str without_percent(const char *title)
{
	struct str text = { title, strcspn(title, "%(") };

	if (text.n == 0)
		text = str_of(title[1] == ' ' ? title + 2 : "Share");
	while (text.n && text.p[text.n - 1] == ' ')
		text.n--;
	return text;
}

/* "Idle (% of idle time)" */
static struct str heading(struct drawing *d, size_t i)
{
	const struct column *column = column_at(d, i);
	struct str of = words_of(d->how->of, column->name);
	struct str title = without_percent(column->title ? column->title : column->name);

	if (!of.n)
		of = words_of(d->how->of, "*");
	if (!of.n || column->unit != UNIT_PERCENT)
		return d->people.columns[i].heading;
	return str_of(arena_printf(&d->people.arena, STR_FMT " (%% of " STR_FMT ")",
				   STR_ARG(title), STR_ARG(of)));
}

static void put_head(struct drawing *d, FILE *out)
{
	for (size_t i = 0; i < d->people.ncolumns; i++) {
		const struct field *field = NULL;
		if (d->people.table->fields)
			field = d->people.table->fields[d->people.columns[i].at];
		const char *class = d->people.columns[i].is_right ? "number" : "text";
		page_part(out, "heading",
			  PAGE_SLOTS(PAGE_TEXT("class", str_of(class)),
				     PAGE_TEXT("text", heading(d, i)),
				     PAGE_TEXT("about",
					       str_of(field && field->help ? field->help
									   : ""))));
	}
}

static void put_cell(struct drawing *d, size_t row, size_t i, FILE *out)
{
	const struct people_column *column = &d->people.columns[i];
	struct str text = people_cell(&d->people, row, i);
	bool is_cut = column->texts && !str_equal(text, d->whole[i][row]);

	if (!is_cut) {
		const char *class = column->is_right ? "number" : "text";
		page_part(out, "cell",
			  PAGE_SLOTS(PAGE_TEXT("class", str_of(class)),
				     PAGE_TEXT("text", text)));
		return;
	}
	struct str whole = utf8_cut(d->whole[i][row], TITLE_BYTES);
	page_part(out, "cell-cut",
		  PAGE_SLOTS(PAGE_TEXT("whole", whole), PAGE_TEXT("text", text)));
}

static void put_static(struct drawing *d)
{
	FILE *out = d->page->body;
	size_t most = d->how->rows ? d->how->rows : ROWS, n = d->people.rows->nrows;
	char *total = xasprintf("%zu", n);
	const struct page_slot *slots =
		PAGE_SLOTS(PAGE_TEXT("id", str_of(d->how->id)),
			   PAGE_TEXT("label", str_of(d->how->title)),
			   PAGE_TEXT("rows", str_of(total)));

	page_part_open(out, "table", slots);
	page_part_open(out, "table-head", slots);
	put_head(d, out);
	page_part_close(out, "table-head");
	for (size_t row = 0; row < n && row < most; row++) {
		page_part_open(out, "row", NULL);
		for (size_t i = 0; i < d->people.ncolumns; i++)
			put_cell(d, row, i, out);
		page_part_close(out, "row");
	}
	page_part_close(out, "table");
	if (n > most)
		page_part(out, "more-rows", slots);
	free(total);
}

static void put_member(struct writer *w, const char *name, struct str text)
{
	json_text_str(w, str_of(name));
	writer_byte(w, ':');
	json_text_str(w, text);
	writer_byte(w, ',');
}

static void put_column(struct drawing *d, size_t i, struct writer *w)
{
	const struct people_column *c = &d->people.columns[i];
	const struct column *column = column_at(d, i);
	const struct field *field =
		d->people.table->fields ? d->people.table->fields[c->at] : NULL;
	struct str bar = words_of(d->how->bar, column->name);
	char text[UNITS_TEXT_MAX];

	writer_str(w, i ? STR_LIT(",{") : STR_LIT("{"));
	put_member(w, "name", str_of(column->name));
	put_member(w, "heading", heading(d, i));
	put_member(w, "unit", str_of(units_word(column->unit)));
	if (field && field->help)
		put_member(w, "about", str_of(field->help));
	if (bar.n)
		put_member(w, "bar", bar);
	if (c->is_right)
		writer_str(w, STR_LIT("\"number\":true,"));
	if (c->has_scales)
		writer_str(w, STR_LIT("\"scales\":true,"));
	if (column->unit == UNIT_ID)
		writer_str(w, STR_LIT("\"id\":true,"));
	writer_str(w, STR_LIT("\"divisor\":"));
	writer_str(w, units_shortest(c->scale.divisor, text));
	writer_str(w, STR_LIT(",\"decimals\":"));
	writer_str(w, units_integer(c->scale.decimals, text));
	writer_byte(w, '}');
}

static void put_rows(struct drawing *d, struct writer *w)
{
	struct spelt spelt = { 0 };

	for (size_t row = 0; row < d->people.rows->nrows; row++) {
		const struct cell *cells = memtable_row(d->people.rows, row);
		writer_str(w, row ? STR_LIT(",\n[") : STR_LIT("["));
		for (size_t i = 0; i < d->people.ncolumns; i++) {
			if (i)
				writer_byte(w, ',');
			json_text_part(w, column_at(d, i)->unit,
				       &cells[d->people.columns[i].at], &spelt);
		}
		writer_byte(w, ']');
	}
}

/* "short":{"0":[null,"gemm_..."]}, of columns with names that were cut. */
static void put_short(struct drawing *d, struct writer *w)
{
	const char *before = "";

	for (size_t i = 0; i < d->people.ncolumns; i++) {
		const struct str *texts = d->people.columns[i].texts;
		char number[UNITS_TEXT_MAX];
		if (!texts)
			continue;
		writer_str(w, str_of(before));
		json_text_str(w, units_integer((int64_t)i, number));
		for (size_t row = 0; row < d->people.rows->nrows; row++) {
			writer_str(w, row ? STR_LIT(",") : STR_LIT(":["));
			if (str_equal(texts[row], d->whole[i][row]))
				writer_byte(w, '0');
			else
				json_text_str(w, texts[row]);
		}
		writer_byte(w, ']');
		before = ",";
	}
}

static void put_data(struct drawing *d)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = xopen_memory(&text, &n);
	struct writer w = { .out = out };
	writer_byte(&w, '{');
	put_member(&w, "label", str_of(d->how->title));
	writer_str(&w, STR_LIT("\"columns\":["));
	for (size_t i = 0; i < d->people.ncolumns; i++)
		put_column(d, i, &w);
	writer_str(&w, d->how->has_slices ? STR_LIT("],\"slices\":true,\"short\":{")
					  : STR_LIT("],\"short\":{"));
	put_short(d, &w);
	writer_str(&w, STR_LIT("},\"rows\":[\n"));
	put_rows(d, &w);
	writer_str(&w, STR_LIT("]}"));
	writer_flush(&w);
	fclose(out);
	page_data(d->page->data, d->how->id, (struct str){ text, n });
	free(text);
}

/* Is it one of the words of a list? */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	while (*words) {
		size_t len = strcspn(words, " ");
		if (len == n && strncmp(words, word, n) == 0)
			return true;
		words += len + strspn(words + len, " ");
	}
	return false;
}

/* Leaves the columns that are asked for. */
static void choose_columns(struct drawing *d)
{
	struct people *p = &d->people;
	size_t stay = 0;

	for (size_t i = 0; d->how->only && i < p->ncolumns; i++)
		if (has_word(d->how->only, column_at(d, i)->name))
			p->columns[stay++] = p->columns[i];
	if (d->how->only)
		p->ncolumns = stay;
}

/* Long names are shortened; the whole ones are kept beside them. */
static void shorten_names(struct drawing *d)
{
	struct people *p = &d->people;
	size_t n = p->rows->nrows;

	d->whole = arena_alloc(&p->arena, (p->ncolumns + 1) * sizeof(struct str *));
	for (size_t i = 0; i < p->ncolumns; i++) {
		struct people_column *c = &p->columns[i];
		d->whole[i] = NULL;
		if (c->is_right || c->width <= NAME_CELLS || !n)
			continue;
		d->whole[i] = arena_alloc(&p->arena, n * sizeof(**d->whole));
		for (size_t row = 0; row < n; row++) {
			size_t first = people_first(c, row);
			d->whole[i][row] =
				first < row
					? d->whole[i][first]
					: arena_copy(&p->arena, people_cell(p, row, i));
		}
		struct str named = c->heading;
		people_shorten(p, c, NAME_CELLS, d->how->shorten);
		c->heading = named;
	}
}

/* A curve drawn of blocks: a page has a chart of it. */
static bool has_curve(const char *text)
{
	return strstr(text, "\xe2\x96") != NULL;
}

static void put_note(struct page *p, const char *text)
{
	if (has_curve(text))
		return;
	page_part(p->body, "note", PAGE_SLOTS(PAGE_TEXT("text", str_of(text))));
}

static void put_words(struct page *p, const struct table *t, bool is_under)
{
	const char *const *lines = is_under ? t->under : t->notes;

	if (is_under && t->caption)
		put_note(p, t->caption);
	for (size_t i = 0; lines && lines[i]; i++)
		put_note(p, lines[i]);
}

static int put_table(struct page *p, const struct page_table *how, struct table *t,
		     struct err *err)
{
	struct drawing d = { .page = p, .how = how };
	int rc = people_collect(&d.people, t, err);

	if (rc == 0 && d.people.rows->nrows) {
		if (!how->is_bare)
			put_words(p, t, true);
		choose_columns(&d);
		shorten_names(&d);
		put_static(&d);
		put_data(&d);
		put_words(p, t, false);
		rc = 1;
	}
	people_release(&d.people);
	return rc;
}

int page_table(struct page *p, const struct page_table *how, struct table *t,
	       struct err *err)
{
	struct page_table next = *how;
	FILE *body = p->body;
	struct page_stream panel;
	int rc = 0, rows = 0;

	page_stream_open(&panel);
	p->body = panel.out;
	for (int place = 1; t && rc >= 0; t = t->more, place++) {
		rc = put_table(p, &next, t, err);
		rows |= rc > 0;
		next.is_bare = false;
		next.id = arena_printf(&p->arena, "%s-%d", how->id, place + 1);
		next.title = arena_printf(&p->arena, "%s (%d)", how->title, place + 1);
	}
	p->body = body;
	if (rc >= 0 && rows) {
		page_part(body, "panel",
			  PAGE_SLOTS(PAGE_TEXT("title", str_of(how->title)),
				     PAGE_TEXT("about",
					       str_of(how->about ? how->about : "")),
				     PAGE_MARKUP("body", page_stream_text(&panel))));
		p->has_data = true;
	}
	page_stream_release(&panel);
	return rc < 0 ? -1 : rows;
}
