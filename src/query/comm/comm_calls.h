/*
 * The collectives of one profile, each with all that is told of it anywhere: kernels
 * of NCCL and its kin; ranges of gloo, MPI and UCC on the host; and, in a recording
 * without such kernels, the ranges and operators that launched them.
 */
#ifndef PTOOL_QUERY_COMM_CALLS_H
#define PTOOL_QUERY_COMM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/comm/collective_name.h"
#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/slices/slice_finder.h"
#include "query/text_pool.h"
#include "store/store.h"

/*
 * What the store's table `collective` tells of slices: of operators, of ranges of
 * backends and of kernels.  Found by their slice.
 */

/* Texts are the pool's, TEXT_NONE where there is none; numbers likewise NUMBER_NONE. */
struct collective_fact_row {
	int64_t slice_id;
	int64_t in_elements, out_elements, group_size, sequence;
	uint32_t name, dtype, group, ranks;
};

struct collective_facts {
	struct collective_fact_row *rows; /* owned; by slice_id */
	size_t n, cap;
};

/* Of one profile, or NULL: of all.  collective_facts_release() in both cases. */
int collective_facts_load(struct store *store, struct text_pool *texts,
			  const struct scope_profile *profile,
			  struct collective_facts *out, struct err *err);
void collective_facts_release(struct collective_facts *f);

/* The first row of a slice from this id on: n when there is none. */
size_t collective_facts_from(const struct collective_facts *f, int64_t slice_id);

/* Where it ran. */
enum comm_side {
	COMM_ON_DEVICE,
	COMM_ON_HOST,
	COMM_LAUNCH_ONLY, /* its times are those of the call that launched it */
	NCOMM_SIDES
};

/* Texts are the pool's, TEXT_NONE where there is none; numbers likewise NUMBER_NONE. */
struct comm_call {
	int64_t start_ns, end_ns, slice_id;
	int64_t bytes; /* collective_bytes() */
	int64_t group_size, sequence, step, stream;
	uint32_t name;       /* of the slice */
	uint32_t collective; /* all_reduce, ..., or what it is called where it is none */
	uint32_t dtype;      /* float32, ..., or as it is spelled */
	uint32_t group, ranks;
	uint32_t algorithm, protocol;
	uint32_t device;  /* place among the devices; their number: the host */
	uint8_t kind;     /* enum collective */
	uint8_t side;     /* enum comm_side */
	bool is_unwanted; /* the choice leaves it out: comm_sources.across */
};

struct comm_calls {
	struct comm_call *items; /* owned; by (device, start, stream, slice) */
	size_t n, cap;
};

/* The process group of all collectives of a profile; of nothing where none is known. */
struct comm_group {
	uint32_t name, ranks;
	int64_t size;
};

/* What they are made from; all borrowed. */
struct comm_from {
	struct store *store;
	struct text_pool *texts;
	struct slice_finder *finder;
	const struct collective_facts *facts;
	const struct work_filter *choice; /* for the numbers of steps */
	struct comm_group only_group;     /* of those that do not tell theirs */
};

/* All of a profile; comm_calls_release() in both cases. */
int comm_calls_load(const struct comm_from *from, const struct scope_profile *profile,
		    const struct device_work *work, struct comm_calls *out,
		    struct err *err);
void comm_calls_release(struct comm_calls *c);

/* "device", "host", "launch". */
const char *comm_side_name(enum comm_side side);

#endif
