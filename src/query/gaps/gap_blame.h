/*
 * The blame for idle time: each gap charged to causes, stretch by stretch.
 *
 * Work launched inside the gap: until the launch begins, the launching thread is
 * charged for what it ran, innermost first (gap_blame.h).  From there on, and where the
 * launch was made before, the device is late (gap_blame.h).  After the last work the
 * thread that marks the steps is charged.  No launch known: launch unknown.
 *
 * What a thread is charged with at a moment is the same for all devices.  So it is kept
 * once, as a line of segments, and each gap has spans of it: many devices that wait for
 * one thread cost no more memory than one.  gap_read.h reads what a gap is charged to.
 */
#ifndef PTOOL_QUERY_GAP_BLAME_H
#define PTOOL_QUERY_GAP_BLAME_H

#include "query/gaps/gap_cause.h"
#include "query/gaps/gaps.h"

#define GAP_NO_ROOT UINT32_MAX

/* Time in which one thing is charged. */
struct gap_segment {
	int64_t start_ns, end_ns;
	int64_t slice_id;               /* what is charged; 0: no slice */
	int64_t dur_ns;                 /* how long that lasts, in the gap and outside */
	uint32_t blamed;                /* text of what is charged; TEXT_NONE: nothing */
	uint32_t op, frame, annotation; /* innermost ones then; texts, or TEXT_NONE */
	uint32_t stretch; /* the same as of the one before when that ends at its start */
	uint8_t cause;    /* enum gap_cause */
	bool drains;      /* the host waited for the device in it */
};

/* What one thread is charged with while any gap asks for it. */
struct gap_line {
	struct gap_segment *items; /* owned; by start_ns, none touches another's inside */
	size_t n, cap;
	struct intervals draining; /* a set: when the host waited for the device */
	bool is_shared; /* by so many gaps that walks through each would take long */
};

#define GAP_OWN_LINE 0 /* what devices waited for: the segments of gap after gap */

/* A part of a gap: the segments of a line from start_ns to end_ns. */
struct gap_span {
	int64_t start_ns, end_ns; /* they cut the first and the last */
	uint32_t line;
	uint32_t first, n; /* segments */
	uint32_t root; /* what bursts in it are charged to (gap_root.h), or GAP_NO_ROOT */
};

/* What drained a queue before a gap, when it ended before the gap began. */
struct gap_drain {
	int64_t slice_id, dur_ns;
	uint32_t gap;
	uint32_t blamed;
	uint8_t cause;
};

/* Which call launched which work. */
struct gap_launch {
	int64_t launch_id;
	uint32_t item;
};

/* What the launching call of the work that ends a gap was in; texts, or TEXT_NONE. */
struct gap_context {
	uint32_t op, frame, annotation;
};

struct gap_blame {
	struct gaps gaps;       /* those that were asked for */
	struct gap_line *lines; /* owned; the first is GAP_OWN_LINE */
	size_t nlines, lines_cap;
	struct gap_span *spans; /* owned; by (gap, start_ns) */
	size_t nspans, spans_cap;
	struct gap_span *hosts; /* owned; by gap: of its thread; n is 0: none is known */
	struct gap_drain *drains; /* owned; by gap */
	size_t ndrains, drains_cap;
	struct gap_launch *launches; /* owned; by launch_id, then item */
	size_t nlaunches;
	struct gap_context *contexts; /* owned; by gap */
	/*
	 * Owned; by item: its stream was told to wait just before its launch, unless the
	 * recording itself tells the waits of streams.
	 */
	bool *waited;
	bool knows_waits;
	bool *chosen;      /* owned; by gap, while there are others; NULL: all are */
	unsigned left_out; /* gap_kinds.h: what some segments should have and have not */
};

/* What a blame is made from; all borrowed. */
struct gap_blame_request {
	struct store *store;
	struct text_pool *texts;
	const struct scope_profile *profile;
	const struct device_work *work; /* with launches */
	const struct gap_range *range;  /* of all the profile: windows and marks */
	bool has_roots; /* they are asked for: what is left of waits in gaps before, too */
};

/*
 * Of the gaps that have a part which the range counts; of all, where it is all there is.
 * What is ordinary is found out of all gaps, so that a gap is charged as among them.
 * gap_blame_release() in both cases.
 */
int gap_blame_load(const struct gap_blame_request *request, struct gap_blame *out,
		   struct err *err);
void gap_blame_release(struct gap_blame *b);

/* The first that the call launched on the device or a later one; NULL: nothing. */
const struct gap_launch *gap_blame_launch(const struct gap_blame *b,
					  const struct device_work *work,
					  int64_t launch_id, uint32_t device);
/* The first segment of the span that ends after ns, or behind it. */
uint32_t gap_span_find(const struct gap_line *line, const struct gap_span *span,
		       int64_t ns);

/* While it is made: is the gap one of those that are asked for? */
static inline bool gap_blame_has_chosen(const struct gap_blame *b, size_t gap)
{
	return !b->chosen || b->chosen[gap];
}

/* For who makes lines and spans: the place of a new line. */
uint32_t gap_blame_add_line(struct gap_blame *b);
/* A segment of nothing: all texts TEXT_NONE. */
struct gap_segment gap_segment_of(int64_t start_ns, int64_t end_ns);
/* It has a length; those of a line come in time, but for GAP_OWN_LINE's gaps. */
void gap_line_add(struct gap_line *line, struct gap_segment segment);
/* The segments in [from, to), of those from `first` on. */
struct gap_span gap_line_span(const struct gap_blame *b, uint32_t line, uint32_t first,
			      struct interval when);
/* Behind those of the gaps before. */
void gap_blame_add_span(struct gap_blame *b, struct gap *gap, struct gap_span span);
/* Do the segments of every gap tile it?  -1 with err set when not. */
int gap_blame_check(const struct gap_blame *b, struct err *err);

/*
 * The gaps whose work was launched inside them: what the launching thread ran from the
 * start of each gap to the launch.  One pass over each thread that launched such work,
 * whatever the number of gaps.
 */
int gap_host_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		   struct err *err);

/*
 * The part of each gap in which the work that ends it was already launched, or has no
 * launch in the recording: what the device waited for.  The rules are those of
 * ptool-gaps(1), "How a gap is charged", in that order.
 */

struct stream_waits;

/* Behind gap_host_blame(), which knows what each launching call was in. */
int gap_device_blame(const struct gap_blame_request *request,
		     const struct stream_waits *waits, struct gap_blame *blame,
		     struct err *err);

#endif
