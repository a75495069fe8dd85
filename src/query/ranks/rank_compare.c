/*
 * Who is unlike the others: robust statistics over ranks, and over steps.
 *
 * A rank stands out when it is more than z median deviations (times 1.4826, the standard
 * deviation of a normal distribution) above the median of all ranks, and by an amount
 * that matters.  z is such that of n ranks drawn from one normal distribution the
 * largest is beyond it in 1 of 500 cases: five tests together raise a false alarm in
 * 1 of 100 runs at most, and in 1 of 500 more for each further size of groups.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/comm/comm_judge.h"
#include "query/query.h"
#include "query/ranks/ranks.h"
#include "query/stats/middle.h"

ASSET(asset_query_views_rank_kernels_sql);

#define DEVIATION 1.4826 /* of a normal distribution, in median deviations */
#define LEAST     0.03   /* less than 3 % does not matter, ... */
#define FLOOR     0.005  /* ... and a spread of less is taken for this one */
#define FEWEST    4      /* ranks or steps */

/* From so many values on; found by simulation, 15,000 to 400,000 samples each. */
static const struct {
	size_t n;
	double z;
} limits[] = {
	{ 4, 31.3 },  { 6, 15.5 },   { 8, 11.1 },    { 10, 8.63 },
	{ 12, 7.63 }, { 16, 6.62 },  { 24, 5.69 },   { 32, 5.29 },
	{ 64, 4.77 }, { 4096, 5.0 }, { 16384, 5.3 },
};

static double limit_of(size_t n)
{
	double z = (double)INFINITY;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].n <= n)
			z = limits[i].z;
	return z;
}

/*
 * What a value must be above to stand out, where `apart` of them are of different ranks;
 * INFINITY: too few to tell.  Sorts.
 */
static double usual_limit(double *values, size_t n, size_t apart, double floor,
			  double least)
{
	if (apart < FEWEST)
		return (double)INFINITY;
	double middle = middle_median(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i] - middle);
	double spread = DEVIATION * middle_median(values, n);
	if (spread < floor)
		spread = floor;
	double above = limit_of(apart) * spread;
	return middle + (above > least ? above : least);
}

/* Marks the ranks whose value stands out; NAN: it has none. */
static void mark(struct ranks *r, const double *values, double scale, unsigned bit)
{
	const struct comm_participant *who = r->matches.participants;
	size_t n = r->matches.nparticipants, known = 0, nranks = 0;
	double *spare = xcalloc(n + 1, sizeof(*spare));
	uint32_t before = UINT32_MAX;

	for (size_t p = 0; p < n; p++) {
		if (isnan(values[p]))
			continue;
		spare[known++] = values[p];
		nranks += who[p].first != before;
		before = who[p].first;
	}
	double limit = usual_limit(spare, known, nranks, FLOOR * scale, LEAST * scale);
	for (size_t p = 0; p < n; p++)
		if (values[p] > limit)
			r->models[p].sums.unlike |= bit;
	free(spare);
}

/* How much slower one thing was than the others' median, and how much time it was. */
struct ratio {
	uint32_t of; /* participant, or group */
	double ratio, weight;
};

struct ratios {
	struct ratio *items; /* owned */
	size_t n, cap;
};

static int by_what(const void *a, const void *b)
{
	const struct ratio *x = a, *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return sort_compare_double(&x->ratio, &y->ratio);
}

/* The weighted median of n ratios of one rank, which rise. */
static double middle_ratio(const struct ratio *items, size_t n)
{
	double total = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		total += items[i].weight;
	for (size_t i = 0; i < n; i++) {
		sum += items[i].weight;
		if (sum * 2 >= total)
			return items[i].ratio;
	}
	return 0;
}

static void set_compute_ratios(struct ranks *r, struct ratios *of)
{
	if (of->n)
		qsort(of->items, of->n, sizeof(*of->items), by_what);
	for (size_t i = 0, end; i < of->n; i = end) {
		for (end = i; end < of->n && of->items[end].of == of->items[i].of; end++)
			;
		r->models[of->items[i].of].compute_ratio =
			middle_ratio(of->items + i, end - i);
	}
	free(of->items);
}

/* Something that several ranks or groups did: how often, and how long once. */
struct shared {
	uint32_t of;
	int64_t calls;
	double ns; /* of one call */
};

/* Of those that did it as often as most. */
static void add_ratios(struct ratios *to, const struct shared *items, size_t n,
		       int64_t usual_calls)
{
	double *means = xcalloc(n + 1, sizeof(*means));
	size_t alike = 0;

	for (size_t i = 0; i < n; i++)
		if (items[i].calls == usual_calls)
			means[alike++] = items[i].ns;
	if (alike >= 2) {
		qsort(means, alike, sizeof(*means), sort_compare_double);
		/* of an even number the lower one: of two halves the fast one is usual */
		double usual = means[(alike - 1) / 2];
		for (size_t i = 0; i < n && usual > 0; i++)
			if (items[i].calls == usual_calls)
				*ARRAY_PUSH(to->items, to->n, to->cap) =
					(struct ratio){ items[i].of, items[i].ns / usual,
							usual * (double)usual_calls };
	}
	free(means);
}

static int64_t usual_calls(const struct shared *items, size_t n)
{
	int64_t *calls = xcalloc(n + 1, sizeof(*calls));

	for (size_t i = 0; i < n; i++)
		calls[i] = items[i].calls;
	if (n)
		qsort(calls, n, sizeof(*calls), sort_compare_int64);
	int64_t usual = n ? calls[(n - 1) / 2] : 0;
	free(calls);
	return usual;
}

struct kernels_seen {
	struct shared *items; /* owned; of the newest name */
	size_t n, cap;
	int64_t name_id;
	bool computes;
};

static void end_name(struct kernels_seen *k, struct ratios *to)
{
	if (k->computes)
		add_ratios(to, k->items, k->n, usual_calls(k->items, k->n));
	k->n = 0;
}

static int begin_name(struct kernels_seen *k, struct ranks *r, int64_t name_id,
		      struct err *err)
{
	uint32_t name;

	if (text_pool_number(&r->texts, name_id, &name, err) < 0)
		return -1;
	k->name_id = name_id;
	k->computes = work_kind_of(CLASS_KERNEL, text_pool_str(&r->texts, name)) ==
		      WORK_COMPUTE;
	return 0;
}

/* The participant of each profile of the scope, plus 1; 0: it has no rank. */
static uint32_t *number_profiles(const struct ranks *r, const struct scope *scope)
{
	uint32_t *who = xcalloc(scope->n + 1, sizeof(*who));

	for (uint32_t p = 0; p < r->matches.nparticipants; p++)
		who[r->matches.participants[p].profile - scope->profiles] = p + 1;
	return who;
}

static int compare_kernels(struct store *store, const struct scope *scope,
			   struct ranks *r, struct err *err)
{
	struct query q = query_of_scope(store, asset_query_views_rank_kernels_sql,
					scope->ids, err);
	struct kernels_seen k = { .name_id = -1 };
	struct ratios ratios = { .n = 0 };
	uint32_t *who = number_profiles(r, scope);

	while (query_next(&q, err)) {
		int64_t name_id = sqlite3_column_int64(q.stmt, 0);
		const struct scope_profile *profile =
			scope_find(scope, sqlite3_column_int64(q.stmt, 1));
		uint32_t rank = profile ? who[profile - scope->profiles] : 0;
		int64_t calls = sqlite3_column_int64(q.stmt, 2);
		if (name_id != k.name_id) {
			end_name(&k, &ratios);
			q.rc = begin_name(&k, r, name_id, err);
		}
		if (rank && calls > 0)
			*ARRAY_PUSH(k.items, k.n, k.cap) =
				(struct shared){ rank - 1, calls,
						 (double)sqlite3_column_int64(q.stmt, 3) /
							 (double)calls };
	}
	end_name(&k, &ratios);
	free(k.items);
	free(who);
	set_compute_ratios(r, &ratios);
	return query_end(&q);
}

/*
 * Links.  A collective ends on all ranks of its group together, so that it is groups which
 * are compared: with those of as many ranks, by the same collectives.
 */
struct transfer {
	const struct comm_call *call;
	uint32_t group;
	int64_t ns; /* after the last rank had come */
};

struct link_group {
	int64_t size;
	double ratio; /* 0: there is nothing to compare it with */
	bool is_slow;
};

/* The group of each match, from 0; matches lie by group. */
static uint32_t *number_groups(const struct comm_matches *m, uint32_t *ngroups)
{
	uint32_t *group_of = xcalloc(m->nmatches + 1, sizeof(*group_of));

	*ngroups = m->nmatches > 0;
	for (size_t i = 1; i < m->nmatches; i++) {
		const struct comm_call *call = &m->parts[m->matches[i].first].call;
		const struct comm_call *before = &m->parts[m->matches[i - 1].first].call;
		*ngroups += call->group != before->group || call->ranks != before->ranks;
		group_of[i] = *ngroups - 1;
	}
	return group_of;
}

int ranks_compare_calls(const struct comm_call *a, const struct comm_call *b)
{
	int order = sort_order(a->group_size, b->group_size);

	if (!order)
		order = sort_order(a->collective, b->collective);
	if (!order)
		order = sort_order(a->side, b->side);
	if (!order)
		order = sort_order(a->dtype, b->dtype);
	return order ? order : sort_order(a->bytes, b->bytes);
}

static int by_class(const void *a, const void *b)
{
	const struct transfer *x = a, *y = b;
	int order = ranks_compare_calls(x->call, y->call);

	if (!order)
		order = sort_order(x->group, y->group);
	return order ? order : sort_order(x->ns, y->ns);
}

static size_t list_transfers(const struct comm_matches *m, const uint32_t *group_of,
			     struct transfer *out)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nmatches; i++) {
		struct comm_verdict v = comm_judge(m, &m->matches[i]);
		for (size_t k = 0; k < m->matches[i].n; k++) {
			const struct comm_part *part = &m->parts[m->matches[i].first + k];
			if (part->call.bytes == NUMBER_NONE || part->call.bytes == 0)
				continue;
			out[n++] =
				(struct transfer){ &part->call, group_of[i],
						   part->call.end_ns -
							   part->call.start_ns -
							   comm_part_wait(m, &v, part) };
		}
	}
	if (n)
		qsort(out, n, sizeof(*out), by_class);
	return n;
}

/* One class: of each group the median of its transfers. */
static void add_class(struct ratios *to, struct link_group *groups,
		      const struct transfer *items, size_t n)
{
	struct shared *alike = xcalloc(n + 1, sizeof(*alike));
	size_t nalike = 0;

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && items[end].group == items[i].group; end++)
			;
		size_t middle = i + (end - i - 1) / 2;
		groups[items[i].group].size = items[i].call->group_size;
		alike[nalike++] =
			(struct shared){ items[i].group, 1, (double)items[middle].ns };
	}
	add_ratios(to, alike, nalike, 1);
	free(alike);
}

static void find_group_ratios(const struct comm_matches *m, const uint32_t *group_of,
			      struct link_group *groups)
{
	struct transfer *items = xcalloc(m->nparts + 1, sizeof(*items));
	struct ratios ratios = { .n = 0 };
	size_t n = list_transfers(m, group_of, items);

	for (size_t i = 0, end; i < n; i = end) {
		for (end = i;
		     end < n && !ranks_compare_calls(items[i].call, items[end].call);
		     end++)
			;
		add_class(&ratios, groups, items + i, end - i);
	}
	free(items);
	if (ratios.n)
		qsort(ratios.items, ratios.n, sizeof(*ratios.items), by_what);
	for (size_t i = 0, end; i < ratios.n; i = end) {
		for (end = i;
		     end < ratios.n && ratios.items[end].of == ratios.items[i].of; end++)
			;
		groups[ratios.items[i].of].ratio =
			middle_ratio(ratios.items + i, end - i);
	}
	free(ratios.items);
}

static bool size_before(const void *context, uint32_t a, uint32_t b)
{
	const struct link_group *groups = context;

	return groups[a].size < groups[b].size;
}

/* Groups of one size are compared; each size is a test of its own. */
static void mark_groups(struct link_group *groups, uint32_t n)
{
	double *values = xcalloc((size_t)n + 1, sizeof(*values));
	struct sort_groups sizes;

	sort_groups_make(&sizes, n, size_before, groups);
	for (size_t i = 0; i < sizes.n; i++) {
		const struct sort_group *alike = &sizes.items[i];
		size_t known = 0;
		for (size_t k = 0; k < alike->n; k++)
			if (groups[alike->at[k]].ratio > 0)
				values[known++] = groups[alike->at[k]].ratio;
		if (!known)
			continue;
		double limit = usual_limit(values, known, known, FLOOR, LEAST);
		for (size_t k = 0; k < alike->n; k++)
			groups[alike->at[k]].is_slow = groups[alike->at[k]].ratio > limit;
	}
	sort_groups_release(&sizes);
	free(values);
}

/* A rank's link is that of its slowest group. */
static void compare_links(struct ranks *r)
{
	const struct comm_matches *m = &r->matches;
	uint32_t ngroups;
	uint32_t *group_of = number_groups(m, &ngroups);
	struct link_group *groups = xcalloc((size_t)ngroups + 1, sizeof(*groups));

	find_group_ratios(m, group_of, groups);
	mark_groups(groups, ngroups);
	for (size_t i = 0; i < m->nmatches; i++) {
		const struct link_group *group = &groups[group_of[i]];
		for (size_t k = 0; k < m->matches[i].n; k++) {
			struct rank_model *model =
				&r->models[m->parts[m->matches[i].first + k].participant];
			if (group->ratio > model->link_ratio)
				model->link_ratio = group->ratio;
			if (group->is_slow)
				model->sums.unlike |= RANK_SLOW_LINK;
		}
	}
	free(group_of);
	free(groups);
}

/* Of a rank's steps the median of a sum; NAN: it has none. */
static double usual_of(const struct ranks *r, size_t p, size_t offset)
{
	size_t n = r->facts[p].nsteps, known = 0;
	double *values = xcalloc(n + 1, sizeof(*values)), usual = (double)NAN;

	for (size_t i = 0; i < n; i++) {
		const struct rank_sums *sums = &r->models[p].steps[i];
		if (sums->wall_ns)
			values[known++] = (double)*(
				const int64_t *)(const void *)((const char *)sums +
							       offset);
	}
	if (known)
		usual = middle_median(values, known);
	free(values);
	return usual;
}

static void mark_sums(struct ranks *r, size_t offset, unsigned bit)
{
	size_t n = r->matches.nparticipants;
	double *values = xcalloc(n + 1, sizeof(*values));

	for (size_t p = 0; p < n; p++)
		values[p] = usual_of(r, p, offset);
	mark(r, values, r->usual_step_ns, bit);
	free(values);
}

static void mark_kernels(struct ranks *r)
{
	size_t n = r->matches.nparticipants;
	double *values = xcalloc(n + 1, sizeof(*values));

	for (size_t p = 0; p < n; p++) {
		double ratio = r->models[p].compute_ratio;
		values[p] = ratio > 0 ? ratio : (double)NAN;
	}
	mark(r, values, 1, RANK_SLOW_COMPUTE);
	free(values);
}

static void mark_steps(struct ranks *r)
{
	double *walls = xcalloc(r->nsteps + 1, sizeof(*walls));
	size_t n = 0;

	for (size_t i = 0; i < r->nsteps; i++)
		if (r->steps[i].number != NUMBER_NONE && r->steps[i].wall_ns)
			walls[n++] = (double)r->steps[i].wall_ns;
	if (n) {
		r->usual_step_ns = middle_median(walls, n);
		double limit = usual_limit(walls, n, n, FLOOR * r->usual_step_ns,
					   LEAST * r->usual_step_ns);
		for (size_t i = 0; i < r->nsteps; i++)
			r->steps[i].is_slow = r->steps[i].number != NUMBER_NONE &&
					      (double)r->steps[i].wall_ns > limit;
	} else if (r->nsteps) {
		r->usual_step_ns = (double)r->steps[0].wall_ns;
	}
	free(walls);
}

int ranks_compare(struct store *store, const struct scope *scope, struct ranks *r,
		  struct err *err)
{
	if (compare_kernels(store, scope, r, err) < 0)
		return -1;
	compare_links(r);
	mark_steps(r);
	mark_kernels(r);
	mark_sums(r, offsetof(struct rank_sums, compute_ns), RANK_MORE_COMPUTE);
	mark_sums(r, offsetof(struct rank_sums, idle_ns), RANK_LATE_HOST);
	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		unsigned *unlike = &r->models[p].sums.unlike;
		if (*unlike & RANK_SLOW_COMPUTE)
			*unlike &= ~(unsigned)RANK_MORE_COMPUTE;
	}
	return 0;
}
