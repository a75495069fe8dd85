/*
 * Names that --sort takes: a table's own, and those people already type because
 * torch, pstats or pprof call them so.  A command has one such table.
 */
#ifndef PTOOL_QUERY_SORTKEY_H
#define PTOOL_QUERY_SORTKEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct sort_key {
	const char *name; /* as in the column; NULL ends a table */
	const char *also; /* further names, blank-separated; may be NULL */
	const char *what; /* one lower-case line for --sort help */
	int column;       /* the command's own number of what is sorted by */
	bool ascending;   /* small ones first; else the largest */
};

/*
 * Does `wanted` mean what is called `name`, and `also`?  As sort_key_find() says.
 */
bool sort_name_is(const char *name, const char *also, const char *wanted);
/*
 * NULL when none has this name.  '-' is '_', a unit at the end may be missing
 * ("self_cpu"), and cuda, xpu, hpu, mtia and privateuse1 are "device", as in
 * torch.
 */
const struct sort_key *sort_key_find(const struct sort_key *keys, const char *name);
/* Every name, the tables' own first, NULL-terminated: for messages. */
const char *const *sort_key_names(const struct sort_key *keys, struct arena *arena);

#endif
