/*
 * What a rank did in a window of time, as a rank that waits for it is compared with it: time
 * by reason, and how long it waited itself.  Windows may be as long as the recording, and as
 * many as there are waits: sums are kept, so that none is gone through.
 */
#ifndef PTOOL_QUERY_RANK_ACCOUNT_H
#define PTOOL_QUERY_RANK_ACCOUNT_H

#include <stddef.h>
#include <stdint.h>

#include "query/ranks/rank_facts.h"
#include "query/ranks/rank_waits.h"

/* On the clock of the rank's parts. */
struct rank_window {
	uint32_t rank, other; /* participants */
	int64_t from_ns, to_ns;
};

struct rank_account {
	int64_t ns[NRANK_WHYS];
	int64_t waited_ns; /* for others than `other` */
	int64_t length_ns; /* of the window */
};

struct rank_account_sums;

struct rank_accounts {
	const struct rank_facts *facts; /* borrowed; by participant */
	const struct rank_waits *waits; /* borrowed */
	struct rank_account_sums *sums; /* owned */
};

/* The waits have all but their roots.  rank_accounts_release() frees. */
void rank_accounts_make(const struct rank_facts *facts, size_t nranks,
			const struct rank_waits *waits, struct rank_accounts *out);
void rank_accounts_release(struct rank_accounts *a);

/*
 * What the rank did in the window, but waiting for the other one.  Its parts are cut
 * where collectives begin and end, so that each lies within or outside.
 */
struct rank_account rank_account_of(const struct rank_accounts *a,
				    const struct rank_window *window);

/* The places of the rank's waits that begin within the window: [*from, *to). */
void rank_window_waits(const struct rank_waits *waits, const struct rank_window *window,
		       size_t *from, size_t *to);

#endif
