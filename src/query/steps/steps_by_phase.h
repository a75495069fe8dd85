/*
 * Steps added up by what they are for: `ptool steps --by phase`.  A row for each profile
 * and phase that the annotations of its steps tell (prefill, decode, ...), and one for the
 * steps that tell none.
 */
#ifndef PTOOL_QUERY_STEPS_BY_PHASE_H
#define PTOOL_QUERY_STEPS_BY_PHASE_H

#include "query/kernels/kernel_family.h"
#include "query/steps/steps.h"
#include "query/text_pool.h"

/* Nanoseconds and counts are sums over its steps; NUMBER_NONE: nothing tells them. */
struct phase_row {
	const struct scope_profile *profile;
	enum engine_phase phase;
	int64_t steps, total_ns;
	int64_t requests, request_steps; /* and how many steps tell them */
	int64_t tokens;
	int64_t made, made_ns;        /* what token_ns is of, and the time of its steps */
	int64_t busy_ns, possible_ns; /* of all devices */
	int64_t work_ns;              /* launched by its steps */
	int64_t family_ns[NKERNEL_FAMILIES];
};

struct by_phase {
	struct text_pool texts;
	uint8_t *families; /* owned; by text: family + 1 */
	size_t families_cap;
	struct phase_row *rows; /* owned */
	size_t nrows, rows_cap;
	bool lacks_work; /* a profile with device work, of which nothing tells the steps */
};

/* Reads what the steps launched; by_phase_release() in both cases. */
int by_phase_load(struct store *store, const struct steps *steps, struct by_phase *b,
		  struct err *err);
void by_phase_release(struct by_phase *b);

extern const struct view steps_by_phase_view;

/* For steps_open(), in place of steps_table(); all devices are added up.  Moves the steps. */
int steps_by_phase_table(struct store *store, const struct scope *scope, struct steps *s,
			 const struct steps_request *request, struct table **out,
			 struct err *err);

#endif
