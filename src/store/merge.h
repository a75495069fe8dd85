/*
 * One store of many (fleet.h), all or nothing, as one ingest of all their inputs would have
 * made it: one run, profiles in the order of their inputs, texts numbered anew.
 */
#ifndef PTOOL_STORE_MERGE_H
#define PTOOL_STORE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/fleet.h"
#include "store/import.h"
#include "store/merge_copy.h"

struct merge_options {
	const char *store; /* path; a store that is there is replaced */
	const char *run;   /* NULL: the fleet's name */
	bool is_new; /* -1 with ERR_USAGE where the store is there; nothing is replaced */
	bool is_condensed; /* as condense.h says */
	bool strict;       /* -1 with the first one's error when a store is left out */
	/*
	 * NULL: everything; else slices are left out (profile.has_slices), and, where there
	 * is no call graph among the profiles, what is not needed.
	 */
	const struct fetch_need *need;
	merge_summarize_fn *summarize; /* makes what a store has not of these; or NULL */
};

struct merge_result {
	size_t stores, profiles;
	int64_t slices;
};

/*
 * Of a fleet that fleet_look() has seen, or sees meanwhile: then each store is opened once,
 * where they were found in the order in which they are read.  Stores that turn out to be damaged are left out of
 * it.  `events`: begin, progress and unfinished alone.  -1: nothing was changed.  ERR_INPUT:
 * none of the stores can be taken.
 */
int merge_stores(struct fleet *fleet, const struct merge_options *options,
		 const struct import_events *events, struct merge_result *result,
		 struct err *err);

#endif
