/*
 * A column of a view, and all that is to be known of it in one place: its names, what
 * help says of it, when it is there, and where its cells come from.
 */
#ifndef PTOOL_BASE_FIELD_H
#define PTOOL_BASE_FIELD_H

#include <stdint.h>

#include "base/table.h"

enum {
	FIELD_KEY = 1,    /* tells rows apart: ties of a sort are broken by it */
	FIELD_PEOPLE = 2, /* not in machine formats, and no key of --sort */
	FIELD_NO_SORT = 4,
	/* People see it where there are several profiles, and ranks do not tell them apart. */
	FIELD_PROFILE = 8,
	/*
	 * An amount of the request's unit: its own is UNIT_NS, and its name goes on with
	 * "_ns", "_bytes" or "_count".
	 */
	FIELD_AMOUNT = 16,
	FIELD_SORT = 32,     /* a key of --sort that machine formats have no column of */
	FIELD_DESCENDS = 64, /* sorted from Z to A, though it names */
	/* People compare it with the others of its unit in a row: they have one scale. */
	FIELD_COMPARED = 128
};

struct field {
	const char *name;  /* with its unit: CSV, JSON, --sort; NULL ends an array */
	const char *title; /* people's heading; NULL: its name */
	const char *help;  /* one lower-case line for --sort help */
	const char *also;  /* further names for --sort, blank-separated; may be NULL */
	enum unit unit;
	int arg; /* for get() */
	/* Text borrowed from `from`, or from the row, for as long as both live. */
	struct cell (*get)(const void *from, const void *row, int arg);
	unsigned needs; /* there when one of these bits is asked for; 0: always */
	uint8_t flags;
	/* Where a line is too narrow those of the largest number leave first; 0 stays. */
	uint8_t leaves;
	uint8_t least; /* terminal cells that text keeps while others can leave; 0: 30 */
};

#endif
