/* Slow calls: see gap_slow.h. */
#include "query/gaps/gap_slow.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/gaps/gap_cause.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

ASSET(asset_query_views_host_tracks_sql);

#define SLOW_NS      INT64_C(1000000)
#define MEDIANS_MOST 10

struct call {
	int64_t dur_ns, slice_id;
	uint32_t name;
};

struct calls {
	struct call *items;
	size_t n, cap;
	struct text_pool *texts;
};

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns < y->dur_ns ? -1 : 1;
	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static int read_thread(struct calls *c, struct slice_pack *slices, struct err *err)
{
	const struct packed_slice *slice = &slices->slice;
	int rc;

	while ((rc = slice_pack_next(slices, err)) > 0) {
		struct call call = { slice->end_ns - slice->start_ns, slice->id, 0 };
		if (slice->class != CLASS_RUNTIME && slice->class != CLASS_DRIVER)
			continue;
		if (text_pool_number(c->texts, slice->name_id, &call.name, err) < 0)
			return -1;
		*ARRAY_PUSH(c->items, c->n, c->cap) = call;
	}
	return rc;
}

static int read_calls(struct calls *c, struct store *store,
		      const struct scope_profile *profile, struct err *err)
{
	struct slice_walk walk;
	int rc = slice_walk_open(store, asset_query_views_host_tracks_sql, profile->id,
				 PACKED_NAME | PACKED_CLASS, &walk, err);

	while (rc == 0 && (rc = slice_walk_track(&walk, err)) > 0)
		rc = read_thread(c, &walk.slices, err);
	slice_walk_close(&walk);
	return rc;
}

/* The calls of one name, by their lengths. */
static void add_slow(struct gap_slow *out, const struct call *calls, size_t n)
{
	for (size_t i = n; i-- > 0 && calls[i].dur_ns > SLOW_NS;) {
		size_t middle = n > 1 ? (n - 2) / 2 : 0;
		int64_t median_ns = n > 1 ? calls[middle + (middle >= i)].dur_ns : 0;
		if ((calls[i].dur_ns - 1) / MEDIANS_MOST < median_ns)
			continue; /* not more than so many medians */
		*ARRAY_PUSH(out->ids, out->n, out->cap) = calls[i].slice_id;
	}
}

int gap_slow_find(struct store *store, const struct scope_profile *profile,
		  struct text_pool *texts, struct gap_slow *out, struct err *err)
{
	struct calls c = { .texts = texts };
	int rc = read_calls(&c, store, profile, err);

	*out = (struct gap_slow){ .n = 0 };
	if (c.n)
		qsort(c.items, c.n, sizeof(*c.items), compare_calls);
	for (size_t i = 0, end; rc == 0 && i < c.n; i = end) {
		for (end = i + 1; end < c.n && c.items[end].name == c.items[i].name;
		     end++)
			;
		if (gap_call_may_be_slow(text_pool_str(texts, c.items[i].name)))
			add_slow(out, &c.items[i], end - i);
	}
	if (out->n)
		qsort(out->ids, out->n, sizeof(*out->ids), sort_compare_int64);
	free(c.items);
	return rc;
}

void gap_slow_release(struct gap_slow *s)
{
	free(s->ids);
	*s = (struct gap_slow){ .n = 0 };
}

bool gap_slow_has(const struct gap_slow *s, int64_t slice_id)
{
	return s->n &&
	       bsearch(&slice_id, s->ids, s->n, sizeof(*s->ids), sort_compare_int64);
}
