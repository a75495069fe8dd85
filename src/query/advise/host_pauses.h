/* Pauses of a millisecond and more in which no thread of the host runs an operator. */
#ifndef PTOOL_QUERY_HOST_PAUSES_H
#define PTOOL_QUERY_HOST_PAUSES_H

#include "query/advise/advise_facts.h"

/* Those between the same two operators, the pair that takes most. */
struct host_pauses {
	int64_t n, ns, longest_ns; /* in all steps; n is 0 when there are none */
	struct str after, before;  /* names; empty: it begins or ends with a step */
};

/* Labels count as operators, steps do not.  -1 with err set. */
int host_pauses_find(struct advise_facts *facts, struct host_pauses *out,
		     struct err *err);

#endif
