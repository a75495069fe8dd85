/* Slices by their ids: see slice_pick.h. */
#include "query/slices/slice_pick.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_slice_pick_sql);

struct picking {
	struct slice_walk walk;
	const struct slice_picks *picks;
	uint32_t *at; /* owned: places in ids, by id */
	size_t n, next;
};

static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *ids = context;

	return ids[a] < ids[b];
}

static void sort_places(struct picking *p)
{
	const int64_t *ids = p->picks->ids;
	size_t n = p->picks->n;
	uint32_t *spare = xrealloc_array(NULL, n + 1, sizeof(*spare));

	p->at = xrealloc_array(NULL, n + 1, sizeof(*p->at));
	for (size_t i = 0; i < n; i++)
		if (ids[i])
			p->at[p->n++] = (uint32_t)i;
	sort_indexes(p->at, p->n, spare, comes_before, ids);
	free(spare);
}

/* Whether one is left, and has an id below this. */
static bool is_next_below(const struct picking *p, int64_t id)
{
	return p->next < p->n && p->picks->ids[p->at[p->next]] < id;
}

/* As far into the track as slices are asked for. */
static int pick_of_track(struct picking *p, struct err *err)
{
	const struct packed_slice *slice = &p->walk.slices.slice;
	int rc;

	if (is_next_below(p, p->walk.first_id))
		return query_damaged("slices do", err);
	while (is_next_below(p, p->walk.next_id)) {
		if ((rc = slice_pack_next(&p->walk.slices, err)) <= 0)
			return rc;
		for (; is_next_below(p, slice->id + 1); p->next++)
			if (p->picks->each(p->picks->context, p->at[p->next], slice,
					   p->walk.track_id, err) < 0)
				return -1;
	}
	return 0;
}

int slice_pick(struct store *store, const struct scope_profile *profile,
	       const struct slice_picks *picks, struct err *err)
{
	struct picking p = { .picks = picks };
	int rc;

	if (picks->n >= UINT32_MAX)
		return query_damaged("slices do", err);
	sort_places(&p);
	rc = slice_walk_open(store, asset_query_views_slice_pick_sql, profile->id,
			     picks->columns, &p.walk, err);
	while (rc == 0 && p.next < p.n && (rc = slice_walk_track(&p.walk, err)) > 0)
		rc = pick_of_track(&p, err);
	if (rc == 0 && p.next < p.n)
		rc = query_damaged("slices do", err);
	slice_walk_close(&p.walk);
	free(p.at);
	return rc;
}
