/*
 * Why nothing is left: the filter that nothing in the recording matches and what there
 * is instead, or what the recording lacks.
 */
#ifndef PTOOL_QUERY_FILTER_NOTHING_H
#define PTOOL_QUERY_FILTER_NOTHING_H

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"
#include "store/store.h"

/*
 * *err says that nothing matches (ERR_EMPTY).  Where one of the filters alone matches
 * nothing in the scope, it says which and what there is: "--step 99: there are steps
 * 5..10".  Otherwise, and when the store cannot be read, it stays as it is.
 */
void filter_explain(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct err *err);

/*
 * -1 with an ERR_EMPTY, where nothing was left without a filter: the recording has no
 * `what` ("operators"), and where it is of memory, which command shows it.
 */
int filter_lacks(const struct scope *scope, const char *what, struct err *err);

#endif
