/* A call graph from the store's tables: see callgraph.h. */
#include <math.h>
#include <sqlite3.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/calls/callgraph.h"
#include "query/query.h"
#include "query/samples/sample_calls.h"
#include "trace/fact.h"
#include "trace/seconds.h"

enum owned_table { OF_FUNCTION, OF_STAT, OF_EDGE };

/* Ids first to last; last < first: none. */
struct range {
	int64_t first, last;
};

/* The columns that views/callgraph_rows.sql and callgraph_edges.sql begin with. */
enum {
	COLUMN_CALLS,
	COLUMN_PRIMITIVE,
	COLUMN_SELF_NS,
	COLUMN_TOTAL_NS,
	COLUMN_SELF_S,
	COLUMN_TOTAL_S,
	COLUMN_CALLS_TEXT,
	COLUMN_PRIMITIVE_TEXT,
	COLUMN_FUNCTION,
	COLUMN_CALLER
};

struct loading {
	struct store *store;
	struct callgraph *g;
	struct range functions;
};

static int damaged(struct err *err)
{
	return err_set(err, ERR_INPUT, "the store's call graph is damaged");
}

static bool is_null(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

/* The first row at or behind `id`: 1 with its owner, 0 behind the last, -1. */
static int owner_at(struct sqlite3_stmt *stmt, int64_t *id, int64_t *owner,
		    struct err *err)
{
	query_bind_int(stmt, ":id", *id);
	int rc = sql_step(stmt, err);
	if (rc > 0) {
		*id = sqlite3_column_int64(stmt, 0);
		*owner = sqlite3_column_int64(stmt, 1);
		sqlite3_reset(stmt);
	}
	return rc;
}

/* The first id whose owner is `wanted` or a later one; ids of a table begin with 1. */
static int first_of(struct sqlite3_stmt *stmt, int64_t wanted, int64_t *out,
		    struct err *err)
{
	int64_t low = 0,
		high = INT64_MAX; /* it is none up to `low`, and at most `high` */

	while (high - low > 1) {
		int64_t at = low + (high - low) / 2, owner = 0;
		int rc = owner_at(stmt, &at, &owner, err);
		if (rc < 0)
			return -1;
		if (rc > 0 && owner < wanted)
			low = at;
		else
			high = low + (high - low) / 2;
	}
	*out = high;
	return 0;
}

/* The rows of a table that belong to the owners first to last. */
static int find_range(struct store *store, enum owned_table table, struct range owners,
		      struct range *out, struct err *err)
{
	struct query q = query_open(store, asset_query_views_callgraph_range_sql, err);
	int64_t behind = 0;

	*out = (struct range){ 0, -1 };
	query_bind_int(q.stmt, ":table", table);
	if (q.rc == 0)
		q.rc = first_of(q.stmt, owners.first, &out->first, err);
	if (q.rc == 0)
		q.rc = first_of(q.stmt, sum_add(owners.last, 1), &behind, err);
	out->last = behind - 1;
	return query_end(&q);
}

/* The row that the statement of functions stands on. */
static int take_function(struct store *store, struct callgraph *g,
			 struct sqlite3_stmt *stmt, struct err *err)
{
	int64_t at = sum_sub(sqlite3_column_int64(stmt, 0), g->first_id);

	if (at < 0 || at >= (int64_t)g->nfunctions)
		return damaged(err);
	struct callgraph_function *f = &g->functions[at];
	f->line = sqlite3_column_int64(stmt, 1);
	f->file = intern_add(&g->texts, sql_bytes(stmt, 2));
	f->name = intern_add(&g->texts, sql_bytes(stmt, 3));
	f->bytes = is_null(stmt, 4) ? CALLGRAPH_NONE
				    : intern_add(&g->texts, sql_bytes(stmt, 4));
	return query_take_names(store, intern_str(&g->texts, f->file),
				intern_str(&g->texts, f->name), false, &g->names, err);
}

static int load_names(struct store *store, struct callgraph *g, struct range range,
		      struct err *err)
{
	struct query q = query_of_range(store, asset_query_views_callgraph_functions_sql,
					range.first, range.last, err);

	while (query_next(&q, err))
		q.rc = take_function(store, g, q.stmt, err);
	if (query_end(&q) < 0)
		return -1;
	for (int64_t id = range.first; id <= range.last; id++)
		if (g->functions[id - g->first_id].file == CALLGRAPH_NONE)
			return damaged(err);
	return 0;
}

int callgraph_names(struct store *store, struct callgraph *g, struct err *err)
{
	if (g->first_id == 0) /* made of a trace, with all names */
		return 0;
	struct range range = { g->first_id, g->first_id + (int64_t)g->nfunctions - 1 };

	return load_names(store, g, range, err);
}

int callgraph_name(struct store *store, struct callgraph *g, uint32_t function,
		   struct err *err)
{
	int64_t id = g->first_id + function;

	if (g->functions[function].file != CALLGRAPH_NONE)
		return 0;
	return load_names(store, g, (struct range){ id, id }, err);
}

static struct bignum take_count(struct callgraph *g, struct sqlite3_stmt *stmt,
				int number, int text)
{
	if (is_null(stmt, text))
		return bignum_of(sqlite3_column_int64(stmt, number));
	return bignum_parse(&g->arena, sql_bytes(stmt, text));
}

static int64_t take_ns(struct sqlite3_stmt *stmt, int column)
{
	return is_null(stmt, column) ? NUMBER_NONE : sqlite3_column_int64(stmt, column);
}

static double take_seconds(struct sqlite3_stmt *stmt, int column)
{
	return is_null(stmt, column)
		       ? (double)NAN
		       : seconds_recorded(sqlite3_column_double(stmt, column));
}

static struct callgraph_sums take_sums(struct callgraph *g, struct sqlite3_stmt *stmt)
{
	struct callgraph_sums sums = { .calls = take_count(g, stmt, COLUMN_CALLS,
							   COLUMN_CALLS_TEXT),
				       .has_times = !is_null(stmt, COLUMN_PRIMITIVE) };

	if (!sums.has_times)
		return sums;
	sums.primitive = take_count(g, stmt, COLUMN_PRIMITIVE, COLUMN_PRIMITIVE_TEXT);
	sums.uncounted = sums.calls.n == -1;
	sums.self_ns = take_ns(stmt, COLUMN_SELF_NS);
	sums.total_ns = take_ns(stmt, COLUMN_TOTAL_NS);
	sums.self_s = take_seconds(stmt, COLUMN_SELF_S);
	sums.total_s = take_seconds(stmt, COLUMN_TOTAL_S);
	return sums;
}

/* The number of the function whose id a row holds. */
static int take_number(const struct callgraph *g, struct sqlite3_stmt *stmt, int column,
		       uint32_t *function, struct err *err)
{
	int64_t at = sum_sub(sqlite3_column_int64(stmt, column), g->first_id);

	if (at < 0 || at >= (int64_t)g->nfunctions)
		return damaged(err);
	*function = (uint32_t)at;
	return 0;
}

static int take_row(struct callgraph *g, struct sqlite3_stmt *stmt, struct err *err)
{
	struct callgraph_row row = { .sums = take_sums(g, stmt) };

	if (take_number(g, stmt, COLUMN_FUNCTION, &row.function, err) < 0)
		return -1;
	if (g->functions[row.function].row != CALLGRAPH_NONE ||
	    g->nrows + 1 >= CALLGRAPH_NONE)
		return damaged(err);
	g->functions[row.function].row = (uint32_t)g->nrows;
	*ARRAY_PUSH(g->rows, g->nrows, g->rows_cap) = row;
	g->calls = bignum_add(&g->arena, g->calls, row.sums.calls);
	g->primitive = bignum_add(&g->arena, g->primitive, row.sums.primitive);
	g->self_s += row.sums.self_s;
	g->self_ns = callgraph_add_ns(g->self_ns, row.sums.self_ns);
	return 0;
}

static int take_edge(struct callgraph *g, struct sqlite3_stmt *stmt, struct err *err)
{
	struct callgraph_edge edge = { .sums = take_sums(g, stmt),
				       .next = CALLGRAPH_NONE };

	if (take_number(g, stmt, COLUMN_FUNCTION, &edge.callee, err) < 0 ||
	    take_number(g, stmt, COLUMN_CALLER, &edge.caller, err) < 0)
		return -1;
	if (g->nedges + 1 >= CALLGRAPH_NONE)
		return damaged(err);
	callgraph_append(g, &edge);
	return 0;
}

typedef int take_fn(struct callgraph *g, struct sqlite3_stmt *stmt, struct err *err);

static int load_rows(const struct loading *l, enum owned_table table, struct err *err)
{
	const unsigned char *sql = table == OF_STAT
					   ? asset_query_views_callgraph_rows_sql
					   : asset_query_views_callgraph_edges_sql;
	take_fn *take = table == OF_STAT ? take_row : take_edge;
	struct range range;

	if (find_range(l->store, table, l->functions, &range, err) < 0)
		return -1;
	struct query q = query_of_range(l->store, sql, range.first, range.last, err);
	while (query_next(&q, err))
		q.rc = take(l->g, q.stmt, err);
	return query_end(&q);
}

/* pstats' get_top_level_stats(): what ("jprofile", 0, "profiler") called. */
static int note_top_level(const struct loading *l, enum callgraph_parts parts,
			  struct err *err)
{
	struct callgraph *g = l->g;
	struct query q =
		query_of_range(l->store, asset_query_views_callgraph_jprofile_sql,
			       l->functions.first, l->functions.last, err);
	bool is_there = query_next(&q, err);
	uint32_t jprofile =
		is_there ? (uint32_t)(sqlite3_column_int64(q.stmt, 0) - g->first_id) : 0;

	if (query_end(&q) < 0 || !is_there)
		return q.rc;
	if (!(parts & CALLGRAPH_EDGES) && load_rows(l, OF_EDGE, err) < 0)
		return -1;
	for (size_t e = 0; e < g->nedges; e++) {
		uint32_t row = g->functions[g->edges[e].callee].row;
		if (g->edges[e].caller == jprofile && row != CALLGRAPH_NONE)
			g->rows[row].is_top_level = true;
	}
	return 0;
}

static void make_functions(struct callgraph *g, struct range range)
{
	g->first_id = range.first;
	g->nfunctions = g->functions_cap = (size_t)(range.last - range.first + 1);
	g->functions = xrealloc_array(NULL, g->nfunctions, sizeof(*g->functions));
	for (size_t i = 0; i < g->nfunctions; i++)
		g->functions[i] = (struct callgraph_function){ .file = CALLGRAPH_NONE,
							       .name = CALLGRAPH_NONE,
							       .bytes = CALLGRAPH_NONE,
							       .row = CALLGRAPH_NONE,
							       .first = CALLGRAPH_NONE,
							       .last = CALLGRAPH_NONE };
}

/* Ids of a damaged store may lie far apart: no array has room for that. */
static int check_range(struct store *store, struct range range, struct err *err)
{
	const char *sql = (const char *)asset_query_views_callgraph_count_sql;
	int64_t n;

	if (sql_int(store_db(store), sql, &n, err) < 0)
		return -1;
	return range.last - range.first < n && n < CALLGRAPH_NONE ? 0 : damaged(err);
}

static int of_samples(struct store *store, const struct scope_profile *profile,
		      const struct filter *filter, struct callgraph *g, struct err *err)
{
	const struct filter all = { .focus = NULL };
	struct scope one;

	scope_of_profile(profile, &one);
	int rc = callgraph_of_samples(store, &one, filter ? filter : &all, g, err);
	scope_release(&one);
	return rc;
}

int callgraph_load(struct store *store, const struct scope_profile *profile,
		   const struct filter *filter, enum callgraph_parts parts,
		   struct callgraph *g, struct err *err)
{
	if (scope_is_of_lines(profile))
		return err_set(err, ERR_EMPTY,
			       "a line profile has no calls: 'ptool lines' shows its "
			       "lines, 'ptool top' its functions");
	if (strcmp(profile->format, "samples") == 0)
		return of_samples(store, profile, filter, g, err);
	if (strcmp(profile->format, "pstats") != 0)
		return callgraph_of_trace(store, profile, g, err);
	struct loading l = { .store = store, .g = g };
	struct range profiles = { profile->id, profile->id };

	if (find_range(store, OF_FUNCTION, profiles, &l.functions, err) < 0)
		return -1;
	if (l.functions.last < l.functions.first)
		return err_set(err, ERR_EMPTY, "no functions were recorded");
	if (check_range(store, l.functions, err) < 0)
		return -1;
	make_functions(g, l.functions);
	if ((parts & CALLGRAPH_NAMES) && callgraph_names(store, g, err) < 0)
		return -1;
	if (load_rows(&l, OF_STAT, err) < 0 ||
	    ((parts & CALLGRAPH_EDGES) && load_rows(&l, OF_EDGE, err) < 0))
		return -1;
	g->whole_ns = g->self_ns == NUMBER_NONE ? profile->dur_ns : g->self_ns;
	return note_top_level(&l, parts, err);
}
