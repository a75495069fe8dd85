/*
 * The filters of reading commands on device work: what they leave out is taken out of
 * the arrays, so that what is computed from them is of the rest.
 */
#ifndef PTOOL_QUERY_WORK_FILTER_H
#define PTOOL_QUERY_WORK_FILTER_H

#include "query/device_work.h"
#include "query/filter.h"
#include "query/step_bounds.h"

/* Its number, also where the trace spells it "stream 7"; NUMBER_NONE: it has none. */
int64_t work_stream_number(const struct work_stream *stream);

/* ERR_USAGE for --thread and --cat, which device work does not have here. */
int work_filter_check(const struct filter *filter, struct err *err);

/*
 * Keeps the items that all filters want but --time.  Streams and devices stay at their
 * places, also those that have no item left.  Steps are those of `bounds`.  -1 with err
 * set when a regular expression takes too long.
 */
int work_filter_items(struct device_work *work, const struct text_pool *texts,
		      const struct step_bounds *bounds, const struct filter *filter,
		      struct err *err);
/* Cuts the items off at the ends of --time; takes out those outside it. */
void work_filter_times(struct device_work *work, const struct filter *filter);

#endif
