/* The table behind a flame graph: its largest calls as rows, for those who do not see it. */
#ifndef PTOOL_REPORT_PAGE_FLAME_TABLE_H
#define PTOOL_REPORT_PAGE_FLAME_TABLE_H

#include "base/err.h"
#include "report/flame_words.h"
#include "report/page.h"

/* Adds it to the tab that was begun last; 0, or -1 with err set. */
int page_flame_table(struct page *p, const char *id, const struct flame *flame,
		     const struct flame_draw *draw, struct err *err);

#endif
