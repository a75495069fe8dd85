/* Several reports in a text: see parts.h. */
#include "ingest/parts.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ingest/pstats_title.h"

#define NAME_MAX_BYTES 1024

/* How often each text of an intern table was met, by its number. */
struct counts {
	size_t *items; /* owned */
	size_t cap;
};

struct finding_parts {
	struct parts *out;
	const struct reader *only;
	struct intern names, stages; /* those that were given; numbers are indexes */
	struct counts of_name, of_stage;
	struct buf stage; /* of the reports from here on: "FIT", "FIT 2" */
	size_t title_at;  /* the title above them, or LINE_NONE: a report is below it */
	size_t from;      /* of the newest report, or 0 */
	struct buf name;
};

/* Which reader's report the line begins, NULL: none. */
static const struct reader *beginning(struct str line, struct bytes text,
				      const struct reader *only, struct str *name)
{
	for (size_t i = 0; readers[i]; i++)
		if (readers[i]->begins && (!only || only == readers[i]) &&
		    (!readers[i]->reads_beside || readers[i]->probe(text)) &&
		    readers[i]->begins(line, name))
			return readers[i];
	return NULL;
}

/* Good until the next call. */
static size_t *count_of(struct counts *c, uint32_t number)
{
	size_t known = c->cap;

	c->items = xgrow(c->items, &c->cap, number + (size_t)1, sizeof(*c->items));
	while (known < c->cap)
		c->items[known++] = 0;
	return &c->items[number];
}

static void on_stage(struct finding_parts *f, struct str stage, size_t at)
{
	size_t n = ++*count_of(&f->of_stage, intern_add(&f->stages, stage));

	buf_clear(&f->stage);
	buf_add_str(&f->stage, stage);
	if (n > 1)
		buf_addf(&f->stage, "%s%zu", stage.n ? " " : "", n);
	f->title_at = at;
}

/* A name becomes one part of a path. */
static void add_name(struct buf *to, struct str name)
{
	if (name.n > NAME_MAX_BYTES)
		name.n = NAME_MAX_BYTES;
	for (size_t i = 0; i < name.n; i++)
		buf_add_char(to, (char)(name.p[i] == '/' ? '_' : name.p[i]));
}

/*
 * A name that is taken gets the least number, from 2, with which it is not.  The
 * search goes on where the last one for this name ended: no name becomes free.
 */
static void number_name(struct finding_parts *f)
{
	size_t *count = count_of(&f->of_name, intern_add(&f->names, buf_str(&f->name)));
	size_t n = f->name.n;

	do {
		f->name.n = n;
		buf_addf(&f->name, " %zu", ++*count + 1);
	} while (intern_has(&f->names, buf_str(&f->name)));
}

static void name_part(struct finding_parts *f, struct part *part, struct str name)
{
	buf_clear(&f->name);
	buf_add_str(&f->name, buf_str(&f->stage));
	if (f->name.n && name.n)
		buf_add_char(&f->name, '/');
	add_name(&f->name, name);
	if (f->name.n == 0)
		buf_addf(&f->name, "%zu", f->out->n);
	if (intern_has(&f->names, buf_str(&f->name)))
		number_name(f);
	intern_add(&f->names, buf_str(&f->name));
	part->name = arena_copy(&f->out->names, buf_str(&f->name));
}

static void add_part(struct finding_parts *f, const struct reader *reader, size_t at,
		     struct str name)
{
	struct part *part = ARRAY_PUSH(f->out->items, f->out->n, f->out->cap);

	*part = (struct part){ .reader = reader, .at = at };
	name_part(f, part, name);
}

/*
 * The newest report, which has its first line here, may have reports of other readers
 * among its lines, as a log has them that several programs write to.
 */
static void end_part(struct finding_parts *f, struct bytes text, size_t end)
{
	const struct bytes lines = { text.p + f->from, end - f->from };
	const struct reader *own = f->out->n ? f->out->items[f->out->n - 1].reader : NULL;

	if (own)
		f->out->items[f->out->n - 1].n = lines.n;
	for (size_t i = 0; readers[i]; i++) {
		if (!readers[i]->is_anywhere || readers[i] == own ||
		    (f->only && f->only != readers[i]) || !readers[i]->probe(lines))
			continue;
		add_part(f, readers[i], f->from, STR_LIT(""));
		f->out->items[f->out->n - 1].n = lines.n;
	}
}

static void begin_part(struct finding_parts *f, const struct reader *reader,
		       struct bytes text, size_t at, struct str name)
{
	if (f->title_at != LINE_NONE)
		at = f->title_at;
	f->title_at = LINE_NONE;
	end_part(f, text, at);
	f->from = at;
	add_part(f, reader, at, name);
}

/* Many empty lines cost less so than one by one. */
static bool next_line(struct lines *l)
{
	while (l->at < l->text.n && l->text.p[l->at] == '\n')
		l->at++;
	return lines_next(l);
}

void parts_find(struct bytes text, const struct reader *only, struct parts *out)
{
	struct finding_parts f = { .out = out, .only = only, .title_at = LINE_NONE };
	struct lines lines;
	struct str name;

	*out = (struct parts){ 0 };
	intern_init(&f.names);
	intern_init(&f.stages);
	buf_init(&f.stage, SIZE_MAX);
	buf_init(&f.name, SIZE_MAX);
	lines_init(&lines, text);
	while (next_line(&lines)) {
		if (lines.line.n > PROBE_BYTES)
			continue; /* no report's; it may be all the text */
		const struct reader *reader = beginning(lines.line, text, only, &name);
		if (reader)
			begin_part(&f, reader, text, lines.start, name);
		else if (lightning_stage(lines.line, &name))
			on_stage(&f, name, lines.start);
	}
	bool has_begun = out->n > 0;
	end_part(&f, text, text.n);
	if (!has_begun && out->n == 1)
		out->n = 0; /* all of the text is that reader's, or another's who knows */
	lines_release(&lines);
	intern_release(&f.names);
	intern_release(&f.stages);
	buf_release(&f.stage);
	buf_release(&f.name);
	free(f.of_name.items);
	free(f.of_stage.items);
}

void parts_release(struct parts *p)
{
	free(p->items);
	arena_release(&p->names);
	*p = (struct parts){ 0 };
}

bool parts_may_be(struct bytes head)
{
	struct lines lines;
	struct str name;
	bool is = false;

	for (size_t i = 0; readers[i]; i++)
		is |= readers[i]->is_anywhere && readers[i]->probe(head);
	lines_init(&lines, head);
	while (!is && lines_next(&lines))
		is = beginning(lines.line, head, NULL, &name) != NULL;
	lines_release(&lines);
	return is;
}

bool parts_is_text(struct bytes head)
{
	for (size_t i = 0; i < head.n; i++)
		if (head.p[i] < '\a')
			return false;
	return head.n > 0;
}
