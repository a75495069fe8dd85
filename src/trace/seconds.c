/* Seconds of a call graph: see seconds.h. */
#include "trace/seconds.h"

#include <float.h>
#include <math.h>

#include "trace/fact.h"

#define NS_PER_S 1e9
#define NS_LIMIT 9223372036854774784.0 /* the largest double below 2^63 */

int64_t seconds_ns(double seconds)
{
	double ns = rint(seconds * NS_PER_S);

	if (isnan(ns))
		return NUMBER_NONE;
	if (ns > NS_LIMIT)
		return INT64_MAX;
	return ns < -NS_LIMIT ? -INT64_MAX : (int64_t)ns;
}

double seconds_stored(double seconds)
{
	return seconds == 0 && signbit(seconds) ? -DBL_TRUE_MIN : seconds;
}

double seconds_recorded(double stored)
{
	return stored < 0 && stored >= -DBL_TRUE_MIN ? -0.0 : stored;
}
