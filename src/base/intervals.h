/*
 * Sets of intervals of time and what they have in common: how long anything ran,
 * how much of one thing ran beside another.  Nanoseconds, start_ns < end_ns.
 */
#ifndef PTOOL_BASE_INTERVALS_H
#define PTOOL_BASE_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

struct interval {
	int64_t start_ns, end_ns; /* [start, end) */
};

/*
 * Zeroed it is empty.  It is a set once its intervals are in order and none touches
 * the next: intervals_unite() makes it one, and all but intervals_add() want one.
 */
struct intervals {
	struct interval *items; /* owned */
	size_t n, cap;
	int64_t *before; /* owned; of a large set: n + 1 sums of the lengths; or NULL */
};

/* In any order; one that has no length is left out. */
void intervals_add(struct intervals *to, int64_t start_ns, int64_t end_ns);
/* In place; those that touch become one. */
void intervals_unite(struct intervals *set);
/* Zeroes it too. */
void intervals_release(struct intervals *set);

/* What all of them last together; at most INT64_MAX. */
int64_t intervals_length(const struct intervals *set);
/* What of them lies in [from, to); found without a walk through all of these. */
int64_t intervals_length_within(const struct intervals *set, int64_t from_ns,
				int64_t to_ns);
/* What is in both. */
int64_t intervals_overlap(const struct intervals *a, const struct intervals *b);

/*
 * A set of what is in both, in either, in `a` but not in `b`, in `a` and [from, to):
 * *out is overwritten, and the caller's to release.
 */
void intervals_intersect(const struct intervals *a, const struct intervals *b,
			 struct intervals *out);
void intervals_join(const struct intervals *a, const struct intervals *b,
		    struct intervals *out);
void intervals_subtract(const struct intervals *a, const struct intervals *b,
			struct intervals *out);
void intervals_within(const struct intervals *a, int64_t from_ns, int64_t to_ns,
		      struct intervals *out);

/* The place of the first that ends after ns; n when there is none. */
size_t intervals_after(const struct intervals *set, int64_t ns);

#endif
