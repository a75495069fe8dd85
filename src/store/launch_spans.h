/*
 * For many labels over the work of many devices: from its first start to its last end,
 * each device apart, what was launched in each label.  The time grows with the labels
 * and the work, and with the logarithm of the work: not with labels times devices.
 */
#ifndef PTOOL_STORE_LAUNCH_SPANS_H
#define PTOOL_STORE_LAUNCH_SPANS_H

#include "store/model.h"

/* A label asks for the work whose launches are the rows from its own to an end. */
struct span_query {
	uint32_t row;               /* of the label */
	uint32_t label, next;       /* the caller's; launch_spans_ask()'s */
	int64_t launches;           /* from here on: the answer */
	int64_t device_ns, span_ns; /* durations, and spans of the devices, added up */
};

/* Device of a row of device work, as the summaries tell devices apart. */
int64_t device_of_work(const struct model *m, uint32_t row);

/* Works, all of one track's launches, are sorted by launch; queries are of that track. */
void launch_spans_ask(const struct model *m, uint32_t *works, size_t nworks,
		      struct span_query *queries, size_t nqueries);

#endif
