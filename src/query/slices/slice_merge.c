/* A merge of tracks over a heap: see slice_merge.h. */
#include "query/slices/slice_merge.h"

#include <stdlib.h>

#include "base/alloc.h"

/* The first block of a track is small, so that many tracks are opened quickly. */
#define FIRST_BLOCK 4
#define BLOCK       64

/* A track being merged: rows[at..n) are read and wait. */
struct source {
	const struct slices_track *track;
	struct slice_row *rows; /* owned; NULL: none was read yet, or no more */
	size_t at, n;
	int64_t next_id;
};

struct slice_merge {
	struct slices *slices;  /* borrowed */
	struct source *sources; /* owned; one for each track */
	struct source **heap;   /* owned; those of one profile with a row */
	size_t nheap;
	size_t next_track; /* the first of the next profile */
};

struct slice_merge *slice_merge_new(struct slices *slices)
{
	struct slice_merge *m = xcalloc(1, sizeof(*m));

	m->slices = slices;
	m->sources = xcalloc(slices->ntracks + 1, sizeof(*m->sources));
	m->heap = xcalloc(slices->ntracks + 1, sizeof(struct source *));
	return m;
}

void slice_merge_free(struct slice_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->slices->ntracks; i++)
		free(m->sources[i].rows);
	free(m->sources);
	free(m->heap);
	free(m);
}

static const struct slice_row *head(const struct source *s)
{
	return &s->rows[s->at];
}

static bool is_before(const struct source *a, const struct source *b)
{
	const struct slice_row *x = head(a), *y = head(b);

	if (a->track->is_apart != b->track->is_apart)
		return b->track->is_apart;
	return x->ts_ns != y->ts_ns ? x->ts_ns < y->ts_ns : x->id < y->id;
}

static void sift_down(struct slice_merge *m, size_t at)
{
	for (;;) {
		size_t least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < m->nheap && is_before(m->heap[child], m->heap[least]))
				least = child;
		if (least == at)
			return;
		struct source *moved = m->heap[at];
		m->heap[at] = m->heap[least];
		m->heap[least] = moved;
		at = least;
	}
}

/* The next block: 1, 0 at the track's end, or -1. */
static int refill(struct slice_merge *m, struct source *s, struct err *err)
{
	size_t all = (size_t)s->track->slices;
	size_t block = s->rows ? BLOCK : FIRST_BLOCK;

	if (!s->rows)
		s->rows = xcalloc(all < BLOCK ? all : BLOCK, sizeof(*s->rows));
	int n = slices_read(m->slices, s->track, s->next_id, s->rows,
			    all < block ? all : block, err);
	if (n <= 0)
		return n;
	s->next_id = s->rows[n - 1].id + 1;
	s->at = 0;
	s->n = (size_t)n;
	return 1;
}

/* To the next wanted row, perhaps the one it stands on: 1, 0 at the end, or -1. */
static int settle(struct slice_merge *m, struct source *s, struct err *err)
{
	for (;; s->at++) {
		if (s->at == s->n) {
			int rc = refill(m, s, err);
			if (rc <= 0)
				return rc;
		}
		if (head(s)->ts_ns >= m->slices->to_ns)
			return 0;
		int rc = slices_is_wanted(m->slices, head(s), err);
		if (rc != 0)
			return rc;
	}
}

static void end_source(struct source *s)
{
	free(s->rows);
	s->rows = NULL;
}

/* Begins a track where the filter by time lets it; it joins the heap if a row is wanted. */
static int open_source(struct slice_merge *m, size_t at, struct err *err)
{
	struct source *s = &m->sources[at];

	s->track = &m->slices->tracks[at];
	s->next_id = s->track->first_id;
	if (!s->track->is_wanted)
		return 0;
	if (m->slices->from_ns > 0 &&
	    slices_seek(m->slices, s->track, m->slices->from_ns, &s->next_id, err) < 0)
		return -1;
	int rc = settle(m, s, err);
	if (rc > 0)
		m->heap[m->nheap++] = s;
	else
		end_source(s);
	return rc < 0 ? -1 : 0;
}

/* Fills the heap with the tracks of the next profile that has a wanted slice. */
static int open_profile(struct slice_merge *m, struct err *err)
{
	const struct slices *slices = m->slices;

	while (m->nheap == 0 && m->next_track < slices->ntracks) {
		const struct scope_profile *profile =
			slices->tracks[m->next_track].profile;
		for (; m->next_track < slices->ntracks &&
		       slices->tracks[m->next_track].profile == profile;
		     m->next_track++)
			if (open_source(m, m->next_track, err) < 0)
				return -1;
	}
	for (size_t i = m->nheap / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

int slice_merge_next(struct slice_merge *m, struct slice_row *row,
		     const struct slices_track **track, struct err *err)
{
	if (m->nheap == 0 && open_profile(m, err) < 0)
		return -1;
	if (m->nheap == 0)
		return 0;
	struct source *first = m->heap[0];
	*row = *head(first);
	*track = first->track;
	first->at++;
	int rc = settle(m, first, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		end_source(first);
		m->heap[0] = m->heap[--m->nheap];
	}
	sift_down(m, 0);
	return 1;
}
