/* Kernels in groups: see kernels.h. */
#include "query/kernels/kernels.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/graphs/graph_names.h"
#include "query/kernels/kernels_gather.h"
#include "query/query.h"

static struct kernel_group *group_of(struct gathering *g, const struct kernel_key *key,
				     const struct kernel_group *first)
{
	struct kernels *out = g->out;
	size_t known = out->keys.n;
	uint32_t at = intern_add(&out->keys, str_bytes(key, sizeof(*key)));

	if (out->keys.n == known)
		return &out->groups[at];
	struct kernel_group *group = ARRAY_PUSH(out->groups, out->n, out->cap);
	*group = *first;
	group->name = key->name;
	group->op = key->op;
	group->shape = key->shape;
	group->min_ns = INT64_MAX;
	memcpy(group->split, key->split, sizeof(group->split));
	return group;
}

static void add_tensor_core(struct tensor_core_times *times, enum tensor_core says,
			    int64_t ns)
{
	if (says == TENSOR_CORE_YES)
		times->yes_ns = sum_add(times->yes_ns, ns);
	else if (says == TENSOR_CORE_UNKNOWN)
		times->unknown_ns = sum_add(times->unknown_ns, ns);
}

struct kernel_group *kernels_add(struct gathering *g, struct kernel_key *key,
				 enum work_kind kind, int64_t ns)
{
	const struct name_facts facts = kernels_judge(g, key->name);
	const struct kernel_group first = {
		.family = kind == WORK_COMPUTE ? facts.family
					       : kernel_family_of(kind, str_of("")),
		.tensor_core = facts.tensor_core,
	};

	if (kernels_asked(g, KERNELS_BY_FAMILY)) {
		key->family = first.family;
		if (!kernels_asked(g, KERNELS_BY_NAME))
			key->name = TEXT_NONE;
	}
	struct kernel_group *group = group_of(g, key, &first);
	if (group->tensor_core != first.tensor_core)
		group->tensor_core = TENSOR_CORE_UNKNOWN;
	add_tensor_core(&g->out->tensor_core, first.tensor_core, ns);
	return group;
}

static int64_t split_value(const struct gathering *g, const struct work_item *item,
			   enum kernel_split split, int64_t step)
{
	const struct work_stream *stream = &g->work.streams[item->stream];

	if (split >= KERNEL_BY_AXES)
		return g->profile->axes.at[split - KERNEL_BY_AXES];
	switch ((int)split) {
	case KERNEL_BY_RANK:
		return g->profile->has_rank ? g->profile->rank : NUMBER_NONE;
	case KERNEL_BY_PROFILE:
		return g->profile->id;
	case KERNEL_BY_DEVICE:
		return g->work.devices[stream->device].device;
	case KERNEL_BY_STREAM:
		return stream->stream;
	case KERNEL_BY_STEP:
		return step;
	default:
		break;
	}
	return NUMBER_NONE;
}

static void add_launch(struct kernel_launches *l, const struct work_item *item,
		       const struct stream_busy *busy)
{
	int64_t call_ns = sum_sub(item->launch_end_ns, item->launch_start_ns);
	int64_t delay_ns = sum_sub(item->start_ns, item->launch_end_ns);

	l->calls++;
	l->call_ns = sum_add(l->call_ns, call_ns);
	l->early += delay_ns < 0;
	l->shorter += sum_sub(item->end_ns, item->start_ns) < call_ns;
	l->bound += kernels_busy_until(busy) <= item->launch_end_ns;
	if (delay_ns > 0)
		l->delay_ns = sum_add(l->delay_ns, delay_ns);
	if (delay_ns > l->max_delay_ns)
		l->max_delay_ns = delay_ns;
	l->queue_ns = sum_add(l->queue_ns,
			      kernels_busy_ns(busy, item->launch_end_ns, item->start_ns));
}

static void add_call(struct gathering *g, struct kernel_group *group,
		     const struct work_item *item, const struct kernel_detail *detail)
{
	int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);

	group->calls++;
	group->total_ns = sum_add(group->total_ns, dur_ns);
	if (dur_ns < group->min_ns)
		group->min_ns = dur_ns;
	if (dur_ns > group->max_ns)
		group->max_ns = dur_ns;
	if (detail) {
		kernel_mean_add(&group->blocks, detail->blocks_per_sm, dur_ns);
		kernel_mean_add(&group->occupancy, detail->occupancy_pct, dur_ns);
	}
	if (item->launch_id && kernels_asked(g, KERNELS_LAUNCHES))
		add_launch(&group->launches, item, &g->busy[item->stream]);
	if (g->query->sums_only)
		return;
	*ARRAY_PUSH(g->durations, g->ndurations, g->durations_cap) =
		(struct duration){ dur_ns, (uint32_t)(group - g->out->groups) };
}

bool kernels_shows(const struct gathering *g, int class)
{
	bool copies = class == CLASS_MEMCPY || class == CLASS_MEMSET;

	return !copies || g->query->with_copies;
}

static int is_wanted(struct gathering *g, const struct work_item *item, int64_t step,
		     struct err *err)
{
	const struct work_stream *stream = &g->work.streams[item->stream];

	return work_filter_wants(
		&g->wanted,
		&(struct work_piece){ .name = item->name,
				      .device = g->work.devices[stream->device].device,
				      .stream = stream->stream,
				      .step = step,
				      .start_ns = item->start_ns,
				      .dur_ns = sum_sub(item->end_ns, item->start_ns) },
		err);
}

static int add_item(struct gathering *g, const struct work_item *item, struct err *err)
{
	struct kernel_key key = { .name = item->name,
				  .op = TEXT_NONE,
				  .shape = TEXT_NONE };
	if (!kernels_shows(g, item->class))
		return 0;
	g->has_work = true;
	if (kernels_asked(g, KERNELS_BY_OP)) {
		key.op = g->ops[item - g->work.items];
		kernels_note_op(g, key.op, key.name);
	}
	int64_t step = work_filter_step(&g->wanted, item->step_id);
	int wanted = is_wanted(g, item, step, err);
	if (wanted <= 0)
		return wanted;
	const struct kernel_detail *detail =
		kernel_details_of(&g->details, item->slice_id);
	if (kernels_asked(g, KERNELS_BY_OP) && detail)
		key.shape = detail->shape;
	for (int i = 0; i < NKERNEL_SPLITS; i++)
		key.split[i] = kernels_asked(g, KERNELS_BY(i))
				       ? split_value(g, item, (enum kernel_split)i, step)
				       : NUMBER_NONE;
	add_call(g,
		 kernels_add(g, &key, (enum work_kind)item->kind,
			     sum_sub(item->end_ns, item->start_ns)),
		 item, detail);
	return 0;
}

/* All work in the order of starts, as it keeps its stream busy, whether wanted or not. */
static int add_items(struct gathering *g, struct err *err)
{
	int rc = 0;

	if (kernels_asked(g, KERNELS_LAUNCHES))
		kernels_queue_begin(g);
	for (size_t i = 0; i < g->work.n && rc == 0; i++) {
		rc = add_item(g, &g->work.items[i], err);
		if (kernels_asked(g, KERNELS_LAUNCHES))
			kernels_queue_pass(g, &g->work.items[i]);
	}
	kernels_queue_end(g);
	return rc;
}

static int add_slices(struct gathering *g, struct err *err)
{
	struct kernels *out = g->out;
	bool by_op = kernels_asked(g, KERNELS_BY_OP);
	bool launches = kernels_asked(g, KERNELS_LAUNCHES), may = false;

	/* names of replayed kernels begin with the launches of their graphs */
	if (by_op && graph_names_may_be(g->store, g->profile, &may, err) < 0)
		return -1;
	int rc = device_work_load(g->store, &out->texts, g->profile,
				  launches || may ? WORK_WITH_LAUNCHES : WORK_ALONE,
				  &g->work, err);

	if (rc == 0 && !g->query->sums_only)
		rc = kernel_details_load(g->store, g->profile,
					 kernels_asked(g, KERNELS_BY_OP) ? &out->shapes
									 : NULL,
					 &g->details, err);
	if (rc == 0 && kernels_asked(g, KERNELS_BY_OP))
		rc = kernels_find_ops(g, err);
	if (rc == 0)
		rc = add_items(g, err);
	kernel_details_release(&g->details);
	device_work_release(&g->work);
	return rc;
}

static int add_profiles(struct gathering *g, const struct scope *scope, struct err *err)
{
	struct summary_reader reader;
	int rc = summary_reader_open(g->store, &g->out->texts, &reader, err);

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		bool is_there;
		g->profile = &scope->profiles[i];
		rc = kernels_add_parts(g, &reader, &is_there, err);
		if (rc == 0 && !is_there)
			rc = add_slices(g, err);
	}
	summary_reader_close(&reader);
	return rc;
}

static int gather(struct gathering *g, const struct scope *scope, struct err *err)
{
	if (add_profiles(g, scope, err) < 0)
		return -1;
	if (g->out->n)
		return 0;
	if (g->has_work)
		return err_set(err, ERR_EMPTY, "no kernel matches");
	struct device_launches launches;
	if (device_launches(g->store, scope->ids, scope_has_slices(scope), &launches,
			    err) < 0)
		return -1;
	if (launches.all > 0)
		return device_work_lacks(g->store, scope, err);
	return err_set(
		err, ERR_EMPTY, "no kernels were recorded%s",
		scope_in_torch(scope, " (ProfilerActivity.CUDA, or that of the device)"));
}

/* A column that is empty in all rows would not say why. */
static int check_split(const struct kernels *k, const struct scope *scope,
		       const struct kernels_query *query, enum kernel_split split,
		       struct err *err)
{
	if (!(query->show.asked & KERNELS_BY(split)))
		return 0;
	for (size_t i = 0; i < k->n; i++)
		if (k->groups[i].split[split] != NUMBER_NONE)
			return 0;
	if (split == KERNEL_BY_STEP)
		return err_set(err, ERR_EMPTY,
			       "--by step: no kernel here belongs to a step%s",
			       scope_in_torch(scope, " (profiler.step())"));
	return err_set(err, ERR_EMPTY, "--by rank: no rank was recorded%s",
		       scope_in_torch(scope, " (torch.distributed)"));
}

int kernels_load(struct store *store, const struct scope *scope,
		 const struct kernels_query *query, struct kernels *out, struct err *err)
{
	struct gathering g = { .store = store, .query = query, .out = out };

	*out = (struct kernels){ .n = 0 };
	intern_init(&out->shapes);
	intern_init(&out->keys);
	graph_namer_init(&g.namer, store, &out->texts);
	int rc = text_pool_open(store, &out->texts, err);
	for (int axis = 0; rc == 0 && axis < NAXES; axis++)
		if (query->show.asked & KERNELS_OF_AXIS(axis))
			rc = scope_needs_axis(scope, (enum axis)axis, err);
	if (rc == 0)
		rc = work_filter_open(store, scope, query->filter, &out->texts, &g.wanted,
				      err);
	if (rc == 0)
		rc = tensor_core_of_scope(store, scope, &g.capability, err);
	if (rc == 0)
		rc = gather(&g, scope, err);
	if (rc == 0)
		kernels_finish(&g);
	if (rc == 0)
		rc = check_split(out, scope, query, KERNEL_BY_STEP, err);
	if (rc == 0)
		rc = check_split(out, scope, query, KERNEL_BY_RANK, err);
	free(g.ops);
	free(g.facts);
	free(g.durations);
	free(g.packed);
	graph_namer_release(&g.namer);
	arena_release(&out->arena);
	work_filter_close(&g.wanted);
	return rc;
}

void kernels_release(struct kernels *k)
{
	for (size_t i = 0; i < k->n; i++) {
		kernel_mean_release(&k->groups[i].blocks);
		kernel_mean_release(&k->groups[i].occupancy);
	}
	text_pool_close(&k->texts);
	intern_release(&k->shapes);
	intern_release(&k->keys);
	free(k->groups);
	*k = (struct kernels){ .n = 0 };
}
