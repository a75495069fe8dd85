/*
 * Device work, profile by profile: what commands about devices have in common.
 */
#ifndef PTOOL_QUERY_WORK_PROFILES_H
#define PTOOL_QUERY_WORK_PROFILES_H

#include "base/table.h"
#include "query/devices/device_properties.h"
#include "query/devices/device_work.h"
#include "query/filter.h"
#include "query/steps/step_bounds.h"
#include "query/summary/summary.h"

struct work_profile {
	struct store *store;
	const struct scope_profile *profile;
	const struct filter *filter;
	const struct text_pool *texts;
	/* With launches, of what the filter wants, --time aside: work_filter_times(). */
	struct device_work work;
	struct step_windows windows; /* of all work, wanted or not; and below */
	struct step_bounds bounds;   /* the TensorBoard plugin's, for its figures */
	/* kernel_loads() of all work, borrowed; NULL: who wants them reads them. */
	const struct kernel_load *loads;
	const struct device_properties_list *properties; /* likewise */
};

/*
 * Work, windows and bounds of p->profile; the members before `work` are set.
 * work_profile_release() in both cases.
 */
int work_profile_load(struct work_profile *p, struct text_pool *texts, struct err *err);
/* Accepts a zeroed one. */
void work_profile_release(struct work_profile *p);

struct work_visitor {
	/* 1 when it made something of it, 0 when not, -1 with err set. */
	int (*visit)(void *to, struct work_profile *p, struct err *err);
	void *to;
	/*
	 * Where a store has this summary of a profile, and nothing is filtered: likewise, of
	 * its rows, of which there is one at least.  NULL: work alone tells.
	 */
	const struct summary *summary;
	int (*visit_rows)(void *to, const struct scope_profile *profile,
			  const struct part_rows *rows, struct err *err);
};

/* All of a profile, for a summary: of work that is there; borrowed. */
int work_profile_of_summary(struct summary_source *from, struct work_profile *out,
			    struct err *err);
/* It borrows the work. */
void work_profile_release_summary(struct work_profile *p);

/*
 * In the order of the scope; profiles without device work are passed by.  ERR_EMPTY,
 * with what to do about it, when nothing was made of any.
 */
int work_profiles_visit(struct store *store, const struct scope *scope,
			const struct filter *filter, const struct work_visitor *visitor,
			struct err *err);

/* For rows: a number, or the text that stands for it where there is none. */
struct cell work_device_cell(const struct work_device *device);
struct cell work_stream_cell(const struct work_stream *stream);

#endif
