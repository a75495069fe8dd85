/*
 * Sums of blame by device, by what the rows are for, by cause and by what is charged.
 */
#ifndef PTOOL_QUERY_GAP_SUMS_H
#define PTOOL_QUERY_GAP_SUMS_H

#include "query/gaps/gap_cause.h"
#include "query/text_pool.h"

struct gap_sum {
	uint32_t device; /* place */
	uint32_t
		key; /* what the row is for: a cause, a text, a step's or stream's place */
	uint32_t blamed; /* text, or TEXT_NONE */
	uint8_t cause;
	uint32_t last_gap; /* the newest of `gaps` */
	int64_t idle_ns, gaps;
	int64_t gap_ns, longest_ns; /* in the newest gap, and in one at most */
	int64_t long_ns;            /* in gaps in which it is GAP_LONG_NS or more */
	int64_t stepped_ns;         /* in steps */
};

/* Zeroed it is empty. */
struct gap_sums {
	struct gap_sum *items; /* owned */
	size_t n, cap;
	uint32_t *slots; /* owned; open addressing, place + 1 */
	size_t nslots;
	size_t newest; /* place of the one that was asked for last */
};

/*
 * of: all but the sums; in_step: the part lies in a step.  Gaps come one after another:
 * each is counted once a sum.
 */
void gap_sums_add(struct gap_sums *s, const struct gap_sum *of, uint32_t gap, int64_t ns,
		  bool in_step);
/* The place in items of one like it, which is added when it is not there. */
size_t gap_sums_place(struct gap_sums *s, const struct gap_sum *of);
/* A sum that is made already; none like it is there. */
void gap_sums_put(struct gap_sums *s, const struct gap_sum *sum);
void gap_sums_clear(struct gap_sums *s);
void gap_sums_release(struct gap_sums *s);

/* A row of a table: its sum, and what it is charged to most, by cause, then within that. */
struct gap_row {
	struct gap_sum sum;     /* of (device, key) */
	struct gap_sum largest; /* of (device, key, cause, blamed) */
	int64_t cause_ns;       /* of (device, key, cause) */
};

/* In which order rows stand within a device; equal ones by the key or its text. */
enum gap_order { GAP_LARGEST, GAP_LARGEST_BY_TEXT, GAP_BY_KEY };

/* Into empty ones: of sums by (device, key, cause, blamed) those by (device, key, cause). */
void gap_sums_of_causes(const struct gap_sums *sums, struct gap_sums *causes);
/* Is x more of its cause than y? */
bool gap_sum_is_more(const struct text_pool *texts, const struct gap_sum *x,
		     const struct gap_sum *y);
/*
 * One for each (device, key) of sums, from totals, which were added with cause
 * GAP_NONE and no text.  *out is the caller's to free.
 */
size_t gap_rows_make(const struct gap_sums *sums, const struct gap_sums *totals,
		     const struct text_pool *texts, enum gap_order order,
		     struct gap_row **out);
/* The same where causes are summed up already: of each, `sums` may have the largest alone. */
struct gap_row_sums {
	const struct gap_sums *sums, *totals;
	struct gap_sums *causes; /* gap_sums_of_causes() */
};
size_t gap_rows_from(const struct gap_row_sums *from, const struct text_pool *texts,
		     enum gap_order order, struct gap_row **out);

#endif
