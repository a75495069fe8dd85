/* Rows of transfers: see transfers_rows.h. */
#include "query/comm/transfers_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/exposure.h"
#include "query/devices/work_profiles.h"
#include "query/number_cell.h"

struct transfer_sums {
	size_t first; /* a transfer of the group */
	int64_t calls, total_ns;
	int64_t sized_bytes, sized_ns; /* of those whose bytes are recorded */
	int64_t nsized;
	int64_t known_calls, blocking_calls; /* whose launching call is recorded */
	struct exposure exposure;
};

struct grouping {
	const struct transfers_rows *rows;
	struct transfer_sums *sums;
};

struct cell bandwidth_cell(int64_t bytes, int64_t ns)
{
	return ns > 0 && bytes >= 0 && !sum_is_stuck(ns) && !sum_is_stuck(bytes)
		       ? cell_real((double)bytes / (double)ns)
		       : cell_null();
}

static int compare_keys(const struct transfers_rows *r, const struct transfer *a,
			const struct transfer *b)
{
	int order = sort_order(a->device, b->device);

	if (order || r->by == TRANSFERS_BY_DEVICE)
		return order;
	order = sort_order(a->kind, b->kind);
	if (!order)
		order = sort_order(a->memory, b->memory);
	if (!order && r->by == TRANSFERS_BY_OP)
		order = sort_order(a->op, b->op);
	if (!order && r->by == TRANSFERS_BY_STEP)
		order = sort_order(a->step, b->step);
	return order;
}

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct transfers_rows *r = context;

	return compare_keys(r, &r->transfers->items[a], &r->transfers->items[b]) < 0;
}

static void add_to_sums(struct transfer_sums *s, const struct transfer *t)
{
	int64_t dur_ns = t->end_ns - t->start_ns;

	s->calls++;
	s->total_ns = sum_add(s->total_ns, dur_ns);
	if (t->bytes != NUMBER_NONE) {
		s->nsized++;
		s->sized_bytes = sum_add(s->sized_bytes, t->bytes);
		s->sized_ns = sum_add(s->sized_ns, dur_ns);
	}
	s->known_calls += t->wait != WAIT_UNKNOWN;
	s->blocking_calls += t->wait != WAIT_UNKNOWN && t->wait != WAIT_NO;
}

/* The transfers at[0..n), which are of one group; compute: by device. */
static struct transfer_sums sum_up(const struct transfers_rows *r, const uint32_t *at,
				   size_t n, const struct intervals *compute)
{
	struct transfer_sums s = { .first = at[0] };
	struct intervals ran = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct transfer *t = &r->transfers->items[at[i]];
		add_to_sums(&s, t);
		intervals_add(&ran, t->start_ns, t->end_ns);
	}
	s.exposure = exposure_of(&ran, &compute[r->transfers->items[at[0]].device]);
	intervals_release(&ran);
	return s;
}

/* By device, step, the longest first; then by what tells the groups apart, by text. */
static bool sums_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct transfer_sums *x = &g->sums[a], *y = &g->sums[b];
	const struct transfer *s = &g->rows->transfers->items[x->first];
	const struct transfer *t = &g->rows->transfers->items[y->first];
	int order = sort_order(s->device, t->device);

	if (!order && g->rows->by == TRANSFERS_BY_STEP)
		order = sort_order(s->step, t->step);
	if (!order)
		order = sort_order(y->total_ns, x->total_ns);
	return order ? order < 0 : x->first < y->first;
}

/* "HtoD pageable" */
static struct cell what_cell(const struct transfer *t, struct arena *arena)
{
	const char *kind = transfer_kind_name((enum transfer_kind)t->kind);
	const char *memory = host_memory_name((enum host_memory)t->memory);

	return cell_text(
		str_of(memory ? arena_printf(arena, "%s %s", kind, memory) : kind));
}

static void set_sums_row(const struct transfers_rows *r, const struct transfer_sums *s,
			 struct cell *cells)
{
	const struct transfer *t = &r->transfers->items[s->first];
	bool sized = s->nsized > 0;

	cells[TRANSFERS_PROFILE] = cell_int(r->profile->id);
	if (r->profile->has_rank)
		cells[TRANSFERS_RANK] = cell_int(r->profile->rank);
	cells[TRANSFERS_DEVICE] = work_device_cell(&r->work->devices[t->device]);
	cells[TRANSFERS_KIND] =
		cell_text(str_of(transfer_kind_name((enum transfer_kind)t->kind)));
	cells[TRANSFERS_MEMORY] =
		cell_text_or_null(host_memory_name((enum host_memory)t->memory));
	cells[TRANSFERS_STEP] = number_cell(t->step);
	cells[TRANSFERS_OP] = text_pool_cell(r->texts, t->op);
	cells[TRANSFERS_CALLS] = cell_int(s->calls);
	cells[TRANSFERS_BYTES] = sized ? cell_int(s->sized_bytes) : cell_null();
	cells[TRANSFERS_TOTAL] = cell_int(s->total_ns);
	cells[TRANSFERS_BUSY] = cell_int(s->exposure.busy_ns);
	cells[TRANSFERS_BANDWIDTH] =
		sized ? bandwidth_cell(s->sized_bytes, s->sized_ns) : cell_null();
	cells[TRANSFERS_EXPOSED] = cell_int(s->exposure.exposed_ns);
	cells[TRANSFERS_HIDDEN] = cell_int(s->exposure.hidden_ns);
	cells[TRANSFERS_BLOCKING] =
		s->known_calls ? cell_int(s->blocking_calls) : cell_null();
}

/* When each device computed, by its place. */
static struct intervals *compute_of(const struct device_work *work)
{
	struct intervals *sets = xcalloc(work->ndevices + 1, sizeof(*sets));

	for (size_t i = 0; i < work->ndevices; i++)
		device_work_union(work, &work->devices[i], WORK_BIT(WORK_COMPUTE),
				  &sets[i]);
	return sets;
}

static void free_compute(struct intervals *sets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		intervals_release(&sets[i]);
	free(sets);
}

void transfers_add_sums(const struct transfers_rows *r, struct memtable *to)
{
	struct intervals *compute = compute_of(r->work);
	struct sort_groups groups;

	sort_groups_make(&groups, r->transfers->n, key_before, r);
	struct grouping g = { r, xcalloc(groups.n + 1, sizeof(*g.sums)) };
	for (size_t i = 0; i < groups.n; i++)
		g.sums[i] = sum_up(r, groups.items[i].at, groups.items[i].n, compute);
	uint32_t *at = sorted_places(groups.n, sums_before, &g);
	for (size_t i = 0; i < groups.n; i++) {
		struct cell cells[NTRANSFERS_COLUMNS] = { { .type = CELL_NULL } };
		set_sums_row(r, &g.sums[at[i]], cells);
		cells[TRANSFERS_WHAT] =
			what_cell(&r->transfers->items[g.sums[at[i]].first], &to->arena);
		memtable_add_row(to, cells);
	}
	free(g.sums);
	free(at);
	sort_groups_release(&groups);
	free_compute(compute, r->work->ndevices);
}

void transfers_add_single(const struct transfers_rows *r, struct memtable *to)
{
	struct intervals *compute = compute_of(r->work);

	for (size_t i = 0; i < r->transfers->n; i++) {
		const struct transfer *t = &r->transfers->items[i];
		const uint32_t at = (uint32_t)i;
		struct transfer_sums s = sum_up(r, &at, 1, compute);
		struct cell cells[NTRANSFERS_COLUMNS] = { { .type = CELL_NULL } };
		set_sums_row(r, &s, cells);
		cells[TRANSFERS_WHAT] = what_cell(t, &to->arena);
		cells[TRANSFERS_STREAM] = number_cell(t->stream);
		cells[TRANSFERS_START] = cell_int(t->start_ns);
		cells[TRANSFERS_DUR] = cell_int(t->end_ns - t->start_ns);
		cells[TRANSFERS_WAIT] = cell_text_or_null(
			transfer_wait_name((enum transfer_wait)t->wait));
		cells[TRANSFERS_CALL] = text_pool_cell(r->texts, t->call);
		cells[TRANSFERS_NAME] = text_pool_cell(r->texts, t->name);
		cells[TRANSFERS_ID] = cell_int(t->slice_id);
		memtable_add_row(to, cells);
	}
	free_compute(compute, r->work->ndevices);
}
