/*
 * Numbers as people read them.  A column has one scale, chosen from its largest
 * number, so that its cells can be compared by eye, or each cell its own; machine
 * formats do not come here, but for the shortest decimal of a double.
 */
#ifndef PTOOL_BASE_UNITS_H
#define PTOOL_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/table.h"

/* Room for any number that is formatted here, with its NUL. */
#define UNITS_TEXT_MAX 64

struct scale {
	enum unit unit;
	double divisor;    /* what one of `label` is, in the column's own unit */
	const char *label; /* "ms", "MiB", "%"; "" when there is nothing to name */
	int decimals;
};

/* The unit's word in machine formats: "ns", "bytes", "count", ... */
const char *units_word(enum unit unit);
/* True for those whose cells are numbers, and are aligned right. */
bool units_is_number(enum unit unit);
/* True for those that have larger and smaller units: times, bytes, FLOP. */
bool units_has_rungs(enum unit unit);

/*
 * The scale for a column whose largest magnitude is `largest`; `has_fractions`
 * says that some number is no integer, which the base units (ns, B) else hide.
 */
struct scale units_scale(enum unit unit, double largest, bool has_fractions);
/*
 * A cell on a scale, without the label: "12.345", "1,432", "yes", "-" for null
 * and NaN.  Borrowed from `out` when it is a number, from the cell when that is text.
 */
struct str units_cell(struct scale scale, struct cell cell, char out[UNITS_TEXT_MAX]);
/* One number on a scale of its own, with its label: "12.345 ms", "93.10%". */
struct str units_text(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX]);
/* The same for a table: "12.345ms", "0". */
struct str units_short(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX]);
/* The digits alone: "-1432".  Borrowed from `out`. */
struct str units_integer(int64_t value, char out[UNITS_TEXT_MAX]);
/*
 * A cell as programs read it from text: "-1432", "0.1", "1" where it is true, nothing
 * for null and NaN.  Borrowed as that of units_cell().
 */
struct str units_raw(enum unit unit, struct cell cell, char out[UNITS_TEXT_MAX]);
/*
 * The shortest decimal that reads back as the same double: "0.1".  Infinities
 * are "inf" and "-inf".
 */
struct str units_shortest(double value, char out[UNITS_TEXT_MAX]);
/*
 * A size as people type it: "4096", "512K", "16M"; K, M, G and T are powers of 1024.
 * False when it is none, or beyond int64_t.
 */
bool units_parse_bytes(struct str text, int64_t *bytes);

#endif
