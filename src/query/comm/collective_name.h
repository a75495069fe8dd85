/*
 * Collectives: one name for all spellings of each ("allreduce", "_allgather_base",
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL"), what NCCL's kernels tell by theirs, and
 * what a message's size and the bandwidths mean for each, as nccl-tests defines them
 * (doc/PERFORMANCE.md there).
 */
#ifndef PTOOL_QUERY_COLLECTIVE_NAME_H
#define PTOOL_QUERY_COLLECTIVE_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum collective {
	COLLECTIVE_OTHER,
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_BROADCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_GATHER,
	COLLECTIVE_SCATTER,
	COLLECTIVE_SEND,
	COLLECTIVE_RECV,
	COLLECTIVE_SEND_RECV,
	COLLECTIVE_BARRIER,
	COLLECTIVE_COALESCED, /* several in one: what, the name does not tell */
	NCOLLECTIVES
};

enum collective collective_of(struct str name);
/* "all_reduce", ...; NULL for COLLECTIVE_OTHER. */
const char *collective_text(enum collective collective);
/* The one of that text; COLLECTIVE_OTHER of any other. */
enum collective collective_called(struct str text);

/* No rank leaves before all have come: what clocks can be aligned on. */
bool collective_synchronizes(enum collective collective);
/* One rank to some others: the k-th of each rank need not belong together. */
bool collective_is_point_to_point(enum collective collective);

/* Parts of an NCCL kernel's name; empty where it does not say. */
struct collective_kernel {
	struct str algorithm, protocol; /* "RING", "LL128" */
	struct str dtype;               /* only of what reduces: else it is "bytes" */
};

struct collective_kernel collective_kernel_of(struct str name);

/* What is known of a message; NUMBER_NONE where it is not. */
struct message {
	int64_t in_elements, out_elements, element_bytes, group_size;
};

/*
 * The size that bandwidths are made from: what all ranks together gather (all_gather,
 * gather) or give (reduce_scatter, scatter), what one rank sends else.  NUMBER_NONE when
 * that is not known.
 */
int64_t collective_bytes(enum collective collective, const struct message *m);

/*
 * How many ranks share the work where the first input is what all have and the second
 * what one has, or the other way round, as of c10d::_allgather_base_: "[[64, 8], [8, 8]]"
 * is 8.  NUMBER_NONE where the shapes do not say so.
 */
int64_t collective_ranks_of_shapes(struct str shapes);

/*
 * Bus bandwidth over algorithm bandwidth among n ranks: 2(n-1)/n of an all_reduce,
 * (n-1)/n of all_gather, reduce_scatter, all_to_all, gather and scatter, 1 of the
 * others; negative when there is none (barriers), or n is needed and NUMBER_NONE.
 */
double collective_bus_factor(enum collective collective, int64_t n);

#endif
