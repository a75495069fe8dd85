/* Slices by their ids: see slice_pick.h. */
#include "query/slices/slice_pick.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_slice_pick_sql);

/* Columns of slice_pick.sql. */
enum { TRACK_ID, TRACK_FIRST, TRACK_SLICES };

struct picking {
	struct slice_pack slices;
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
static int pick_of_track(struct picking *p, int64_t track_id, int64_t first_id, int64_t n,
			 struct err *err)
{
	int rc;

	if (is_next_below(p, first_id))
		return query_damaged("slices do", err);
	if (slice_pack_seek(&p->slices, first_id, n, err) < 0)
		return -1;
	while (is_next_below(p, first_id + n)) {
		if ((rc = slice_pack_next(&p->slices, err)) <= 0)
			return rc;
		const struct packed_slice *slice = &p->slices.slice;
		for (; is_next_below(p, slice->id + 1); p->next++)
			if (p->picks->each(p->picks->context, p->at[p->next], slice,
					   track_id, err) < 0)
				return -1;
	}
	return 0;
}

static int pick_of_tracks(struct picking *p, struct sqlite3_stmt *tracks, struct err *err)
{
	int rc;

	while (p->next < p->n && (rc = sql_step(tracks, err)) != 0)
		if (rc < 0 ||
		    pick_of_track(p, sqlite3_column_int64(tracks, TRACK_ID),
				  sqlite3_column_int64(tracks, TRACK_FIRST),
				  sqlite3_column_int64(tracks, TRACK_SLICES), err) < 0)
			return -1;
	return p->next < p->n ? query_damaged("slices do", err) : 0;
}

int slice_pick(struct store *store, const struct scope_profile *profile,
	       const struct slice_picks *picks, struct err *err)
{
	struct picking p = { .picks = picks };
	struct sqlite3_stmt *tracks = NULL;
	int rc = -1;

	if (picks->n >= UINT32_MAX)
		return query_damaged("slices do", err);
	sort_places(&p);
	if (slice_pack_open(store, picks->columns, &p.slices, err) == 0 &&
	    query_prepare(store, asset_query_views_slice_pick_sql, &tracks, err) == 0) {
		query_bind_int(tracks, ":profile", profile->id);
		rc = pick_of_tracks(&p, tracks, err);
	}
	sqlite3_finalize(tracks);
	slice_pack_close(&p.slices);
	free(p.at);
	return rc;
}
