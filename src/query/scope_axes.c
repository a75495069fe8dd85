/*
 * Groups by axes: see scope_axes.h.
 *
 * Nothing but sends and receives crosses pipeline stages.  Where ranks differ along the
 * tensor parallel axis, a collective is one of that axis: its ranks share the places in
 * all others, but for data parallel ranks that are parts of the tensor parallel group.
 * Exchanges (all to all) are among experts, which lie on all ranks of a stage.
 */
#include "query/scope_axes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/sort.h"
#include "trace/fact.h"

#define GROUP_MAX 256

static bool varies(const struct scope_profile *p, size_t n, enum axis axis)
{
	for (size_t i = 1; i < n; i++)
		if (p[i].axes.at[axis] != p[0].axes.at[axis])
			return true;
	return false;
}

struct order {
	const struct scope_profile *profiles;
	enum axis apart; /* the axis that is looked at */
};

/* By all axes that tell ranks apart but that one. */
static int compare_others(const struct order *order, uint32_t a, uint32_t b)
{
	static const enum axis axes[] = { AXIS_PP, AXIS_CP, AXIS_TP, AXIS_DP };
	const struct axes *x = &order->profiles[a].axes, *y = &order->profiles[b].axes;

	for (size_t k = 0; k < sizeof(axes) / sizeof(*axes); k++)
		if (axes[k] != order->apart && x->at[axes[k]] != y->at[axes[k]])
			return x->at[axes[k]] < y->at[axes[k]] ? -1 : 1;
	return 0;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_others(context, a, b) < 0;
}

/* Do ranks that are at one place of all other axes differ in this one? */
static bool is_own_axis(const struct scope_profile *p, size_t n, enum axis axis)
{
	const struct order order = { p, axis };
	uint32_t *at = xrealloc_array(NULL, 2 * n, sizeof(*at));
	bool found = false;

	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	sort_indexes(at, n, at + n, is_before, &order);
	for (size_t i = 1; i < n && !found; i++)
		found = compare_others(&order, at[i - 1], at[i]) == 0 &&
			p[at[i - 1]].axes.at[axis] != p[at[i]].axes.at[axis];
	free(at);
	return found;
}

/* "pp 1, dp 0": the places in these axes (bits) that are known; NULL: none is. */
static const char *group_of(const struct scope_profile *p, unsigned axes,
			    struct arena *arena)
{
	static const enum axis order[] = { AXIS_PP, AXIS_DP, AXIS_CP };
	struct buf text;

	buf_init(&text, GROUP_MAX);
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++) {
		int64_t place = p->axes.at[order[k]];
		if (place != NUMBER_NONE && (axes & 1U << order[k]))
			buf_addf(&text, "%s%s %" PRId64, text.n ? ", " : "",
				 axis_names[order[k]], place);
	}
	const char *out = text.n ? arena_copy(arena, buf_str(&text)).p : NULL;
	buf_release(&text);
	return out;
}

/* Ranks by axes of which each job has but some: the jobs are replicas. */
static void find_replicas(struct scope_profile *p, size_t n, struct arena *arena)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].job_ranks <= 0 || p[i].job_ranks != p[0].job_ranks)
			return;
	bool is_replicated = false;
	for (size_t i = 0; i < n; i++)
		is_replicated |= p[i].rank >= p[i].job_ranks;
	for (size_t i = 0; i < n && is_replicated; i++)
		p[i].replica = arena_printf(arena, "replica %" PRId64,
					    p[i].rank / p[i].job_ranks);
}

static void find_groups(struct scope_profile *p, size_t n, struct arena *arena)
{
	unsigned exchange = 0, group = 0;

	find_replicas(p, n, arena);
	if (varies(p, n, AXIS_PP))
		exchange |= 1U << AXIS_PP;
	group = exchange;
	if (varies(p, n, AXIS_TP)) {
		if (is_own_axis(p, n, AXIS_DP))
			group |= 1U << AXIS_DP;
		if (is_own_axis(p, n, AXIS_CP))
			group |= 1U << AXIS_CP;
	}
	for (size_t i = 0; i < n && group; i++) {
		p[i].group = group_of(&p[i], group, arena);
		p[i].exchange_group = group_of(&p[i], exchange, arena);
	}
}

void scope_find_groups(struct scope *scope)
{
	for (size_t i = 0, end; i < scope->n; i = end) {
		for (end = i + 1; end < scope->n && scope->profiles[end].run_id ==
							    scope->profiles[i].run_id;
		     end++)
			;
		find_groups(scope->profiles + i, end - i, &scope->arena);
	}
}

bool scope_is_new_rank(struct intern *seen, const struct scope_profile *profile,
		       int64_t place)
{
	const int64_t key[] = { place, profile->has_rank,
				profile->has_rank ? profile->rank : profile->id,
				profile->has_rank ? profile->run_id : 0 };
	size_t known = seen->n;

	return intern_add(seen, str_bytes(key, sizeof(key))) == known;
}

int scope_needs_axis(const struct scope *scope, enum axis axis, struct err *err)
{
	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].axes.at[axis] != NUMBER_NONE)
			return 0;
	return err_set(err, ERR_EMPTY,
		       "--by %s: neither recordings nor file names give it",
		       axis_names[axis]);
}
