/*
 * What colours mean on a page: words of src/report/assets/style.css, the same in all tabs.
 */
#ifndef PTOOL_CLI_REPORT_COLORS_H
#define PTOOL_CLI_REPORT_COLORS_H

#include "base/str.h"

/* Of a category of steps ("Kernel"), or a cause of idle time as people read it. */
const char *report_color(struct str name);
/* Colours for what has none of its own: the n-th largest; the same word from some n on. */
const char *report_color_at(size_t n);

#endif
