/*
 * The source of functions from their files, where those are still what was profiled: a file
 * was not changed after the profile was written, and its line defines the function.
 */
#ifndef PTOOL_QUERY_LINES_LINE_SOURCE_H
#define PTOOL_QUERY_LINES_LINE_SOURCE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "query/lines/line_profile.h"

enum line_source_state {
	LINE_SOURCE_THERE,
	LINE_SOURCE_MISSING, /* no such file, or none that can be read */
	LINE_SOURCE_CHANGED, /* later than the profile */
	LINE_SOURCE_UNDATED, /* it is not known when the profile was written */
	LINE_SOURCE_LARGE,   /* than a file, or all of them, may be */
	LINE_SOURCE_OTHER    /* another function is there */
};

/* A file that functions name. */
struct line_source {
	enum line_source_state state;
	struct str text;
	uint32_t *starts; /* of the lines, and where the last ends */
	int64_t nlines;
};

/* All such files: each is read once, however many functions it has. */
struct line_sources {
	const struct scope_profile *profile; /* borrowed: of all functions */
	bool has_time; /* it is known when the profile was written */
	struct intern paths;
	struct line_source **files; /* owned: by number of the path */
	size_t nfiles, files_cap;
	uint64_t bytes;     /* that were read */
	struct arena arena; /* of texts and lines */
};

void line_sources_init(struct line_sources *s, const struct scope_profile *profile);
void line_sources_release(struct line_sources *s);
/*
 * Sets the function's code, and the source of its rows; both are `s`'s.  A path that is
 * relative begins in the folder of the profile's file, then in the current one.
 */
enum line_source_state line_source_read(struct line_sources *s, struct line_profile *p,
					struct line_function *f);
/* A line from 1 to nlines, without its end; of a long one what it begins with. */
struct str line_source_line(const struct line_source *source, int64_t line);

#endif
