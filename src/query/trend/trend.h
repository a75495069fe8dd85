/*
 * ptool trend: the runs of a store in the order in which they were recorded, with what a
 * step of each took, and where that changed for good.
 */
#ifndef PTOOL_QUERY_TREND_H
#define PTOOL_QUERY_TREND_H

#include "query/scope.h"
#include "query/view.h"

/* What is followed over the runs. */
enum trend_column { TREND_STEP, TREND_BUSY, TREND_IDLE, TREND_PEAK, NTREND_COLUMNS };

/* Names for --column, by enum trend_column, NULL-terminated. */
extern const char *const trend_column_names[];

struct trend_request {
	enum trend_column column;
	struct view_request show;
};

extern const struct view trend_view;

/* Of all profiles of the scope, run by run.  ERR_EMPTY: none has steps. */
int trend_open(struct store *store, const struct scope *scope,
	       const struct trend_request *request, struct table **out, struct err *err);

#endif
