/*
 * The operators of memory events: their names, and what is around them.  Looked up
 * when they are shown; mostly a few of those that there are.
 */
#ifndef PTOOL_QUERY_MEMORY_NAMES_H
#define PTOOL_QUERY_MEMORY_NAMES_H

#include <stdint.h>

#include "base/err.h"
#include "query/memory/memory_events.h"
#include "query/text_pool.h"
#include "store/store.h"

/* The operator of an event that lies in none. */
#define MEMORY_NO_OP "<unknown>"

/* An operator that is open, or any other slice around one. */
struct memory_around {
	int64_t id;
	uint32_t name; /* text */
	uint8_t class; /* enum slice_class */
	size_t caller; /* place behind the next one out that is no Python frame; or 0 */
};

struct sqlite3_stmt;

struct memory_names {
	struct text_pool texts;
	struct sqlite3_stmt *stmt;
	uint32_t unknown;             /* the text MEMORY_NO_OP */
	struct memory_around *around; /* owned; the newest chain, outermost first */
	size_t n, cap;
	struct memory_around *spare; /* owned */
	size_t spare_cap;
};

/* memory_names_close() in both cases, before the store is closed. */
int memory_names_open(struct store *store, struct memory_names *out, struct err *err);
void memory_names_close(struct memory_names *n);

/*
 * Makes the chain from the root of its thread down to the slice; quickest when ids
 * come in order.  Id 0: an empty one.
 */
int memory_names_follow(struct memory_names *n, int64_t id, struct err *err);
/* The place behind the slice in the newest chain; 0: it is not in it. */
size_t memory_names_place(const struct memory_names *n, int64_t id);
/*
 * Who did it: the operator's name; without one that of the event itself, which is a
 * Python frame in a snapshot and a category in a memory timeline; else MEMORY_NO_OP.
 */
int memory_names_of(struct memory_names *n, const struct memory_event *e, uint32_t *name,
		    struct err *err);
int memory_names_str(struct memory_names *n, const struct memory_event *e,
		     struct str *out, struct err *err);
/*
 * The innermost slice around the operator that is no Python frame; *out is empty, with
 * p NULL, where there is none.
 */
int memory_names_parent(struct memory_names *n, int64_t id, struct str *out,
			struct err *err);

#endif
