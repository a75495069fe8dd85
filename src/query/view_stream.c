/* Views of tables that stream: see view.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "query/view.h"

struct stream {
	struct table table;
	struct table *from;          /* owned; or NULL: */
	struct view_feed *feed;      /*   owned */
	const struct field **fields; /* owned: of each column */
	struct column *columns;      /* owned */
	struct cell *cells;          /* owned: a whole row of `from` */
	struct arena arena;          /* of names of columns */
};

static int stream_next(struct table *t, struct cell *cells, struct err *err)
{
	struct stream *s = (struct stream *)t;
	int rc = s->from->next(s->from, s->cells, err);

	table_copy_facts(t, s->from);
	for (size_t i = 0; rc > 0 && i < t->ncolumns; i++)
		cells[i] = s->cells[s->fields[i]->arg]; /* view_cell() */
	return rc;
}

static int fed_next(struct table *t, struct cell *cells, struct err *err)
{
	struct stream *s = (struct stream *)t;
	const void *row;
	int rc = s->feed->next(s->feed, &row, err);

	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < t->ncolumns; i++)
		cells[i] = s->fields[i]->get(s->feed->from, row, s->fields[i]->arg);
	return 1;
}

static void stream_free(struct table *t)
{
	struct stream *s = (struct stream *)t;

	if (s->feed)
		s->feed->free(s->feed);
	table_free(s->from);
	free(s->fields);
	free(s->columns);
	free(s->cells);
	arena_release(&s->arena);
	free(s);
}

static bool is_for_people(const struct field *f, char mark, const struct scope *scope)
{
	if (f->flags & FIELD_PROFILE)
		return scope->n > 1 && (mark == '!' || scope->nranks < scope->n);
	return mark != '?' || scope->nranks > 1;
}

static void add(struct stream *s, const struct field *f)
{
	s->columns[s->table.ncolumns] = (struct column){ f->name, f->title, f->unit };
	s->fields[s->table.ncolumns++] = f;
}

static void choose_for_people(struct stream *s, const struct view *view,
			      const struct scope *scope,
			      const struct view_request *request)
{
	const struct view_part *part = request->people ? request->people : view->people;

	const char *at = part->fields;
	const struct field *f;
	char mark;

	while ((f = view_part_next(view, &at, &mark)) != NULL)
		if (view_has(request, f) && is_for_people(f, mark, scope))
			add(s, f);
}

static struct stream *stream_new(const struct view *view)
{
	struct stream *s = xcalloc(1, sizeof(*s));
	size_t n = 0;

	while (view->fields[n].name)
		n++;
	s->fields = xcalloc(n + 1, sizeof(const struct field *));
	s->columns = xcalloc(n + 1, sizeof(struct column));
	s->table = (struct table){ .next = stream_next,
				   .free = stream_free,
				   .columns = s->columns,
				   .fields = s->fields };
	return s;
}

static void choose_for_machines(struct stream *s, const struct view *view,
				const struct view_request *request)
{
	for (const struct field *f = view->fields; f->name; f++)
		if (view_has(request, f) && !(f->flags & (FIELD_PEOPLE | FIELD_SORT)))
			add(s, f);
}

struct table *view_stream(const struct view *view, struct table *from,
			  const struct scope *scope, const struct view_request *request)
{
	struct stream *s = stream_new(view);

	s->from = from;
	s->cells = xcalloc(from->ncolumns + 1, sizeof(struct cell));
	s->table.drops_zeros = request->for_people;
	if (request->for_people)
		choose_for_people(s, view, scope, request);
	else
		choose_for_machines(s, view, request);
	table_copy_facts(&s->table, from);
	return &s->table;
}

struct table *view_fed(const struct view *view, struct view_feed *feed,
		       const struct view_request *request)
{
	struct stream *s = stream_new(view);

	s->feed = feed;
	s->table.next = fed_next;
	choose_for_machines(s, view, request);
	for (size_t i = 0; i < s->table.ncolumns; i++)
		if (s->fields[i]->flags & FIELD_AMOUNT)
			s->columns[i] =
				view_amount(s->fields[i], request->amounts, &s->arena);
	return &s->table;
}
