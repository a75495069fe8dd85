/* The views that are plain SQL: see view.h, and the .sql file of each. */
#ifndef PTOOL_QUERY_VIEWS_H
#define PTOOL_QUERY_VIEWS_H

#include "query/view.h"

/* The profiles :profiles, and what was recorded. */
extern const struct view view_info;

#endif
