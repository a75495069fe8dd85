/* Replayed kernels in the operator table: see top_rows.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/graphs/graph_names.h"
#include "query/graphs/launch_source.h"
#include "query/steps/step_numbers.h"
#include "query/top/top_rows.h"
#include "trace/optree.h"

/* What told replayed kernels apart: compared as bytes, so there is no padding. */
struct captured_key {
	int64_t step_id;
	uint32_t path, around; /* captured in; around the launch of the graph */
	uint32_t op, unused;   /* text: operator of the launch */
};

struct capturing {
	const struct top_query *query;
	struct top_rows *rows;
	const struct scope_profile *profile;
	struct graph_namer *namer;
	struct step_numbers steps;
	struct graph_names names;
	struct call_paths launches; /* around launches */
	int64_t *ids;               /* owned: of launches, ascending */
	uint32_t *around;           /* owned; by place in ids */
	size_t nids;
	struct intern keys;
	int64_t *sums_ns; /* owned; by number of a key */
	size_t nsums, sums_cap;
	uint8_t *seen; /* owned; by text: a total has it */
	size_t seen_cap;
};

/* The operator table's name of a call. */
static uint32_t table_name(struct capturing *c, const struct call_path *call)
{
	struct intern *texts = &c->rows->texts.intern;

	return op_name_of(intern_str(texts, call->name), call->class == CLASS_OP, texts)
		.name;
}

static bool is_row(const struct call_path *call)
{
	return call->class == CLASS_OP;
}

/* An existing row of host calls of that name; UINT32_MAX: there is none. */
static uint32_t row_of(struct capturing *c, const struct top_place *place, uint32_t name)
{
	for (uint16_t is_annotation = 0; is_annotation < 2; is_annotation++) {
		const struct opstat_key key = { .name = name,
						.kind = OP_HOST,
						.is_annotation = is_annotation };
		uint32_t row = top_row(c->rows, c->query, place, &key);
		if (c->rows->stats.rows[row].sums.calls)
			return row;
	}
	return UINT32_MAX;
}

/* An operator without a call here comes behind all others. */
static void add_device(struct capturing *c, const struct top_place *place, uint32_t name,
		       int64_t self_ns, int64_t total_ns)
{
	const struct opstat_key key = { .name = name, .kind = OP_HOST };
	struct opstat *row =
		&c->rows->stats.rows[top_row(c->rows, c->query, place, &key)];

	if (row->sums.calls == 0) {
		row->first = (struct opstat_first){ INT64_MAX, 0, UINT64_MAX };
		row->sums.flops = NUMBER_NONE;
	}
	row->sums.self_device_ns = sum_add(row->sums.self_device_ns, self_ns);
	row->sums.total_device_ns = sum_add(row->sums.total_device_ns, total_ns);
}

/* What launched the graph keeps its total, and loses what is another's own. */
static void take_from_launch(struct capturing *c, const struct top_place *place,
			     const struct captured_key *key, int64_t ns)
{
	uint32_t name = key->op;

	for (uint32_t at = key->around; name == TEXT_NONE && at != CALL_PATH_NONE;
	     at = call_path_at(&c->launches, at)->caller)
		name = call_path_at(&c->launches, at)->name;
	if (name == TEXT_NONE)
		return;
	const struct call_path call = {
		.name = name, .class = key->op != TEXT_NONE ? CLASS_OP : CLASS_ANNOTATION
	};
	uint32_t row = row_of(c, place, table_name(c, &call));
	if (row == UINT32_MAX)
		return;
	struct opstat_sums *sums = &c->rows->stats.rows[row].sums;
	sums->self_device_ns = sum_sub(sums->self_device_ns, ns);
}

static bool see(struct capturing *c, uint32_t name)
{
	uint8_t *seen = ARRAY_AT(c->seen, c->seen_cap, name);
	bool is_new = !*seen;

	*seen = 1;
	return is_new;
}

/* Totals count once for each name, as calls within one of their name do. */
static void add_path(struct capturing *c, const struct top_place *place,
		     const struct captured_key *key, int64_t ns)
{
	uint32_t op = call_path_op(&c->names.paths, key->path);
	const uint32_t *nodes;

	size_t n = call_path_nodes(&c->launches, key->around, &nodes);
	for (size_t i = 0; i < n; i++)
		see(c, table_name(c, call_path_at(&c->launches, nodes[i])));
	size_t m = call_path_nodes(&c->names.paths, op, &nodes);
	for (size_t i = 0; i < m; i++) {
		const struct call_path *call = call_path_at(&c->names.paths, nodes[i]);
		uint32_t name = table_name(c, call);
		if (is_row(call))
			add_device(c, place, name, nodes[i] == op ? ns : 0,
				   see(c, name) ? ns : 0);
	}
	for (size_t i = 0; i < m; i++)
		*ARRAY_AT(c->seen, c->seen_cap,
			  table_name(c, call_path_at(&c->names.paths, nodes[i]))) = 0;
	n = call_path_nodes(&c->launches, key->around, &nodes);
	for (size_t i = 0; i < n; i++)
		*ARRAY_AT(c->seen, c->seen_cap,
			  table_name(c, call_path_at(&c->launches, nodes[i]))) = 0;
}

static struct top_place place_of(const struct capturing *c, int64_t step_id)
{
	struct top_place place = { .profile = c->profile,
				   .shapes = TEXT_NONE,
				   .stack = TEXT_NONE,
				   .overload = TEXT_NONE };
	int64_t number;

	for (size_t i = 0; i < NTOP_SPLITS; i++)
		place.split[i] = SPLIT_NONE;
	top_split_by_profile(place.split, c->profile);
	if (step_numbers_find(&c->steps, step_id, &number))
		place.split[TOP_BY_STEP] = number;
	return place;
}

static void add_sums(struct capturing *c)
{
	for (uint32_t i = 0; i < c->nsums; i++) {
		struct captured_key key;
		memcpy(&key, intern_str(&c->keys, i).p, sizeof(key));
		const struct top_place place = place_of(c, key.step_id);
		int64_t step = place.split[TOP_BY_STEP];
		if (call_path_op(&c->names.paths, key.path) == CALL_PATH_NONE ||
		    !filter_has_step(c->query->filter, c->profile->id, step,
				     step != SPLIT_NONE))
			continue;
		take_from_launch(c, &place, &key, c->sums_ns[i]);
		add_path(c, &place, &key, c->sums_ns[i]);
	}
}

/* The launches of work that has a name. */
static void list_launches(struct capturing *c, const struct device_work *work)
{
	c->ids = xrealloc_array(NULL, work->n + 1, sizeof(*c->ids));
	for (size_t i = 0; i < work->n; i++)
		if (graph_names_of(&c->names, i) && work->items[i].launch_id)
			c->ids[c->nids++] = work->items[i].launch_id;
	sort_by_field(c->ids, c->nids, sizeof(*c->ids), 0);
	size_t n = 0;
	for (size_t i = 0; i < c->nids; i++)
		if (n == 0 || c->ids[i] != c->ids[n - 1])
			c->ids[n++] = c->ids[i];
	c->nids = n;
	c->around = xcalloc(n + 1, sizeof(*c->around));
}

static void sum_up(struct capturing *c, const struct device_work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		struct captured_key key = { .step_id = item->step_id,
					    .path = graph_names_of(&c->names, i),
					    .op = item->op_name };
		if (key.path == CALL_PATH_NONE)
			continue;
		size_t at =
			sort_first(c->ids, c->nids, sizeof(*c->ids), 0, item->launch_id);
		if (at < c->nids && c->ids[at] == item->launch_id)
			key.around = c->around[at];
		uint32_t sum = intern_add(&c->keys, str_bytes(&key, sizeof(key)));
		if (sum == c->nsums)
			*ARRAY_PUSH(c->sums_ns, c->nsums, c->sums_cap) = 0;
		c->sums_ns[sum] =
			sum_add(c->sums_ns[sum], sum_sub(item->end_ns, item->start_ns));
	}
}

static int add_profile(struct capturing *c, struct store *store, struct err *err)
{
	struct text_pool *texts = &c->rows->texts;
	struct device_work work;
	bool may;

	if (graph_names_may_be(store, c->profile, &may, err) < 0)
		return -1;
	if (!may)
		return 0;
	int rc = device_work_load(store, texts, c->profile, WORK_WITH_OPS, &work, err);

	intern_init(&c->keys);
	call_paths_init(&c->launches);
	if (rc == 0)
		rc = graph_names_load(c->namer, c->profile, &work, &c->names, err);
	if (rc == 0 && c->names.nnamed) {
		list_launches(c, &work);
		rc = launch_paths_load(store, c->profile,
				       &(struct launch_ids){ c->ids, c->nids, c->around },
				       &c->launches, &texts->intern, err);
		if (rc == 0) {
			sum_up(c, &work);
			add_sums(c);
		}
	}
	graph_names_release(&c->names);
	call_paths_release(&c->launches);
	intern_release(&c->keys);
	device_work_release(&work);
	free(c->ids);
	free(c->around);
	free(c->sums_ns);
	free(c->seen);
	return rc;
}

/*
 * May any profile have names: did ingest write some, or are there calls that capture?  The
 * table has these among its rows, unless steps were chosen.
 */
static int may_have(struct store *store, const struct top_query *query,
		    const struct top_rows *rows, bool *may, struct err *err)
{
	if (graph_names_are_stored(store, may, err) < 0)
		return -1;
	*may |= query->filter->has_steps;
	for (size_t i = 0; i < rows->stats.n && !*may; i++)
		*may = str_contains(
			text_pool_str(&rows->texts, rows->stats.rows[i].key.name),
			STR_LIT("StreamBeginCapture"));
	return 0;
}

int top_add_captured(struct store *store, const struct scope *scope,
		     const struct top_query *query, struct top_rows *rows,
		     struct err *err)
{
	unsigned no_names = TOP_SHAPE | TOP_STACK | TOP_OVERLOAD | TOP_TENSOR_CORES;
	struct step_numbers steps = { .n = 0 };
	struct graph_namer namer;
	bool may;

	if (query->show.asked & no_names)
		return 0;
	if (may_have(store, query, rows, &may, err) < 0)
		return -1;
	if (!may)
		return 0;
	graph_namer_init(&namer, store, &rows->texts);
	int rc = step_numbers_load(store, scope, &steps, err);
	for (size_t i = 0; i < scope->n && rc == 0; i++) {
		if (!scope->profiles[i].has_slices || !scope->profiles[i].slices)
			continue;
		struct capturing c = { .query = query,
				       .rows = rows,
				       .profile = &scope->profiles[i],
				       .namer = &namer,
				       .steps = steps };
		rc = add_profile(&c, store, err);
	}
	graph_namer_release(&namer);
	step_numbers_release(&steps);
	return rc;
}
