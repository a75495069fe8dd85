/*
 * Copies and sets of one profile: how much they moved, for whom, and whether the host
 * waited for them.  Times are nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_TRANSFERS_H
#define PTOOL_QUERY_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/slices/slice_finder.h"
#include "query/view.h"

/*
 * What the name of a copy or a set tells: from where to where, and what memory of the
 * host took part.  Spellings of Kineto for CUDA, ROCm and XPU ("Memcpy HtoD (Pinned ->
 * Device)", "Memcpy M2D"), of roctracer and rocprofiler ("MEMORY_COPY_HOST_TO_DEVICE",
 * "CopyHostToDevice") and of TensorFlow's ("MemcpyH2D").
 */
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

/* Why the host waited. */
enum transfer_wait {
	WAIT_UNKNOWN,     /* the call is not in the recording */
	WAIT_NO,          /* it did not */
	WAIT_CALL,        /* cudaMemcpy and its kin return when the copy is done */
	WAIT_PAGEABLE,    /* so does an asynchronous one of memory that is not pinned */
	WAIT_SYNCHRONIZE, /* the next call of the operator waits */
	NTRANSFER_WAITS
};

struct transfer {
	int64_t start_ns, end_ns, slice_id;
	int64_t bytes;           /* or NUMBER_NONE */
	int64_t stream;          /* its number, or NUMBER_NONE */
	int64_t step;            /* N, or NUMBER_NONE */
	uint32_t name, op, call; /* texts, or TEXT_NONE */
	uint32_t device;         /* place in the work's devices */
	uint8_t kind, memory;    /* enum transfer_kind, host_memory */
	uint8_t wait;            /* enum transfer_wait */
};

struct transfers {
	struct transfer *items; /* owned; by (device, start, stream, slice) */
	size_t n, cap;
};

/* What transfers are made from. */
struct transfers_sources {
	struct store *store;     /* borrowed */
	struct text_pool *texts; /* borrowed */
	struct slice_finder finder;
	struct work_filter choice;
};

/* `filter` and `texts` are borrowed.  transfers_sources_close() in both cases. */
int transfers_sources_open(struct store *store, const struct scope *scope,
			   const struct filter *filter, struct text_pool *texts,
			   struct transfers_sources *out, struct err *err);
/* Accepts zeroed ones. */
void transfers_sources_close(struct transfers_sources *s);
/*
 * The copies and sets of a profile's work, which is loaded with operators, that the choice
 * wants; transfers_release() in both cases.
 */
int transfers_load(struct transfers_sources *from, const struct scope_profile *profile,
		   const struct device_work *work, struct transfers *out,
		   struct err *err);
void transfers_release(struct transfers *t);

/* "call", "pageable", "sync", "no"; NULL for WAIT_UNKNOWN. */
const char *transfer_wait_name(enum transfer_wait wait);

/* Did the host wait?  A fact of the call's name, the memory and the call behind it. */
enum transfer_wait transfer_wait_of(struct transfer_name what, struct str call,
				    struct str next_call);

enum transfers_by {
	TRANSFERS_BY_KIND,   /* a row for each kind and memory */
	TRANSFERS_BY_OP,     /* and operator */
	TRANSFERS_BY_STEP,   /* and step */
	TRANSFERS_BY_DEVICE, /* one for all of a device */
	TRANSFERS_SINGLE     /* one for each */
};

struct transfers_request {
	const struct filter *filter; /* borrowed */
	enum transfers_by by;
	struct view_request show; /* `asked`: transfers_columns() of `by` */
};

extern const struct view transfers_view;
/* Bits for struct view_request's `asked`. */
unsigned transfers_columns(enum transfers_by by);

/*
 * 0 and *out, which table_free() frees, or -1: ERR_EMPTY when the profiles hold no
 * device work, ERR_USAGE for filters that device work does not have.
 */
int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err);

/* bytes / ns is GB/s; null without either. */
struct cell bandwidth_cell(int64_t bytes, int64_t ns);

#endif
