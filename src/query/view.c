/* Tables of fields: see view.h. */
#include "query/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bignum.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/query.h"

/* The table that is being made. */
struct making {
	const struct view *view;
	const struct view_rows *rows;
	const struct scope *scope;
	const struct view_request *request;
	const struct field *sort; /* NULL: as loaded */
	const struct field *own;  /* the view's own sort; NULL: as loaded */
	const struct field *tie;  /* the first that breaks ties; NULL: none does */
	bool ascends;
	struct cell *keys; /* owned; of `sort`, by row */
	uint32_t *order;   /* owned; rows as they are shown */
	size_t shown;      /* how many of them */
};

/* The columns of a table, in its arena. */
struct choice {
	const struct field **list;
	size_t n;
};

struct cell view_int64(const void *from, const void *row, int arg)
{
	int64_t value;

	(void)from;
	memcpy(&value, (const char *)row + arg, sizeof(value));
	return cell_int(value);
}

struct cell view_number(const void *from, const void *row, int arg)
{
	struct cell cell = view_int64(from, row, arg);

	return number_cell(cell.as.integer);
}

struct cell view_cell(const void *from, const void *row, int arg)
{
	(void)from;
	return ((const struct cell *)row)[arg];
}

static const void *row_at(const struct making *m, uint32_t i)
{
	return (const char *)m->rows->items + (i * m->rows->size);
}

static struct cell cell_of(const struct making *m, const struct field *f, uint32_t row)
{
	return f->get(m->rows->from, row_at(m, row), f->arg);
}

static double real_of(struct cell cell)
{
	return cell.type == CELL_REAL ? cell.as.real : (double)cell.as.integer;
}

/* A count that no int64 holds is digits; they end in a NUL. */
static struct bignum count_of(struct cell cell)
{
	if (cell.type != CELL_TEXT)
		return bignum_of(cell.as.integer);
	const char *digits = cell.as.text.p;
	return (struct bignum){ digits[0] == '-' ? INT64_MIN : INT64_MAX, digits };
}

/* -1, 0 or 1; null comes last, whatever the direction. */
static int compare(const struct field *f, struct cell a, struct cell b, bool ascends)
{
	int order;

	if (a.type == CELL_NULL || b.type == CELL_NULL)
		return (a.type == CELL_NULL) - (b.type == CELL_NULL);
	if (f->unit == UNIT_COUNT && (a.type == CELL_TEXT || b.type == CELL_TEXT))
		order = bignum_compare(count_of(a), count_of(b));
	else if (a.type == CELL_TEXT || b.type == CELL_TEXT)
		order = a.type == b.type ? str_compare(a.as.text, b.as.text)
					 : (a.type == CELL_TEXT) - (b.type == CELL_TEXT);
	else if (a.type == CELL_INT && b.type == CELL_INT)
		order = sort_order(a.as.integer, b.as.integer);
	else
		order = (real_of(a) > real_of(b)) - (real_of(a) < real_of(b));
	return ascends ? order : -order;
}

/* What names and places ascends, what counts descends. */
static bool ascends(const struct field *f)
{
	bool names = f->unit == UNIT_TEXT || f->unit == UNIT_ID || f->unit == UNIT_TIME;

	return names && !(f->flags & FIELD_DESCENDS);
}

static int compare_field(const struct making *m, const struct field *f, uint32_t a,
			 uint32_t b)
{
	return compare(f, cell_of(m, f, a), cell_of(m, f, b), ascends(f));
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct making *m = context;
	int order = compare(m->sort, m->keys[a], m->keys[b], m->ascends);

	if (!order && m->own && m->own != m->sort)
		order = compare_field(m, m->own, a, b);
	for (const struct field *f = m->tie; f && f->name && !order; f++)
		if ((f->flags & FIELD_KEY) && f != m->sort)
			order = compare_field(m, f, a, b);
	return order < 0;
}

static bool has_numbers_or_null(const struct making *m)
{
	for (size_t i = 0; i < m->rows->n; i++)
		if (m->keys[i].type != CELL_INT && m->keys[i].type != CELL_NULL)
			return false;
	return true;
}

static int64_t number_of(const void *context, uint32_t row)
{
	const struct making *m = context;
	int64_t number = m->keys[row].as.integer;

	return m->ascends ? number : ~number;
}

/* Rows without a number go behind the others; returns how many have one. */
static size_t put_null_last(struct making *m, uint32_t *spare)
{
	size_t n = m->rows->n, numbers = 0, nulls = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t row = m->order[i];
		if (m->keys[row].type == CELL_NULL)
			spare[nulls++] = row;
		else
			m->order[numbers++] = row;
	}
	if (nulls)
		memcpy(m->order + numbers, spare, nulls * sizeof(*spare));
	return numbers;
}

/* What is asked of each pair of rows is asked of equal ones alone. */
static void sort_by_numbers(struct making *m, uint32_t *spare)
{
	size_t n = put_null_last(m, spare), equal;

	sort_numbered(NULL, m->order, n, spare, number_of, m);
	for (size_t i = 0; i < n; i += equal) {
		equal = 1;
		while (i + equal < n &&
		       number_of(m, m->order[i]) == number_of(m, m->order[i + equal]))
			equal++;
		if (equal > 1)
			sort_indexes(m->order + i, equal, spare, is_before, m);
	}
	sort_indexes(m->order + n, m->rows->n - n, spare, is_before, m);
}

static void sort(struct making *m)
{
	size_t n = m->rows->n;
	uint32_t *spare = xrealloc_array(NULL, n + 1, sizeof(*spare));

	m->keys = xrealloc_array(NULL, n + 1, sizeof(*m->keys));
	for (size_t i = 0; i < n; i++)
		m->keys[i] = cell_of(m, m->sort, (uint32_t)i);
	m->ascends = ascends(m->sort) != m->request->reverse;
	for (const struct field *f = m->view->fields; f->name && !m->tie; f++)
		m->tie = f->flags & FIELD_KEY ? f : NULL;
	if (has_numbers_or_null(m))
		sort_by_numbers(m, spare);
	else
		sort_indexes(m->order, n, spare, is_before, m);
	free(spare);
}

static void order_rows(struct making *m)
{
	size_t n = m->rows->n;
	int64_t limit = m->request->limit;

	m->order = xrealloc_array(NULL, n + 1, sizeof(*m->order));
	for (size_t i = 0; i < n; i++)
		m->order[i] = (uint32_t)i;
	m->own = m->view->sort ? view_field_called(m->view, str_of(m->view->sort)) : NULL;
	m->sort = m->request->sort ? m->request->sort : m->own;
	if (m->sort && !m->request->is_sorted)
		sort(m);
	for (size_t i = 0; !m->sort && m->request->reverse && i < n; i++)
		m->order[i] = (uint32_t)(n - 1 - i);
	m->shown = limit && (uint64_t)limit < n ? (size_t)limit : n;
}

/* Does it tell an amount: neither a name, a number of something, nor a place in time? */
static bool is_amount(const struct field *f)
{
	return units_is_number(f->unit) && f->unit != UNIT_ID && f->unit != UNIT_TIME;
}

/* Is there anything but null, and 0 where that says nothing? */
static bool says_something(const struct making *m, const struct field *f,
			   bool may_be_zero)
{
	for (size_t i = 0; i < m->shown; i++) {
		struct cell cell = cell_of(m, f, m->order[i]);
		if (cell.type != CELL_NULL &&
		    (may_be_zero || cell.type == CELL_TEXT || real_of(cell) != 0))
			return true;
	}
	return m->shown == 0;
}

static bool varies(const struct making *m, const struct field *f)
{
	for (size_t i = 1; i < m->shown; i++)
		if (compare(f, cell_of(m, f, m->order[0]), cell_of(m, f, m->order[i]),
			    true))
			return true;
	return false;
}

static bool is_for_people(const struct making *m, const struct field *f, char mark)
{
	if (!view_has(m->request, f))
		return false;
	if ((f->flags & FIELD_PROFILE) &&
	    (m->scope->n < 2 || (mark != '!' && m->scope->nranks == m->scope->n)))
		return false;
	if (mark == '?' && !varies(m, f))
		return false;
	bool is_kept = mark == '!';
	return (is_kept && !is_amount(f)) ||
	       says_something(m, f, is_kept || !is_amount(f));
}

static void choose_for_people(const struct making *m, const struct view_part *part,
			      struct choice *out)
{
	const char *at = part->fields;
	const struct field *f;
	char mark;

	while ((f = view_part_next(m->view, &at, &mark)) != NULL)
		if (is_for_people(m, f, mark))
			out->list[out->n++] = f;
}

/* `part`: NULL for machines. */
static struct choice choose(const struct making *m, const struct view_part *part,
			    struct arena *arena)
{
	struct choice choice = { .n = 0 };
	size_t n = 0;

	while (m->view->fields[n].name)
		n++;
	choice.list = arena_alloc(arena, n * sizeof(const struct field *));
	if (part)
		choose_for_people(m, part, &choice);
	for (const struct field *f = m->view->fields; !part && f->name; f++)
		if (view_has(m->request, f) && !(f->flags & (FIELD_PEOPLE | FIELD_SORT)))
			choice.list[choice.n++] = f;
	return choice;
}

/* "93.1% of kernel time", when not all rows are shown. */
static const char *share(const struct making *m, struct arena *arena)
{
	int64_t shown = 0, all = 0;

	if (!m->view->share || m->shown == m->rows->n)
		return NULL;
	const struct field *f = view_field_called(m->view, str_of(m->view->share));
	for (size_t i = 0; i < m->rows->n; i++) {
		struct cell cell = cell_of(m, f, m->order[i]);
		int64_t value = cell.type == CELL_INT ? cell.as.integer : 0;
		all = sum_add(all, value);
		if (i < m->shown)
			shown = all;
	}
	if (all <= 0 || sum_is_stuck(all))
		return NULL;
	return arena_printf(arena, "%.1f%% of %s", 100.0 * (double)shown / (double)all,
			    m->view->share_of);
}

static void add_rows(const struct making *m, const struct choice *choice,
		     struct memtable *to)
{
	struct cell *cells = xrealloc_array(NULL, choice->n + 1, sizeof(*cells));

	for (size_t i = 0; i < m->shown; i++) {
		for (size_t c = 0; c < choice->n; c++)
			cells[c] = cell_of(m, choice->list[c], m->order[i]);
		memtable_add_row(to, cells);
	}
	free(cells);
}

struct column view_amount(const struct field *field, enum unit unit, struct arena *arena)
{
	const char *end = unit == UNIT_BYTES   ? "bytes"
			  : unit == UNIT_COUNT ? "count"
					       : "ns";

	return (struct column){ arena_printf(arena, "%s_%s", field->name, end),
				field->title, unit };
}

static struct column column_of(const struct making *m, const struct field *f,
			       struct arena *arena)
{
	const struct view_request *r = m->request;
	bool is_titled = r->title && f == m->view->fields;
	struct column column = { f->name, is_titled ? r->title : f->title, f->unit };

	if (f->flags & FIELD_AMOUNT) {
		column = view_amount(f, r->amounts, arena);
		column.title = is_titled ? r->title : f->title;
	}
	return column;
}

/* What rows are sorted by stays, however narrow the line. */
static void keep_sorted(const struct making *m, struct choice *choice,
			struct arena *arena)
{
	for (size_t i = 0; m->sort && i < choice->n; i++) {
		if (choice->list[i] != m->sort || !m->sort->leaves)
			continue;
		struct field *stays = arena_alloc(arena, sizeof(*stays));
		memcpy(stays, m->sort, sizeof(*stays));
		stays->leaves = 0;
		choice->list[i] = stays;
	}
}

static struct memtable *make_table(const struct making *m, const struct view_part *part)
{
	struct memtable *to = memtable_new(NULL, 0);
	struct choice choice = choose(m, part, &to->arena);
	struct column *columns =
		arena_alloc(&to->arena, choice.n * sizeof(struct column));

	for (size_t i = 0; i < choice.n; i++)
		columns[i] = column_of(m, choice.list[i], &to->arena);
	to->table.columns = columns;
	to->table.fields = choice.list;
	to->table.ncolumns = choice.n;
	add_rows(m, &choice, to);
	keep_sorted(m, &choice, &to->arena);
	to->table.total_rows = (int64_t)m->rows->n;
	to->table.share = share(m, &to->arena);
	to->table.is_form = m->view->is_form && m->shown == m->rows->n;
	to->table.caption = part ? part->caption : NULL;
	return to;
}

uint32_t *view_order(const struct view *view, const struct view_rows *rows,
		     const struct view_request *request)
{
	struct making m = { .view = view, .rows = rows, .request = request };

	order_rows(&m);
	free(m.keys);
	return m.order;
}

struct memtable *view_table(const struct view *view, const struct view_rows *rows,
			    const struct scope *scope, const struct view_request *request)
{
	struct making m = {
		.view = view, .rows = rows, .scope = scope, .request = request
	};
	const struct view_part *part = request->people ? request->people : view->people;
	struct memtable *first;

	order_rows(&m);
	first = make_table(&m, request->for_people ? part : NULL);
	for (struct memtable *last = first; request->for_people && (++part)->fields;) {
		struct memtable *next = make_table(&m, part);
		last->table.more = &next->table;
		last = next;
	}
	free(m.keys);
	free(m.order);
	return first;
}

struct memtable *view_last_part(struct memtable *first)
{
	struct memtable *last = first;

	while (last->table.more)
		last = (struct memtable *)last->table.more;
	return last;
}

struct memtable *view_of_cells(const struct view *view, const struct memtable *rows,
			       const struct scope *scope,
			       const struct view_request *request)
{
	const struct view_rows cells = {
		.items = rows->cells,
		.n = rows->nrows,
		.size = rows->table.ncolumns * sizeof(struct cell),
	};
	struct memtable *first = view_table(view, &cells, scope, request);
	struct memtable *last = view_last_part(first);

	for (size_t i = 0; i < rows->nnotes; i++)
		memtable_add_note(last, "%s", rows->notes[i]);
	first->table.total_rows = rows->table.total_rows;
	if (rows->table.caption)
		first->table.caption =
			arena_copy(&first->arena, str_of(rows->table.caption)).p;
	return first;
}
