/* Which of the series that were loaded count: those that may be added up. */
#ifndef PTOOL_QUERY_SAMPLE_CHOOSE_H
#define PTOOL_QUERY_SAMPLE_CHOOSE_H

#include "query/samples/sample_set.h"

/* -1 with ERR_USAGE: something is chosen of samples, and there are none. */
int sample_choice_check(const struct sample_choice *choice, const struct scope *scope,
			struct err *err);

/*
 * Sets is_chosen of the series of one kind (unit, measure and mode) that `choice` leaves: of
 * the default one if there is one.  The set's unit, decimals, nchosen and others are told.
 * 0, or -1: ERR_EMPTY when no series is left.
 */
int sample_choose(struct sample_set *set, const struct sample_choice *choice,
		  struct err *err);

#endif
