/* Which long calls of the CPU are slow-calls' and which are long-calls': never the same. */
#ifndef PTOOL_QUERY_LONG_CALLS_H
#define PTOOL_QUERY_LONG_CALLS_H

#include <stdbool.h>

#include "query/advise/advise_calls.h"
#include "query/advise/advise_facts.h"

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

#endif
