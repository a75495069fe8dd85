/*
 * What the host did in a profile, as the parts that a step is broken down into: when
 * anything of a part ran on any thread.  From one pass over the slices of its threads.
 * Nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_STEP_HOST_H
#define PTOOL_QUERY_STEP_HOST_H

#include <stdbool.h>

#include "base/err.h"
#include "base/intervals.h"
#include "query/devices/device_work.h"
#include "query/steps/step_bounds.h"

/* Sets of intervals, each of which may overlap the others. */
enum host_part {
	/* Of the breakdown into categories. */
	PART_COMMUNICATION, /* collectives as operators and labels: nccl:..., gloo:... */
	PART_RUNTIME,       /* calls of the device's runtime and driver */
	PART_DATA_LOADING,  /* enumerate(DataLoader)#..., enumerate(DataPipe)#... */
	PART_OPERATORS,     /* all other operators and labels, but the steps */
	/* Of phases. */
	PART_LABEL_DATA, /* what a label calls so */
	PART_LABEL_FORWARD,
	PART_LABEL_BACKWARD,
	PART_LABEL_OPTIMIZER,
	PART_OPTIMIZER, /* Optimizer.step#..., Optimizer.zero_grad#... */
	PART_BACKWARD,  /* operators that run for the backward pass */
	PART_FORWARD,   /* other operators with a sequence number */
	PART_TO_DEVICE, /* what started a copy from the host to a device */
	NHOST_PARTS
};

struct step_host {
	struct intervals parts[NHOST_PARTS]; /* sets */
	bool has_engine; /* some of PART_BACKWARD is of the engine, or of its thread */
};

/* Where a profile is read from; all borrowed. */
struct step_source {
	struct store *store;
	struct text_pool *texts;
	const struct scope_profile *profile;
};

/* `work` has its launches.  step_host_release() in both cases. */
int step_host_load(const struct step_source *from, const struct device_work *work,
		   const struct step_bounds *bounds, struct step_host *out,
		   struct err *err);
void step_host_release(struct step_host *h);

#endif
