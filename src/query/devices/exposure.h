/*
 * How much of some work ran alone and how much beside other work: of a transfer or a
 * collective, what a program waits for and what it does not notice.
 */
#ifndef PTOOL_QUERY_EXPOSURE_H
#define PTOOL_QUERY_EXPOSURE_H

#include <stdint.h>

#include "base/intervals.h"

struct exposure {
	int64_t busy_ns;    /* any of it ran: exposed_ns + hidden_ns */
	int64_t exposed_ns; /* and nothing beside it */
	int64_t hidden_ns;
};

/* `work` is in any order and is made a set; `beside` is one. */
struct exposure exposure_of(struct intervals *work, const struct intervals *beside);

#endif
