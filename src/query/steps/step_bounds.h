/*
 * Where the steps of a profile begin and end: their windows (step_windows.h), which are what
 * the host recorded but of engines' steps, or moved as the TensorBoard plugin moves them, so that a step holds the device work it launched and
 * steps with device work never overlap.  Moved bounds are those of `ptool steps --bounds
 * tensorboard` and of the plugin's figures, and nothing else's; which step a slice
 * belongs to is slice_row.step_id.  Nanoseconds from the profile's first event.
 *
 * The plugin's walk (torch_tb_profiler 0.4.3, event_parser.py):
 *   - work counts for the first step that holds all of the call that launched it, on
 *     any thread; a call across the end of a step counts for none;
 *   - when nothing counted, the bounds stay the host's;
 *   - a step begins where the one before it ends, or later; the first one not before the
 *     end of work of no step that ends before the first work that counted for it;
 *   - it ends with the last work that counted for it, or with the host's range;
 *   - of several steps, the last ones without any work are dropped, and then the last
 *     one when it has less than 80 % of the work of the one before.
 */
#ifndef PTOOL_QUERY_STEP_BOUNDS_H
#define PTOOL_QUERY_STEP_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "query/devices/device_work.h"
#include "query/steps/step_windows.h"

enum step_bounds_by { BOUNDS_HOST, BOUNDS_TENSORBOARD };

struct step_bound {
	int64_t step_id; /* 0: the profile has no steps, this is all of it */
	int64_t number;
	int64_t slice_id; /* of its annotation; 0: the whole file is it (train_step_3.json) */
	int64_t host_start_ns, host_end_ns;
	int64_t start_ns, end_ns; /* the window, or moved: start <= end */
	struct step_told told;
	/* Of moved bounds, when nwork > 0: first start and last end of the work. */
	int64_t first_work_ns, last_work_ns;
	/* Pieces of device work that ran in it, or, of moved bounds, counted for it. */
	size_t nwork;
	bool is_dropped; /* the plugin hides it: one of the last, with too little work */
};

struct step_bounds {
	struct step_bound *items; /* owned; by (host_start_ns, step_id) */
	size_t n, cap;
	bool is_single; /* no steps were recorded: one, of number 0, that is all there is */
	bool is_moved;     /* the bounds are the plugin's: work counted for some step */
	bool is_unmoved;   /* they were to be, and there is work, but none counted */
	bool was_windowed; /* step_bounds_set_host() found other bounds than the host's */
};

/*
 * The windows of the profile (step_windows.h), or the plugin's steps: of a recording
 * without any, its operators, moved; without operators the device work.  n is 0 when
 * there is neither.  `work` has its launches.  step_bounds_release() in both cases.
 */
int step_bounds_load(struct store *store, const struct scope_profile *profile,
		     const struct device_work *work, enum step_bounds_by by,
		     struct step_bounds *out, struct err *err);
/* Likewise, of windows that are there. */
void step_bounds_make(const struct step_windows *windows, const struct device_work *work,
		      enum step_bounds_by by, struct step_bounds *out);
/* The steps alone that were recorded, without a look at work; nwork is 0.  Likewise. */
int step_bounds_recorded(struct store *store, const struct scope_profile *profile,
			 struct step_bounds *out, struct err *err);
void step_bounds_release(struct step_bounds *b);
/* Makes the host's ranges the bounds, for what the host alone did. */
void step_bounds_set_host(struct step_bounds *b);

/* The part that computes: sets all but step_id, number, slice_id and the host's bounds. */
void step_bounds_move(struct step_bounds *b, const struct device_work *work);

#endif
