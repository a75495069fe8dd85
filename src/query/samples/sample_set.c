/* Sampled stacks from the store: see sample_set.h. */
#include "query/samples/sample_set.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/samples/sample_choose.h"

#define DECIMALS_SHOWN 18
/* The least that a row of function takes in a file: its header. */
#define FUNCTION_ROW_BYTES 7

static int damaged(struct err *err)
{
	return query_damaged("samples", err);
}

void sample_set_release(struct sample_set *set)
{
	free(set->series);
	free(set->functions);
	free(set->nodes);
	free(set->sums);
	free(set->threads);
	intern_release(&set->keys);
	arena_release(&set->arena);
	*set = (struct sample_set){ 0 };
}

static enum unit unit_of(const char *name)
{
	if (strcmp(name, "ns") == 0)
		return UNIT_NS;
	return strcmp(name, "bytes") == 0 ? UNIT_BYTES : UNIT_COUNT;
}

/* The columns of views/sample_series.sql. */
enum {
	ID,
	PROFILE,
	NAME,
	MEASURE,
	MODE,
	UNIT,
	DECIMALS,
	IS_DEFAULT,
	IS_EVENTED,
	IS_ROUNDED,
	SAMPLES,
	WEIGHT,
	START_AT,
	END_AT,
	FIRST_NODE,
	NODES,
	FIRST_SUM,
	SUMS,
	FIRST_SAMPLE,
	SAMPLE_ROWS
};

static int take_series(struct sample_set *set, const struct scope *scope,
		       struct sqlite3_stmt *stmt, struct err *err)
{
	struct arena *a = &set->arena;
	const struct sample_series s = {
		.id = query_number(stmt, ID),
		.profile_id = query_number(stmt, PROFILE),
		.name = arena_copy(a, sql_bytes(stmt, NAME)).p,
		.measure = arena_copy(a, sql_bytes(stmt, MEASURE)).p,
		.mode = arena_copy(a, sql_bytes(stmt, MODE)).p,
		.unit = unit_of(arena_copy(a, sql_bytes(stmt, UNIT)).p),
		.decimals = sqlite3_column_int64(stmt, DECIMALS),
		.is_default = sqlite3_column_int64(stmt, IS_DEFAULT) != 0,
		.is_evented = sqlite3_column_int64(stmt, IS_EVENTED) != 0,
		.is_rounded = sqlite3_column_int64(stmt, IS_ROUNDED) != 0,
		.samples = query_number(stmt, SAMPLES),
		.weight = sqlite3_column_int64(stmt, WEIGHT),
		.start_at = query_number(stmt, START_AT),
		.end_at = query_number(stmt, END_AT),
		.first_node_id = sqlite3_column_int64(stmt, FIRST_NODE),
		.nodes = sqlite3_column_int64(stmt, NODES),
		.first_sum_id = sqlite3_column_int64(stmt, FIRST_SUM),
		.sums = sqlite3_column_int64(stmt, SUMS),
		.first_sample_id = sqlite3_column_int64(stmt, FIRST_SAMPLE),
		.sample_rows = sqlite3_column_int64(stmt, SAMPLE_ROWS),
	};

	if (!scope_find(scope, s.profile_id) ||
	    !query_is_range(s.first_node_id, s.nodes) ||
	    !query_is_range(s.first_sum_id, s.sums) ||
	    !query_is_range(s.first_sample_id, s.sample_rows) || s.decimals < 0 ||
	    s.decimals > DECIMALS_SHOWN)
		return damaged(err);
	*ARRAY_PUSH(set->series, set->nseries, set->series_cap) = s;
	return 0;
}

int sample_series_load(struct store *store, const struct scope *scope,
		       struct sample_set *set, struct err *err)
{
	struct query q = query_of_scope(store, asset_query_views_sample_series_sql,
					scope->ids, err);

	*set = (struct sample_set){ 0 };
	intern_init(&set->keys);
	while (query_next(&q, err))
		q.rc = take_series(set, scope, q.stmt, err);
	return query_end(&q);
}

/* A name, or for want of one the number. */
static struct str thread_name(struct sample_set *set, struct sqlite3_stmt *stmt)
{
	int64_t tid = query_number(stmt, 2);
	struct str name = arena_copy(&set->arena, sql_bytes(stmt, 1));

	if (name.n || tid == NUMBER_NONE)
		return name;
	return str_of(arena_printf(&set->arena, "%lld", (long long)tid));
}

/* Threads that filters leave are kept, with the number as a text for them. */
static int load_threads(struct store *store, const struct scope *scope,
			const struct filter *filter, struct sample_set *set,
			struct err *err)
{
	struct query q = query_of_scope(store, asset_query_views_sample_threads_sql,
					scope->ids, err);

	while (query_next(&q, err)) {
		struct str tid = arena_copy(&set->arena, sql_bytes(q.stmt, 2));
		struct sample_thread thread = { .id = sqlite3_column_int64(q.stmt, 0),
						.name = thread_name(set, q.stmt) };
		if (filter_has_thread(filter, tid, thread.name))
			*ARRAY_PUSH(set->threads, set->nthreads, set->threads_cap) =
				thread;
	}
	return query_end(&q);
}

/* What the rows of one profile are read with. */
struct loading {
	struct store *store;
	struct sample_set *set;
	int64_t first_node_id;
	size_t first_node;     /* its place */
	uint32_t *function_of; /* owned: by function id less first_function */
	int64_t first_function, last_function;
	struct spelt names;
};

static int take_node(struct loading *l, const struct sample_series *s,
		     struct sqlite3_stmt *stmt, struct err *err)
{
	struct sample_set *set = l->set;
	int64_t place = (int64_t)(set->nnodes - l->first_node);
	int64_t caller = query_number(stmt, 1), function = query_number(stmt, 2);
	struct sample_node node = { .caller = SAMPLE_ROOT,
				    .line = query_number(stmt, 3) };

	if (query_number(stmt, 0) != l->first_node_id + place ||
	    query_number(stmt, 4) != s->profile_id || function < 0 ||
	    set->nnodes >= UINT32_MAX - 1)
		return damaged(err);
	if (caller != NUMBER_NONE) {
		if (caller < l->first_node_id || caller >= l->first_node_id + place)
			return damaged(err);
		node.caller =
			(uint32_t)(l->first_node + (size_t)(caller - l->first_node_id));
	}
	if (place == 0 || function < l->first_function)
		l->first_function = function;
	if (place == 0 || function > l->last_function)
		l->last_function = function;
	if (l->last_function - l->first_function >= UINT32_MAX)
		return damaged(err);
	/* its id for now: known functions are numbered once all nodes are read */
	node.function = (uint32_t)function;
	*ARRAY_PUSH(set->nodes, set->nnodes, set->nodes_cap) = node;
	return 0;
}

/* The number of a function, whatever profile it is of: it is kept once. */
static int take_function(struct loading *l, struct sqlite3_stmt *stmt, uint32_t *at,
			 struct err *err)
{
	struct sample_set *set = l->set;
	struct str file = sql_bytes(stmt, 2), name = sql_bytes(stmt, 3);
	int64_t line = query_number(stmt, 1);
	const uint64_t head[] = { (uint64_t)line, file.n };
	size_t known = set->keys.n;
	struct buf key;

	buf_init(&key, SIZE_MAX);
	buf_add(&key, head, sizeof(head));
	buf_add_str(&key, file);
	buf_add_str(&key, name);
	*at = intern_add(&set->keys, buf_str(&key));
	buf_release(&key);
	if (query_take_names(l->store, file, name, *at < known, &l->names, err) < 0)
		return -1;
	if (*at < known)
		return 0;
	bool has_file = !(line == 0 && str_is(file, "~"));
	*ARRAY_PUSH(set->functions, set->nfunctions, set->functions_cap) =
		(struct sample_function){ has_file ? arena_copy(&set->arena, file)
						   : STR_LIT(""),
					  arena_copy(&set->arena, name),
					  has_file ? line : NUMBER_NONE };
	return 0;
}

/* The functions that the new nodes name: no array is made for ids that are not there. */
static int load_functions(struct loading *l, const struct sample_series *s,
			  struct err *err)
{
	struct sample_set *set = l->set;
	size_t nids = (size_t)(l->last_function - l->first_function) + 1;
	bool fits;

	if (query_rows_fit(l->store, (int64_t)nids, FUNCTION_ROW_BYTES, &fits, err) < 0)
		return -1;
	if (!fits)
		return damaged(err);
	l->function_of = xrealloc_array(NULL, nids, sizeof(*l->function_of));
	memset(l->function_of, 0xff, nids * sizeof(*l->function_of));
	struct query q =
		query_of_range(l->store, asset_query_views_callgraph_functions_sql,
			       l->first_function, l->last_function, err);
	while (query_next(&q, err)) {
		int64_t id = sqlite3_column_int64(q.stmt, 0);
		uint32_t *at = &l->function_of[id - l->first_function];
		q.rc = query_number(q.stmt, 5) != s->profile_id
			       ? damaged(err)
			       : take_function(l, q.stmt, at, err);
	}
	int rc = query_end(&q);
	for (size_t i = l->first_node; i < set->nnodes && rc == 0; i++) {
		struct sample_node *node = &set->nodes[i];
		node->function =
			l->function_of[node->function - (uint32_t)l->first_function];
		if (node->function == UINT32_MAX)
			rc = damaged(err);
	}
	return rc;
}

/*
 * The nodes of a profile, which its series name: all of them its own, else many profiles
 * would each read those of one.
 */
static int load_nodes(struct loading *l, const struct sample_series *s, struct err *err)
{
	l->first_node = l->set->nnodes;
	l->first_node_id = s->first_node_id;
	if (s->nodes == 0)
		return 0;
	struct query q =
		query_of_range(l->store, asset_query_views_sample_nodes_sql,
			       s->first_node_id, s->first_node_id + s->nodes - 1, err);
	while (query_next(&q, err))
		q.rc = take_node(l, s, q.stmt, err);
	if (query_end(&q) < 0)
		return -1;
	if ((int64_t)(l->set->nnodes - l->first_node) != s->nodes)
		return damaged(err);
	return load_functions(l, s, err);
}

uint32_t sample_thread_find(const struct sample_set *set, int64_t id)
{
	size_t at;

	SEARCH(at, (size_t)0, set->nthreads, set->threads[at].id < id);
	return at < set->nthreads && set->threads[at].id == id ? (uint32_t)at
							       : UINT32_MAX;
}

static void add_samples(int64_t *to, int64_t samples)
{
	*to = *to == NUMBER_NONE || samples == NUMBER_NONE ? NUMBER_NONE
							   : sum_add(*to, samples);
}

static int64_t scaled(int64_t weight, int64_t decimals)
{
	while (decimals-- > 0)
		weight = sum_times(weight, 10);
	return weight;
}

/* Has the thread filter it, by its thread or for want of one by its series' name? */
static bool has_thread(const struct sample_set *set, const struct filter *filter,
		       const struct sample_series *s, int64_t id, uint32_t *at)
{
	*at = UINT32_MAX;
	if (filter->threads.n && id == NUMBER_NONE)
		return filter_has_thread(filter, STR_LIT(""), str_of(s->name));
	if (id != NUMBER_NONE)
		*at = sample_thread_find(set, id);
	return id == NUMBER_NONE || *at != UINT32_MAX || filter->threads.n == 0;
}

static int take_sum(struct loading *l, const struct filter *filter,
		    const struct sample_series *s, struct sqlite3_stmt *stmt,
		    struct err *err)
{
	struct sample_set *set = l->set;
	int64_t node = query_number(stmt, 2);
	struct sample_sum sum = { .node = SAMPLE_ROOT,
				  .samples = query_number(stmt, 3),
				  .weight = scaled(sqlite3_column_int64(stmt, 4),
						   set->decimals - s->decimals) };

	if (sqlite3_column_int64(stmt, 0) != s->id)
		return damaged(err);
	if (node != NUMBER_NONE) {
		if (node < s->first_node_id || node >= s->first_node_id + s->nodes ||
		    (size_t)(node - s->first_node_id) >= set->nnodes - l->first_node)
			return damaged(err);
		sum.node = (uint32_t)(l->first_node + (size_t)(node - s->first_node_id));
	}
	if (!has_thread(set, filter, s, query_number(stmt, 1), &sum.thread) ||
	    (filter->samples.no_idle && sum.node != SAMPLE_ROOT &&
	     sample_is_idle(&set->functions[set->nodes[sum.node].function])))
		return 0;
	add_samples(&set->samples, sum.samples);
	set->weight = sum_add(set->weight, sum.weight);
	*ARRAY_PUSH(set->sums, set->nsums, set->sums_cap) = sum;
	return 0;
}

static int load_sums(struct loading *l, const struct filter *filter,
		     const struct sample_series *s, struct err *err)
{
	if (s->sums == 0)
		return 0;
	struct query q =
		query_of_range(l->store, asset_query_views_sample_sums_sql,
			       s->first_sum_id, s->first_sum_id + s->sums - 1, err);
	while (query_next(&q, err))
		q.rc = take_sum(l, filter, s, q.stmt, err);
	return query_end(&q);
}

/* ERR_USAGE for filters that samples do not have. */
static int sample_check_filter(const struct filter *f, struct err *err)
{
	if (!f->has_steps && !f->has_times && !f->has_min_dur && !f->categories.n &&
	    !f->streams.n && !f->devices.n)
		return 0;
	return err_set(err, ERR_USAGE,
		       "sampled stacks have no slices to filter: only --focus, --ignore "
		       "and --thread apply to them, and --series, --mode and --no-idle");
}

int sample_set_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct sample_set *set, struct err *err)
{
	struct loading l = { .store = store, .set = set };
	const struct sample_series *first = NULL; /* of the profile */
	int rc = 0;

	if (sample_series_load(store, scope, set, err) < 0 ||
	    sample_check_filter(filter, err) < 0 ||
	    sample_choose(set, &filter->samples, err) < 0 ||
	    load_threads(store, scope, filter, set, err) < 0)
		return -1;
	for (size_t i = 0; i < set->nseries && rc == 0; i++) {
		const struct sample_series *s = &set->series[i];
		if (!s->is_chosen)
			continue;
		if (!first || s->profile_id != first->profile_id) {
			free(l.function_of);
			l.function_of = NULL;
			first = s;
			rc = load_nodes(&l, s, err);
		} else if (s->first_node_id != first->first_node_id ||
			   s->nodes != first->nodes) {
			rc = damaged(err);
		}
		if (rc == 0)
			rc = load_sums(&l, filter, s, err);
	}
	free(l.function_of);
	if (rc == 0 && set->nsums == 0)
		rc = err_set(err, ERR_EMPTY, "no sample matches");
	return rc;
}

int sample_unit(struct store *store, const struct scope *scope,
		const struct filter *filter, enum unit *out, struct err *err)
{
	struct sample_set set;
	int rc = sample_series_load(store, scope, &set, err);

	if (rc == 0)
		rc = sample_choose(&set, &filter->samples, err);
	*out = set.unit;
	sample_set_release(&set);
	return rc;
}

void sample_add_name(const struct sample_function *function, int64_t line,
		     struct buf *out)
{
	buf_add_str(out, function->name);
	if (function->file.n == 0)
		return;
	buf_add_text(out, " (");
	buf_add_str(out, function->file);
	if (line != NUMBER_NONE)
		buf_addf(out, ":%lld", (long long)line);
	buf_add_char(out, ')');
}

struct cell sample_weight_cell(const struct sample_set *set, int64_t weight)
{
	return cell_scaled(weight, set->decimals);
}
