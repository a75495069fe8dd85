/* Checks of what the host recorded: see health_sweep.h. */
#include "store/health_sweep.h"

#include "base/sum.h"

/* Shares, in percent, from which on something is worth a remark. */
#define OVERHEAD_LEAST  1.0
#define UNCOVERED_LEAST 5.0
/* ... of a thread whose slices span this share of the recording. */
#define EXTENT_LEAST 50.0

static int64_t count_slices(const struct health *h)
{
	int64_t n = 0;

	for (size_t c = 0; c < NCLASSES; c++)
		n += h->classes[c].n;
	return n;
}

void health_repeats(struct health *h)
{
	int64_t slices = count_slices(h);

	health_tell(h, FINDING_DUPLICATE_SLICES, &h->repeated,
		    health_share(h->repeated.n, slices));
	health_tell_detail(h, FINDING_DUPLICATE_SLICES, STR_LIT("coincidence?"),
			   &h->coincident, health_share(h->coincident.n, slices));
}

/* What the profiler was not asked for; a recording without operators has none of it. */
void health_flags(struct health *h)
{
	const struct profile_fact *p = &h->m->profile;
	struct tally without = h->classes[CLASS_OP];

	without.time_ns = NUMBER_NONE;
	if (!p->has_stacks)
		health_tell(h, FINDING_NO_STACKS, &without, SHARE_NONE);
	if (!p->has_shapes)
		health_tell(h, FINDING_NO_SHAPES, &without, SHARE_NONE);
	if (!p->has_memory)
		health_tell(h, FINDING_NO_MEMORY, &without, SHARE_NONE);
}

/* The largest group of the collectives, or NUMBER_NONE. */
static int64_t largest_group(const struct model *m)
{
	int64_t most = NUMBER_NONE;

	for (size_t i = 0; i < m->ncollectives; i++)
		if (m->collectives[i].fact.group_size > most)
			most = m->collectives[i].fact.group_size;
	return most;
}

/*
 * One process of several that does not say which.  Kernels of NCCL are no sign of
 * it: DataParallel uses them within one process.  (The path may tell a rank later:
 * who sets it takes the finding away.)
 */
void health_rank(struct health *h)
{
	const struct model *m = h->m;
	int64_t group = largest_group(m);
	bool is_one_of_many = group != NUMBER_NONE ? group > 1 : h->collectives.n > 0;
	struct tally unknown = h->collectives;

	if (m->profile.rank != NUMBER_NONE || m->profile.world_size == 1)
		return;
	if (m->profile.world_size == NUMBER_NONE && !is_one_of_many)
		return;
	unknown.time_ns = NUMBER_NONE;
	if (unknown.n == 0)
		unknown = (struct tally){ 1, NUMBER_NONE, 0, 0 };
	health_tell(h, FINDING_RANK_UNKNOWN, &unknown, SHARE_NONE);
}

static int64_t span_ns(const struct model *m)
{
	return m->has_time ? sum_sub(m->end_ns, m->start_ns) : 0;
}

void health_overhead(struct health *h)
{
	double share = health_share(h->overhead.time_ns, span_ns(h->m));

	if (share >= OVERHEAD_LEAST)
		health_tell(h, FINDING_PROFILER_OVERHEAD, &h->overhead,
			    share < 100 ? share : 100);
}

/*
 * From the thread's first slice to its last: the profiler's own start and stop lie
 * outside.  A step says nothing of what is done in it.
 */
void health_cover(struct health *h)
{
	const struct cover *c = &h->busiest;
	int64_t all_ns = sum_sub(c->reach_ns, c->first_ns);

	if (health_share(all_ns, span_ns(h->m)) < EXTENT_LEAST)
		return;
	struct tally uncovered = { .n = 1,
				   .time_ns = sum_sub(all_ns, c->covered_ns),
				   .offset = c->offset,
				   .name = c->name };
	double share = health_share(uncovered.time_ns, all_ns);
	if (share >= UNCOVERED_LEAST)
		health_tell(h, FINDING_UNCOVERED_TIME, &uncovered, share);
}
