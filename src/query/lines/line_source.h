/*
 * The source of a function from its file, where that is still what was profiled: it was
 * not changed after the profile was written, and its line defines the function.
 */
#ifndef PTOOL_QUERY_LINES_LINE_SOURCE_H
#define PTOOL_QUERY_LINES_LINE_SOURCE_H

#include "base/arena.h"
#include "query/lines/line_profile.h"

enum line_source_state {
	LINE_SOURCE_THERE,
	LINE_SOURCE_MISSING, /* no such file, or none that can be read */
	LINE_SOURCE_CHANGED, /* later than the profile */
	LINE_SOURCE_OTHER    /* another function is there */
};

/*
 * Sets the function's code, and the source of its rows; texts are the arena's.  A path
 * that is relative begins in the folder of the profile's file, then in the current one.
 */
enum line_source_state line_source_read(struct line_profile *p, struct line_function *f,
					const struct scope_profile *profile,
					struct arena *arena);

/* The next line, which the text loses; without its end. */
struct str line_source_next(struct str *text);

#endif
