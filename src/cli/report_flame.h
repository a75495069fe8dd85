/* The tab of the call tree: a flame graph, of a recording or of two. */
#ifndef PTOOL_CLI_REPORT_FLAME_H
#define PTOOL_CLI_REPORT_FLAME_H

#include "base/err.h"
#include "cli/diff_sides.h"
#include "cli/report_tabs.h"

/* As `add` of a struct report_tab; a recording without calls has a line that says so. */
int report_flame(struct report_making *m, struct err *err);
/* Into the tab that was begun last: both sides, of these names, laid over each other. */
int report_flame_diff(struct page *page, const struct diff_sides *sides,
		      const char *const *names, struct err *err);

#endif
