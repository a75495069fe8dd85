/* The collectives of a profile: see comm_calls.h. */
#include "query/comm/comm_calls.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/comm/comm_host.h"
#include "query/comm/comm_kernel.h"
#include "query/query.h"
#include "trace/dtype.h"
#include "trace/step_name.h"

/*
 * What is told of one collective: by its kernel's own arguments, by the operator
 * (record_param_comms) and the backend's range around its launch, by the kernel's name.
 * What stands nearer wins.
 */
struct comm_told {
	int64_t in_elements, out_elements, group_size, sequence;
	uint32_t name; /* of the collective, as it is spelled */
	uint32_t dtype, group, ranks;
};

/* record_param_comms and the range stand right around a launch, below Python frames. */
#define LEVELS_MAX 12

static void comm_told_init(struct comm_told *told)
{
	*told = (struct comm_told){ .in_elements = NUMBER_NONE,
				    .out_elements = NUMBER_NONE,
				    .group_size = NUMBER_NONE,
				    .sequence = NUMBER_NONE,
				    .name = TEXT_NONE,
				    .dtype = TEXT_NONE,
				    .group = TEXT_NONE,
				    .ranks = TEXT_NONE };
}

static void fill_number(int64_t *to, int64_t number)
{
	if (*to == NUMBER_NONE)
		*to = number;
}

static void fill_text(uint32_t *to, uint32_t text)
{
	if (*to == TEXT_NONE)
		*to = text;
}

static void add_told_fact(struct comm_told *told, const struct collective_fact_row *row)
{
	/* Sizes and their type belong together. */
	if (told->in_elements == NUMBER_NONE && told->out_elements == NUMBER_NONE &&
	    (told->dtype == TEXT_NONE || row->dtype == told->dtype)) {
		told->in_elements = row->in_elements;
		told->out_elements = row->out_elements;
		fill_text(&told->dtype, row->dtype);
	}
	fill_number(&told->group_size, row->group_size);
	fill_number(&told->sequence, row->sequence);
	fill_text(&told->name, row->name);
	fill_text(&told->group, row->group);
	fill_text(&told->ranks, row->ranks);
}

static void add_range_name(const struct comm_from *from, uint32_t name,
			   struct comm_told *told)
{
	struct str collective;

	if (told->name == TEXT_NONE &&
	    comm_range_backend(text_pool_str(from->texts, name), &collective))
		told->name = intern_add(&from->texts->intern, collective);
}

/* Any but record_param_comms, which may say nothing, and ranges: those lie within c10d's. */
static bool is_other_operator(const struct comm_from *from,
			      const struct found_slice *slice)
{
	struct str name = text_pool_str(from->texts, slice->name), collective;

	return slice->class == CLASS_OP && !str_is(name, "record_param_comms") &&
	       !comm_range_backend(name, &collective);
}

/* Operators of torch 1.13 to 2.1 that take what all ranks have, and what one has. */
static int add_operator(const struct comm_from *from, const struct found_slice *slice,
			struct comm_told *told, struct err *err)
{
	struct str name = text_pool_str(from->texts, slice->name);
	uint32_t shapes;

	if (told->group_size != NUMBER_NONE || slice->class != CLASS_OP ||
	    (!str_is(name, "c10d::_allgather_base_") &&
	     !str_is(name, "c10d::_reduce_scatter_base_")))
		return 0;
	if (slice_finder_shapes(from->finder, slice->id, &shapes, err) < 0)
		return -1;
	told->group_size = collective_ranks_of_shapes(text_pool_str(from->texts, shapes));
	return 0;
}

/* What slice_id's own row says, and then the slices around `around_id` (0: none). */
/* The first row of a slice, or NULL. */
static const struct collective_fact_row *collective_facts_of(
	const struct collective_facts *f, int64_t slice_id)
{
	size_t at = collective_facts_from(f, slice_id);

	return at < f->n && f->rows[at].slice_id == slice_id ? &f->rows[at] : NULL;
}

static int comm_told_of(const struct comm_from *from, int64_t slice_id, int64_t around_id,
			struct comm_told *told, struct err *err)
{
	const struct collective_fact_row *row =
		collective_facts_of(from->facts, slice_id);
	struct found_slice around;

	comm_told_init(told);
	if (row)
		add_told_fact(told, row);
	for (int level = 0; level < LEVELS_MAX && told->group == TEXT_NONE; level++) {
		int rc = slice_finder_find(from->finder, around_id, &around, err);
		if (rc <= 0)
			return rc;
		row = collective_facts_of(from->facts, around.id);
		if (row)
			add_told_fact(told, row);
		add_range_name(from, around.name, told);
		if (add_operator(from, &around, told, err) < 0)
			return -1;
		if (!row && is_other_operator(from, &around))
			break; /* what stands around it belongs to others, too */
		around_id = around.parent_id;
	}
	return 0;
}

/* When nothing is told of the group: this one. */
static void comm_told_fill_group(struct comm_told *told, const struct comm_group *group)
{
	if (told->group != TEXT_NONE || told->ranks != TEXT_NONE ||
	    told->group_size != NUMBER_NONE)
		return;
	told->group = group->name;
	told->ranks = group->ranks;
	told->group_size = group->size;
}

static uint32_t add_text(const struct comm_from *from, struct str text)
{
	return text.n ? intern_add(&from->texts->intern, text) : TEXT_NONE;
}

/* The element's type as torch names it, and its size; -1 where that is not known. */
static uint32_t dtype_text(const struct comm_from *from, struct str spelled,
			   int64_t *bytes)
{
	const struct dtype *dtype = dtype_find(spelled);

	*bytes = dtype ? dtype->bytes : -1;
	return add_text(from, dtype ? str_of(dtype->name) : spelled);
}

/* Sets all of call that is not of its times and places; call->name is set. */
static void comm_told_apply(const struct comm_from *from, const struct comm_told *told,
			    struct comm_call *call)
{
	char function[FUNCTION_NAME_MAX];
	struct str name = text_pool_str(from->texts, call->name), ranged;
	struct str spelled = text_pool_str(from->texts, told->name);
	struct collective_kernel kernel = collective_kernel_of(name);
	struct message message = { told->in_elements, told->out_elements, -1,
				   told->group_size };
	enum collective kind = collective_of(spelled);

	if (!spelled.n && comm_range_backend(name, &ranged))
		spelled = ranged;
	else if (!spelled.n)
		spelled = function_name(name, function);
	if (!spelled.n)
		spelled = name;
	/* The range of several in one tells nothing; what they are made of the kernel does. */
	if (kind == COLLECTIVE_OTHER ||
	    (kind == COLLECTIVE_COALESCED && collective_of(name) != COLLECTIVE_OTHER))
		kind = collective_of(name);
	const char *text = collective_text(kind);
	struct str dtype = told->dtype == TEXT_NONE
				   ? kernel.dtype
				   : text_pool_str(from->texts, told->dtype);
	call->kind = (uint8_t)kind;
	call->collective = add_text(from, text ? str_of(text) : spelled);
	call->dtype = dtype_text(from, dtype, &message.element_bytes);
	call->bytes = collective_bytes(kind, &message);
	call->group_size = told->group_size > 0 ? told->group_size : NUMBER_NONE;
	call->sequence = told->sequence;
	call->group = told->group;
	call->ranks = told->ranks;
	call->algorithm = add_text(from, kernel.algorithm);
	call->protocol = add_text(from, kernel.protocol);
}

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
	call.step = work_filter_step(l->from->choice, step_id);
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

/* By (device, start, stream, slice). */
static void comm_calls_sort(struct comm_calls *c)
{
	if (c->n)
		qsort(c->items, c->n, sizeof(*c->items), compare_calls);
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
	int rc = comm_ranges_load(from->store, from->texts, profile, out->n > 0, &ranges,
				  err);
	for (size_t i = 0; rc == 0 && i < ranges.n; i++)
		rc = add_range(&l, &ranges.items[i], err);
	comm_ranges_release(&ranges);
	if (rc == 0 && !out->n)
		rc = add_facts(&l, err);
	if (rc == 0)
		comm_calls_sort(out);
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

ASSET(asset_query_views_collective_rows_sql);

enum {
	SLICE,
	IN_ELEMENTS,
	OUT_ELEMENTS,
	GROUP_SIZE,
	SEQUENCE,
	NAME,
	DTYPE,
	GROUP,
	RANKS
};

int collective_facts_load(struct store *store, struct text_pool *texts,
			  const struct scope_profile *profile,
			  struct collective_facts *out, struct err *err)
{
	const struct scope_profile all = { .first_slice_id = 1, .slices = INT64_MAX };

	*out = (struct collective_facts){ .n = 0 };
	struct query q = query_of_profile(store, asset_query_views_collective_rows_sql,
					  profile ? profile : &all, err);

	while (query_next(&q, err)) {
		*ARRAY_PUSH(out->rows, out->n, out->cap) = (struct collective_fact_row){
			.slice_id = sqlite3_column_int64(q.stmt, SLICE),
			.in_elements = query_number(q.stmt, IN_ELEMENTS),
			.out_elements = query_number(q.stmt, OUT_ELEMENTS),
			.group_size = query_number(q.stmt, GROUP_SIZE),
			.sequence = query_number(q.stmt, SEQUENCE),
			.name = text_pool_column(texts, q.stmt, NAME),
			.dtype = text_pool_column(texts, q.stmt, DTYPE),
			.group = text_pool_column(texts, q.stmt, GROUP),
			.ranks = text_pool_column(texts, q.stmt, RANKS),
		};
	}
	return query_end(&q);
}

void collective_facts_release(struct collective_facts *f)
{
	free(f->rows);
	*f = (struct collective_facts){ .n = 0 };
}

size_t collective_facts_from(const struct collective_facts *f, int64_t slice_id)
{
	return SORT_FIRST(f->rows, f->n, slice_id, slice_id);
}
