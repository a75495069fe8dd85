/*
 * The sums of some rows of a profile, for its summaries: what one thread does.
 */
#ifndef PTOOL_STORE_SUMMING_H
#define PTOOL_STORE_SUMMING_H

#include "store/steps.h"
#include "store/summary.h"
#include "trace/op_pass.h"
#include "trace/opstack.h"

struct summing {
	const struct model *m; /* borrowed */
	struct summary *out;   /* borrowed */
	struct op_pass pass;
	struct opstack stacks;
	bool has_stacks;
	struct op_event *events; /* owned */
	size_t events_cap;
	size_t next_charge; /* the first one of the newest row or behind it */
	struct step_cursor steps;
	size_t first, end; /* rows: all, unless the caller sets others */
};

/* Empties `out`, too. */
void summing_init(struct summing *s, const struct model *m, struct summary *out);
/* All but what it summed up. */
void summing_release(struct summing *s);
/* What all rows say of stacks and memory; sets has_stacks. */
void summing_prepare(struct summing *s);
/* Adds the rows from `first` to `end`. */
void summing_rows(struct summing *s);
/* Adds what no row of a call says: memory outside operators, rows of printed tables. */
void summing_rest(struct summing *s);

/* Groups that are one in another grain: the sums so far, without their histograms. */
void summing_copy_groups(struct opstats *into, const struct opstats *from, bool by_name);

/* Instants are no calls; memory events may be in the tree. */
static inline bool summing_is_event(const struct slice_rec *slice)
{
	return slice->phase != PHASE_INSTANT || slice->class == CLASS_MEMORY;
}

/* Without its device time. */
static inline struct op_event summing_event(const struct slice_rec *slice, uint32_t row)
{
	return (struct op_event){ .ts_ns = slice->ts_ns,
				  .dur_ns = slice->dur_ns,
				  .row = row,
				  .name = slice->name,
				  .class = slice->class,
				  .unfinished = slice->unfinished };
}

/*
 * The later one of a time and the slice's end.  What is kept although it was open at the
 * recording's end lasts longer, but nothing lies in it.
 */
static inline int64_t summing_reach(const struct slice_rec *slice, int64_t reach_ns)
{
	return slice_end(slice) > reach_ns ? slice_end(slice) : reach_ns;
}

#endif
