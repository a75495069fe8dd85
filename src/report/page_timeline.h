/*
 * A timeline as data of a page: script elements of tracks, and one of JSON that names them.
 * The format is described in ptool-report(1).
 */
#ifndef PTOOL_REPORT_PAGE_TIMELINE_H
#define PTOOL_REPORT_PAGE_TIMELINE_H

#include <stdio.h>

#include "base/err.h"
#include "base/timeline.h"

/* The colour of a cause of idle time, as style.css calls it: "data". */
typedef const char *page_color_fn(struct str cause);

/* A write that fails is known by ferror(); -1 when the timeline does, with err set. */
int page_timeline(FILE *out, struct timeline *timeline, page_color_fn *color,
		  struct err *err);

#endif
