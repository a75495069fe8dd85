/*
 * What a piece of device work does: computes, communicates, copies or sets memory.
 * By class and name, as HTA and TraceLens tell them apart, without their mistakes:
 * a kernel whose name only begins with "hip" is no communication, one whose name
 * has "Sync" in it computes, and a memset is no computation.
 */
#ifndef PTOOL_QUERY_WORK_KIND_H
#define PTOOL_QUERY_WORK_KIND_H

#include <stdbool.h>

#include "base/str.h"
#include "trace/fact.h"

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

#endif
