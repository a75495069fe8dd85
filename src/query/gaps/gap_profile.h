/*
 * All that is known of the idle time of one profile's devices, and which of it counts.
 */
#ifndef PTOOL_QUERY_GAP_PROFILE_H
#define PTOOL_QUERY_GAP_PROFILE_H

#include "query/gaps/gap_ranks.h"
#include "query/gaps/gap_read.h"
#include "query/gaps/gap_table.h"

/* What counts of one device. */
struct gap_total {
	int64_t idle_ns, span_ns; /* in the windows, within --time and --step */
	int64_t stepped_ns;       /* idle in steps, of idle_ns */
	int64_t outside_ns;       /* between its work but in no window; 0 with a filter */
	int64_t gaps;             /* that have a part there */
	int64_t steps;            /* likewise */
	bool is_wanted;           /* by --device */
};

struct gap_profile {
	const struct scope_profile *profile;
	const struct filter *filter; /* NULL: none */
	struct text_pool *texts;     /* borrowed */
	struct device_work work;
	struct gap_range range;
	struct gap_blame blame;
	struct gap_roots roots;
	bool has_roots;           /* they are charged */
	bool has_others_work;     /* `work` is borrowed */
	struct gap_total *totals; /* owned; by device */
};

/*
 * The blame of every device, checked: what is charged of each device, of each step and
 * of the range that is asked for adds up to the idle time that the union of its work
 * leaves there.  gap_profile_release() in both cases.
 */
int gap_profile_load(struct store *store, const struct scope_profile *profile,
		     const struct gap_table_request *request, struct gap_ranks *ranks,
		     struct gap_profile *out, struct err *err);
/* The same of out->profile, whose work is there, with its launches; borrowed. */
int gap_profile_make(struct store *store, const struct device_work *work,
		     const struct gap_table_request *request, struct gap_ranks *ranks,
		     struct gap_profile *out, struct err *err);
void gap_profile_release(struct gap_profile *p);

/* By --device, --stream and --min-dur. */
bool gap_profile_wants(const struct gap_profile *p, const struct gap *gap);
/* The place of its stream; behind all of them for the gap after the last work. */
uint32_t gap_stream_of(const struct gap_profile *p, const struct gap *gap);
/*
 * What an amount of a gap, in that step or GAP_NO_STEP, is grouped by: a cause, a text, or
 * a place among the steps or streams; behind them where there is none.
 */
uint32_t gap_key_of(const struct gap_profile *p, enum gap_by by, const struct gap *gap,
		    const struct gap_amount *amount, size_t step);
/* Of what is charged with that key, and to roots when they are charged. */
void gap_profile_read(const struct gap_profile *p, enum gap_key key,
		      struct gap_reader *out);
/* By --focus and --ignore, of what is charged: 1, 0, or -1 with err set. */
int gap_profile_wants_blamed(const struct gap_profile *p, uint32_t blamed,
			     struct err *err);

#endif
