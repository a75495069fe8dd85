/*
 * Slices and what is around them, read from the store by id: each once, in whatever order
 * they are asked for, as chains of many threads in turn would else be read again and again.
 */
#ifndef PTOOL_QUERY_SLICE_AROUND_H
#define PTOOL_QUERY_SLICE_AROUND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/text_pool.h"
#include "store/store.h"

struct slice_around {
	int64_t id;
	uint32_t name;   /* text */
	uint32_t outer;  /* place behind the next one out; 0: none */
	uint32_t caller; /* the same of the next one that is no Python frame */
	uint8_t class;   /* enum slice_class */
};

struct sqlite3_stmt;

struct slices_around {
	struct sqlite3_stmt *stmt;
	/* Owned: all that were asked for and are around those, each behind the one around it. */
	struct slice_around *items;
	size_t n, cap;
	uint32_t *slots;            /* owned; by id: place + 1; 0: free */
	size_t nslots;              /* a power of two, or 0 */
	struct slice_around *spare; /* owned */
	size_t spare_cap;
};

/* slices_around_close() in both cases, and of a zeroed one, before the store is closed. */
int slices_around_open(struct store *store, struct slices_around *out, struct err *err);
void slices_around_close(struct slices_around *s);

/* The place of the slice, whose id is above 0, in `items`, where all that is around it is then, too. */
int slices_around_find(struct slices_around *s, struct text_pool *texts, int64_t id,
		       uint32_t *place, struct err *err);
/* The slice alone: nothing is remembered, and what is around it not known. */
int slices_around_read(struct slices_around *s, struct text_pool *texts, int64_t id,
		       struct slice_around *out, struct err *err);
/* `items` is empty. */
void slices_around_forget(struct slices_around *s);

#endif
