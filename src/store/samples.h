/*
 * The sampled stacks of a profile in memory: a tree of stacks, a sum for each series,
 * thread and stack, and, where the file has an order, its samples packed.  Memory goes
 * by distinct stacks, but for a few bytes for each sample that is kept by itself.  Part
 * of the model (model.h), filled through the loader's sink.
 */
#ifndef PTOOL_STORE_SAMPLES_H
#define PTOOL_STORE_SAMPLES_H

#include "base/intern.h"
#include "store/unique.h"
#include "trace/fact.h"

struct spill;

struct series_rec {
	struct series_fact fact;
	int64_t samples; /* of all; NUMBER_NONE: some were not counted */
	int64_t weight;  /* of all, in the profile's decimals */
	/* Behind samples_settle(): its sums in `sum_order`. */
	size_t first_sum, sums;
	size_t kept;                  /* samples that are kept by themselves */
	size_t first_kept, last_kept; /* places of those among all that are kept */
};

struct frame_rec {
	int64_t line;
	uint32_t function; /* SAMPLE_NONE: never said */
	uint32_t same;     /* behind samples_settle(): the first equal one */
};

/* Stacks: the place of one is its number.  A caller stands before it. */
struct node_rec {
	uint32_t caller, frame;
};

/* A series and a thread; the fields of a key. */
struct lane_rec {
	uint32_t series, thread;
};

struct sample_sum_rec {
	int64_t samples, weight;
	uint32_t lane, node;
};

/* A sample that is kept by itself. */
struct kept_sample {
	int64_t weight, ts_ns; /* NUMBER_NONE: no time */
	uint32_t lane, node;   /* node: or SAMPLE_NONE */
	unsigned decimals;     /* of the weight */
};

/* Zeroed but for what samples_init() sets is empty. */
struct samples {
	struct spill *spill; /* borrowed, or NULL: where it lies */
	struct series_rec *series;
	size_t nseries, series_cap;
	struct uniques threads; /* struct sample_thread_fact */
	struct uniques lanes;   /* struct lane_rec */
	struct frame_rec *frames;
	size_t nframes, frames_cap;
	struct node_rec *nodes;
	size_t nnodes, nodes_cap;
	struct slots node_slots; /* by caller and frame */
	struct sample_sum_rec *sums;
	size_t nsums, sums_cap;
	struct slots sum_slots; /* by lane and node */
	/*
	 * By node: one of its sums, or SAMPLE_NONE; behind samples_settle() its row, of
	 * which equal stacks have one.
	 */
	uint32_t *place_of;
	size_t place_of_cap;
	unsigned decimals; /* of the weights of SAMPLE_COUNT so far */
	unsigned too_many; /* so many have no room; 0: not known */
	/* Samples in order: see pack() in samples.c. */
	uint8_t *packed;
	size_t npacked, packed_cap, nkept;
	struct kept_sample newest;
	/* Behind samples_settle(). */
	uint32_t *rows; /* row -> node */
	size_t nrows;
	uint32_t *sum_order; /* by series, thread and stack */
	size_t nsummed;
};

void samples_init(struct samples *s, struct spill *spill);
void samples_release(struct samples *s);

uint32_t samples_series(struct samples *s, uint32_t known,
			const struct series_fact *series);
uint32_t samples_thread(struct samples *s, const struct sample_thread_fact *thread);
uint32_t samples_frame(struct samples *s, uint32_t known, const struct frame_fact *frame);
uint32_t samples_stack(struct samples *s, uint32_t caller, uint32_t frame);

enum samples_added {
	SAMPLES_ADDED,
	SAMPLES_ROUNDED, /* more digits than the sums have room for: half to even */
	SAMPLES_BEYOND   /* the sum lies beyond int64: nothing was added */
};
enum samples_added samples_add(struct samples *s, const struct sample_fact *sample);

/* Behind the last: equal frames and stacks become one, sums get their order. */
void samples_settle(struct samples *s);

/* Samples in order, one after the other; zeroed it stands before the first. */
struct samples_cursor {
	size_t at;
	struct kept_sample newest;
};
/* The next, which is there: of nkept. */
const struct kept_sample *samples_next(const struct samples *s, struct samples_cursor *c);

/* A weight as kept, with the decimals that all of the unit have in the end. */
int64_t samples_weight(const struct samples *s, const struct kept_sample *sample);

#endif
