/* Seconds of a call graph, doubles as pstats has them, and how the store keeps them. */
#ifndef PTOOL_TRACE_SECONDS_H
#define PTOOL_TRACE_SECONDS_H

#include <stdint.h>

/* In nanoseconds, rounded; NUMBER_NONE for what is no number. */
int64_t seconds_ns(double seconds);
/*
 * SQLite keeps no -0.0, which pstats prints as -0.000: the store has the negative
 * number next to 0 for it.
 */
double seconds_stored(double seconds);
double seconds_recorded(double stored);

#endif
