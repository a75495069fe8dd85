/*
 * Steps of a scope's profiles as rows: what `ptool steps` shows.  One for each
 * (profile, device, step), and the means; profiles are never added up.  A profile may
 * have many steps and many devices, so that no row is kept: what a step took is kept
 * once, what a device did as its intervals, and steps_row() makes the row of both.
 */
#ifndef PTOOL_QUERY_STEPS_H
#define PTOOL_QUERY_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "base/intern.h"
#include "base/memtable.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/steps/step_parts.h"
#include "query/steps/step_phases.h"
#include "query/summary/summary.h"
#include "query/view.h"

/* Nanoseconds of a row; the members of each group but the last add up to the total. */
enum step_value {
	VALUE_TOTAL,
	VALUE_HOST,     /* the host's range, whatever the bounds */
	VALUE_CATEGORY, /* NSTEP_CATEGORIES */
	VALUE_DEVICE_VIEW = VALUE_CATEGORY + NSTEP_CATEGORIES, /* NDEVICE_VIEWS, and */
	VALUE_IDLE = VALUE_DEVICE_VIEW + NDEVICE_VIEWS,        /*   what is left */
	VALUE_PHASE = VALUE_IDLE + 1,                          /* NSTEP_PHASES */
	VALUE_DEVICE_PHASE = VALUE_PHASE + NSTEP_PHASES,       /* NSTEP_PHASES: no sum */
	NSTEP_VALUES = VALUE_DEVICE_PHASE + NSTEP_PHASES
};

/* How a step compares with the others that it has a mean with. */
struct step_mark {
	int64_t above_ns;      /* of the host's range over the median, when is_long */
	int64_t grew_ns;       /* of `grew` over its own median */
	int64_t grew_slice_ns; /* of `grew_slice` over its mean in steps that are not long */
	int64_t grew_unrecorded_ns; /* likewise of the time that is in no slice */
	const char *grew_slice;     /* when is_long; in the texts; NULL: none */
	enum step_category grew;    /* when is_long: the category that did most */
	bool is_looked; /* of a stored summary, when is_long: SPENT_MOST was not reached */
	bool is_long;   /* 10 % and 5 median deviations above the median of its group */
	bool is_hidden; /* the filter does not want it; in the median, not in the mean */
};

struct step_row {
	const struct scope_profile *profile; /* NULL: a mean over several profiles */
	int64_t rank;                        /* when has_rank */
	int64_t number;                      /* of the step, unless it is a mean */
	int64_t start_ns;                    /* likewise */
	int64_t device;                      /* when has_device; or NUMBER_NONE: then */
	const char *device_name;             /*   this text; else NULL */
	int64_t host_start_ns, host_end_ns;  /* unless it is a mean */
	struct step_told told;               /* likewise */
	int64_t nwork; /* device work of the step, on all devices: step_bounds.h */
	int64_t nmean; /* of how many steps it is the mean */
	int64_t values[NSTEP_VALUES];
	const char *sources[NSTEP_PHASES]; /* what tells the phases; NULL: nothing does */
	struct step_mark mark;             /* zeroed of a mean */
	enum step_bounds_by bounds;
	bool has_rank, has_device;
	bool has_work; /* its profile has device work */
	bool is_first; /* of the first device that is shown of its profile */
	bool is_mean, is_file, is_single;
	bool is_windowed; /* it is not the host's range, but no bounds were asked for */
	bool is_dropped;  /* by the plugin's rule: not in the mean */
};

struct steps_request {
	const struct filter *filter; /* of --step and --device alone */
	enum step_bounds_by bounds;  /* of phases always the host's */
	enum axis axis;              /* when by_axis: steps_by_axis.h */
	bool by_axis;
	bool by_phase; /* steps_by_phase.h: of annotations, which the next are not */
	bool phases;
	bool both;                /* phases, and devices too: rows have all values */
	struct view_request show; /* `asked`: steps_columns() of `phases` */
};

/* What is the same for all devices of a profile. */
struct steps_profile {
	const struct scope_profile *profile;
	size_t group;   /* rows of one group have a mean together, each device apart */
	bool is_stored; /* read from a summary, with what its slices tell of long steps */
	bool is_file;   /* the whole file is its only step */
	bool has_work;
	int64_t launches; /* without work: calls that launched some, and ran it */
	struct step_bounds bounds;
	int64_t (*categories)[NSTEP_CATEGORIES]; /* owned; by step, of all devices */
	struct step_phases phases;               /* when they were asked for */
	size_t *shown; /* owned; the steps that the filter wants */
	size_t nshown;
	size_t first_series;
	/*
	 * In steps.marks: of each step, whatever the device; of a file's step one for
	 * each device, for it is compared with files that have that device.
	 */
	size_t first_mark;
};

/* The rows of a device, or of a profile without any. */
struct step_series {
	size_t profile;          /* in steps.profiles */
	int64_t device;          /* when has_device, as in struct step_row */
	const char *device_name; /* in the texts */
	size_t place;            /* of the device among those of its group */
	struct device_parts parts;
	int64_t (*views)
		[NDEVICE_VIEWS]; /* of a stored one, by step, in their place; owned */
	struct step_row mean;    /* when has_mean */
	bool has_device, has_mean;
};

extern const struct view steps_view;
/* Bits for struct view_request's `asked`. */
unsigned steps_columns(bool by_phase);

struct steps {
	struct steps_profile *profiles; /* owned, as the others */
	size_t nprofiles, profiles_cap;
	struct step_series *series; /* by (profile, device) */
	size_t nseries, series_cap;
	struct step_mark *marks;
	size_t nmarks, marks_cap;
	enum step_bounds_by bounds;
	bool has_phases;
	bool has_single;   /* a profile without steps */
	bool has_empty;    /* one whose last step was left out: nothing began in it */
	bool has_unnamed;  /* long steps whose slice nobody looked for: SPENT_MOST */
	size_t nlaunching; /* profiles that are shown and launched, but lack device work */
	struct idmap files;  /* files that are a step each, by rank: places in profiles */
	struct intern texts; /* each once, for steps and devices may be many */
};

/* All profiles with their means and marks; steps_release() in both cases. */
int steps_load(struct store *store, const struct scope *scope,
	       const struct steps_request *request, struct steps *out, struct err *err);
/* The same for who has a reader open, over many scopes. */
int steps_load_from(struct summary_reader *reader, const struct scope *scope,
		    const struct steps_request *request, struct steps *out,
		    struct err *err);
void steps_release(struct steps *s);

/*
 * One profile, whose work has its launches, behind those that are there; rows of one
 * group have a mean together.  For who has the work already.
 */
int steps_add_profile(const struct step_source *from, const struct device_work *work,
		      const struct steps_request *request, size_t group,
		      struct steps *out, struct err *err);
/* Calls that launched device work, and ran it, in a profile with slices and without any. */
int step_launches(struct store *store, const struct scope_profile *profile, int64_t *n,
		  struct err *err);
/* Marks the long steps and makes the means, once all are there. */
void steps_sum_up(struct steps *s);
/*
 * step_growth.c, after that: which slice made a long step long.  Of what the host did in
 * it, the name whose self time grew most over its mean in the steps of the same group that
 * are not long; sets grew_slice, grew_slice_ns and grew_unrecorded_ns.  The thread of the
 * step's own slice counts; where its time in no slice grew more than any name there, a
 * name that grew more on the other threads (those of a backward pass).  Reads nothing when
 * no step is long.
 */
int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err);

/*
 * steps_stored.c: the same from the rows of a profile in step_part: 1, 0 when it has none
 * and nothing was added, or -1 with err set.
 */
int steps_add_stored(struct summary_reader *reader, const struct step_source *from,
		     const struct steps_request *request, size_t group, struct steps *out,
		     struct err *err);
/* For that, of steps_add_profile(): the series are there from first_series on; moves p. */
void steps_keep_profile(struct steps *s, struct steps_profile *p,
			const struct filter *filter);

/* A copy that lives as long as the steps; NULL for a cell without text. */
const char *steps_keep_text(struct steps *s, struct cell text);

/* Accepts one that was moved. */
void steps_profile_release(struct steps_profile *p);

/*
 * A row's place: of a series the steps that the filter wants, then the mean; the means
 * over several profiles stand behind all others.  Zeroed it is before the first.
 */
struct steps_at {
	size_t series;
	size_t row; /* from 1 on; behind the last step the mean */
	bool of_files;
};

/* Goes on to the next row; false behind the last. */
bool steps_next(const struct steps *s, struct steps_at *at);
bool steps_at_mean(const struct steps *s, const struct steps_at *at);
void steps_row(const struct steps *s, const struct steps_at *at, struct step_row *out);
/* Of any step of the series, or its mean. */
void steps_make_row(const struct steps *s, const struct step_series *series, size_t step,
		    struct step_row *out);
/* Of that its total, the host's or a category's. */
int64_t steps_value(const struct steps_profile *p, size_t step, enum step_value value);
/* The place of its mark. */
size_t steps_mark(const struct steps *s, const struct step_series *series, size_t step);
/*
 * Steps times devices of which there are rows, each for itself, of one profile
 * (ptool-formats(5), LIMITS).
 */
#define STEPS_ROWS_MOST 2000000
/* How many rows steps_next() goes through. */
int64_t steps_count_rows(const struct steps *s);
/* May so many of them be made?  -1 with err set when a profile alone has too many. */
int steps_check_rows(const struct steps *s, int64_t nrows, struct err *err);

/* What all devices of a profile did in steps, added up. */
struct steps_times {
	int64_t busy_ns, total_ns;
	int64_t n; /* steps times devices */
};
/* In the steps that `counts` says, by their place, without a row of each. */
struct steps_times steps_add_devices(const struct steps *s, const struct steps_profile *p,
				     const bool *counts);

/* The next mean from series *at on, which moves; NULL: there is none. */
const struct step_row *steps_next_mean(const struct steps *s, size_t *at);

/* The table, which table_free() frees; the steps are moved, also when -1 is returned. */
int steps_table(struct steps *s, const struct scope *scope,
		const struct steps_request *request, struct table **out, struct err *err);
/*
 * steps_notes.c, for that: of marks, of what the recording lacks and how to record it,
 * of what tells phases.
 */
void steps_add_notes(const struct steps *s, const struct scope *scope,
		     const struct steps_request *request, struct memtable *m);
/*
 * steps_curve.c, for that: of each profile with several steps a line above the table, the
 * shortest and the longest of them and a curve of all.
 */
void steps_add_curves(const struct steps *s, const struct scope *scope,
		      struct memtable *m);
/* "Kernel", "CPU Exec": as the TensorBoard plugin calls it. */
const char *steps_category_name(enum step_category category);

/*
 * All of it.  ERR_EMPTY when there is neither a step, an operator nor device work, or
 * when nothing passes the filter.
 */
int steps_open(struct store *store, const struct scope *scope,
	       const struct steps_request *request, struct table **out, struct err *err);

#endif
