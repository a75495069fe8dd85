/*
 * Where the time of the headline went, as parts that add up to it: on a device what it
 * computed, what it communicated and copied while it computed nothing, and idle; without
 * device work what the host did.  The parts are those of ptool steps, within the host's
 * bounds of a step.
 */
#ifndef PTOOL_QUERY_DIFF_ACCOUNT_H
#define PTOOL_QUERY_DIFF_ACCOUNT_H

#include "query/diff/diff.h"
#include "query/diff/diff_steps.h"
#include "query/summary/summary.h"

#define DIFF_PARTS_MAX 8

struct diff_account {
	size_t n;                          /* parts; 0: there is nothing to account for */
	const char *names[DIFF_PARTS_MAX]; /* static */
	/* By side, like its headline; they add up to diff_side.subject. */
	int64_t ns[NDIFF_SIDES][DIFF_PARTS_MAX];
	bool of_device;   /* of several devices of a profile: their mean */
	bool is_left_out; /* there are none, as slices that tell them were left out */
};

/*
 * ERR_INPUT when a store does not fit together.  Without slices the parts are those of the
 * store's summaries; where it has none of these steps, or of what the host did outside of
 * steps, there is no accounting.
 */
int diff_account_make(const struct diff *d, struct diff_account *out, struct err *err);

/*
 * By how much more devices worked, or were idle: what rows of device work add up to is more
 * than this where devices or streams work at once.  0: that is not known.
 */
int64_t diff_account_delta(const struct diff_account *a, bool is_idle);

/* A profile whose slices were left out; all borrowed. */
struct diff_account_of {
	struct summary_reader *reader; /* of its store; has the texts */
	const struct scope_profile *profile;
	const struct diff_steps *steps; /* NULL: all of the recording, on devices */
};

/* The first range of the profile, or of one behind it. */
size_t diff_account_range(const struct diff_steps *s, int64_t profile_id);

/* Adds its parts to `sums`.  ERR_EMPTY: its summaries do not have them. */
int diff_account_stored(const struct diff_account_of *of, bool of_device, int64_t *sums,
			struct err *err);

/* parts[i] / units each, rounded so that they add up to their sum / units, rounded. */
void diff_account_divide(int64_t *parts, size_t n, int64_t units);

#endif
