/*
 * Who calls whom in a flame graph: a frame lies on the one that calls it, above it or, in
 * icicles, below.  Where inferno writes places in samples, these say it exactly.  Others are
 * rounded to a tenth of a pixel, so that a narrow frame seems to lie on the one beside its
 * caller: then the caller is a near one that has as many samples left.
 */
#include "ingest/flamegraph.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/sum.h"

/* More than places are rounded by: two tenths of a pixel, two last digits of percentages. */
#define NEAR_PIXELS  200000
#define NEAR_PERCENT 200

/* Frames of one height, by place. */
struct row {
	size_t from, to;
};

struct placing {
	struct flamegraph *f;
	uint32_t *callers;
	int64_t step; /* from one row to the next; 0: there is one */
	int64_t near; /* a place that is off by no more may be that */
	bool is_exact;
};

/* Callers below: the row of "all", or else the wider of the first and the last one. */
static bool is_icicle(const struct flamegraph *f)
{
	int64_t top = INT64_MAX, bottom = INT64_MIN, at_top = 0, at_bottom = 0;

	for (size_t i = 0; i < f->nframes; i++) {
		top = f->frames[i].y < top ? f->frames[i].y : top;
		bottom = f->frames[i].y > bottom ? f->frames[i].y : bottom;
	}
	for (size_t i = 0; i < f->nframes; i++) {
		const struct flame_frame *frame = &f->frames[i];
		if (frame->is_all)
			return frame->y < bottom;
		if (frame->y == top)
			at_top = sum_add(at_top, frame->count);
		if (frame->y == bottom)
			at_bottom = sum_add(at_bottom, frame->count);
	}
	return at_top > at_bottom;
}

static int by_place(const void *a, const void *b)
{
	const struct flame_frame *x = a, *y = b;
	int order = sort_order(x->y, y->y);

	if (order == 0)
		order = sort_order(x->drawn.start, y->drawn.start);
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* From here on y grows from callers to what they call. */
static void sort_frames(struct placing *p)
{
	struct flamegraph *f = p->f;
	bool turn = !is_icicle(f);

	p->is_exact = true;
	for (size_t i = 0; i < f->nframes; i++)
		p->is_exact &= f->frames[i].has_exact;
	p->near = p->is_exact ? 0 : f->has_pixels ? NEAR_PIXELS : NEAR_PERCENT;
	for (size_t i = 0; i < f->nframes; i++) {
		struct flame_frame *frame = &f->frames[i];
		frame->y = turn ? -frame->y : frame->y;
		frame->drawn = p->is_exact ? frame->exact : frame->drawn;
	}
	qsort(f->frames, f->nframes, sizeof(*f->frames), by_place);
	for (size_t i = 1; i < f->nframes; i++) {
		int64_t step = sum_sub(f->frames[i].y, f->frames[i - 1].y);
		if (step > 0 && (p->step == 0 || step < p->step))
			p->step = step;
	}
}

static bool lies_on(const struct placing *p, const struct flame_frame *frame,
		    const struct flame_frame *caller)
{
	int64_t end = sum_add(frame->drawn.start, frame->drawn.width);
	int64_t callers_end = sum_add(caller->drawn.start, caller->drawn.width);

	return frame->drawn.start >= sum_sub(caller->drawn.start, p->near) &&
	       end <= sum_add(callers_end, p->near);
}

/* The middle of the frame is left of where that one begins. */
static bool is_left_of(const struct flame_frame *frame, const struct flame_frame *other)
{
	return sum_add(frame->drawn.start, frame->drawn.width / 2) < other->drawn.start;
}

/*
 * Of the row below the one that the frame's middle lies on, or one beside that; the first
 * that has as many samples left, or else the first of them.  *at goes on with the frames.
 */
static uint32_t find_caller(const struct placing *p, const struct row *below, size_t *at,
			    const struct flame_frame *frame)
{
	const struct flame_frame *frames = p->f->frames;
	uint32_t found = FLAME_NONE;

	while (*at + 1 < below->to && !is_left_of(frame, &frames[*at + 1]))
		++*at;
	const size_t tried[] = { *at, *at - 1, *at + 1 };
	for (size_t i = 0; i < sizeof(tried) / sizeof(*tried); i++) {
		size_t k = tried[i];
		if (k < below->from || k >= below->to || !lies_on(p, frame, &frames[k]))
			continue;
		if (frames[k].own >= frame->count)
			return (uint32_t)k;
		if (found == FLAME_NONE)
			found = (uint32_t)k;
	}
	return found;
}

static int place_row(struct placing *p, const struct row *below, const struct row *row,
		     struct err *err)
{
	struct flame_frame *frames = p->f->frames;
	size_t at = below->from;

	for (size_t i = row->from; i < row->to; i++) {
		struct flame_frame *frame = &frames[i];
		uint32_t caller = below->from < below->to
					  ? find_caller(p, below, &at, frame)
					  : FLAME_NONE;
		frame->own = frame->count;
		p->callers[i] = caller;
		if (caller != FLAME_NONE)
			frames[caller].own = sum_sub(frames[caller].own, frame->count);
		else if (row->from > 0 && !p->f->is_cut)
			return err_at(err, frame->offset,
				      "not a flame graph: a frame has no frame below it");
	}
	return 0;
}

static int place_rows(struct placing *p, struct err *err)
{
	struct flamegraph *f = p->f;
	struct row below = { 0, 0 }, row;

	for (row.from = 0; row.from < f->nframes; row.from = row.to) {
		int64_t y = f->frames[row.from].y;
		for (row.to = row.from; row.to < f->nframes && f->frames[row.to].y == y;)
			row.to++;
		/* of a picture that is cut rows may be missing */
		bool is_next = below.to && sum_sub(y, f->frames[below.from].y) <
						   sum_add(p->step, p->step / 2);
		if (!is_next)
			below.from = below.to;
		if (place_row(p, &below, &row, err) < 0)
			return -1;
		below = row;
	}
	return 0;
}

int flame_place(struct flamegraph *f, uint32_t *callers, struct err *err)
{
	struct placing p = { .f = f, .callers = callers };
	int64_t least = INT64_MAX;

	sort_frames(&p);
	if (place_rows(&p, err) < 0)
		return -1;
	for (size_t i = 0; i < f->nframes; i++) {
		struct flame_frame *frame = &f->frames[i];
		int64_t samples = p.is_exact ? frame->exact.width : frame->count;
		least = samples < least ? samples : least;
		f->is_inexact |= frame->own < 0 || frame->count == 0 ||
				 (p.is_exact && frame->exact.width != frame->count);
		frame->own = frame->own < 0 ? 0 : frame->own;
	}
	/* whatever is drawn is as wide as the narrowest one: of one sample, all are there */
	f->is_narrowed = least > 1;
	f->is_inexact |= f->is_narrowed;
	return 0;
}
