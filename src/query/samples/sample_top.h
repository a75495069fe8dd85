/* The functions of sampled stacks as a view: what each weighs. */
#ifndef PTOOL_QUERY_SAMPLE_TOP_H
#define PTOOL_QUERY_SAMPLE_TOP_H

#include "query/filter.h"
#include "query/view.h"

extern const struct view sample_view;

/*
 * `show`: of sample_view; `asked` may have TOP_LINE, TOP_FILE and
 * TOP_SPLIT(TOP_BY_THREAD); sort NULL: self.  --focus and --ignore mean names of rows.
 * 0 and *out, or -1: ERR_EMPTY when none matches.
 */
int sample_top_open(struct store *store, const struct scope *scope,
		    const struct filter *filter, const struct view_request *show,
		    struct table **out, struct err *err);

#endif
