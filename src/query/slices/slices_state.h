/*
 * What struct slices is made of: for slices.c and slices_open.c alone.
 */
#ifndef PTOOL_QUERY_SLICES_STATE_H
#define PTOOL_QUERY_SLICES_STATE_H

#include "base/arena.h"
#include "query/slices/slices.h"
#include "query/steps/step_numbers.h"
#include "query/text_pool.h"

struct sqlite3_stmt;

struct slices_state {
	struct slices public;
	const struct scope *scope;
	const struct filter *filter; /* NULL: everything is wanted */
	struct arena arena;
	struct sqlite3_stmt *rows;
	struct text_pool texts;
	struct step_numbers steps;
	size_t tracks_cap, classes_cap;
	const char **classes; /* owned; by number */
	size_t nclasses;
	bool has_device;
	int64_t device; /* of the newest track of a device, when has_device */
	/* owned, by text id, NULL without such a filter */
	uint8_t *name_verdicts, *category_verdicts;
};

#endif
