/* The page of two recordings: what changed from one to the other. */
#ifndef PTOOL_CLI_REPORT_DIFF_H
#define PTOOL_CLI_REPORT_DIFF_H

#include "base/err.h"
#include "cli/report_options.h"
#include "report/page.h"

/*
 * Its tabs.  0, or -1 with err set; then *culprit is what a message is about, in the page's
 * arena, or NULL.
 */
int report_diff_add(struct page *page, const struct report_opts *o, const char **culprit,
		    struct err *err);

#endif
