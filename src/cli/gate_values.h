/* The numbers of a budget: a view of each run, and what the budget makes of its rows. */
#ifndef PTOOL_CLI_GATE_VALUES_H
#define PTOOL_CLI_GATE_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "cli/diff_sides.h"
#include "cli/gate_budget.h"

/* A row of a view: what tells it apart, its step, and the number. */
struct gate_row {
	const char *key, *step; /* in the arena; step NULL: it has none */
	const char *whole_key;  /* likewise: with what tells apart rows of one key */
	int64_t line;           /* of code; NUMBER_NONE */
	double value;
};

struct gate_run {
	struct gate_row *rows; /* owned */
	size_t n, cap;
	uint32_t *by_key;  /* owned: places of the rows by key; NULL: not asked for */
	const char *lacks; /* in the arena: why it has none; NULL: it has */
};

struct gate_runs {
	struct gate_run *items; /* owned; one for each run of a side */
	size_t n;
	const char *column; /* in the arena; its whole name; NULL: no run has rows */
	enum unit unit;
	struct arena arena;
};

/*
 * Of the runs of a side.  What a recording lacks is no error; -1 with err set, and the run
 * that it is about in *culprit, or NULL.  gate_runs_release() in both cases.
 */
int gate_runs_load(const struct budget *b, const struct diff_run *runs, size_t n,
		   struct gate_runs *out, const char **culprit, struct err *err);
void gate_runs_release(struct gate_runs *r);

/*
 * Makes by_key of all runs of `n` sides, which gate_run_find() needs.  Rows of one key are
 * numbered by their lines where their code moved as one, else they take their whole keys.
 * NULL, or a key that two rows of a run have even so.
 */
const char *gate_runs_index(struct gate_runs *sides, size_t n);
/* The row of that key; NULL: the run has none. */
const struct gate_row *gate_run_find(const struct gate_run *run, const char *key);

#endif
