/*
 * A flame graph as part of a page, which flame.js draws.  Element ID-meta is JSON:
 *
 *	{ "unit": "ns", "decimals": 0, "by": "host",
 *	  "captions": {"host": "...", "device": "..."}, "hasDevice": true, "hasBase": false,
 *	  "hasCalls": true, "isSampled": false, "names": [...], "short": {"3": "..."} }
 *
 * and element ID is page_blob() of n, then columns (page_columns.h) of n numbers, nodes in
 * preorder: depth, name (place in names), color (of flame_color.h), and for each side calls,
 * self times of the host and of the device.  The base is there when hasBase says so.
 */
#ifndef PTOOL_REPORT_PAGE_FLAME_H
#define PTOOL_REPORT_PAGE_FLAME_H

#include "base/err.h"
#include "report/flame_words.h"
#include "report/page.h"

/*
 * Adds it to the tab that was begun last: the graph, its caption and its notes, and a table
 * of the largest calls below.  0, or -1 with err set.
 */
int page_flame(struct page *p, const char *id, const struct flame *flame,
	       const struct flame_draw *draw, struct err *err);

#endif
