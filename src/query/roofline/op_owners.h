/*
 * The operator calls of a profile, and whose work each is part of: of a call whose
 * work is known all that it calls is part, so that nothing counts twice.  One pass
 * over the slices of host threads.
 */
#ifndef PTOOL_QUERY_OP_OWNERS_H
#define PTOOL_QUERY_OP_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "store/store.h"
#include "trace/op_work.h"

#define OWNER_NONE UINT32_MAX

struct owned_op {
	int64_t id; /* of the slice */
	int64_t start_ns, end_ns, self_ns, step_id;
	int64_t detail_id; /* 0: none */
	uint32_t name;     /* text */
	uint32_t parent;   /* place of the operator around it, or OWNER_NONE */
	uint32_t owner;    /* place of whose work it is part; its own place: of its own */
	uint32_t note; /* place + 1 in notes of the engine's annotation around it, or 0 */
	bool has_inner; /* something that it calls counts */
};

/* What an engine's annotation says of the lengths of queries and keys in a batch. */
struct length_note {
	int64_t pairs; /* of a query and a key that it sees, under a causal mask */
	int64_t keys;
};

struct name_kind {
	bool is_known;
	const struct op_kind *kind; /* when is_known */
};

struct op_owners {
	struct owned_op *items; /* owned; by id */
	size_t n, cap;
	struct length_note *notes; /* owned */
	size_t nnotes, notes_cap;
	struct name_kind *names; /* owned; by text */
	size_t names_cap;
};

/* op_owners_release() in both cases, also of a zeroed one. */
int op_owners_load(struct store *store, struct text_pool *texts,
		   const struct scope_profile *profile, struct op_owners *out,
		   struct err *err);
void op_owners_release(struct op_owners *o);

/* The place of the operator call with this slice's id, or OWNER_NONE. */
uint32_t op_owners_find(const struct op_owners *o, int64_t id);
/* NULL: its work is not known. */
const struct op_kind *op_owners_kind(const struct op_owners *o, uint32_t name);

#endif
