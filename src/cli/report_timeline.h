/* The tab of `ptool report` that shows every slice over time, and its options. */
#ifndef PTOOL_CLI_REPORT_TIMELINE_H
#define PTOOL_CLI_REPORT_TIMELINE_H

#include "base/err.h"
#include "cli/opt.h"

struct report_making;

struct report_timeline_opts {
	int64_t max_slices;              /* 0: all */
	const char *step, *phase, *time; /* NULL: not given */
};

/* The row in the command's list of groups; and the member's initialiser. */
/* clang-format off */
#define REPORT_TIMELINE_GROUP(type, member) { "Timeline", report_timeline_options, offsetof(type, member), false }
#define REPORT_TIMELINE_DEFAULTS { .max_slices = TIMELINE_MOST_SLICES }
/* clang-format on */
extern const struct opt report_timeline_options[];

/* ERR_USAGE when --step or --time is wrong: to be asked before a store is opened. */
int report_timeline_check(const struct report_timeline_opts *o, struct err *err);
/* The first of --step, --phase and --time that was given, or NULL. */
const char *report_timeline_given(const struct report_timeline_opts *o);
/* Adds it to the tab that was begun last.  0, or -1 with err set. */
int report_timeline(struct report_making *m, struct err *err);

#endif
