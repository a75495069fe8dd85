/*
 * What slices of a timeline are called and what more is known of them, each distinct name
 * and each distinct set of details once.
 */
#ifndef PTOOL_QUERY_TIMELINE_DETAILS_H
#define PTOOL_QUERY_TIMELINE_DETAILS_H

#include "base/intern.h"
#include "base/table.h"
#include "base/timeline.h"
#include "query/text_pool.h"

/* Names: a text and a class once. */

struct timeline_names {
	struct timeline_name *items; /* owned; their texts the pool's */
	uint32_t *next;              /* owned; place + 1 of another with the same text */
	size_t n, cap, next_cap;
	uint32_t *first; /* owned; by number of the text: place + 1 */
	size_t first_cap;
};

/* The place in names->items of the text, shortened, of that class; added if it is new. */
uint32_t timeline_name(struct timeline_names *names, struct text_pool *texts,
		       uint32_t text, uint32_t class);
void timeline_names_release(struct timeline_names *names);

/* Details: sets of values, each of one of these columns. */

enum timeline_detail {
	DETAIL_SHAPES, /* a text's number, here and in those below that end in TEXT */
	DETAIL_MODULE,
	DETAIL_FLOPS,
	DETAIL_GRID, /* the number of a struct kernel_shape: it gives four columns */
	DETAIL_BLOCK,
	DETAIL_REGISTERS,
	DETAIL_SHARED,
	DETAIL_OCCUPANCY, /* the bits of a double */
	DETAIL_BYTES,
	DETAIL_COLLECTIVE,
	DETAIL_DTYPE,
	DETAIL_IN_ELEMENTS,
	DETAIL_OUT_ELEMENTS,
	DETAIL_GROUP,
	DETAIL_GROUP_SIZE,
	DETAIL_BLAMED,
	NDETAILS
};

struct timeline_pair {
	int64_t column, value;
};

/* What is being said of a slice; zeroed it is nothing. */
struct timeline_saying {
	struct timeline_pair pairs[NDETAILS];
	size_t n;
};

struct timeline_details {
	struct intern sets;            /* of pairs; the first is the empty one */
	struct intern shapes;          /* struct kernel_shape */
	struct table table;            /* one row a set */
	const struct text_pool *texts; /* borrowed */
	size_t at;                     /* the table's next row */
	struct arena arena;            /* texts of its newest row */
};

void timeline_details_init(struct timeline_details *d, const struct text_pool *texts);
void timeline_details_release(struct timeline_details *d);

/* A value that is not recorded (NUMBER_NONE, TEXT_NONE, below 0 of a double) is not added. */
void timeline_say(struct timeline_saying *s, enum timeline_detail column, int64_t value);
void timeline_say_text(struct timeline_saying *s, enum timeline_detail column,
		       uint32_t text);
void timeline_say_real(struct timeline_saying *s, enum timeline_detail column,
		       double value);
/* The number of the set of what was said; equal sets have one, 0 is the empty one. */
uint32_t timeline_detail(struct timeline_details *d, const struct timeline_saying *s);

#endif
