/* The collectives of a profile: see comm_calls.h. */
#include "query/comm/comm_calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "query/comm/comm_host.h"
#include "query/comm/comm_told.h"

struct loading {
	const struct comm_from *from;
	const struct scope_profile *profile;
	const struct device_work *work;
	struct comm_calls *out;
};

/* A call with its times and places; step_id and around_id are 0 where there is none. */
static int add_call(const struct loading *l, struct comm_call call, int64_t step_id,
		    int64_t around_id, struct err *err)
{
	struct comm_calls *out = l->out;
	struct comm_told told;

	if (comm_told_of(l->from, call.slice_id, around_id, &told, err) < 0)
		return -1;
	comm_told_fill_group(&told, &l->from->only_group);
	comm_told_apply(l->from, &told, &call);
	bool on_device = call.side == COMM_ON_DEVICE;
	const struct work_piece piece = {
		.name = call.collective,
		.device = on_device ? l->work->devices[call.device].device : NUMBER_NONE,
		.stream = call.stream,
		.step_id = step_id,
		.start_ns = call.start_ns,
		.dur_ns = call.end_ns - call.start_ns,
	};
	out->found++;
	int wanted = work_filter_wants(l->from->choice, &piece, err);
	if (wanted <= 0)
		return wanted;
	if (!step_numbers_find(&l->from->choice->steps, step_id, &call.step))
		call.step = NUMBER_NONE;
	*ARRAY_PUSH(out->items, out->n, out->cap) = call;
	return 0;
}

static int add_kernels(const struct loading *l, struct err *err)
{
	for (size_t i = 0; i < l->work->n; i++) {
		const struct work_item *item = &l->work->items[i];
		const struct work_stream *stream = &l->work->streams[item->stream];
		if (item->kind != WORK_COMMUNICATION)
			continue;
		const struct comm_call call = { .start_ns = item->start_ns,
						.end_ns = item->end_ns,
						.slice_id = item->slice_id,
						.stream = stream->stream,
						.name = item->name,
						.device = (uint32_t)stream->device,
						.side = COMM_ON_DEVICE };
		int64_t around = item->launch_id ? item->launch_id : item->op_id;
		if (add_call(l, call, item->step_id, around, err) < 0)
			return -1;
	}
	return 0;
}

static struct comm_call host_call(const struct loading *l, enum comm_side side)
{
	return (struct comm_call){ .stream = NUMBER_NONE,
				   .device = (uint32_t)l->work->ndevices,
				   .side = (uint8_t)side };
}

static int add_range(const struct loading *l, const struct comm_range *range,
		     struct err *err)
{
	struct comm_call call = host_call(
		l, range->backend == COMM_BACKEND_HOST ? COMM_ON_HOST : COMM_LAUNCH_ONLY);
	struct found_slice slice;

	call.start_ns = range->start_ns;
	call.end_ns = range->end_ns;
	call.slice_id = range->slice_id;
	call.name = range->name;
	if (slice_finder_find(l->from->finder, range->slice_id, &slice, err) < 0)
		return -1;
	return add_call(l, call, range->step_id, slice.parent_id, err);
}

/* record_param_comms alone: what it launched and the range are not recorded. */
static int add_fact(const struct loading *l, const struct collective_fact_row *row,
		    struct err *err)
{
	struct comm_call call = host_call(l, COMM_LAUNCH_ONLY);
	struct found_slice slice;
	int rc = slice_finder_find(l->from->finder, row->slice_id, &slice, err);

	if (rc <= 0)
		return rc;
	/* "wait" and "init" are no collectives */
	if (slice.class != CLASS_OP ||
	    collective_of(text_pool_str(l->from->texts, row->name)) == COLLECTIVE_OTHER)
		return 0;
	call.start_ns = slice.ts_ns;
	call.end_ns = slice.ts_ns + slice.dur_ns;
	call.slice_id = slice.id;
	call.name = slice.name;
	return add_call(l, call, slice.step_id, slice.parent_id, err);
}

static int add_facts(const struct loading *l, struct err *err)
{
	const struct collective_facts *facts = l->from->facts;
	uint64_t first = (uint64_t)l->profile->first_slice_id;
	size_t i = collective_facts_from(facts, l->profile->first_slice_id);

	for (; i < facts->n &&
	       (uint64_t)facts->rows[i].slice_id - first < (uint64_t)l->profile->slices;
	     i++)
		if (add_fact(l, &facts->rows[i], err) < 0)
			return -1;
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct comm_call *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

int comm_calls_load(const struct comm_from *from, const struct scope_profile *profile,
		    const struct device_work *work, struct comm_calls *out,
		    struct err *err)
{
	const struct loading l = { from, profile, work, out };
	struct comm_ranges ranges = { .n = 0 };

	*out = (struct comm_calls){ .n = 0 };
	if (add_kernels(&l, err) < 0)
		return -1;
	int rc = comm_ranges_load(from->store, from->texts, profile, out->found > 0,
				  &ranges, err);
	for (size_t i = 0; rc == 0 && i < ranges.n; i++)
		rc = add_range(&l, &ranges.items[i], err);
	comm_ranges_release(&ranges);
	if (rc == 0 && !out->found)
		rc = add_facts(&l, err);
	if (rc == 0 && out->n)
		qsort(out->items, out->n, sizeof(*out->items), compare_calls);
	return rc;
}

void comm_calls_release(struct comm_calls *c)
{
	free(c->items);
	*c = (struct comm_calls){ .n = 0 };
}

const char *comm_side_name(enum comm_side side)
{
	static const char *const names[NCOMM_SIDES] = { [COMM_ON_DEVICE] = "device",
							[COMM_ON_HOST] = "host",
							[COMM_LAUNCH_ONLY] = "launch" };

	return names[side];
}
