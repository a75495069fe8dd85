/*
 * ptool list of sampled stacks: the samples in order where the file has one, else the
 * stacks, the heaviest first.
 */
#ifndef PTOOL_QUERY_SAMPLE_LIST_H
#define PTOOL_QUERY_SAMPLE_LIST_H

#include "query/filter.h"
#include "query/view.h"

extern const struct view sample_list_view;

/* `show`: its limit and for_people.  --focus and --ignore mean any function of a stack. */
int sample_list_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, const struct view_request *show,
		     struct table **out, struct err *err);

#endif
