/*
 * What the name of a copy or a set tells: from where to where, and what memory of the
 * host took part.  Spellings of Kineto for CUDA, ROCm and XPU ("Memcpy HtoD (Pinned ->
 * Device)", "Memcpy M2D"), of roctracer and rocprofiler ("MEMORY_COPY_HOST_TO_DEVICE",
 * "CopyHostToDevice") and of TensorFlow's ("MemcpyH2D").
 */
#ifndef PTOOL_QUERY_TRANSFER_NAME_H
#define PTOOL_QUERY_TRANSFER_NAME_H

#include <stdbool.h>

#include "base/str.h"

enum transfer_kind {
	TRANSFER_HTOD,
	TRANSFER_DTOH,
	TRANSFER_DTOD,
	TRANSFER_PTOP, /* between devices */
	TRANSFER_HTOH,
	TRANSFER_COPY, /* the name does not tell */
	TRANSFER_SET,
	NTRANSFER_KINDS
};

enum host_memory {
	HOST_MEMORY_UNKNOWN, /* or none takes part */
	HOST_MEMORY_PAGEABLE,
	HOST_MEMORY_PINNED,
	HOST_MEMORY_MANAGED,
	NHOST_MEMORIES
};

struct transfer_name {
	enum transfer_kind kind;
	enum host_memory memory;
};

/* Of a copy, by its name or its direction ("DEVICE_TO_HOST"). */
enum transfer_kind transfer_kind_of(struct str name);

struct transfer_name transfer_name_of(bool is_set, struct str name);

/* "HtoD", ..., "copy", "memset". */
const char *transfer_kind_name(enum transfer_kind kind);
/* "pageable", ...; NULL for HOST_MEMORY_UNKNOWN. */
const char *host_memory_name(enum host_memory memory);

#endif
