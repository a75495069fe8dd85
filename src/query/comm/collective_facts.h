/*
 * What the store's table `collective` tells of slices: of operators, of ranges of
 * backends and of kernels.  All rows of a store, found by their slice.
 */
#ifndef PTOOL_QUERY_COLLECTIVE_FACTS_H
#define PTOOL_QUERY_COLLECTIVE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/text_pool.h"
#include "store/store.h"

/* Texts are the pool's, TEXT_NONE where there is none; numbers likewise NUMBER_NONE. */
struct collective_fact_row {
	int64_t slice_id;
	int64_t in_elements, out_elements, group_size, sequence;
	uint32_t name, dtype, group, ranks;
};

struct collective_facts {
	struct collective_fact_row *rows; /* owned; by slice_id */
	size_t n, cap;
};

/* `texts` is borrowed.  collective_facts_release() in both cases. */
int collective_facts_load(struct store *store, struct text_pool *texts,
			  struct collective_facts *out, struct err *err);
void collective_facts_release(struct collective_facts *f);

/* The first row of a slice, or NULL. */
const struct collective_fact_row *collective_facts_of(const struct collective_facts *f,
						      int64_t slice_id);
/* The first row of a slice from this id on: n when there is none. */
size_t collective_facts_from(const struct collective_facts *f, int64_t slice_id);

#endif
