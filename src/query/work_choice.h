/*
 * Which pieces of device work a filter wants, and the numbers of their steps: what
 * --focus, --ignore, --stream, --device, --step, --time and --min-dur mean for tables
 * of single pieces.
 */
#ifndef PTOOL_QUERY_WORK_CHOICE_H
#define PTOOL_QUERY_WORK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/filter.h"
#include "query/scope.h"

struct work_choice {
	const struct filter *filter; /* borrowed */
	int64_t *step_ids, *steps;   /* owned; by id: step.id and its N */
	size_t nsteps, ids_cap, steps_cap;
};

/* What is asked about; device and stream are NUMBER_NONE for work of the host. */
struct work_piece {
	struct str name;
	int64_t device, stream, step_id, start_ns, dur_ns;
};

/* ERR_USAGE for --cat and --thread, of which device work has none to choose from. */
int work_choice_check(const struct filter *filter, struct err *err);

/* The filter is borrowed; work_choice_close() in both cases. */
int work_choice_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, struct work_choice *out,
		     struct err *err);
/* Accepts a zeroed one. */
void work_choice_close(struct work_choice *c);

/* 1, 0, or -1 with err set. */
int work_choice_wants(const struct work_choice *c, const struct work_piece *piece,
		      struct err *err);
/* The step's N; false when step_id is none. */
bool work_choice_step(const struct work_choice *c, int64_t step_id, int64_t *number);

#endif
