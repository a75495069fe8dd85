/* The views that are plain SQL: see sql_view.h, and the .sql file of each. */
#ifndef PTOOL_QUERY_SQL_VIEWS_H
#define PTOOL_QUERY_SQL_VIEWS_H

#include "query/sql_view.h"

/* The profiles :profiles, and what was recorded. */
extern const struct sql_view sql_view_info;

#endif
