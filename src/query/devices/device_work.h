/*
 * The device work of one profile (kernels, copies, sets; never waits or annotations)
 * in arrays: what everything about devices, steps and idle time starts from.  Times
 * are nanoseconds from the profile's first event.  Work that is set apart is not there.
 */
#ifndef PTOOL_QUERY_DEVICE_WORK_H
#define PTOOL_QUERY_DEVICE_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intervals.h"
#include "base/str.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "trace/fact.h"

/*
 * What a piece of device work does: computes, communicates, copies or sets memory.
 * By class and name, as HTA and TraceLens tell them apart, without their mistakes:
 * a kernel whose name only begins with "hip" is no communication, one whose name
 * has "Sync" in it computes, and a memset is no computation.
 */
enum work_kind {
	WORK_COMPUTE,
	WORK_COMMUNICATION,
	WORK_MEMCPY,
	WORK_MEMSET,
	NWORK_KINDS
};

/* class_is_device_work(class) holds. */
enum work_kind work_kind_of(enum slice_class class, struct str name);

static inline bool work_kind_is_memory(enum work_kind kind)
{
	return kind == WORK_MEMCPY || kind == WORK_MEMSET;
}

struct work_item {
	int64_t start_ns, end_ns;
	int64_t slice_id;
	int64_t launch_id, op_id, step_id; /* 0: none is known */
	/* Of the launching call, when they were asked for and launch_id is not 0. */
	int64_t launch_start_ns, launch_end_ns, launch_track_id;
	uint32_t launch_name;
	uint32_t op_name; /* likewise, of the operator; TEXT_NONE: none */
	uint32_t name;    /* text; TEXT_NONE: none */
	uint32_t stream;  /* place in streams */
	uint8_t class;    /* enum slice_class */
	uint8_t kind;     /* enum work_kind */
};

struct work_stream {
	int64_t track_id;
	int64_t stream;   /* its number, or NUMBER_NONE */
	const char *name; /* as the trace calls it; may be NULL */
	size_t device;    /* place in devices */
	size_t nitems;
};

struct work_device {
	int64_t device;   /* its number, or NUMBER_NONE: then */
	const char *name; /*   the trace has this text instead of one; else NULL */
	size_t first, n;  /* its items, never none */
	size_t first_stream, nstreams;
};

struct device_work {
	struct work_item *items; /* by (device, start_ns, stream, slice_id) */
	size_t n;
	struct work_stream *streams; /* by (device, number); all have items */
	size_t nstreams;
	struct work_device *devices; /* by number */
	size_t ndevices;
	struct device_work_owned *owned;
};

/* What is told of the slices that work links to. */
enum work_links { WORK_ALONE, WORK_WITH_LAUNCHES, WORK_WITH_OPS /* and with launches */ };

/*
 * `texts` is borrowed: names of several profiles of a store are the same numbers in
 * it.  device_work_release() in both cases, also of a zeroed one.
 */
int device_work_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, enum work_links links,
		     struct device_work *out, struct err *err);
void device_work_release(struct device_work *work);

/*
 * Calls that launched kernels or graphs in profiles, whose ids are as scope.ids: all, and
 * those that run something: not what a graph is captured of that is not replayed.  With
 * has_slices the times of calls tell that, else their numbers.
 */
struct device_launches {
	int64_t all, run;
	size_t profiles; /* that launched any */
};
int device_launches(struct store *store, const char *ids, bool has_slices,
		    struct device_launches *out, struct err *err);
/* What is said of profiles without device work, of a number of these, and of none run. */
#define DEVICE_LOST                                                                       \
	"%lld call%s launched kernels, and no kernel was recorded%s 'ptool advise' says " \
	"what to check"
#define DEVICE_CAPTURED "a graph was captured, which runs no kernel"
/* Have such profiles device work? */
int device_work_is_there(struct store *store, const char *ids, bool *is_there,
			 struct err *err);
/*
 * -1 with an ERR_EMPTY: no device work was recorded in any profile, and how to record it,
 * or that what was launched was not recorded.
 */
int device_work_lacks(struct store *store, const struct scope *scope, struct err *err);

/* The bits of enum work_kind that are asked for. */
#define WORK_BIT(kind) (1U << (kind))
#define WORK_MEMORY    (WORK_BIT(WORK_MEMCPY) | WORK_BIT(WORK_MEMSET))
#define WORK_ALL       (WORK_BIT(NWORK_KINDS) - 1U)

/* When any work of these kinds ran on the device: a set, the caller's to release. */
void device_work_union(const struct device_work *work, const struct work_device *device,
		       unsigned kinds, struct intervals *out);

#endif
