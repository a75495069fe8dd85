/* Rows of copies and sets: see transfers_rows.h. */
#include "query/comm/transfers_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/work_profiles.h"

static int compare_keys(enum transfers_by by, const struct transfer *a,
			const struct transfer *b)
{
	int order = sort_order(a->device, b->device);

	if (order || by == TRANSFERS_BY_DEVICE)
		return order;
	order = sort_order(a->kind, b->kind);
	if (!order)
		order = sort_order(a->memory, b->memory);
	if (!order && by == TRANSFERS_BY_OP)
		order = sort_order(a->op, b->op);
	if (!order && by == TRANSFERS_BY_STEP)
		order = sort_order(a->step, b->step);
	return order;
}

/* What compares transfers of a device, or sums of them. */
struct grouping {
	const struct transfer *items;
	const struct transfer_row *rows;
	enum transfers_by by;
};

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;

	return compare_keys(g->by, &g->items[a], &g->items[b]) < 0;
}

/* By device, step, the longest first, the first. */
static bool sums_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct transfer_row *x = &g->rows[a], *y = &g->rows[b];
	int order = sort_order(x->of.device, y->of.device);

	if (!order && g->by == TRANSFERS_BY_STEP)
		order = sort_order(x->of.step, y->of.step);
	if (!order)
		order = sort_order(y->total_ns, x->total_ns);
	if (!order)
		order = sort_order(x->first, y->first);
	return order < 0;
}

static void add_transfer(struct transfer_row *row, const struct transfer *t)
{
	int64_t dur_ns = t->end_ns - t->start_ns;

	row->calls++;
	row->total_ns = sum_add(row->total_ns, dur_ns);
	if (t->bytes != NUMBER_NONE) {
		row->bytes =
			sum_add(row->bytes == NUMBER_NONE ? 0 : row->bytes, t->bytes);
		row->sized_ns = sum_add(row->sized_ns, dur_ns);
	}
	if (t->wait != WAIT_UNKNOWN)
		row->blocking_calls =
			(row->blocking_calls == NUMBER_NONE ? 0 : row->blocking_calls) +
			(t->wait != WAIT_NO);
}

/* A profile's transfers; compute: when each device computed. */
struct profile_transfers {
	const struct scope_profile *profile;
	const struct device_work *work;
	const struct transfers *all;
	struct intervals *compute;
};

/* Of the transfers at[0..n), which are of one group. */
static struct transfer_row sum_up(const struct profile_transfers *p, const uint32_t *at,
				  size_t n, struct text_pool *texts)
{
	const struct transfer *first = &p->all->items[at[0]];
	struct transfer_row row = { .profile = p->profile,
				    .device = work_device_cell(
					    &p->work->devices[first->device]),
				    .of = *first,
				    .first = at[0],
				    .bytes = NUMBER_NONE,
				    .blocking_calls = NUMBER_NONE };
	struct intervals ran = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct transfer *t = &p->all->items[at[i]];
		add_transfer(&row, t);
		intervals_add(&ran, t->start_ns, t->end_ns);
	}
	row.exposure = exposure_of(&ran, &p->compute[first->device]);
	intervals_release(&ran);
	if (row.device.type == CELL_TEXT)
		row.device.as.text = text_pool_keep(texts, row.device.as.text);
	return row;
}

static void add_row(struct transfer_rows *to, struct transfer_row row)
{
	*ARRAY_PUSH(to->items, to->n, to->cap) = row;
}

static void add_sums(const struct profile_transfers *p, enum transfers_by by,
		     struct transfer_rows *to)
{
	struct grouping g = { .items = p->all->items, .by = by };
	struct sort_groups groups;

	sort_groups_make(&groups, p->all->n, key_before, &g);
	struct transfer_row *rows = xcalloc(groups.n + 1, sizeof(*rows));
	for (size_t i = 0; i < groups.n; i++)
		rows[i] = sum_up(p, groups.items[i].at, groups.items[i].n, to->texts);
	g.rows = rows;
	uint32_t *order = sorted_places(groups.n, sums_before, &g);
	for (size_t i = 0; i < groups.n; i++)
		add_row(to, rows[order[i]]);
	free(order);
	free(rows);
	sort_groups_release(&groups);
}

void transfer_rows_add(struct transfer_rows *to, enum transfers_by by,
		       const struct scope_profile *profile,
		       const struct device_work *work, const struct transfers *all)
{
	struct profile_transfers p = { .profile = profile, .work = work, .all = all };

	p.compute = xcalloc(work->ndevices + 1, sizeof(*p.compute));
	for (size_t i = 0; i < work->ndevices; i++)
		device_work_union(work, &work->devices[i], WORK_BIT(WORK_COMPUTE),
				  &p.compute[i]);
	if (by != TRANSFERS_SINGLE)
		add_sums(&p, by, to);
	for (uint32_t i = 0; by == TRANSFERS_SINGLE && i < all->n; i++)
		add_row(to, sum_up(&p, &i, 1, to->texts));
	for (size_t i = 0; i < work->ndevices; i++)
		intervals_release(&p.compute[i]);
	free(p.compute);
}

void transfer_rows_release(struct transfer_rows *rows)
{
	free(rows->items);
	arena_release(&rows->arena);
	*rows = (struct transfer_rows){ .n = 0 };
}
