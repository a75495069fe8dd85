/*
 * A gate: the budgets of a file, judged by runs that are new and those of baselines.
 *
 *	gate_load(&gate, &plan, err);      numbers of all runs, and the verdicts
 *	gate_table(&gate, for_people);     as a table
 *	gate_release(&gate);
 */
#ifndef PTOOL_CLI_GATE_H
#define PTOOL_CLI_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/memtable.h"
#include "cli/diff_sides.h"
#include "cli/gate_budget.h"
#include "cli/output.h"
#include "query/gate/gate.h"
#include "query/view.h"

/* Runs that budgets are against, under one name. */
struct gate_base {
	const char *name;        /* borrowed */
	struct diff_sides sides; /* its base */
};

/* A number that is judged. */
struct gate_line {
	const struct budget *budget;
	const char *row; /* NULL: the budget's one number */
	struct gate_trial trial;
	double *values[NDIFF_SIDES]; /* owned */
	struct gate_result result;
	enum gate_verdict verdict; /* of a budget of each row: of all of them */
	bool is_whole;             /* such a budget's own line: it has no number */
	bool is_shown;             /* rows that pass are not */
	bool is_by_steps;   /* values are of steps of one run a side, not of runs */
	const char *why;    /* in the arena; what else there is to say; or NULL */
	const char *column; /* in the arena; NULL: not known */
	enum unit unit;
	size_t runs_needed;
};

struct gate_plan {
	const char *command;
	const struct diff_sides *new_side; /* its base; none with is_power */
	const char *directory;             /* of baselines; NULL: the default */
	double alpha;
	bool within_run, is_power, is_quiet;
};

struct gate {
	const struct gate_plan *plan; /* borrowed */
	struct budgets budgets;
	struct gate_base *bases; /* owned */
	size_t nbases;
	struct gate_line *lines; /* owned; in the order of the file */
	size_t n, cap;
	struct u_distribution exact; /* of the trials */
	enum gate_verdict verdict;   /* of all */
	const char *culprit;         /* of a failure: in the arena, or NULL */
	struct arena arena;
};

/* 0, or -1 with err set.  gate_release() in both cases. */
int gate_load(struct gate *g, const char *path, const struct gate_plan *plan,
	      struct err *err);
void gate_release(struct gate *g);

/* gate_words.c */
const char *gate_verdict_name(enum gate_verdict verdict);
/* Does it count?  Not where it is acknowledged, and that is still so. */
bool gate_line_counts(const struct gate_line *line);
/* A number of the line, "182.3 ms"; in the arena. */
const char *gate_amount_text(const struct gate_line *line, double value,
			     struct arena *arena);
/* "+11.7% (95% CI +8.8% to +14.6%), p = 0.0003, 8 v 8 runs": in the arena. */
const char *gate_line_text(const struct gate_line *line, struct arena *arena);
/* "gate failed: step time": in the arena. */
const char *gate_headline(const struct gate *g, struct arena *arena);

/* gate_view.c, gate_power_view.c */
extern const struct view gate_view, gate_power_view;
struct memtable *gate_table(const struct gate *g, bool for_people);
/* What the gate sees: of new sides of `nnew` runs, 0: as many as each baseline has. */
struct memtable *gate_power_table(const struct gate *g, size_t nnew, bool for_people);

/* gate_report.c: 0, or -1 with err set. */
int gate_write_junit(const struct gate *g, const char *path, struct err *err);
int gate_write_verdict(const struct gate *g, const char *path, struct err *err);
/*
 * GitHub Actions takes each line of standard output that begins with :: for a command,
 * after blanks too, as those of a table whose names do.  Between these two lines it obeys
 * only the second one, whose token nobody can guess.
 */
struct gate_token {
	char text[sizeof("ptool-0123456789abcdef")];
};
int gate_stop_commands(struct gate_token *t, struct err *err);
void gate_resume_commands(const struct gate_token *t);
/* Annotations of GitHub Actions, on standard output. */
void gate_annotate(const struct gate *g, const char *path);
/* The step summary, in Markdown, at the end of $GITHUB_STEP_SUMMARY; without it, nothing. */
int gate_write_summary(const struct gate *g, struct err *err);

#endif
