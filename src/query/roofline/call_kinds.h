/*
 * What calls of operators were given, and the work that follows: found once for each
 * name and row of op_detail.
 */
#ifndef PTOOL_QUERY_CALL_KINDS_H
#define PTOOL_QUERY_CALL_KINDS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "trace/op_work.h"

struct call_kind {
	/* Texts, or TEXT_NONE; dtypes: of inputs with dimensions, each once. */
	uint32_t name, shapes, dtypes;
	struct op_work work;
};

/* What is around a call tells of it: op_told.h.  Compared as bytes. */
struct call_told {
	const struct dtype *list_dtype; /* op_call.h; or NULL */
	uint32_t result; /* text of shapes that begin with its result's, or TEXT_NONE */
	uint32_t gradients; /* op_call.h */
};

struct call_kinds {
	struct text_pool *texts; /* borrowed */
	struct call_inputs {
		int64_t id;
		uint32_t shapes, types, values; /* texts, or TEXT_NONE */
	} * inputs;                             /* owned; by id */
	size_t ninputs, inputs_cap;
	struct intern keys;
	struct call_kind *kinds; /* owned */
	size_t nkinds, kinds_cap;
	struct buf scratch;
};

/* call_kinds_close() in both cases, also of a zeroed one. */
int call_kinds_open(struct store *store, struct text_pool *texts,
		    const struct scope_profile *profile, struct call_kinds *out,
		    struct err *err);
void call_kinds_close(struct call_kinds *c);
/* NULL: none were recorded.  detail_id: one of the profile, or 0. */
const struct call_inputs *call_kinds_inputs(const struct call_kinds *c,
					    int64_t detail_id);
/* The element type of the first input; NULL: none, or that of the second differs. */
const struct dtype *call_kinds_dtype(const struct call_kinds *c, int64_t detail_id);
/*
 * `name` is a text as recorded; `kind`: NULL where its work does not count.  Borrowed
 * until the next call.
 */
const struct call_kind *call_kinds_of(struct call_kinds *c, uint32_t name,
				      int64_t detail_id, const struct op_kind *kind,
				      const struct call_told *told);

#endif
