/*
 * What is around a time on a track, and what begins next there, in few steps: also where
 * a row is nested in very many others, or where very many instants follow each other.
 */
#ifndef PTOOL_STORE_AROUND_H
#define PTOOL_STORE_AROUND_H

#include "store/model.h"

/* How to get out of a row that is nested deeply: rows, of which each ends behind this one. */
struct way_out {
	uint32_t next;  /* the innermost around it that ends behind it, or ROW_NONE */
	uint32_t far;   /* one further out, or the row itself where there is none */
	uint32_t steps; /* of `next` to the last, and 1; 0: the row's track is not deep */
};

struct around {
	const struct model *m;     /* borrowed */
	struct way_out *outs;      /* by row, or NULL where no track is deep; owned */
	uint32_t *behind_instants; /* by row, or NULL: of long runs of instants; owned */
};

/* Behind nest_rows(). */
void around_init(struct around *a, const struct model *m);
void around_release(struct around *a);
/* The row, or the innermost around it, that is no instant and ends at ts or later; ROW_NONE. */
uint32_t around_row(const struct around *a, uint32_t row, int64_t ts_ns);
/* The row, or the next one of its track, that is no instant; ROW_NONE. */
uint32_t around_next(const struct around *a, const struct track *t, uint32_t row);

#endif
