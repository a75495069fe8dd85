/*
 * Steps as tables: for machines one with every column, for people shares of the step
 * and, below them, what the device did; columns that say nothing, or have no room,
 * leave.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memtable.h"
#include "query/steps/steps_columns.h"
#include "query/steps/steps_notes.h"

#define GUTTER      2
#define LEAST_WIDTH 6 /* of a column of numbers */
#define STEP_TEXT   32

/* A table that is being made: which headings, which rows. */
struct layout {
	const struct steps *steps;
	const struct steps_heading *headings[STEPS_HEADINGS_MOST];
	bool has_no_room[STEPS_HEADINGS_MOST];
	size_t n;
	bool for_people;
	bool first_device; /* rows of the first device of each profile alone */
};

static bool is_shown(const struct layout *l, const struct step_row *row)
{
	if (row->is_hidden)
		return false;
	/* one step says no more than its mean; machines may look for it */
	if (l->for_people && row->is_mean && row->nmean < 2)
		return false;
	return !l->first_device || row->is_first;
}

/* People's columns: one that has the same to say in all rows, or nothing, has no place. */
static bool says_something(const struct layout *l, const struct steps_heading *h)
{
	bool is_name = h->unit == UNIT_ID;
	struct cell first = cell_null();
	bool has_first = false;

	if (!h->cell)
		return true;
	for (size_t i = 0; i < l->steps->n; i++) {
		const struct step_row *row = &l->steps->rows[i];
		if (!is_shown(l, row) || (is_name && row->is_mean))
			continue;
		struct cell cell = h->cell(row, h->value);
		if (!is_name && ((cell.type == CELL_INT && cell.as.integer) ||
				 (cell.type == CELL_REAL && cell.as.real > 0)))
			return true;
		if (is_name && has_first &&
		    (cell.type != first.type || cell.as.integer != first.as.integer))
			return true;
		first = cell;
		has_first = true;
	}
	return false;
}

/* A profile is named by its rank where it has one. */
static bool is_named_by_rank(const struct layout *l)
{
	for (size_t i = 0; i < l->steps->n; i++)
		if (!l->steps->rows[i].has_rank || l->steps->rows[i].is_file)
			return false;
	return true;
}

static void choose(struct layout *l, const struct steps_headings *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct steps_heading *h = &all->at[i];
		if (l->for_people && !says_something(l, h))
			continue;
		if (l->for_people && strcmp(h->name, "profile") == 0 &&
		    is_named_by_rank(l))
			continue;
		l->headings[l->n++] = h;
	}
}

static size_t likely_width(const struct steps_heading *h)
{
	size_t width = strlen(h->title) + (h->unit == UNIT_NS ? strlen(" (ms)") : 0);

	return (width < LEAST_WIDTH ? LEAST_WIDTH : width) + GUTTER;
}

/* Columns leave until the others fit; their titles go to the note. */
static void fit(struct layout *l, int width, struct memtable *m)
{
	char titles[128] = "";
	size_t len = 0;

	while (width > 0) {
		size_t needed = 0, at = l->n;
		for (size_t i = 0; i < l->n; i++) {
			if (l->has_no_room[i])
				continue;
			needed += likely_width(l->headings[i]);
			if (l->headings[i]->leaves &&
			    (at == l->n ||
			     l->headings[i]->leaves > l->headings[at]->leaves))
				at = i;
		}
		if (needed <= (size_t)width + GUTTER || at == l->n)
			break;
		l->has_no_room[at] = true;
		len += (size_t)snprintf(titles + len, sizeof(titles) - len, "%s%s",
					len ? ", " : "", l->headings[at]->title);
	}
	if (len)
		memtable_add_note(m, "hidden: %s; -o FILE.csv has all columns", titles);
}

static void leave(struct layout *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!l->has_no_room[i])
			l->headings[kept++] = l->headings[i];
	l->n = kept;
}

/* "mean", or the number; for people with a mark that a note explains. */
static struct str step_text(const struct layout *l, const struct step_row *row,
			    char out[STEP_TEXT])
{
	const char *mark = row->is_dropped ? "*" : row->is_long ? "!" : "";

	if (row->is_mean)
		return str_of("mean");
	snprintf(out, STEP_TEXT, "%" PRId64 "%s", row->number, l->for_people ? mark : "");
	return str_of(out);
}

static void add_row(const struct layout *l, const struct step_row *row,
		    struct memtable *m)
{
	struct cell cells[STEPS_HEADINGS_MOST];
	char step[STEP_TEXT];

	for (size_t i = 0; i < l->n; i++) {
		const struct steps_heading *h = l->headings[i];
		cells[i] = h->cell ? h->cell(row, h->value)
				   : cell_text(step_text(l, row, step));
	}
	memtable_add_row(m, cells);
}

static struct memtable *lay_out(struct layout *l, const struct steps_headings *all,
				int width)
{
	struct memtable *m = memtable_new(NULL, 0);

	choose(l, all);
	if (l->for_people)
		fit(l, width, m);
	leave(l);
	struct column *columns = arena_alloc(&m->arena, l->n * sizeof(*columns));
	for (size_t i = 0; i < l->n; i++)
		columns[i] = (struct column){ l->headings[i]->name, l->headings[i]->title,
					      l->headings[i]->unit };
	m->table.is_form = true;
	m->table.columns = columns;
	m->table.ncolumns = l->n;
	for (size_t i = 0; i < l->steps->n; i++)
		if (is_shown(l, &l->steps->rows[i]))
			add_row(l, &l->steps->rows[i], m);
	return m;
}

/* Below the first table, when a device did anything; it has the notes then. */
static struct memtable *add_devices(const struct steps *s,
				    const struct steps_request *request,
				    struct memtable *first)
{
	struct layout l = { .steps = s, .for_people = true };
	bool has_device = false;

	for (size_t i = 0; i < s->n; i++)
		has_device |= s->rows[i].has_work;
	if (!has_device)
		return first;
	struct memtable *m =
		request->phases ? lay_out(&l, &steps_people_device_phases, request->width)
				: lay_out(&l, &steps_people_devices, request->width);
	m->table.caption = request->phases
				   ? "Device time of what each phase launched"
				   : "Device time (Comm and Copies: only while nothing "
				     "computes)";
	first->table.more = &m->table;
	return m;
}

struct table *steps_table(const struct steps *s, const struct steps_request *request)
{
	struct layout l = { .steps = s, .for_people = request->for_people };
	struct memtable *m;

	if (!request->for_people && request->phases)
		m = lay_out(&l, &steps_machine_phases, 0);
	else if (!request->for_people)
		m = lay_out(&l, &steps_machine, 0);
	else if (request->phases)
		m = lay_out(&l, &steps_people_phases, request->width);
	else {
		l.first_device = true;
		m = lay_out(&l, &steps_people, request->width);
	}
	if (request->for_people && !request->phases &&
	    request->bounds == BOUNDS_TENSORBOARD)
		m->table.caption = "Steps with the bounds of the TensorBoard plugin";
	steps_add_notes(s, request, request->for_people ? add_devices(s, request, m) : m);
	return &m->table;
}
