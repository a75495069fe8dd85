/* Nesting: see nest.h. */
#include "store/nest.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/sum.h"
#include "store/pipeline.h"

struct open_row {
	uint32_t row;
	int64_t end_ns;  /* no later than that of the slice around it */
	int64_t self_ns; /* so far */
};

/* A self time that has no room in m->selves. */
struct far_self {
	int64_t self_ns;
	uint32_t row;
};

/* What there is to tell of some rows. */
struct told {
	enum finding finding;
	int64_t n;
	const struct slice_rec *first; /* in the file */
};

/* Device work, and how much of it runs while the piece before it does. */
struct stream_sums {
	int64_t device_ns, overlap_ns;
};

/* Some tracks, one after the other. */
struct nesting {
	struct model *m;
	struct spill *spill;
	MODEL_ARRAY(struct open_row, open);
	MODEL_ARRAY(struct far_self, far_selves);
	struct stream_sums sums;
	struct told told[2]; /* in the order in which they were seen */
	size_t ntold;
};

static void tell(struct nesting *n, enum finding finding, const struct slice_rec *s)
{
	size_t i = 0;

	while (i < n->ntold && n->told[i].finding != finding)
		i++;
	struct told *told = &n->told[i];
	if (i == n->ntold) {
		*told = (struct told){ .finding = finding, .first = s };
		n->ntold++;
	}
	told->n++;
	if (s->offset < told->first->offset)
		told->first = s;
}

static void set_self(struct nesting *n, uint32_t row, int64_t self_ns)
{
	if (wide_is_small(self_ns))
		n->m->selves[row] = wide_small(self_ns);
	else
		*APPEND(n, far_selves) = (struct far_self){ self_ns, row };
}

static int64_t close_row(struct nesting *n)
{
	const struct open_row *last = &n->open[--n->nopen];

	set_self(n, last->row, last->self_ns);
	return last->self_ns;
}

/* What opens a row in what is open: where it ends, as far as that goes. */
static int64_t put_into(struct nesting *n, const struct slice_rec *s)
{
	struct open_row *around = &n->open[n->nopen - 1];
	int64_t end_ns = slice_end(s);

	if (end_ns > slice_end(model_slice(n->m, around->row)))
		tell(n, FINDING_CHILD_OVERRUNS, s);
	if (end_ns > around->end_ns)
		end_ns = around->end_ns;
	around->self_ns -= end_ns - s->ts_ns;
	return end_ns;
}

static void nest_track(struct nesting *n, const struct track *t)
{
	struct model *m = n->m;
	int64_t roots_ns = 0, selves_ns = 0;

	n->nopen = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(m, i);
		const struct slice_rec *s = model_slice(m, row);
		int64_t end_ns = slice_end(s);
		while (n->nopen && n->open[n->nopen - 1].end_ns <= s->ts_ns)
			selves_ns += close_row(n);
		m->parent[row] = n->nopen ? n->open[n->nopen - 1].row : ROW_NONE;
		if (n->nopen)
			end_ns = put_into(n, s);
		else
			roots_ns += s->dur_ns;
		if (end_ns == s->ts_ns)
			set_self(n, row, 0);
		else
			*APPEND(n, open) =
				(struct open_row){ row, end_ns, end_ns - s->ts_ns };
	}
	while (n->nopen)
		selves_ns += close_row(n);
	/* Roots do not overlap, so that no sum leaves int64. */
	assert(selves_ns == roots_ns);
	(void)selves_ns;
	(void)roots_ns;
}

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
static void overlap(struct nesting *n, const struct slice_rec *reach,
		    const struct slice_rec *s)
{
	int64_t end_ns = slice_end(s);

	if (end_ns > slice_end(reach))
		end_ns = slice_end(reach);
	if (end_ns == s->ts_ns || !on_same_stream(n->m, reach, s) ||
	    pipeline_is_side_by_side(n->m, s))
		return;
	n->sums.overlap_ns = sum_add(n->sums.overlap_ns, end_ns - s->ts_ns);
	tell(n, FINDING_STREAM_OVERLAP, reach);
}

static void lay_stream(struct nesting *n, const struct track *t)
{
	const struct model *m = n->m;
	const struct slice_rec *reach = NULL;

	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		m->parent[row] = ROW_NONE;
		set_self(n, row, s->dur_ns);
		n->sums.device_ns = sum_add(n->sums.device_ns, s->dur_ns);
		if (reach && s->ts_ns < slice_end(reach))
			overlap(n, reach, s);
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

struct nestings {
	struct model *m;
	struct nesting *parts;
	size_t nparts;
};

/* The tracks whose first rows are in the part of the rows. */
static void nest_part(void *to, size_t part)
{
	const struct nestings *all = to;
	const struct model *m = all->m;
	struct nesting *n = &all->parts[part];
	size_t first = crew_cut(m->nrows, all->nparts, part);
	size_t end = crew_cut(m->nrows, all->nparts, part + 1);

	for (size_t t = 0; t < m->ntracks; t++) {
		const struct track *track = &m->tracks[t];
		if (track->n == 0 || track->first < first || track->first >= end)
			continue;
		if (track->kind == TRACK_STREAM)
			lay_stream(n, track);
		else
			nest_track(n, track);
	}
}

/* What a part found, behind what those before it did. */
static void take_part(struct model *m, struct nesting *n, struct stream_sums *sums)
{
	for (size_t i = 0; i < n->ntold; i++) {
		const struct told *told = &n->told[i];
		model_finding(m, told->finding, told->first->offset, STR_LIT(""),
			      intern_str(m->texts, told->first->name))
			->count += told->n - 1;
	}
	for (size_t i = 0; i < n->nfar_selves; i++)
		m->selves[n->far_selves[i].row] =
			wide_add(&m->far_selves, n->far_selves[i].self_ns);
	sums->device_ns = sum_add(sums->device_ns, n->sums.device_ns);
	sums->overlap_ns = sum_add(sums->overlap_ns, n->sums.overlap_ns);
	spill_free(n->spill, n->far_selves);
	spill_free(n->spill, n->open);
}

void nest_rows(struct model *m)
{
	unsigned others = model_others(m, m->nrows);
	struct nestings all = { .m = m, .nparts = others ? 4 * ((size_t)others + 1) : 1 };
	struct stream_sums sums = { 0, 0 };

	m->parent = spill_alloc(m->spill, m->nrows, sizeof(*m->parent));
	m->selves = spill_alloc(m->spill, m->nrows, sizeof(*m->selves));
	all.parts = xcalloc(all.nparts, sizeof(*all.parts));
	for (size_t i = 0; i < all.nparts; i++)
		all.parts[i] = (struct nesting){ .m = m, .spill = m->spill };
	crew_run(others, all.nparts, nest_part, &all);
	for (size_t i = 0; i < all.nparts; i++)
		take_part(m, &all.parts[i], &sums);
	tell_overlap(m, &sums);
	free(all.parts);
}
