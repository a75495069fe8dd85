/*
 * Inside marshal*.c: what a type code says, the walk over objects (marshal.c), and
 * the layouts of code objects (marshal.c), which nothing in the file tells
 * apart: each is tried.
 */
#ifndef PTOOL_INGEST_MARSHAL_WALK_H
#define PTOOL_INGEST_MARSHAL_WALK_H

#include "ingest/marshal.h"

#define MARSHAL_CODES_MAX 64 /* code objects within each other */
#define MARSHAL_SHIFT     15 /* bits of a digit of a long int */

/* How an object's text goes on behind its type byte. */
enum marshal_shape {
	MARSHAL_SHAPE_BAD,
	MARSHAL_SHAPE_NONE,   /* not at all */
	MARSHAL_SHAPE_FIXED,  /* `bytes` bytes */
	MARSHAL_SHAPE_SHORT,  /* a count of one byte, and as many bytes */
	MARSHAL_SHAPE_LONG,   /* a count of four, and as many bytes */
	MARSHAL_SHAPE_DIGITS, /* a count of four with a sign, two bytes for each */
	MARSHAL_SHAPE_PAIR,   /* twice MARSHAL_SHAPE_SHORT */
	MARSHAL_SHAPE_SMALL,  /* a count of one byte, and as many objects */
	MARSHAL_SHAPE_MANY,   /* a count of four, and as many objects */
	MARSHAL_SHAPE_DICT,   /* keys and values up to a NULL */
	MARSHAL_SHAPE_THREE,  /* three objects */
	MARSHAL_SHAPE_CODE
};

struct marshal_kind {
	enum marshal_shape shape;
	enum marshal_type type;
	size_t bytes;
};

#define MARSHAL_FLAG_REF 0x80
#define MARSHAL_CODES    0x80

/* By type code, without the flag. */
extern const struct marshal_kind marshal_kinds[MARSHAL_CODES];

/* An unsigned number of 1, 2, 4 or 8 bytes, least first. */
static inline uint64_t marshal_number(const struct marshal *m, size_t at, size_t bytes)
{
	const uint8_t *p = m->text.p + at;
	uint64_t low = p[0];

	if (bytes == 1)
		return low;
	low |= (uint64_t)p[1] << 8;
	if (bytes == 2)
		return low;
	low |= (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
	if (bytes == 4)
		return low;
	return low | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
	       (uint64_t)p[7] << 56;
}

/* The text of a float: Python's float(), without blanks, as marshal writes it. */
bool marshal_parse_real(struct str text, double *real);

/* A walk: where it is, and how deep. */
struct marshal_walk {
	struct marshal *m;
	size_t at;
	bool is_first; /* it notes what is looked up later; else all is noted */
	size_t codes;  /* code objects that it is in */
};

/* Over the object at w->at.  0, or -1 with err set. */
int marshal_walk(struct marshal_walk *w, struct err *err);
/*
 * Over the body of a code object, behind its type byte.  0, or -1 with err set: no
 * layout fits.  `places`, which may be NULL, gets what marshal_code() wants, but not in
 * the first walk.
 */
struct marshal_code_places {
	size_t name, file; /* where the strings stand */
	int64_t line;
};

#endif
