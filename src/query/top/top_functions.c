/* The functions of call graphs as a table: see top_functions.h. */
#include "query/top/top_functions.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/field.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/calls/callgraph_cells.h"
#include "query/number_cell.h"
#include "query/top/top.h"
#include "trace/fact.h"

#define NAME_MAX_BYTES SIZE_MAX

enum { SUMS = NFUNCTION_CELLS, NMACHINE = SUMS + NSUM_CELLS };
enum { NAME, SELF_SHARE, SELF, TOTAL_SHARE, TOTAL, PER_CALL, CALLS, PRIMITIVE, NPEOPLE };
/* Behind the machine's columns: what else is sorted by. */
enum { BY_CALL = NMACHINE, BY_NFL, BY_STDNAME, BY_NOTHING };

static const struct column machine_columns[NMACHINE] = {
	[CELLS_FILE] = { "file", "File", UNIT_TEXT },
	[CELLS_LINE] = { "line", "Line", UNIT_ID },
	[CELLS_NAME] = { "function", "Function", UNIT_TEXT },
	[SUMS + CELLS_CALLS] = { "calls", "Calls", UNIT_COUNT },
	[SUMS + CELLS_PRIMITIVE] = { "primitive_calls", "Primitive", UNIT_COUNT },
	[SUMS + CELLS_SELF] = { "self_ns", "Self", UNIT_NS },
	[SUMS + CELLS_TOTAL] = { "total_ns", "Total", UNIT_NS },
};

/* What leaves a narrow line, the largest first; what rows are sorted by stays. */
static const struct field leaving[NPEOPLE] = {
	[PRIMITIVE] = { .leaves = 5 },   [PER_CALL] = { .leaves = 4 },
	[TOTAL_SHARE] = { .leaves = 3 }, [SELF_SHARE] = { .leaves = 2 },
	[CALLS] = { .leaves = 1 },
};

static const struct column people_columns[NPEOPLE] = {
	[NAME] = { "function", "Function", UNIT_TEXT },
	[SELF_SHARE] = { "self_pct", "Self", UNIT_PERCENT },
	[SELF] = { "self_ns", "Self", UNIT_NS },
	[TOTAL_SHARE] = { "total_pct", "Total", UNIT_PERCENT },
	[TOTAL] = { "total_ns", "Total", UNIT_NS },
	[PER_CALL] = { "avg_ns", "Per call", UNIT_NS },
	[CALLS] = { "calls", "Calls", UNIT_COUNT },
	[PRIMITIVE] = { "primitive_calls", "Primitive", UNIT_COUNT },
};

/* clang-format off */
const struct sort_key function_sort_keys[] = {
	{ "self_ns", "self_cpu_ns self_cpu_time_total self_cpu_time cpu tottime time flat", "time in the function itself", SUMS + CELLS_SELF, false },
	{ "total_ns", "total_cpu_ns cpu_time_total cumulative cumtime cum", "time in it and in what it called", SUMS + CELLS_TOTAL, false },
	{ "calls", "count ncalls nc", "number of calls", SUMS + CELLS_CALLS, false },
	{ "primitive_calls", "pcalls cc", "calls that are not inside a call of the same function", SUMS + CELLS_PRIMITIVE, false },
	{ "avg_ns", "avg_cpu_ns cpu_time percall", "total time of a primitive call", BY_CALL, false },
	{ "function", "name key", "name", CELLS_NAME, true },
	{ "file", "filename module", "file", CELLS_FILE, true },
	{ "line", NULL, "line of the definition", CELLS_LINE, true },
	{ "nfl", NULL, "name, file and line", BY_NFL, true },
	{ "stdname", NULL, "file:line(name) as text", BY_STDNAME, true },
	{ "none", "node_id", "not at all: the order of the recording", BY_NOTHING, false },
	{ NULL, NULL, NULL, 0, false },
};
/* clang-format on */

struct listing {
	struct callgraph g;
	const struct function_query *query;
	const struct sort_key *key;
	bool ascending;
	uint32_t *rows; /* owned: those that match, sorted */
	size_t n, nshown;
	struct buf name, other;
};

static struct str standard_name(const struct callgraph *g, uint32_t row, struct buf *out)
{
	buf_clear(out);
	callgraph_add_name(g, g->rows[row].function, out);
	return buf_str(out);
}

/* Time of a call from outside; NUMBER_NONE without one. */
static int64_t per_call_ns(const struct callgraph_sums *sums)
{
	if (sums->total_ns == NUMBER_NONE || sums->primitive.n <= 0)
		return NUMBER_NONE;
	return sums->total_ns / sums->primitive.n;
}

static int compare_standard_names(struct listing *l, uint32_t a, uint32_t b)
{
	struct str x = standard_name(&l->g, a, &l->name);
	struct str y = standard_name(&l->g, b, &l->other);

	return str_compare(x, y);
}

static int compare_nfl(const struct callgraph *g, uint32_t f, uint32_t h)
{
	static const int cells[] = { CELLS_NAME, CELLS_FILE, CELLS_LINE };
	int order = 0;

	for (size_t i = 0; i < 3 && order == 0; i++)
		order = callgraph_compare_names(g, f, h, cells[i]);
	return order;
}

static int compare_rows(struct listing *l, uint32_t a, uint32_t b)
{
	const struct callgraph_row *x = &l->g.rows[a], *y = &l->g.rows[b];
	int column = l->key->column;

	if (column < SUMS)
		return callgraph_compare_names(&l->g, x->function, y->function, column);
	if (column < NMACHINE)
		return callgraph_compare_sums(&x->sums, &y->sums, column - SUMS);
	if (column == BY_NFL)
		return compare_nfl(&l->g, x->function, y->function);
	if (column == BY_STDNAME)
		return compare_standard_names(l, a, b);
	int64_t per_x = per_call_ns(&x->sums), per_y = per_call_ns(&y->sums);
	return (per_x > per_y) - (per_x < per_y);
}

struct sorting {
	struct listing *l; /* not const: names are made in its buffers */
};

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *s = context;
	int order = compare_rows(s->l, a, b);

	return s->l->ascending ? order < 0 : order > 0;
}

static void sort_rows(struct listing *l)
{
	const struct sorting sorting = { l };

	if (l->key->column == BY_NOTHING) {
		for (size_t i = 0; l->query->reverse && i < l->n / 2; i++) {
			uint32_t row = l->rows[i];
			l->rows[i] = l->rows[l->n - 1 - i];
			l->rows[l->n - 1 - i] = row;
		}
		return;
	}
	uint32_t *spare = xrealloc_array(NULL, l->n + 1, sizeof(*spare));
	sort_indexes(l->rows, l->n, spare, is_before, &sorting);
	free(spare);
}

/* Do names choose rows, or their order? */
static bool needs_names(const struct listing *l)
{
	int column = l->key->column;

	return l->query->filter->focus || l->query->filter->ignore || column < SUMS ||
	       column == BY_NFL || column == BY_STDNAME;
}

static int load(struct store *store, const struct scope *scope, struct listing *l,
		struct err *err)
{
	if (scope->n > 1)
		return callgraph_load_scope(store, scope, &l->g, err);
	return callgraph_load(store, &scope->profiles[0],
			      needs_names(l) ? CALLGRAPH_NAMES : CALLGRAPH_ROWS, &l->g,
			      err);
}

static int match(struct listing *l, struct err *err)
{
	int has = 1;

	l->rows = xrealloc_array(NULL, l->g.nrows + 1, sizeof(*l->rows));
	for (size_t i = 0; i < l->g.nrows; i++) {
		if (needs_names(l))
			has = filter_has_name(l->query->filter,
					      standard_name(&l->g, (uint32_t)i, &l->name),
					      err);
		if (has < 0)
			return -1;
		if (has)
			l->rows[l->n++] = (uint32_t)i;
	}
	if (l->n == 0)
		return err_set(err, ERR_EMPTY, "no function matches");
	size_t limit = (size_t)l->query->limit;
	l->nshown = limit && limit < l->n ? limit : l->n;
	return 0;
}

static struct cell share_cell(const struct listing *l, struct cell part)
{
	if (part.type != CELL_INT || l->g.self_ns <= 0 || sum_is_stuck(l->g.self_ns))
		return cell_null();
	return cell_real(100.0 * (double)part.as.integer / (double)l->g.self_ns);
}

static void people_cells(struct listing *l, uint32_t row, struct cell *cells)
{
	const struct callgraph_sums *s = &l->g.rows[row].sums;
	struct cell sums[NSUM_CELLS];
	int64_t per_call = per_call_ns(s);

	callgraph_sum_cells(s, sums);
	cells[NAME] = cell_text(standard_name(&l->g, row, &l->name));
	cells[SELF_SHARE] = share_cell(l, sums[CELLS_SELF]);
	cells[SELF] = sums[CELLS_SELF];
	cells[TOTAL_SHARE] = share_cell(l, sums[CELLS_TOTAL]);
	cells[TOTAL] = sums[CELLS_TOTAL];
	cells[PER_CALL] = number_cell(per_call);
	cells[CALLS] = sums[CELLS_CALLS];
	cells[PRIMITIVE] = sums[CELLS_PRIMITIVE];
}

/* "93.1% of self time" */
static const char *shown_share(const struct listing *l, struct arena *arena)
{
	int64_t shown_ns = 0;

	for (size_t i = 0; i < l->nshown; i++) {
		int64_t ns = l->g.rows[l->rows[i]].sums.self_ns;
		if (ns != NUMBER_NONE)
			shown_ns = sum_add(shown_ns, ns);
	}
	if (l->nshown == l->g.nrows || l->g.self_ns <= 0 || sum_is_stuck(l->g.self_ns))
		return NULL;
	return arena_printf(arena, "%.1f%% of self time",
			    100.0 * (double)shown_ns / (double)l->g.self_ns);
}

/* The people's column that a key sorts by; NPEOPLE: none of those that leave. */
static int sorted_column(const struct listing *l)
{
	switch (l->key->column) {
	case SUMS + CELLS_CALLS:
		return CALLS;
	case SUMS + CELLS_PRIMITIVE:
		return PRIMITIVE;
	case BY_CALL:
		return PER_CALL;
	default:
		return NPEOPLE;
	}
}

static void let_leave(const struct listing *l, struct memtable *m)
{
	static const struct field stays = { .leaves = 0 };
	const struct field **fields =
		arena_alloc(&m->arena, NPEOPLE * sizeof(const struct field *));

	for (int i = 0; i < NPEOPLE; i++)
		fields[i] = i == sorted_column(l) ? &stays : &leaving[i];
	m->table.fields = fields;
}

static int draw(struct listing *l, struct store *store, const struct scope *scope,
		struct table **out, struct err *err)
{
	struct memtable *m = l->query->for_people
				     ? memtable_new(people_columns, NPEOPLE)
				     : memtable_new(machine_columns, NMACHINE);

	for (size_t i = 0; i < l->nshown; i++) {
		const struct callgraph_row *row = &l->g.rows[l->rows[i]];
		struct cell cells[NPEOPLE];
		if (scope->n == 1 &&
		    callgraph_name(store, &l->g, row->function, err) < 0) {
			table_free(&m->table);
			return -1;
		}
		if (l->query->for_people) {
			people_cells(l, l->rows[i], cells);
		} else {
			callgraph_function_cells(&l->g, row->function, cells);
			callgraph_sum_cells(&row->sums, cells + SUMS);
		}
		memtable_add_row(m, cells);
	}
	if (l->query->for_people)
		let_leave(l, m);
	m->table.total_rows = (int64_t)l->n;
	m->table.share = shown_share(l, &m->arena);
	const char *note = top_scope_note(scope, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	*out = &m->table;
	return 0;
}

int top_functions(struct store *store, const struct scope *scope,
		  const struct function_query *query, struct table **out, struct err *err)
{
	struct listing l = { .query = query,
			     .key = query->sort ? query->sort : function_sort_keys };
	int rc = -1;

	l.ascending = l.key->ascending != query->reverse;
	callgraph_init(&l.g);
	buf_init(&l.name, NAME_MAX_BYTES);
	buf_init(&l.other, NAME_MAX_BYTES);
	if (load(store, scope, &l, err) == 0 && match(&l, err) == 0) {
		sort_rows(&l);
		rc = draw(&l, store, scope, out, err);
	}
	callgraph_release(&l.g);
	buf_release(&l.name);
	buf_release(&l.other);
	free(l.rows);
	return rc;
}
