/* What was recorded: the profiles of a scope with what is known of each. */
#ifndef PTOOL_QUERY_INFO_H
#define PTOOL_QUERY_INFO_H

#include "base/err.h"
#include "base/table.h"
#include "query/view.h"
#include "store/store.h"

extern const struct view info_view;

/*
 * A row for each profile; for people with notes on what was recorded, and below it how well the
 * devices were used.  `path`: the file that is read.
 */
int info_open(struct store *store, const struct scope *scope, const char *path,
	      bool for_people, struct table **out, struct err *err);

#endif
