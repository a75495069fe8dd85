/*
 * The phases of a training step: when the host loaded data, started copies to the
 * device, ran the forward pass, the backward pass and the optimizer; and for how long
 * the device worked on what was launched in each.  Nanoseconds.
 *
 * A phase that the program labels (record_function("forward")) is told by its labels
 * alone; else data loading by DataLoader's ranges, the optimizer by Optimizer.step and
 * .zero_grad, the backward pass by the autograd engine's operators and those with a
 * forward thread, the forward pass by the other operators with a sequence number.  What
 * lies between two pieces of a pass that operators tell, with no other phase between
 * them, belongs to the pass.  Where phases are at once, on several threads or one in
 * another, the first in the order of the enum has the time.
 */
#ifndef PTOOL_QUERY_STEP_PHASES_H
#define PTOOL_QUERY_STEP_PHASES_H

#include <stdbool.h>

#include "query/steps/step_host.h"

enum step_phase {
	STEP_PHASE_DATA,
	STEP_PHASE_TO_DEVICE,
	STEP_PHASE_OPTIMIZER,
	STEP_PHASE_BACKWARD,
	STEP_PHASE_FORWARD,
	STEP_PHASE_OTHER, /* none of these */
	NSTEP_PHASES
};

struct phase_times {
	int64_t host_ns[NSTEP_PHASES];   /* they add up to the host's range of the step */
	int64_t device_ns[NSTEP_PHASES]; /* when any device ran what was launched in it */
};

struct step_phases {
	struct phase_times *steps; /* owned; as many as there are steps, in their order */
	const char *sources[NSTEP_PHASES]; /* what tells the phase; NULL: nothing does */
	struct intervals parts[NSTEP_PHASES]; /* of all steps; none overlap */
};

/* The bounds are the host's.  step_phases_release() frees. */
void step_phases_make(const struct step_bounds *bounds, const struct device_work *work,
		      const struct step_host *host, struct step_phases *out);
void step_phases_release(struct step_phases *p);

#endif
