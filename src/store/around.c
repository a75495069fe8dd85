/* What is around a time, and what begins next: see around.h. */
#include "store/around.h"

/*
 * So many steps are taken one by one.  Only beyond them it is worth while to find out
 * first how to take many at once; no recording that we know of goes there.
 */
#define STEPS 512

static bool is_instant(const struct model *m, uint32_t row)
{
	return model_slice(m, row)->phase == PHASE_INSTANT;
}

/* Is the row an instant, or has it ended before ts? */
static bool is_over(const struct model *m, uint32_t row, int64_t ts_ns)
{
	return is_instant(m, row) || slice_end(model_slice(m, row)) < ts_ns;
}

static uint32_t go_out(const struct around *a, uint32_t row, int64_t ts_ns)
{
	while (row != ROW_NONE && is_over(a->m, row, ts_ns)) {
		const struct way_out *out = &a->outs[row];
		row = out->far != row && is_over(a->m, out->far, ts_ns) ? out->far
									: out->next;
	}
	return row;
}

uint32_t around_row(const struct around *a, uint32_t row, int64_t ts_ns)
{
	const struct model *m = a->m;

	if (row != ROW_NONE && a->outs && a->outs[row].steps)
		return go_out(a, row, ts_ns);
	while (row != ROW_NONE && is_over(m, row, ts_ns))
		row = m->parent[row];
	return row;
}

/*
 * `far` is so far out that a row is found in as many steps as the logarithm of those that
 * it has: a jump is as long as two that follow each other behind it, where those are of
 * one length, else a step (Myers, "An applicative random-access stack", 1983).
 */
static void add_way_out(const struct around *a, uint32_t row)
{
	const struct model *m = a->m;
	const struct slice_rec *s = model_slice(m, row);
	struct way_out *outs = a->outs, *out = &outs[row];

	out->next = go_out(a, m->parent[row],
			   is_instant(m, row) ? INT64_MIN : slice_end(s) + 1);
	if (out->next == ROW_NONE) {
		out->far = row;
		out->steps = 1;
		return;
	}
	const struct way_out *next = &outs[out->next], *far = &outs[next->far];
	bool is_even = next->steps - far->steps == far->steps - outs[far->far].steps;
	out->far = is_even ? far->far : out->next;
	out->steps = next->steps + 1;
}

/* Is a row of the track nested in more than STEPS others? */
static bool is_deep(const struct model *m, const struct track *t)
{
	uint32_t around = ROW_NONE;
	size_t depth = 0;

	for (uint32_t row = (uint32_t)t->first; row < t->first + t->n; row++) {
		model_tick(m, row);
		for (; around != m->parent[row]; depth--)
			around = m->parent[around];
		around = row;
		if (++depth > STEPS)
			return true;
	}
	return false;
}

static void add_ways_out(struct around *a, const struct track *t)
{
	const struct model *m = a->m;

	if (!a->outs)
		a->outs = spill_alloc(m->spill, m->nrows, sizeof(*a->outs));
	for (uint32_t row = (uint32_t)t->first; row < t->first + t->n; row++) {
		model_tick(m, row);
		add_way_out(a, row);
	}
}

/* Of each instant between the two rows: `end`, which is none, or the track's end. */
static void add_run(struct around *a, uint32_t first, uint32_t end, bool is_track_end)
{
	const struct model *m = a->m;

	if (end - first <= STEPS)
		return;
	if (!a->behind_instants)
		a->behind_instants =
			spill_alloc(m->spill, m->nrows, sizeof(*a->behind_instants));
	for (uint32_t row = first; row < end; row++) {
		model_tick(m, row);
		a->behind_instants[row] = is_track_end ? ROW_NONE : end;
	}
}

static void add_runs(struct around *a, const struct track *t)
{
	uint32_t first = (uint32_t)t->first, end = (uint32_t)(t->first + t->n);

	for (uint32_t row = first; row < end; row++) {
		model_tick(a->m, row);
		if (is_instant(a->m, row))
			continue;
		add_run(a, first, row, false);
		first = row + 1;
	}
	add_run(a, first, end, true);
}

void around_init(struct around *a, const struct model *m)
{
	*a = (struct around){ .m = m };
	for (size_t i = 0; i < m->ntracks; i++) {
		const struct track *t = &m->tracks[i];
		add_runs(a, t);
		if (t->kind != TRACK_STREAM && is_deep(m, t))
			add_ways_out(a, t);
	}
}

void around_release(struct around *a)
{
	spill_free(a->m->spill, a->outs);
	spill_free(a->m->spill, a->behind_instants);
}

uint32_t around_next(const struct around *a, const struct track *t, uint32_t row)
{
	/* No row is behind another and the first: 0 is in no long run. */
	for (; row < t->first + t->n && is_instant(a->m, row); row++)
		if (a->behind_instants && a->behind_instants[row])
			return a->behind_instants[row];
	return row < t->first + t->n ? row : ROW_NONE;
}
