/* Long calls of operators on the host, for rules of the CPU. */
#ifndef PTOOL_QUERY_ADVISE_CALLS_H
#define PTOOL_QUERY_ADVISE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

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

#define LONG_CALLS_NAMED 3

struct long_calls {
	int64_t n;
	int64_t above_ns; /* in all steps: what of them should not be; threads at once count once */
	struct str most; /* the name with most of it; empty: there are none */
	const struct fact_call
		*longest[LONG_CALLS_NAMED]; /* of the facts; NULL: no more */
};

/*
 * Calls that wait for a core: facts_calls() that are slow, where there are 3 and more.
 * Then the others that take a twentieth of the window and more than twice what they
 * should.  -1 with err set.
 */
int long_calls_slow(struct advise_facts *facts, struct long_calls *out, struct err *err);
int long_calls_other(struct advise_facts *facts, struct long_calls *out, struct err *err);

/*
 * Pauses of a millisecond and more in which no thread of the host runs an operator: those
 * between the same two operators, the pair that takes most.
 */
struct host_pauses {
	int64_t n, ns, longest_ns; /* in all steps; n is 0 when there are none */
	struct str after, before;  /* names; empty: it begins or ends with a step */
};

/* Labels count as operators, steps do not.  -1 with err set. */
int host_pauses_find(struct advise_facts *facts, struct host_pauses *out,
		     struct err *err);

#endif
