/* The operations of a pipeline's workers: see pipeline_ops.h. */
#include "query/ranks/pipeline_ops.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_pipeline_apart_sql);
ASSET(asset_query_views_pipeline_ops_sql);

/* Each is played by itself.  The largest jobs have less than a hundred. */
#define STAGES_MAX 256

/* Columns of views/pipeline_ops.sql. */
enum { COLUMN_ID, COLUMN_TS, COLUMN_DUR, COLUMN_APART, COLUMN_NAME, COLUMN_ARGS };

/* The length that a slice which is set apart was recorded with. */
struct apart {
	int64_t slice_id, dur_ns;
};

struct loading {
	struct pipeline_ops *out;
	struct apart *apart; /* owned; by slice_id */
	size_t napart, apart_cap;
};

bool pipeline_ops_is(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (!scope_is_pipeline(&scope->profiles[i]))
			return false;
	return true;
}

/* Of a flat JSON object the integer of a key; NUMBER_NONE: it is null or not there. */
static int64_t arg_of(struct str json, const char *key)
{
	size_t n = strlen(key), at = 0, end;
	int64_t number;

	for (; at + n + 2 < json.n; at++)
		if (json.p[at] == '"' && json.p[at + n + 1] == '"' &&
		    memcmp(json.p + at + 1, key, n) == 0)
			break;
	at += n + 2;
	while (at < json.n && strchr(" \t\r\n:", json.p[at]))
		at++;
	for (end = at; end < json.n && !strchr(" \t\r\n,}", json.p[end]);)
		end++;
	if (at >= json.n || decimal_text_int((struct str){ json.p + at, end - at },
					     &number) != DECIMAL_OK)
		return NUMBER_NONE;
	return number;
}

/* The same of what is numbered from 0: so large a number is not known. */
static int64_t place_of(struct str json, const char *key)
{
	int64_t place = arg_of(json, key);

	return place < 0 || place > INT32_MAX ? NUMBER_NONE : place;
}

static int load_apart(struct store *store, struct loading *l, struct err *err)
{
	struct query q = query_open(store, asset_query_views_pipeline_apart_sql, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(l->apart, l->napart, l->apart_cap) =
			(struct apart){ sqlite3_column_int64(q.stmt, 0),
					sqlite3_column_int64(q.stmt, 1) };
	return query_end(&q);
}

static int64_t length_of(const struct loading *l, struct sqlite3_stmt *stmt)
{
	int64_t id = sqlite3_column_int64(stmt, COLUMN_ID);

	if (!sqlite3_column_int64(stmt, COLUMN_APART))
		return sqlite3_column_int64(stmt, COLUMN_DUR);
	size_t at = SORT_FIRST(l->apart, l->napart, slice_id, id);
	return at < l->napart && l->apart[at].slice_id == id ? l->apart[at].dur_ns : 0;
}

static struct str column_text(struct sqlite3_stmt *stmt, int column)
{
	struct cell cell = query_cell(stmt, column);

	return cell.type == CELL_TEXT ? cell.as.text : STR_LIT("");
}

static void add_item(struct loading *l, uint32_t worker, int64_t origin_ns,
		     struct sqlite3_stmt *stmt)
{
	struct str args = column_text(stmt, COLUMN_ARGS);
	uint8_t kind = pipeline_op_find(column_text(stmt, COLUMN_NAME))->kind;
	int64_t step = arg_of(args, "step");
	int64_t start_ns = sum_add(origin_ns, sqlite3_column_int64(stmt, COLUMN_TS));
	struct pipeline_ops *out = l->out;

	if (kind == PIPELINE_NO_KIND || step == NUMBER_NONE) {
		out->left_out++;
		return;
	}
	if (!out->nsteps || out->steps[out->nsteps - 1] != step)
		*ARRAY_PUSH(out->steps, out->nsteps, out->steps_cap) = step;
	*ARRAY_PUSH(out->items, out->n, out->cap) = (struct pipeline_item){
		.start_ns = start_ns,
		.end_ns = sum_add(start_ns, length_of(l, stmt)),
		.chunk = place_of(args, "model_chunk"),
		.sequence = place_of(args, "seq_id"),
		.pp = out->workers[worker].pp,
		.step = (uint32_t)out->nsteps - 1,
		.worker = worker,
		.kind = kind,
	};
}

static int load_worker(struct store *store, struct loading *l, uint32_t worker,
		       const struct scope_profile *profile, struct err *err)
{
	struct query q = query_of_range(
		store, asset_query_views_pipeline_ops_sql, profile->first_slice_id,
		profile->first_slice_id + profile->slices - 1, err);

	while (query_next(&q, err))
		add_item(l, worker, profile->start_ns, q.stmt);
	return query_end(&q);
}

/* The numbers of steps, each once; items are given the new places. */
static void sort_steps(struct pipeline_ops *p)
{
	int64_t *numbers = xcalloc(p->nsteps + 1, sizeof(*numbers));
	size_t n = p->nsteps, kept = 0;

	memcpy(numbers, p->steps, n * sizeof(*numbers));
	sort_by_field(p->steps, n, sizeof(*p->steps), 0);
	for (size_t i = 0; i < n; i++)
		if (!kept || p->steps[kept - 1] != p->steps[i])
			p->steps[kept++] = p->steps[i];
	p->nsteps = kept;
	for (size_t i = 0; i < p->n; i++)
		p->items[i].step = (uint32_t)sort_first(p->steps, kept, sizeof(*p->steps),
							0, numbers[p->items[i].step]);
	free(numbers);
}

static int compare_replicas(const void *a, const void *b)
{
	const struct pipeline_replica *x = a, *y = b;
	int order = sort_order(x->tp, y->tp);

	return order ? order : sort_order(x->dp, y->dp);
}

static void find_replicas(struct pipeline_ops *p)
{
	p->replicas = xcalloc(p->nworkers + 1, sizeof(*p->replicas));
	for (size_t i = 0; i < p->nworkers; i++)
		p->replicas[i] =
			(struct pipeline_replica){ p->workers[i].dp, p->workers[i].tp };
	qsort(p->replicas, p->nworkers, sizeof(*p->replicas), compare_replicas);
	for (size_t i = 0; i < p->nworkers; i++)
		if (!i || compare_replicas(&p->replicas[p->nreplicas - 1],
					   &p->replicas[i]) != 0)
			p->replicas[p->nreplicas++] = p->replicas[i];
	for (size_t i = 0; i < p->nworkers; i++) {
		const struct pipeline_replica key = { p->workers[i].dp,
						      p->workers[i].tp };
		const struct pipeline_replica *found = bsearch(
			&key, p->replicas, p->nreplicas, sizeof(key), compare_replicas);
		p->workers[i].replica = (uint32_t)(found - p->replicas);
	}
}

static int compare_workers(const void *a, const void *b)
{
	const struct pipeline_worker *x = a, *y = b;
	int order = sort_order(x->rank, y->rank);

	return order ? order : sort_order(x->replica, y->replica);
}

static int check_worker(const struct scope_profile *profile, struct err *err)
{
	const int64_t *at = profile->axes.at;

	if (!profile->has_rank || at[AXIS_PP] < 0 || at[AXIS_DP] == NUMBER_NONE)
		return err_set(err, ERR_EMPTY,
			       "the stages of workers are not known: the timeline lacks "
			       "names of threads (\"PP rank 0, TP rank 0, compute\")");
	if (at[AXIS_PP] >= STAGES_MAX)
		return err_set(err, ERR_EMPTY,
			       "rank %" PRId64 " is on stage %" PRId64
			       ": a pipeline of more than %d stages is not simulated",
			       profile->rank, at[AXIS_PP], STAGES_MAX);
	return 0;
}

/* By rank; `replica` is the place of the profile until replicas are found. */
static int find_workers(const struct scope *scope, struct pipeline_ops *p,
			struct err *err)
{
	p->workers = xcalloc(scope->n + 1, sizeof(*p->workers));
	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_profile *profile = &scope->profiles[i];
		const int64_t *at = profile->axes.at;
		if (check_worker(profile, err) < 0)
			return -1;
		p->workers[p->nworkers++] = (struct pipeline_worker){
			.rank = profile->rank,
			.dp = at[AXIS_DP],
			.pp = at[AXIS_PP],
			.tp = at[AXIS_TP] == NUMBER_NONE ? 0 : at[AXIS_TP],
			.replica = (uint32_t)i,
		};
	}
	if (p->nworkers < 2)
		return err_set(err, ERR_EMPTY, "there is only one worker");
	qsort(p->workers, p->nworkers, sizeof(*p->workers), compare_workers);
	return 0;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct pipeline_ops *p = context;
	const struct pipeline_item *x = &p->items[a], *y = &p->items[b];

	if (x->step != y->step)
		return x->step < y->step;
	return p->workers[x->worker].replica < p->workers[y->worker].replica;
}

static void sort_items(struct pipeline_ops *p)
{
	uint32_t *order = sorted_places(p->n, is_before, p);
	struct pipeline_item *items = xcalloc(p->n + 1, sizeof(*items));

	for (size_t i = 0; i < p->n; i++)
		items[i] = p->items[order[i]];
	free(order);
	free(p->items);
	p->items = items;
}

int pipeline_ops_load(struct store *store, const struct scope *scope,
		      struct pipeline_ops *out, struct err *err)
{
	struct loading l = { .out = out };

	*out = (struct pipeline_ops){ .n = 0 };
	int rc = find_workers(scope, out, err);
	if (rc == 0)
		rc = load_apart(store, &l, err);
	for (uint32_t i = 0; rc == 0 && i < out->nworkers; i++)
		rc = load_worker(store, &l, i, &scope->profiles[out->workers[i].replica],
				 err);
	free(l.apart);
	if (rc == 0 && !out->n)
		rc = err_set(err, ERR_EMPTY,
			     "the timeline has no operation that the simulation knows");
	if (rc < 0)
		return -1;
	find_replicas(out);
	sort_steps(out);
	sort_items(out);
	return 0;
}

void pipeline_ops_release(struct pipeline_ops *p)
{
	free(p->items);
	free(p->workers);
	free(p->replicas);
	free(p->steps);
	*p = (struct pipeline_ops){ .n = 0 };
}
