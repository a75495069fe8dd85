/*
 * The summaries of a profile, from its rows: the operator table in three grains
 * and the table of annotations.  Commands read these instead of millions of
 * slices.
 */
#ifndef PTOOL_STORE_SUMMARY_H
#define PTOOL_STORE_SUMMARY_H

#include "store/model.h"
#include "trace/opstat.h"

struct annotation_stat {
	uint32_t step; /* index, or ROW_NONE */
	uint32_t name;
	int64_t first_ts_ns, calls, host_ns, device_ns, device_span_ns, launches;
	/*
	 * While it is made: the end of the newest outermost call of its name in any step, and
	 * where that was, in the row of the name that came first.
	 */
	int64_t until_ns;
	uint32_t track, first;
};

/* op_stat.grain: by name; by name, shapes, stack and overload; by step and name. */
enum grain { GRAIN_NAMES, GRAIN_FULL, GRAIN_STEPS, NGRAINS };

struct summary {
	/* Grains of the same groups are one: ask summary_grain().  GRAIN_FULL has histograms. */
	struct opstats stats[NGRAINS];
	bool has_steps; /* a group has a step: names have groups of their own */
	bool is_split;  /* groups of steps and of details differ: likewise */
	struct annotation_stat *annotations; /* owned */
	size_t nannotations, annotations_cap;
	struct spill *spill; /* borrowed: the model's, which outlives it */
};

/* Behind link_rows().  summary_release() frees. */
void summary_make(const struct model *m, struct summary *out);

/*
 * The same by up to so many threads: summary_part() once for each of the parts, by any
 * thread, between the two others.  What comes out is the same for any number of them.
 */
struct summing_up *summary_begin(const struct model *m, unsigned threads,
				 struct summary *out);
size_t summary_parts(const struct summing_up *u);
void summary_part(struct summing_up *u, size_t i);
void summary_end(struct summing_up *u);
void summary_release(struct summary *s);

static inline const struct opstats *summary_grain(const struct summary *s,
						  enum grain grain)
{
	if (grain == GRAIN_NAMES && !s->has_steps)
		grain = GRAIN_STEPS;
	if (grain == GRAIN_STEPS && !s->is_split)
		grain = GRAIN_FULL;
	return &s->stats[grain];
}

/*
 * annotation.c: the table of annotations.  What was launched where is found out first,
 * which any thread can do behind link_rows(); the second one frees it.
 */
struct op_pass;
struct launched;
struct launched *launched_make(const struct model *m);
void summary_annotations(struct launched *l, struct op_pass *pass, struct summary *s);

#endif
