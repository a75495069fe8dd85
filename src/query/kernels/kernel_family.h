/*
 * Families of device work: what a kernel does for a model, by its name.  One table,
 * in kernel_family.c, which ptool-kernels(1) documents.
 */
#ifndef PTOOL_QUERY_KERNEL_FAMILY_H
#define PTOOL_QUERY_KERNEL_FAMILY_H

#include "base/str.h"
#include "query/devices/device_work.h"

enum kernel_family {
	FAMILY_UNKNOWN, /* the name does not say */
	FAMILY_ATTENTION,
	FAMILY_LINEAR,
	FAMILY_MOE,
	FAMILY_CONVOLUTION,
	FAMILY_NORM,
	FAMILY_ELEMENTWISE,
	FAMILY_SOFTMAX,
	FAMILY_ROPE,
	FAMILY_EMBEDDING,
	FAMILY_QUANTIZATION,
	FAMILY_KV_CACHE,
	FAMILY_SAMPLING,
	FAMILY_COMMUNICATION,
	FAMILY_COPY,
	FAMILY_REDUCTION,
	FAMILY_POOLING,
	FAMILY_LOSS,
	FAMILY_OPTIMIZER,
	FAMILY_RANDOM,
	NKERNEL_FAMILIES
};

/* Of work of that kind, which tells what communicates and copies; mangled names too. */
enum kernel_family kernel_family_of(enum work_kind kind, struct str name);
/* "attention", ...; "unknown". */
const char *kernel_family_name(enum kernel_family family);

#endif
