/*
 * What a part of a gap is charged to: reading the spans of a blame.  A walk through the
 * segments, one amount each; where many gaps share a line and few kinds of segments come
 * again and again in it, one amount a kind, found by sums instead of a walk.
 */
#ifndef PTOOL_QUERY_GAP_READ_H
#define PTOOL_QUERY_GAP_READ_H

#include "query/gaps/gap_kinds.h"
#include "query/gaps/gap_root.h"

/* What of the time is charged alike; borrowed from the blame. */
struct gap_amount {
	int64_t ns;
	int64_t longest_ns;           /* of one segment without a break */
	const struct gap_segment *of; /* that one; of equal ones the first */
	uint32_t blamed; /* text, or TEXT_NONE; as the cause it may be the root's */
	uint32_t root;   /* what its burst is of, charged or not; or GAP_NO_ROOT */
	uint8_t cause;   /* enum gap_cause */
};

struct gap_tally;
struct gap_found;

struct gap_reader {
	const struct gap_blame *blame; /* borrowed */
	const struct gap_roots *roots; /* borrowed; bursts are charged to them; or NULL */
	struct gap_tally *tallies;     /* owned; by line */
	struct gap_found *found; /* owned; kinds of the span that are still to come */
	size_t nfound, next_found;
	int64_t from_ns, to_ns;
	uint32_t span, end_span; /* those to come */
	/* Of the newest span: */
	const struct gap_line *line;
	const struct gap_tally *tally;
	struct interval clip;
	uint32_t root;
	uint32_t at, end; /* segments to come */
};

/* The blame and its roots do not change while it is read.  gap_reader_close() behind. */
void gap_reader_open(struct gap_reader *r, const struct gap_blame *blame,
		     const struct gap_roots *roots, enum gap_key key);
void gap_reader_close(struct gap_reader *r);

/* To what [from, to) of the gap is charged to. */
void gap_reader_seek(struct gap_reader *r, const struct gap *gap, int64_t from_ns,
		     int64_t to_ns);
/*
 * The next amount; false when there is none.  In the order of the time in which each is
 * first met; what is charged alike may come more than once.
 */
bool gap_reader_next(struct gap_reader *r, struct gap_amount *out);

#endif
