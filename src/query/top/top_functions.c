/* The functions of call graphs as a view: what each took, from their own rows. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "base/sum.h"
#include "query/calls/call_edges.h"
#include "query/query.h"
#include "query/top/top.h"
#include "trace/fact.h"

#define ROUNDING_NS 1000 /* of sums of times */

struct listing {
	struct call_source source; /* at the beginning: `from` of the view's fields */
	struct callgraph g;
	struct view_request show;
	const struct filter *filter;
	struct call_row *rows; /* owned: those that match, in the order that is shown */
	size_t n, nshown;
	struct arena *arena; /* of names that are put together */
};

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	struct cell part = call_ns(from, row, arg);

	return part.type == CELL_INT ? share_cell(part.as.integer, l->g.whole_ns)
				     : cell_null();
}

/* Time of a call from outside; null without one. */
static struct cell get_per_call(const void *from, const void *row, int arg)
{
	const struct callgraph_sums *s = ((const struct call_row *)row)->sums;

	(void)from, (void)arg;
	if (sum_is_stuck(s->total_ns) || s->primitive.n <= 0) /* NUMBER_NONE, too */
		return cell_null();
	return cell_int(llrint((double)s->total_ns / (double)s->primitive.n));
}

/* "file:line(name)" */
static struct cell get_standard_name(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	struct buf name;

	(void)arg;
	buf_init(&name, SIZE_MAX);
	callgraph_add_name(&l->g, ((const struct call_row *)row)->callee, &name);
	struct str copy = arena_copy(l->arena, buf_str(&name));
	buf_release(&name);
	return cell_text(copy);
}

/* Name, file and line as one text: a NUL is before all that a name can go on with. */
static struct cell get_nfl(const void *from, const void *row, int arg)
{
	const struct listing *l = from;
	const struct callgraph_function *f =
		&l->g.functions[((const struct call_row *)row)->callee];
	struct buf text;

	(void)arg;
	buf_init(&text, SIZE_MAX);
	buf_add_str(&text, callgraph_text(&l->g, f->name));
	buf_add_char(&text, '\0');
	buf_add_str(&text, callgraph_text(&l->g, f->file));
	buf_add_char(&text, '\0');
	buf_addf(&text, "%020" PRIu64, (uint64_t)f->line ^ (uint64_t)INT64_MIN);
	struct str copy = arena_copy(l->arena, buf_str(&text));
	buf_release(&text);
	return cell_text(copy);
}

/* Rows of the graph begin with their sums. */
static struct cell get_place(const void *from, const void *row, int arg)
{
	const void *sums = ((const struct call_row *)row)->sums;

	(void)arg;
	return cell_int((const struct callgraph_row *)sums -
			((const struct listing *)from)->g.rows);
}

#define NAMED(how)       .get = (how), .arg = offsetof(struct call_row, callee)
#define SUM(how, member) .get = (how), .arg = offsetof(struct callgraph_sums, member)
#define PEOPLE           .flags = FIELD_PEOPLE
#define SORT             .flags = FIELD_SORT

/* clang-format off */
static const struct field fields[] = {
	{ "file", NULL, "file", "filename module", UNIT_TEXT, NAMED(call_file) },
	{ "line", NULL, "line of the definition", NULL, UNIT_ID, NAMED(call_line) },
	{ "function", NULL, "name", "name key", UNIT_TEXT, NAMED(call_name) },
	{ "standard_name", "Function", NULL, NULL, UNIT_TEXT, .get = get_standard_name, PEOPLE },
	{ "calls", "Calls", "number of calls", "count ncalls nc", UNIT_COUNT, SUM(call_count, calls), .leaves = 1 },
	{ "primitive_calls", "Primitive", "calls that are not inside a call of the same function", "pcalls cc", UNIT_COUNT, SUM(call_count, primitive), .leaves = 5 },
	{ "self_ns", "Self", "time in the function itself", "self_cpu_ns self_cpu_time_total self_cpu_time cpu tottime time flat", UNIT_NS, SUM(call_ns, self_ns) },
	{ "self_pct", "Self", NULL, NULL, UNIT_PERCENT, SUM(get_share, self_ns), PEOPLE, .leaves = 2 },
	{ "total_ns", "Total", "time in it and in what it called", "total_cpu_ns cpu_time_total cumulative cumtime cum", UNIT_NS, SUM(call_ns, total_ns) },
	{ "total_pct", "Total", NULL, NULL, UNIT_PERCENT, SUM(get_share, total_ns), PEOPLE, .leaves = 3 },
	{ "avg_ns", "Per call", "total time of a primitive call", "avg_cpu_ns cpu_time percall", UNIT_NS, .get = get_per_call, SORT, .leaves = 4 },
	{ "nfl", NULL, "name, file and line", NULL, UNIT_TEXT, .get = get_nfl, SORT },
	{ "stdname", NULL, "file:line(name) as text", NULL, UNIT_TEXT, .get = get_standard_name, SORT },
	{ "none", NULL, "unsorted: the order of the recording", "node_id", UNIT_ID, .get = get_place, SORT },
	{ .name = NULL },
};
/* clang-format on */

const struct view function_view = {
	.name = "top of a call graph",
	.fields = fields,
	.people = VIEW_PART("standard_name! self_pct self_ns total_pct total_ns avg_ns "
			    "calls! primitive_calls"),
};

/* Do names choose rows, or their order? */
static bool needs_names(const struct listing *l)
{
	return l->filter->focus || l->filter->ignore ||
	       (l->show.sort->unit == UNIT_TEXT) ||
	       l->show.sort == view_field(&function_view, "line");
}

static int load(struct store *store, const struct scope *scope, struct listing *l,
		struct err *err)
{
	if (scope->n > 1)
		return callgraph_load_scope(store, scope, NULL, &l->g, err);
	return callgraph_load(store, &scope->profiles[0], NULL,
			      needs_names(l) ? CALLGRAPH_NAMES : CALLGRAPH_ROWS, &l->g,
			      err);
}

static int match(struct listing *l, struct err *err)
{
	struct buf name;
	int has = 1;

	buf_init(&name, SIZE_MAX);
	l->rows = xrealloc_array(NULL, l->g.nrows + 1, sizeof(*l->rows));
	for (size_t i = 0; i < l->g.nrows && has >= 0; i++) {
		if (needs_names(l)) {
			buf_clear(&name);
			callgraph_add_name(&l->g, l->g.rows[i].function, &name);
			has = filter_has_name(l->filter, buf_str(&name), err);
		}
		if (has > 0)
			l->rows[l->n++] = (struct call_row){
				.callee = l->g.rows[i].function,
				.sums = &l->g.rows[i].sums,
			};
	}
	buf_release(&name);
	if (has < 0 || l->n)
		return has < 0 ? -1 : 0;
	return err_set(err, ERR_EMPTY, "no function matches");
}

/* And reads the names of those that are shown, where they were not read. */
static int sort(struct listing *l, struct store *store, const struct scope *scope,
		struct err *err)
{
	const struct view_rows rows = { l, l->rows, l->n, sizeof(*l->rows) };
	uint64_t limit = (uint64_t)l->show.limit;
	uint32_t *order = view_order(&function_view, &rows, &l->show);
	int rc = 0;

	struct call_row *sorted = xrealloc_array(NULL, l->n + 1, sizeof(*sorted));
	for (size_t i = 0; i < l->n; i++)
		sorted[i] = l->rows[order[i]];
	free(order);
	free(l->rows);
	l->rows = sorted;
	l->nshown = limit && limit < l->n ? (size_t)limit : l->n;
	for (size_t i = 0; scope->n == 1 && i < l->nshown && rc == 0; i++)
		rc = callgraph_name(store, &l->g, l->rows[i].callee, err);
	return rc;
}

/* "93.1% of self time" */
static const char *shown_share(const struct listing *l, struct arena *arena)
{
	int64_t shown_ns = 0;

	for (size_t i = 0; i < l->nshown; i++) {
		int64_t ns = l->rows[i].sums->self_ns;
		if (ns != NUMBER_NONE)
			shown_ns = sum_add(shown_ns, ns);
	}
	if (l->nshown == l->g.nrows || l->g.self_ns <= 0 || sum_is_stuck(l->g.self_ns))
		return NULL;
	return arena_printf(arena, "%.1f%% of self time",
			    100.0 * (double)shown_ns / (double)l->g.self_ns);
}

/* On a stack of one thread a function has at least its own time in all. */
static bool is_mixed(const struct listing *l, const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (!scope->profiles[i].dialect ||
		    strcmp(scope->profiles[i].dialect, "cprofile") != 0)
			return false;
	for (size_t i = 0; i < l->n; i++) {
		const struct callgraph_sums *s = l->rows[i].sums;
		if (s->total_ns != NUMBER_NONE &&
		    s->self_ns > sum_add(s->total_ns, ROUNDING_NS))
			return true;
	}
	return false;
}

static struct table *draw(struct listing *l, const struct scope *scope)
{
	const struct view_rows rows = { l, l->rows, l->n, sizeof(*l->rows) };

	l->show.is_sorted = true;
	struct memtable *m = view_table(&function_view, &rows, scope, &l->show);
	m->table.share = shown_share(l, &m->arena);
	if (scope->n > 1)
		memtable_add_note(m,
				  "%zu profiles added up; --profile ID chooses one, "
				  "'ptool info' lists them",
				  scope->n);
	if (!scope_has_self(scope))
		memtable_add_note(
			m,
			"times include called functions, so percentages add up to more than 100");
	if (is_mixed(l, scope))
		memtable_add_note(m, "self above total: %s", CALLS_MIXED);
	return &m->table;
}

int top_functions(struct store *store, const struct scope *scope,
		  const struct filter *filter, const struct view_request *show,
		  struct table **out, struct err *err)
{
	struct arena arena = { 0 };
	struct listing l = { .show = *show, .filter = filter, .arena = &arena };

	if (!l.show.sort)
		l.show.sort = view_field(&function_view,
					 scope_has_self(scope) ? "self_ns" : "total_ns");
	l.source.g = &l.g;
	callgraph_init(&l.g);
	int rc = load(store, scope, &l, err);
	if (rc == 0)
		rc = match(&l, err);
	/* a listing of a short run, rounded to 0.000: it may have totals all the same */
	if (rc == 0 && !show->sort && l.g.self_ns == 0)
		l.show.sort = view_field(&function_view, "total_ns");
	if (rc == 0)
		rc = sort(&l, store, scope, err);
	if (rc == 0)
		*out = draw(&l, scope);
	callgraph_release(&l.g);
	arena_release(&arena);
	free(l.rows);
	return rc;
}
