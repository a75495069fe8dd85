/*
 * The summaries of a profile, from its rows: the operator table in three grains
 * and the table of annotations.  Commands read these instead of millions of
 * slices.
 */
#ifndef PTOOL_STORE_SUMMARY_H
#define PTOOL_STORE_SUMMARY_H

#include "store/model.h"
#include "store/opstat.h"

struct annotation_stat {
	uint32_t step; /* index, or ROW_NONE */
	uint32_t name;
	int64_t first_ts_ns, calls, host_ns, device_ns, device_span_ns, launches;
};

struct summary {
	struct opstats names; /* by name: op_stat grain 0 */
	struct opstats full;  /* by name, shapes, stack, overload: grain 1 */
	struct opstats steps; /* by step and name: grain 2 */
	struct annotation_stat *annotations; /* owned */
	size_t nannotations, annotations_cap;
};

/* Behind link_rows().  summary_release() frees. */
void summary_make(const struct model *m, struct summary *out);
void summary_release(struct summary *s);

/* annotation.c: the table of annotations. */
struct op_pass;
void summary_annotations(const struct model *m, struct op_pass *pass, struct summary *s);

#endif
