/*
 * How much of each cell of a span of time the slices of one track cover, and what covers
 * most of it.  Where slices lie in each other the one that began last counts.
 */
#ifndef PTOOL_QUERY_CELL_SWEEP_H
#define PTOOL_QUERY_CELL_SWEEP_H

#include <stddef.h>
#include <stdint.h>

/* What a slice does, as cells tell it apart. */
enum cover {
	COVER_KERNEL,
	COVER_COMMUNICATION,
	COVER_COPY,
	COVER_SET,
	COVER_OP,
	COVER_ANNOTATION,
	COVER_PYTHON,
	COVER_CALL, /* of the device's runtime or driver */
	COVER_OTHER,
	NCOVERS,
	COVER_NONE = NCOVERS /* it covers nothing */
};

/* A span of time cut in n parts, of which no two differ by more than a nanosecond. */
struct cell_axis {
	int64_t from_ns, to_ns; /* from < to */
	int64_t until_ns;       /* nothing counts from here on: at most to_ns */
	size_t n;               /* 1 to to_ns - from_ns */
};

/* Where cell i begins; that of n is to_ns. */
int64_t cell_start(const struct cell_axis *axis, size_t i);
/* The cell that holds a moment of the span. */
size_t cell_of(const struct cell_axis *axis, int64_t ns);

/* What covers most of a cell: the kind, and of that kind the name, of equal ones the first. */
struct swept_cell {
	int64_t busy_ns; /* 0: nothing does */
	int64_t name_id; /* string.id */
	uint8_t kind;    /* enum cover */
};

struct swept_slice {
	int64_t start_ns, end_ns;
	int64_t name_id;
	uint8_t kind; /* not COVER_NONE */
};

/* Time of a kind and name in the newest cell. */
struct swept_name {
	int64_t name_id, ns;
	uint64_t cell; /* it is of this one + 1 */
	uint8_t kind;
};

struct cell_sweep {
	struct cell_axis axis;
	struct swept_cell *cells; /* borrowed: axis.n of them, zeroed */
	struct swept_slice *open; /* owned */
	struct swept_name *names; /* owned; open addressing */
	uint32_t *used;           /* owned: places in names, those of the newest cell */
	size_t nopen, open_cap, nnames, nused, used_cap;
	size_t cell;               /* the newest */
	int64_t kind_ns[NCOVERS];  /* in it */
	int64_t total_ns[NCOVERS]; /* in all of the span */
	int64_t at_ns;             /* all before it is swept */
};

/* For the next track; what is owned is kept.  A zeroed one is empty. */
void cell_sweep_begin(struct cell_sweep *s, const struct cell_axis *axis,
		      struct swept_cell *cells);
/* Slices come by their start. */
void cell_sweep_add(struct cell_sweep *s, const struct swept_slice *slice);
/* There are no more. */
void cell_sweep_end(struct cell_sweep *s);
void cell_sweep_release(struct cell_sweep *s);

#endif
