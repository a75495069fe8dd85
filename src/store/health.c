/* Checks of what was recorded, and how they tell: see health.h and health_sweep.h. */
#include "store/health.h"

#include "base/sum.h"
#include "store/health_sweep.h"
#include "trace/op_memory.h"

/* The finding, when there is something to tell. */
static void health_tell_detail(struct health *h, enum finding finding, struct str detail,
			       const struct tally *t, double share_pct)
{
	if (t->n == 0)
		return;
	struct finding_rec *f = model_finding(h->m, finding, t->offset, detail,
					      intern_str(h->m->texts, t->name));
	f->count = t->n;
	f->time_ns = t->time_ns;
	f->share_pct = share_pct;
}

void health_tell(struct health *h, enum finding finding, const struct tally *t,
		 double share_pct)
{
	health_tell_detail(h, finding, STR_LIT(""), t, share_pct);
}

double health_share(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : SHARE_NONE;
}

/* Slices of device work. */
static int64_t health_device_ns(const struct health *h)
{
	int64_t time_ns = 0;

	for (size_t c = CLASS_KERNEL; c <= CLASS_ACCELERATOR; c++)
		time_ns = sum_add(time_ns, h->classes[c].time_ns);
	return time_ns;
}

int64_t health_device_slices(const struct health *h)
{
	int64_t n = 0;

	for (size_t c = CLASS_KERNEL; c <= CLASS_ACCELERATOR; c++)
		n += h->classes[c].n;
	return n;
}

/* Was there a device?  A recording of the CPU alone lacks nothing. */
static bool saw_device(const struct health *h)
{
	const struct model *m = h->m;

	for (uint32_t i = 0; i < m->memory_kinds.n; i++) {
		const struct memory_kind *kind = uniques_at(&m->memory_kinds, i);
		if (!op_memory_is_cpu(kind->device_type))
			return true;
	}
	return m->ndevice_infos || h->classes[CLASS_RUNTIME].n ||
	       h->classes[CLASS_DRIVER].n || h->sync_rows.n || h->annotated.n;
}

/* No work of one that was there; with calls that launched some, it is about those. */
static void health_device_work(struct health *h)
{
	struct tally launches = { 0 };

	if (health_device_slices(h) > 0 || !saw_device(h))
		return;
	for (size_t i = 0; i < h->ncalls; i++)
		tally_add(&launches, model_slice(h->m, h->calls[i]), 0);
	for (size_t c = 0; c < NCLASSES && launches.n == 0; c++)
		launches = h->classes[c];
	launches.time_ns = NUMBER_NONE;
	health_tell(h, FINDING_NO_DEVICE_WORK, &launches, SHARE_NONE);
}

/* Work that begins before its launch does: the clocks differ by that much at least. */
static void health_skew(struct health *h)
{
	const struct model *m = h->m;
	struct tally early = { 0 };
	int64_t lead_ns = 0;

	for (size_t i = 0; i < m->nworks; i++) {
		const struct slice_rec *work = model_slice(m, m->works[i]);
		const struct slice_rec *launch =
			model_slice(m, row_launch(m, m->works[i]));
		if (work->ts_ns >= launch->ts_ns)
			continue;
		tally_add(&early, work, 0);
		int64_t by_ns = sum_sub(launch->ts_ns, work->ts_ns);
		lead_ns = by_ns > lead_ns ? by_ns : lead_ns;
	}
	early.time_ns = lead_ns;
	health_tell(h, FINDING_KERNEL_BEFORE_LAUNCH, &early,
		    health_share(early.n, (int64_t)m->nworks));
}

static bool is_of_graph(struct health *h, uint32_t row)
{
	const struct model *m = h->m;
	const struct slice_rec *s = model_slice(m, row);

	if (!slice_is_of_device(s))
		return false;
	const struct device_fact *setup = slice_setup(m, s);
	if (setup && setup->graph_id != NUMBER_NONE && setup->graph_id != 0)
		return true;
	uint32_t launch = row_launch(m, row);
	return launch != ROW_NONE && health_name_kind(h, launch) == NAME_GRAPH;
}

/* Device work of which something holds. */
static struct tally tally_work(struct health *h,
			       bool (*holds)(struct health *h, uint32_t row))
{
	const struct model *m = h->m;
	struct tally t = { 0 };

	for (size_t i = 0; i < m->ntracks; i++) {
		const struct track *track = &m->tracks[i];
		if (track->kind != TRACK_STREAM)
			continue;
		for (size_t k = 0; k < track->n; k++) {
			uint32_t row = (uint32_t)(track->first + k);
			const struct slice_rec *s = model_slice(m, row);
			if (holds(h, row))
				tally_add(&t, s, s->dur_ns);
		}
	}
	return t;
}

static void health_graphs(struct health *h)
{
	struct tally t = tally_work(h, is_of_graph);

	health_tell(h, FINDING_GRAPH_KERNELS, &t,
		    health_share(t.time_ns, health_device_ns(h)));
}

static bool is_unlaunched(struct health *h, uint32_t row)
{
	return !slice_is_of_device(model_slice(h->m, row)) ||
	       row_launch(h->m, row) == ROW_NONE;
}

/* Linking has found these; here they get their time. */
static void health_unlaunched(struct health *h)
{
	struct model *m = h->m;

	for (size_t i = 0; i < m->nfindings; i++) {
		struct finding_rec *f = &m->findings[i];
		if (f->finding != FINDING_LAUNCH_UNKNOWN)
			continue;
		struct tally t = tally_work(h, is_unlaunched);
		f->time_ns = t.time_ns;
		f->share_pct = health_share(t.time_ns, health_device_ns(h));
	}
}

/* What stands on the rows of streams without being work of theirs. */
static void health_device_rows(struct health *h)
{
	health_tell(h, FINDING_SYNC_ROWS, &h->sync_rows, SHARE_NONE);
	health_tell(h, FINDING_DEVICE_ANNOTATIONS, &h->annotated, SHARE_NONE);
}

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

static void health_repeats(struct health *h)
{
	int64_t slices = count_slices(h);

	health_tell(h, FINDING_DUPLICATE_SLICES, &h->repeated,
		    health_share(h->repeated.n, slices));
	health_tell_detail(h, FINDING_DUPLICATE_SLICES, STR_LIT("coincidence?"),
			   &h->coincident, health_share(h->coincident.n, slices));
}

/* What the profiler was not asked for; a recording without operators has none of it. */
static void health_flags(struct health *h)
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
static void health_rank(struct health *h)
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

static void health_overhead(struct health *h)
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
static void health_cover(struct health *h)
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

struct check {
	void (*run)(struct health *h);
	bool any_trace; /* else recordings of torch.profiler alone */
};

static const struct check checks[] = {
	{ health_device_work, false }, { health_launches, false },
	{ health_skew, false },        { health_graphs, false },
	{ health_unlaunched, false },  { health_device_rows, false },
	{ health_repeats, true },      { health_flags, false },
	{ health_rank, false },        { health_overhead, false },
	{ health_cover, false },
};

bool health_is_torch(const struct health *h)
{
	return h->m->profile.format && strcmp(h->m->profile.format, "pytorch") == 0;
}

void health_rows(struct model *m)
{
	struct health h;

	health_sweep(&h, m);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		if (checks[i].any_trace || health_is_torch(&h))
			checks[i].run(&h);
	health_release(&h);
}
