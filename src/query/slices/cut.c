/* The slices of a window of a trace: see cut.h. */
#include "query/slices/cut.h"

#include <stdlib.h>

#include "base/array.h"
#include "query/slices/slice_scan.h"
#include "query/slices/slices.h"

#define BITS 8

struct cutting {
	struct cut *cut;
	int64_t *launches; /* owned: of chosen work */
	size_t n, cap;
};

bool cut_has(const struct cut *cut, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)cut->first;

	return at < (uint64_t)cut->n && cut->bits[at / BITS] >> at % BITS & 1;
}

static void add(struct cut *cut, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)cut->first;

	if (at < (uint64_t)cut->n)
		cut->bits[at / BITS] |= (unsigned char)(1U << at % BITS);
}

int64_t cut_next(const struct cut *cut, int64_t id)
{
	for (int64_t at = id - cut->first; at < cut->n; at++) {
		if (at % BITS == 0 && !cut->bits[at / BITS])
			at += BITS - 1; /* none of eight */
		else if (cut->bits[at / BITS] >> at % BITS & 1)
			return cut->first + at;
	}
	return 0;
}

static int choose(void *to, const struct slices_track *track, const struct slice_row *row,
		  struct err *err)
{
	struct cutting *c = to;
	struct cut *cut = c->cut;

	(void)track;
	(void)err;
	add(cut, row->id);
	cut->slices++;
	if (row->ts_ns < cut->from_ns)
		cut->from_ns = row->ts_ns;
	if (row->ts_ns >= cut->to_ns)
		cut->to_ns = row->ts_ns + 1;
	if (row->launch_id)
		*ARRAY_PUSH(c->launches, c->n, c->cap) = row->launch_id;
	return 0;
}

int cut_make(struct store *store, const struct scope *scope, const struct filter *filter,
	     struct cut *out, struct err *err)
{
	struct cutting c = { .cut = out };
	const struct slice_scan all = { .each = choose, .to = &c };
	struct slices *slices;

	*out = (struct cut){ .first = scope->profiles[0].first_slice_id,
			     .n = scope->profiles[0].slices,
			     .from_ns = INT64_MAX,
			     .to_ns = INT64_MIN };
	out->bits = xcalloc((size_t)out->n / BITS + 1, 1);
	if (slices_open(store, scope, filter, &slices, err) < 0)
		return -1;
	int rc = slice_scan(store, slices, &all, err);
	slices_close(slices);
	for (size_t i = 0; i < c.n; i++)
		add(out, c.launches[i]);
	free(c.launches);
	return rc;
}

void cut_release(struct cut *cut)
{
	free(cut->bits);
	*cut = (struct cut){ .bits = NULL };
}
