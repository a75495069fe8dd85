/*
 * What kernels are called, how they waited, and what follows once all are there:
 * which operators could use Tensor Cores.  See kernels_gather.h.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/graphs/graph_names.h"
#include "query/kernels/kernels_gather.h"
#include "query/kernels/tensor_core.h"
#include "query/slices/slice_pack.h"
#include "trace/optree.h"

static struct name_facts *facts_of(struct gathering *g, uint32_t text)
{
	size_t known = g->facts_cap;

	if (text >= known) {
		g->facts = xgrow(g->facts, &g->facts_cap, text + (size_t)1,
				 sizeof(*g->facts));
		for (size_t i = known; i < g->facts_cap; i++)
			g->facts[i] = (struct name_facts){ .table_name = TEXT_NONE };
	}
	return &g->facts[text];
}

/* By its name, or because it launched a kernel that uses them. */
static void set_eligible(struct gathering *g)
{
	struct kernels *out = g->out;

	for (size_t i = 0; i < out->n; i++) {
		struct kernel_group *group = &out->groups[i];
		if (group->op != TEXT_NONE)
			group->op_eligible =
				facts_of(g, group->op)->has_tensor_core ||
				tensor_core_op(text_pool_str(&out->texts, group->op));
	}
}

void kernels_finish(struct gathering *g)
{
	struct kernels *out = g->out;

	if (!g->query->sums_only)
		kernels_set_percentiles(g);
	set_eligible(g);
	for (size_t i = 0; i < out->n; i++) {
		const struct kernel_group *group = &out->groups[i];
		out->calls = sum_add(out->calls, group->calls);
		out->total_ns = sum_add(out->total_ns, group->total_ns);
		if (group->family == FAMILY_UNKNOWN)
			out->unknown_ns = sum_add(out->unknown_ns, group->total_ns);
	}
}

struct name_facts kernels_judge(struct gathering *g, uint32_t name)
{
	if (name == TEXT_NONE)
		return (struct name_facts){ .table_name = TEXT_NONE };
	struct name_facts *facts = facts_of(g, name);
	if (!facts->is_judged) {
		struct str text = text_pool_str(&g->out->texts, name);
		facts->tensor_core = tensor_core_kernel(text, g->capability);
		facts->family = kernel_family_of(WORK_COMPUTE, text);
	}
	facts->is_judged = true;
	return *facts;
}

void kernels_note_op(struct gathering *g, uint32_t op, uint32_t kernel)
{
	if (op != TEXT_NONE && kernels_judge(g, kernel).tensor_core == TENSOR_CORE_YES)
		facts_of(g, op)->has_tensor_core = true;
}

/* The name as the operator table spells it. */
static uint32_t table_name(struct gathering *g, uint32_t name, bool is_op)
{
	struct intern *texts = &g->out->texts.intern;

	if (facts_of(g, name)->table_name == TEXT_NONE) {
		uint32_t found = op_name_of(intern_str(texts, name), is_op, texts).name;
		facts_of(g, name)->table_name = found;
	}
	return facts_of(g, name)->table_name;
}

static int set_op(void *context, size_t place, const struct packed_slice *slice,
		  int64_t track_id, struct err *err)
{
	struct gathering *g = context;
	uint32_t name;

	(void)track_id;
	if (text_pool_number(&g->out->texts, slice->name_id, &name, err) < 0)
		return -1;
	if (name != TEXT_NONE)
		g->ops[place] = table_name(g, name, slice->class == CLASS_OP);
	return 0;
}

/* What captured a replayed kernel counts, not what launched the graph. */
static int set_captured(struct gathering *g, struct err *err)
{
	struct graph_names names;
	int rc = graph_names_load(&g->namer, g->profile, &g->work, &names, err);

	for (size_t i = 0; i < g->work.n && rc == 0 && names.nnamed; i++) {
		uint32_t op = call_path_op(&names.paths, graph_names_of(&names, i));
		if (op != CALL_PATH_NONE)
			g->ops[i] =
				table_name(g, call_path_at(&names.paths, op)->name, true);
	}
	graph_names_release(&names);
	return rc;
}

int kernels_find_ops(struct gathering *g, struct err *err)
{
	const struct device_work *work = &g->work;
	int64_t *ids = xrealloc_array(NULL, work->n + 1, sizeof(*ids));

	free(g->ops);
	g->ops = xrealloc_array(NULL, work->n + 1, sizeof(*g->ops));
	for (size_t i = 0; i < work->n; i++) {
		ids[i] = work->items[i].op_id;
		g->ops[i] = TEXT_NONE;
	}
	int rc = slice_pick(g->store, g->profile,
			    &(struct slice_picks){ .ids = ids,
						   .n = work->n,
						   .columns = PACKED_NAME | PACKED_CLASS,
						   .each = set_op,
						   .context = g },
			    err);
	free(ids);
	return rc < 0 ? -1 : set_captured(g, err);
}

/*
 * When streams were at work: the union of their work, from which follows how much of a
 * launch delay a kernel waited behind other work, and how much for nothing.
 */

void kernels_queue_begin(struct gathering *g)
{
	g->nbusy = g->work.nstreams;
	g->busy = xcalloc(g->nbusy + 1, sizeof(*g->busy));
}

void kernels_queue_end(struct gathering *g)
{
	for (size_t i = 0; i < g->nbusy; i++)
		free(g->busy[i].items);
	free(g->busy);
	g->busy = NULL;
	g->nbusy = 0;
}

/* Lengths are unsigned: all stretches together can be as long as int64 has numbers. */
static uint64_t length(int64_t from_ns, int64_t to_ns)
{
	return (uint64_t)to_ns - (uint64_t)from_ns;
}

void kernels_queue_pass(struct gathering *g, const struct work_item *item)
{
	struct stream_busy *busy = &g->busy[item->stream];
	struct busy_stretch *last = busy->n ? &busy->items[busy->n - 1] : NULL;

	if (last && item->start_ns <= last->end_ns) {
		if (item->end_ns > last->end_ns)
			last->end_ns = item->end_ns;
		return;
	}
	uint64_t before_ns =
		last ? last->before_ns + length(last->start_ns, last->end_ns) : 0;
	*ARRAY_PUSH(busy->items, busy->n, busy->cap) =
		(struct busy_stretch){ item->start_ns, item->end_ns, before_ns };
}

int64_t kernels_busy_until(const struct stream_busy *busy)
{
	return busy->n ? busy->items[busy->n - 1].end_ns : INT64_MIN;
}

/* How long the stream was at work before that time. */
static uint64_t busy_before(const struct stream_busy *busy, int64_t ns)
{
	size_t at;

	SEARCH(at, 0, busy->n, busy->items[at].start_ns < ns);
	if (at == 0)
		return 0;
	const struct busy_stretch *s = &busy->items[at - 1];
	return s->before_ns + length(s->start_ns, ns < s->end_ns ? ns : s->end_ns);
}

int64_t kernels_busy_ns(const struct stream_busy *busy, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return 0;
	uint64_t ns = busy_before(busy, to_ns) - busy_before(busy, from_ns);
	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}
