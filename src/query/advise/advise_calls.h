/* Long calls of operators on the host, for rules of the CPU. */
#ifndef PTOOL_QUERY_ADVISE_CALLS_H
#define PTOOL_QUERY_ADVISE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct advise_facts;

/* A call of an operator that takes a millisecond and more by itself. */
struct fact_call {
	int64_t start_ns, dur_ns, self_ns;
	int64_t turn, n;   /* the 1st to the n-th of its name and shapes, in steps */
	int64_t median_ns; /* of those; of two the shorter */
	int64_t above_ns;  /* of its self time, above what it should take */
	uint32_t name;     /* of the text pool */
	bool is_slow;      /* by its shapes, or beside others with the same */
};

/*
 * Calls of a millisecond and more on the host, in steps (in all of the recording when
 * there are none), longest first; *n of them.  Those in whose time data is loaded, or
 * ranks communicate, are left out: other rules have it.
 */
const struct fact_call *facts_calls(struct advise_facts *f, size_t *n, struct err *err);

#endif
