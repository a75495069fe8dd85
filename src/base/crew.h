/*
 * One pass in parts that do not depend on each other, done by several threads.  What
 * the parts find out must be put together in the order of the parts, so that the result
 * is the same for any number of threads.
 */
#ifndef PTOOL_BASE_CREW_H
#define PTOOL_BASE_CREW_H

#include <stddef.h>

/*
 * Calls part(to, i) once for each i below n, by this thread and up to `others` more that
 * are started for it, and returns when all parts are done.
 */
void crew_run(unsigned others, size_t n, void (*part)(void *to, size_t i), void *to);

/* Where part i of `parts` of n things begins; the last one ends where part `parts` does. */
static inline size_t crew_cut(size_t n, size_t parts, size_t i)
{
	return n / parts * i + (i < n % parts ? i : n % parts);
}

#endif
