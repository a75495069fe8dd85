/*
 * What the host spent the time of steps on: self time by name, of each long step and of
 * those that are not long together.  One pass over the threads of a profile, Python
 * frames included.  Nanoseconds.
 */
#ifndef PTOOL_QUERY_STEP_SPENT_H
#define PTOOL_QUERY_STEP_SPENT_H

#include "query/slices/slice_pack.h"
#include "query/steps/steps.h"

/*
 * So many times a slice may be counted in a step: slices that span all steps on thousands
 * of threads are more than can be looked at.
 */
#define SPENT_MOST 20000000

/* Names are counted from 1 here: 0 is time of a step that is in no slice. */
#define SPENT_IN_NO_SLICE 0U

struct open_slice {
	uint32_t name;
	int64_t end_ns;
};

/* A step as long as nothing else counts for it: until the next one begins. */
struct spent_window {
	size_t mark; /* in steps.marks */
	int64_t start_ns, end_ns;
	int64_t slice_id; /* of its ProfilerStep; 0: every thread has it */
};

/* Self time of a name in a long step, on one thread. */
struct spent {
	size_t mark;
	uint32_t name;
	bool is_own;
	int64_t ns;
};

struct step_spent {
	struct text_pool *texts;
	struct steps *steps;
	struct slice_walk walk;
	struct spent_window *windows; /* of the profile that is read; none overlap */
	int64_t *slices;              /* their slices, in order */
	size_t nwindows, windows_cap;
	size_t at;      /* the window that `now` is of */
	int64_t *now;   /* by name: self time in the window, on the thread */
	int64_t *usual; /* by 2 * name + is_own: in all steps that are not long */
	uint32_t *used; /* names that `now` has time of */
	size_t nused, used_cap, names_cap;
	struct open_slice *open; /* those around the moment, outermost first */
	size_t nopen, open_cap;
	int64_t reached_ns; /* of the thread all before it is counted */
	struct spent *spent;
	size_t nspent, spent_cap;
	int64_t nusual; /* steps that are not long */
	uint64_t ncounted;
	bool is_too_much; /* nothing more was counted: SPENT_MOST */
};

/*
 * Adds a profile.  Zeroed but for texts and steps, which are borrowed, it is empty.
 */
int step_spent_add(struct step_spent *g, struct store *store,
		   const struct steps_profile *p, struct err *err);
void step_spent_release(struct step_spent *g);

#endif
