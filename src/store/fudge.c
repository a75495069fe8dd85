/* What spans of annotations were widened by: see fudge.h. */
#include "store/fudge.h"

#include "base/search.h"

/*
 * How far a span begins before its first work and ends behind its last
 * (torch-profiler.md b.2; kineto 2022-03-02, 2024-03-18, 2024-04-22, 2024-06-06).
 */
struct fudge {
	int64_t before_ns, behind_ns;
};

static const struct fudge fudges[] = {
	{ 1000, 0 },
	{ 1, 0 },
	{ 1000, 500 },
	{ 1, 1 },
};

#define NFUDGES (sizeof(fudges) / sizeof(*fudges))

/* Of the stream's rows the first that begins at ts or later. */
static uint32_t first_from(const struct model *m, const struct track *t, int64_t ts_ns)
{
	size_t at;

	SEARCH(at, 0, t->n, model_slice(m, (uint32_t)(t->first + at))->ts_ns < ts_ns);
	return (uint32_t)(t->first + at);
}

/* The known fudge that this span shows on its stream: its index, or NFUDGES. */
static size_t fudge_of_span(const struct model *m, const struct track *work,
			    const struct slice_rec *span)
{
	uint32_t first = first_from(m, work, span->ts_ns);
	uint32_t behind = first_from(m, work, slice_end(span));
	size_t i = 0;

	if (first == behind)
		return NFUDGES;
	int64_t before_ns = model_slice(m, first)->ts_ns - span->ts_ns;
	int64_t behind_ns = slice_end(span) - slice_end(model_slice(m, behind - 1));
	while (i < NFUDGES &&
	       (fudges[i].before_ns != before_ns || fudges[i].behind_ns != behind_ns))
		i++;
	return i;
}

static void count_track(const struct model *m, const struct track *t, size_t *counts)
{
	uint32_t stream = t->place == TEXT_NONE ? TEXT_NONE
						: m->places[t->place].track[TRACK_STREAM];

	if (stream == TEXT_NONE)
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct slice_rec *s = model_slice(m, (uint32_t)(t->first + i));
		if (s->class == CLASS_DEVICE_ANNOTATION && s->phase == PHASE_COMPLETE)
			counts[fudge_of_span(m, &m->tracks[stream], s)]++;
	}
}

void fudge_of_annotations(struct model *m)
{
	size_t counts[NFUDGES + 1] = { 0 }, best = 0;

	if (m->profile.rules.annotation_fudge_ns == 0)
		return;
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].kind == TRACK_STREAM_NOTES)
			count_track(m, &m->tracks[t], counts);
	for (size_t i = 1; i < NFUDGES; i++)
		if (counts[i] > counts[best])
			best = i;
	if (counts[best])
		m->profile.rules.annotation_fudge_ns =
			fudges[best].before_ns + fudges[best].behind_ns;
}
