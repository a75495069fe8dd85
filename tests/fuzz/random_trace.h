/*
 * Traces that are sound JSON and say anything at all: events of every phase
 * with times, places and ids that meet often enough to nest, link and clash.
 */
#ifndef PTOOL_TESTS_RANDOM_TRACE_H
#define PTOOL_TESTS_RANDOM_TRACE_H

#include <stdint.h>

#include "base/buf.h"

/* The next of a fixed sequence of numbers, below `below`. */
uint64_t random_below(uint64_t *state, uint64_t below);
/* Adds one trace of some dozens of events; the same state gives the same trace. */
void random_trace(uint64_t *state, struct buf *out);

#endif
