/*
 * The windows of time that everything said of steps is said of: the steps of a profile
 * as the host recorded them, [start, end); of engines' steps, whose annotations are around
 * their launches, with the device work that they launched (store/steps.h); or, where no
 * step was recorded, one window that is all of the recording.  `steps`, `gaps`, `diff` and `advise` share them, so
 * that one step has one length and one idle time.  Nanoseconds from the profile's first
 * event.
 *
 * All of the recording is from the first start to the last end of the host's operators
 * and the device's work together.  Without operators it is the device's work alone,
 * without device work the operators alone.  In recordings that are not PyTorch's every
 * slice of a host thread is an operator.  The profiler's bookkeeping does not count: its
 * own span, the marks of its begin and end, the calls by which it starts and stops;
 * nor do labels and Python frames, which are open from one of these to the other.
 */
#ifndef PTOOL_QUERY_STEP_WINDOWS_H
#define PTOOL_QUERY_STEP_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intervals.h"
#include "query/devices/device_work.h"
#include "query/filter.h"
#include "query/scope.h"
#include "trace/engine_step.h"

/* What a step's annotation says of it; what it does not say is NUMBER_NONE. */
struct step_told {
	enum engine_phase phase;
	int64_t requests, tokens, context_tokens;
	bool is_served; /* by an inference engine: loops of one's own have phases, too */
};

static inline struct step_told step_told_nothing(void)
{
	return (struct step_told){ ENGINE_UNTOLD, NUMBER_NONE, NUMBER_NONE, NUMBER_NONE,
				   false };
}

struct step_window {
	int64_t step_id;  /* as in slice_row.step_id; 0: of all of the recording */
	int64_t number;   /* N of ProfilerStep#N; 0 of all of the recording */
	int64_t slice_id; /* of its annotation; 0: the whole file is it, or none is */
	int64_t start_ns, end_ns; /* start <= end */
	struct interval host;     /* the host's range: the same, but of engines' steps */
	struct step_told told;
};

struct step_windows {
	struct step_window *items; /* owned; by (start_ns, step_id); steps may overlap */
	size_t n, cap;
	bool is_single;     /* no steps were recorded: one window, or none */
	bool has_operators; /* when is_single: operators were recorded, and these are */
	struct interval operators; /*   from the first start to the last end of them */
};

/*
 * n is 0 when there is neither a step, an operator nor device work.  `work` need not
 * have its launches.  step_windows_release() in both cases.
 */
int step_windows_load(struct store *store, const struct scope_profile *profile,
		      const struct device_work *work, struct step_windows *out,
		      struct err *err);
/* The same without one for all of the recording: n is 0 where no step was recorded. */
int step_windows_recorded(struct store *store, const struct scope_profile *profile,
			  struct step_windows *out, struct err *err);
/* Accepts a zeroed one. */
void step_windows_release(struct step_windows *w);

/* The part that computes: the one window, of `operators` and the work; 0 or 1 of them. */
void step_windows_whole(struct step_windows *w, const struct device_work *work);

/*
 * When any window is open: a set, in which time of steps that overlap counts once.  The
 * caller's to release.
 */
void step_windows_union(const struct step_windows *w, struct intervals *out);
/* Likewise, of the steps in --step, and of them what is in --time. */
void step_windows_wanted(const struct step_windows *w, int64_t profile_id,
			 const struct filter *filter, struct intervals *out);

#endif
