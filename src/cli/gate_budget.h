/*
 * ptool.budget: what a recording may cost, a section a number.
 *
 *	[step time]
 *	view = steps
 *	column = total_ns
 *	stat = median
 *	against = main
 *	tolerance = 3 %
 *
 * Any key that is none of a budget's own is an option of the view's command.
 */
#ifndef PTOOL_CLI_GATE_BUDGET_H
#define PTOOL_CLI_GATE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/ini.h"
#include "base/table.h"
#include "cli/command.h"
#include "query/gate/gate.h"

#define BUDGET_FILE "ptool.budget"

/* "180 ms": in ns, bytes, percent; a number without a unit is a count. */
struct budget_amount {
	double value;
	enum unit unit;
	int line; /* 0: not given */
};

struct budget {
	const char *name;
	int line; /* of the section */
	const struct command *view;
	char **options; /* owned: words for its parser, which reorders them */
	int noptions;
	const char *rank, *profile; /* of the profiles; NULL: all */
	const char *column; /* as in machine formats, without the unit it may have */
	int column_line;
	const struct gate_stat *stat; /* NULL: each row for itself */
	struct budget_amount max, min;
	const char *against; /* a baseline, a store or a pattern; NULL: max or min */
	double tolerance;
	bool is_in_noise;           /* the tolerance is deviations, not percent */
	bool higher_is_better;      /* a smaller number is worse */
	const char *reason, *until; /* acknowledged; NULL: not; until is "2026-12-31" */
	bool is_expired;
};

struct budgets {
	struct budget *items; /* owned */
	size_t n, cap;
	struct ini ini; /* of the texts */
	int line;       /* of a failure; 0: none of the file's */
};

/* 0, or -1 with err set.  budgets_release() in both cases. */
int budgets_read(const char *path, struct budgets *out, struct err *err);
void budgets_release(struct budgets *b);

/* An ERR_USAGE when the limit is not in the column's unit; in *value it is. */
int budget_limit(const struct budget_amount *amount, const char *column, enum unit unit,
		 double *value, struct err *err);

/* gate_budget_words.c */
int budget_read_amount(const char *text, struct budget_amount *out, struct err *err);
/* "3 %", "2 sigma". */
int budget_read_tolerance(const char *text, double *out, bool *is_in_noise,
			  struct err *err);
/* "REASON until 2026-12-31"; the texts are in the arena. */
int budget_read_reason(const char *text, struct arena *arena, struct budget *out,
		       struct err *err);

#endif
