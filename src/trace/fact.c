/* Names of what a fact may be: see fact.h. */
#include "trace/fact.h"

const char *track_kind_name(enum track_kind kind)
{
	static const char *const names[] = { "thread", "stream", "stream_notes",
					     "async" };

	return names[kind];
}

const char *sample_unit_name(enum sample_unit unit)
{
	static const char *const names[NSAMPLE_UNITS] = { "ns", "bytes", "count" };

	return names[unit];
}
