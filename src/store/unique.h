/*
 * Records of one size, each stored once: equal bytes are the same record.  For
 * what thousands of events have in common.
 */
#ifndef PTOOL_STORE_UNIQUE_H
#define PTOOL_STORE_UNIQUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

struct spill;

struct uniques {
	char *records; /* owned */
	size_t size;   /* of one */
	size_t n, cap;
	uint32_t newest;     /* place of the last one that was asked for */
	struct slots slots;  /* places */
	struct spill *spill; /* borrowed, or NULL: where all of it lies */
};

void uniques_init(struct uniques *u, size_t size, struct spill *spill);
void uniques_release(struct uniques *u);
/* The place of a record, a new one when it was not seen before.  Padding counts: zero it. */
uint32_t uniques_add(struct uniques *u, const void *record);

/* Borrowed until the next uniques_add(). */
static inline const void *uniques_at(const struct uniques *u, uint32_t place)
{
	return u->records + place * u->size;
}

#endif
