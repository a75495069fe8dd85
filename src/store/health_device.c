/* Checks of what the device recorded: see health_sweep.h. */
#include "store/health_sweep.h"

#include "base/sum.h"
#include "trace/op_memory.h"

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
void health_device_work(struct health *h)
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
void health_skew(struct health *h)
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

void health_graphs(struct health *h)
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
void health_unlaunched(struct health *h)
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
void health_device_rows(struct health *h)
{
	health_tell(h, FINDING_SYNC_ROWS, &h->sync_rows, SHARE_NONE);
	health_tell(h, FINDING_DEVICE_ANNOTATIONS, &h->annotated, SHARE_NONE);
}
