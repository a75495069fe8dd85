/* Nesting: see nest.h. */
#include "store/nest.h"

#include <assert.h>

#include "base/sum.h"

struct open_row {
	uint32_t row;
	int64_t end_ns;  /* no later than that of the slice around it */
	int64_t self_ns; /* so far */
};

struct open_rows {
	struct open_row *at;
	size_t n, cap;
};

static void set_self(struct model *m, uint32_t row, int64_t self_ns)
{
	m->selves[row] = wide_add(&m->far_selves, self_ns);
}

static void close_row(struct model *m, struct open_rows *open)
{
	const struct open_row *last = &open->at[--open->n];

	set_self(m, last->row, last->self_ns);
}

static void nest_row(struct model *m, uint32_t row, struct open_rows *open)
{
	const struct slice_rec *s = model_slice(m, row);
	int64_t end_ns = slice_end(s);

	while (open->n && open->at[open->n - 1].end_ns <= s->ts_ns)
		close_row(m, open);
	m->parent[row] = open->n ? open->at[open->n - 1].row : ROW_NONE;
	if (open->n) {
		struct open_row *around = &open->at[open->n - 1];
		if (end_ns > slice_end(model_slice(m, around->row)))
			model_finding(m, FINDING_CHILD_OVERRUNS, s->offset, STR_LIT(""),
				      intern_str(m->texts, s->name));
		if (end_ns > around->end_ns)
			end_ns = around->end_ns;
		around->self_ns -= end_ns - s->ts_ns;
	}
	if (end_ns == s->ts_ns) {
		set_self(m, row, 0);
		return;
	}
	open->at = spill_grow(m->spill, open->at, &open->cap, open->n + 1,
			      sizeof(*open->at));
	open->at[open->n++] = (struct open_row){ row, end_ns, end_ns - s->ts_ns };
}

/* Device work, and how much of it runs while the piece before it does. */
struct stream_sums {
	int64_t device_ns, overlap_ns;
};

/* What may stand on a stream beside the device's own says nothing of devices. */
static const struct device_fact *setup_of(const struct model *m,
					  const struct slice_rec *s)
{
	return slice_is_of_device(s) ? slice_setup(m, s) : NULL;
}

/* A row of a stream can show other devices' work only where its args say so. */
static bool on_same_stream(const struct model *m, const struct slice_rec *a,
			   const struct slice_rec *b)
{
	const struct device_fact *x = setup_of(m, a), *y = setup_of(m, b);

	return !x || !y || (x->device == y->device && x->stream == y->stream);
}

/* `s` begins before the end of `reach`, the piece before it that ends last. */
static void overlap(struct model *m, const struct slice_rec *reach,
		    const struct slice_rec *s, struct stream_sums *sums)
{
	int64_t end_ns = slice_end(s);

	if (end_ns > slice_end(reach))
		end_ns = slice_end(reach);
	if (end_ns == s->ts_ns || !on_same_stream(m, reach, s))
		return;
	sums->overlap_ns = sum_add(sums->overlap_ns, end_ns - s->ts_ns);
	model_finding(m, FINDING_STREAM_OVERLAP, reach->offset, STR_LIT(""),
		      intern_str(m->texts, reach->name));
}

static void lay_stream(struct model *m, const struct track *t, struct stream_sums *sums)
{
	const struct slice_rec *reach = NULL;

	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		m->parent[row] = ROW_NONE;
		set_self(m, row, s->dur_ns);
		sums->device_ns = sum_add(sums->device_ns, s->dur_ns);
		if (reach && s->ts_ns < slice_end(reach))
			overlap(m, reach, s, sums);
		if (!reach || slice_end(s) > slice_end(reach))
			reach = s;
	}
}

static void tell_overlap(const struct model *m, const struct stream_sums *sums)
{
	struct finding_rec *finding = model_told(m, FINDING_STREAM_OVERLAP);

	if (!finding)
		return;
	finding->time_ns = sums->overlap_ns;
	finding->share_pct = 100 * (double)sums->overlap_ns / (double)sums->device_ns;
}

static void nest_track(struct model *m, const struct track *t, struct open_rows *open)
{
	int64_t roots_ns = 0, selves_ns = 0;

	open->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		model_tick(m, i);
		nest_row(m, (uint32_t)(t->first + i), open);
	}
	while (open->n)
		close_row(m, open);
	/* Roots do not overlap, so that no sum leaves int64. */
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(m, row);
		selves_ns += row_self_ns(m, row);
		if (m->parent[row] == ROW_NONE)
			roots_ns += model_slice(m, row)->dur_ns;
	}
	assert(selves_ns == roots_ns);
	(void)selves_ns;
	(void)roots_ns;
}

void nest_rows(struct model *m)
{
	struct open_rows open = { 0 };
	struct stream_sums sums = { 0, 0 };

	m->parent = spill_alloc(m->spill, m->nrows, sizeof(*m->parent));
	m->selves = spill_alloc(m->spill, m->nrows, sizeof(*m->selves));
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].kind == TRACK_STREAM)
			lay_stream(m, &m->tracks[t], &sums);
		else
			nest_track(m, &m->tracks[t], &open);
	tell_overlap(m, &sums);
	spill_free(m->spill, open.at);
}
