/*
 * Steps in numbers: what each of their categories took, and how the device spent the
 * same time.  Nanoseconds.
 */
#ifndef PTOOL_QUERY_STEP_PARTS_H
#define PTOOL_QUERY_STEP_PARTS_H

#include "base/intervals.h"
#include "query/devices/device_work.h"
#include "query/steps/step_bounds.h"
#include "query/steps/step_host.h"

/*
 * The TensorBoard plugin's categories, the first of which wins where several run at
 * once on any thread or device (overall_parser.py; without its fault that a category
 * which covers all steps lets the ones behind it count again).
 */
enum step_category {
	STEP_KERNEL, /* what computes; collectives are communication */
	STEP_MEMCPY,
	STEP_MEMSET,
	STEP_COMMUNICATION, /* collectives' kernels and host ranges */
	STEP_RUNTIME,
	STEP_DATA_LOADING,
	STEP_OPERATORS, /* "CPU Exec" */
	STEP_OTHER,     /* the rest */
	NSTEP_CATEGORIES
};

struct step_parts {
	struct intervals parts[NSTEP_CATEGORIES]; /* of all steps; none overlap */
};

/* What is in some step, taken apart.  step_parts_release() frees. */
void step_parts_make(const struct step_bounds *bounds, const struct device_work *work,
		     const struct step_host *host, struct step_parts *out);
void step_parts_release(struct step_parts *p);
/* What each took of a step: they add up to end_ns - start_ns. */
void step_parts_of(const struct step_parts *p, const struct step_bound *step,
		   int64_t ns[NSTEP_CATEGORIES]);

/*
 * What a device does: computes; only communicates, or communicates and copies; only
 * copies (and sets); nothing.  The first three are its busy time.
 */
enum device_view { VIEW_COMPUTE, VIEW_EXPOSED_COMM, VIEW_EXPOSED_COPY, NDEVICE_VIEWS };

struct device_parts {
	struct intervals parts[NDEVICE_VIEWS]; /* none overlap */
};

void device_parts_make(const struct device_work *work, const struct work_device *device,
		       struct device_parts *out);
void device_parts_release(struct device_parts *p);
void device_parts_of(const struct device_parts *p, const struct step_bound *step,
		     int64_t ns[NDEVICE_VIEWS]);

#endif
