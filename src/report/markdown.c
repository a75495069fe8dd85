/*
 * A GitHub table of the same words as the people's table: what goes into an
 * issue.  Spec: GitHub Flavored Markdown, "Tables (extension)"; there a pipe
 * ends a cell even inside a code span, so text is escaped, not quoted.
 */
#include <ctype.h>

#include <string.h>

#include "report/people.h"
#include "report/renderer.h"
#include "report/strips.h"

static bool is_word(struct str text, size_t at)
{
	return at < text.n && isalnum((unsigned char)text.p[at]);
}

/*
 * Would Markdown read the character as markup?  "<lambda>" would vanish as a tag,
 * "__init__" become a bold "init"; "max_pool" and "[[8, 3], []]" are safe as is.
 */
static bool is_markup(struct str text, size_t at)
{
	switch (text.p[at]) {
	case '|':
	case '\\':
	case '<':
	case '&':
	case '*':
	case '`':
	case '~':
	case '$':
		return true;
	case '_':
		return at == 0 || !is_word(text, at - 1) || !is_word(text, at + 1);
	case ']':
		return at + 1 < text.n && text.p[at + 1] == '(';
	default:
		return false;
	}
}

static void write_escaped(FILE *out, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (is_markup(text, i))
			putc('\\', out);
		putc(text.p[i], out);
	}
}

static void draw_head(FILE *out, const struct people *p)
{
	putc('|', out);
	for (size_t i = 0; i < p->ncolumns; i++) {
		putc(' ', out);
		write_escaped(out, p->columns[i].heading);
		fputs(" |", out);
	}
	fputs("\n|", out);
	for (size_t i = 0; i < p->ncolumns; i++)
		fputs(p->columns[i].is_right ? " ---: |" : " --- |", out);
	putc('\n', out);
}

static void draw_rows(FILE *out, struct people *p)
{
	draw_head(out, p);
	for (size_t row = 0; row < p->rows->nrows && !ferror(out); row++) {
		putc('|', out);
		for (size_t i = 0; i < p->ncolumns; i++) {
			putc(' ', out);
			write_escaped(out, people_cell(p, row, i));
			fputs(" |", out);
		}
		putc('\n', out);
	}
	if (p->table->is_form)
		return;
	putc('\n', out);
	write_escaped(out, people_footer(p, SIZE_MAX));
	putc('\n', out);
}

struct fence {
	struct drawing drawing;
	FILE *out;
};

static bool write_line(struct drawing *d, enum drawn kind, struct str text)
{
	struct fence *f = (struct fence *)d;

	(void)kind;
	fprintf(f->out, STR_FMT "\n", STR_ARG(text));
	return !ferror(f->out);
}

/* As it is, which GitHub calls code. */
static void draw_strips(FILE *out, const struct strips *strips,
			const struct render_opts *opts)
{
	struct render_opts plain = *opts;
	struct fence fence = { { write_line }, out };

	plain.color = false;
	fputs("```\n", out);
	strips_draw(strips, &plain, &fence.drawing);
	fputs("```\n", out);
}

/* As a list; what begins with blanks goes on with the item before it. */
static void draw_notes(FILE *out, struct people *p)
{
	const struct table *t = p->table;

	for (size_t i = 0; t->notes && t->notes[i]; i++) {
		const char *note = t->notes[i];
		bool goes_on = t->is_prose && *note == ' ';
		fputs(i == 0 ? "\n" : "", out);
		fputs(goes_on ? "  " : "* ", out);
		write_escaped(out,
			      people_line(p, goes_on ? note + strspn(note, " ") : note));
		putc('\n', out);
	}
}

/* A caption without rows says it all, as in tables for terminals. */
static void draw(FILE *out, struct people *p, const struct render_opts *opts)
{
	const struct table *t = p->table;
	const char *empty = p->rows->nrows ? NULL : t->empty;

	if (empty && *empty)
		fprintf(out, "%s\n", empty);
	if (t->caption) {
		write_escaped(out, people_line(p, t->caption));
		for (size_t i = 0; t->under && t->under[i]; i++) {
			fputs("\n\n", out);
			write_escaped(out, people_line(p, t->under[i]));
		}
		fputs(p->rows->nrows || t->strips ? "\n\n" : "\n", out);
	}
	if (t->strips)
		draw_strips(out, t->strips, opts);
	else if (p->rows->nrows || (!t->caption && !empty))
		draw_rows(out, p);
	draw_notes(out, p);
}

static int markdown_render(struct table *t, const struct render_opts *opts, FILE *out,
			   struct err *err)
{
	struct people people;
	int rc = people_collect(&people, t, err);

	if (opts->name_max > 0)
		people_cut_middles(&people, (size_t)opts->name_max);
	for (size_t i = 0; i < people.ncolumns && opts->name_max > 0; i++) {
		struct people_column *c = &people.columns[i];
		if (!c->is_right && c->width > (size_t)opts->name_max)
			people_shorten(&people, c, (size_t)opts->name_max, opts->shorten);
	}
	if (rc == 0) {
		draw(out, &people, opts);
		rc = render_end(out, err);
	}
	people_release(&people);
	return rc;
}

const struct renderer markdown_renderer = {
	.name = "markdown",
	.help = "a GitHub table to paste into an issue",
	.suffix = "md",
	.has_notes = true,
	.is_for_people = true,
	.render = markdown_render,
};
