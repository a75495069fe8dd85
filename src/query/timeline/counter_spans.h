/*
 * The first and the last row that each profile has in the table counter.  ptool writes a
 * profile's samples one after another, so reading that range avoids a scan of the table.
 */
#ifndef PTOOL_QUERY_COUNTER_SPANS_H
#define PTOOL_QUERY_COUNTER_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct store;

struct counter_span {
	int64_t profile, first, last; /* ids; between them may be others' samples */
};

struct counter_spans {
	struct counter_span *items; /* owned; by profile, each once */
	size_t n, cap;
};

/* 0, or -1 with err set; counter_spans_release() in both cases. */
int counter_spans_load(struct store *store, struct counter_spans *out, struct err *err);
/* NULL: it has no counters. */
const struct counter_span *counter_spans_find(const struct counter_spans *spans,
					      int64_t profile);
/* Accepts a zeroed one. */
void counter_spans_release(struct counter_spans *spans);

#endif
