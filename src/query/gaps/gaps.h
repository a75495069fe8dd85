/*
 * When nothing ran on a device: the gaps of the union of its streams, and the work on
 * either side.  Half-open spans of nanoseconds from the profile's first event.  Those
 * between the start of its first work and the end of its last add up to span - busy;
 * an extent adds what it leaves before and after, the edges.
 */
#ifndef PTOOL_QUERY_GAPS_H
#define PTOOL_QUERY_GAPS_H

#include "base/intervals.h"
#include "query/devices/device_work.h"
#include "query/filter.h"
#include "query/steps/step_windows.h"

#define GAP_NO_WORK UINT32_MAX /* before the first work, after the last */

struct gap {
	int64_t start_ns, end_ns;
	/*
	 * Until when the host is charged: the start of the launch of `after`, within
	 * the gap; the end of the gap after the last work.  start_ns: the launch was
	 * made before.
	 */
	int64_t host_end_ns;
	uint32_t before; /* item that ended last at start_ns; or GAP_NO_WORK */
	/* item that ends it, of those that start then the lowest stream's first; or none */
	uint32_t after;
	uint32_t device;
	uint32_t first_span, nspans; /* of the blame: gap_blame.h */
};

struct gaps {
	struct gap *items; /* owned; by (device, start_ns) */
	size_t n, cap;
	int64_t *span_ns; /* owned; by device: from its first work to its last */
	size_t ndevices;
};

/*
 * Work without length ends no gap, unless nothing else is left to.  extent: NULL for
 * gaps between work alone.  ERR_INPUT when the work is not in order or the sums leave
 * int64; gaps_release() in both cases.
 */
int gaps_find(const struct device_work *work, const struct interval *extent,
	      struct gaps *out, struct err *err);
void gaps_release(struct gaps *gaps);

/*
 * Which parts of idle time count, and the step each is in: those in the windows of the
 * steps (query/steps/step_windows.h), of an engine's steps also between them, or with --inner all between the first and the last
 * work of a device; of these what --time and --step leave.  A moment belongs to the step
 * that began last before it, while that lasts.
 */
#define GAP_NO_STEP SIZE_MAX

/*
 * Steps times devices of which idle time is told apart by step (ptool-formats(5),
 * LIMITS): where there are more, all that counts is one window.
 */
#define GAP_STEPS_MOST 2000000

struct gap_step {
	int64_t number;
	int64_t start_ns, end_ns; /* none touches another's inside */
};

struct gap_range {
	struct gap_step *steps; /* owned; by start: those of which something counts */
	size_t nsteps, steps_cap;
	int64_t *marks; /* owned; slices that are the steps' own annotations, by id */
	size_t nmarks, marks_cap;
	int64_t track_id;         /* the thread that marks the steps; 0: none does */
	struct intervals wanted;  /* a set */
	struct intervals windows; /* a set: of the steps, or all of the recording */
	struct interval extent;   /* from the first of them to the last; 0 to 0: none */
	bool is_inner;
	bool is_all;    /* neither --time nor --step */
	bool is_merged; /* there are too many steps for so many devices: none is left */
};

/* All borrowed. */
struct gap_range_request {
	struct store *store;
	const struct scope_profile *profile;
	const struct device_work *work;
	const struct filter *filter; /* NULL: none */
	bool is_inner;
};

/* Are these steps too many? */
bool gap_range_is_too_much(size_t nsteps, const struct device_work *work);

/* gap_range_release() in both cases. */
int gap_range_load(const struct gap_range_request *request, struct gap_range *out,
		   struct err *err);
void gap_range_release(struct gap_range *r);

/* The place of the step that holds the moment; GAP_NO_STEP when none does. */
size_t gap_range_step(const struct gap_range *r, int64_t ns);
/* Is the slice a step's own annotation? */
bool gap_range_is_mark(const struct gap_range *r, int64_t slice_id);

/* A part of [from, to) that counts, as large as can be without leaving a step. */
struct gap_part {
	int64_t start_ns, end_ns;
	size_t step; /* or GAP_NO_STEP */
};
/*
 * The first part at or behind *from_ns, which is moved to its end; false when there
 * is none.  What counts of [from, to) is all parts together.
 */
bool gap_range_next(const struct gap_range *r, int64_t *from_ns, int64_t to_ns,
		    struct gap_part *part);

#endif
