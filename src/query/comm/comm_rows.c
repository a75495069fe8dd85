/* Rows of collectives: see comm_rows.h. */
#include "query/comm/comm_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/transfers.h"
#include "query/devices/exposure.h"
#include "query/devices/work_profiles.h"
#include "query/number_cell.h"

/* Only what happened where it was measured has a bandwidth and ran beside something. */
struct comm_sums {
	size_t first; /* a call of the group */
	int64_t calls, total_ns, measured;
	int64_t bytes, sized; /* of those whose size is known */
	int64_t alg_bytes, alg_ns;
	int64_t bus_ns;
	double bus_bytes; /* bytes times the collective's factor */
	bool same_size;
	struct exposure exposure;
};

struct grouping {
	const struct comm_rows *rows;
	struct comm_sums *sums;
};

static int compare_keys(const struct comm_rows *r, const struct comm_call *a,
			const struct comm_call *b)
{
	const int64_t x[] = { a->device, a->side,  a->collective, a->dtype,
			      a->group,  a->ranks, a->group_size, a->bytes };
	const int64_t y[] = { b->device, b->side,  b->collective, b->dtype,
			      b->group,  b->ranks, b->group_size, b->bytes };
	size_t n = r->by == COMM_BY_RANK ? 2 : r->by == COMM_BY_COLLECTIVE ? 7 : 8;
	int order = 0;

	for (size_t i = 0; i < n && !order; i++)
		order = sort_order(x[i], y[i]);
	return order;
}

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct comm_rows *r = context;

	return compare_keys(r, &r->calls->items[a], &r->calls->items[b]) < 0;
}

static void add_bandwidth(struct comm_sums *s, const struct comm_call *c)
{
	int64_t dur_ns = c->end_ns - c->start_ns;
	double factor = collective_bus_factor((enum collective)c->kind, c->group_size);

	s->alg_bytes = sum_add(s->alg_bytes, c->bytes);
	s->alg_ns = sum_add(s->alg_ns, dur_ns);
	if (factor < 0)
		return;
	s->bus_bytes += factor * (double)c->bytes;
	s->bus_ns = sum_add(s->bus_ns, dur_ns);
}

static struct comm_sums sum_up(const struct comm_rows *r, const uint32_t *at, size_t n)
{
	const struct comm_call *calls = r->calls->items;
	struct comm_sums s = { .first = at[0], .same_size = true };
	struct intervals ran = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct comm_call *c = &calls[at[i]];
		s.calls++;
		s.total_ns = sum_add(s.total_ns, c->end_ns - c->start_ns);
		s.same_size &= c->bytes == calls[at[0]].bytes;
		if (c->bytes != NUMBER_NONE) {
			s.sized++;
			s.bytes = sum_add(s.bytes, c->bytes);
		}
		if (c->bytes != NUMBER_NONE && c->side != COMM_LAUNCH_ONLY)
			add_bandwidth(&s, c);
		s.measured += c->side != COMM_LAUNCH_ONLY;
		intervals_add(&ran, c->start_ns, c->end_ns);
	}
	s.exposure = exposure_of(&ran, &r->compute[calls[at[0]].device]);
	intervals_release(&ran);
	return s;
}

/* By device, the longest first, then the first to start. */
static bool sums_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct comm_sums *x = &g->sums[a], *y = &g->sums[b];
	const struct comm_call *calls = g->rows->calls->items;
	int order = sort_order(calls[x->first].device, calls[y->first].device);

	if (!order)
		order = sort_order(y->total_ns, x->total_ns);
	return order ? order < 0 : x->first < y->first;
}

static struct cell device_cell(const struct comm_rows *r, const struct comm_call *c)
{
	return c->side == COMM_ON_DEVICE ? work_device_cell(&r->work->devices[c->device])
					 : cell_null();
}

static void set_row(const struct comm_rows *r, const struct comm_sums *s,
		    struct cell *cells)
{
	const struct comm_call *c = &r->calls->items[s->first];

	cells[COMM_PROFILE] = cell_int(r->profile->id);
	if (r->profile->has_rank)
		cells[COMM_RANK] = cell_int(r->profile->rank);
	cells[COMM_DEVICE] = device_cell(r, c);
	cells[COMM_COLLECTIVE] = text_pool_cell(r->texts, c->collective);
	cells[COMM_SIDE] = cell_text(str_of(comm_side_name((enum comm_side)c->side)));
	cells[COMM_DTYPE] = text_pool_cell(r->texts, c->dtype);
	cells[COMM_GROUP] = text_pool_cell(r->texts, c->group);
	cells[COMM_GROUP_RANKS] = text_pool_cell(r->texts, c->ranks);
	cells[COMM_GROUP_SIZE] = number_cell(c->group_size);
	cells[COMM_CALLS] = cell_int(s->calls);
	if (s->same_size)
		cells[COMM_MESSAGE] = number_cell(c->bytes);
	if (s->sized)
		cells[COMM_BYTES] = cell_int(s->bytes);
	cells[COMM_TOTAL] = cell_int(s->total_ns);
	cells[COMM_BUSY] = cell_int(s->exposure.busy_ns);
	cells[COMM_ALGBW] = bandwidth_cell(s->alg_bytes, s->alg_ns);
	if (s->bus_ns > 0 && !sum_is_stuck(s->bus_ns))
		cells[COMM_BUSBW] = cell_real(s->bus_bytes / (double)s->bus_ns);
	if (s->measured) {
		cells[COMM_EXPOSED] = cell_int(s->exposure.exposed_ns);
		cells[COMM_OVERLAP] = cell_int(s->exposure.hidden_ns);
	}
}

void comm_add_sums(const struct comm_rows *r, struct memtable *to)
{
	struct sort_groups groups;

	sort_groups_make(&groups, r->calls->n, key_before, r);
	struct grouping g = { r, xcalloc(groups.n + 1, sizeof(*g.sums)) };
	for (size_t i = 0; i < groups.n; i++)
		g.sums[i] = sum_up(r, groups.items[i].at, groups.items[i].n);
	uint32_t *at = sorted_places(groups.n, sums_before, &g);
	for (size_t i = 0; i < groups.n; i++) {
		struct cell cells[NCOMM_COLUMNS] = { { .type = CELL_NULL } };
		set_row(r, &g.sums[at[i]], cells);
		memtable_add_row(to, cells);
	}
	free(g.sums);
	free(at);
	sort_groups_release(&groups);
}

void comm_add_single(const struct comm_rows *r, struct memtable *to)
{
	for (size_t i = 0; i < r->calls->n; i++) {
		const struct comm_call *c = &r->calls->items[i];
		const uint32_t at = (uint32_t)i;
		struct comm_sums s = sum_up(r, &at, 1);
		struct cell cells[NCOMM_COLUMNS] = { { .type = CELL_NULL } };
		set_row(r, &s, cells);
		cells[COMM_STREAM] = number_cell(c->stream);
		cells[COMM_START] = cell_int(c->start_ns);
		cells[COMM_DUR] = cell_int(c->end_ns - c->start_ns);
		cells[COMM_SEQUENCE] = number_cell(c->sequence);
		cells[COMM_STEP] = number_cell(c->step);
		cells[COMM_ALGORITHM] = text_pool_cell(r->texts, c->algorithm);
		cells[COMM_PROTOCOL] = text_pool_cell(r->texts, c->protocol);
		cells[COMM_NAME] = text_pool_cell(r->texts, c->name);
		cells[COMM_ID] = cell_int(c->slice_id);
		memtable_add_row(to, cells);
	}
}
