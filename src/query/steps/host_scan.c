/* The slices of host threads: see host_scan.h. */
#include "query/steps/host_scan.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

#define COLUMNS (PACKED_NAME | PACKED_CLASS | PACKED_MARKS | PACKED_DETAIL)

ASSET(asset_query_views_host_details_sql);
ASSET(asset_query_views_host_tracks_sql);

#define TRACK_ALL 3 /* column of host_tracks.sql */

struct scanning {
	struct text_pool *texts;
	struct slice_walk walk;
	int64_t *backward; /* ids of details, in order */
	size_t nbackward, cap;
	host_slice_fn *each;
	void *context;
};

static int load_backward(struct scanning *s, struct store *store, int64_t profile_id,
			 struct err *err)
{
	struct query q = query_open(store, asset_query_views_host_details_sql, err);

	query_bind_int(q.stmt, ":profile", profile_id);
	while (query_next(&q, err)) {
		*ARRAY_PUSH(s->backward, s->nbackward, s->cap) =
			sqlite3_column_int64(q.stmt, 0);
	}
	return query_end(&q);
}

static bool is_backward(const struct scanning *s, int64_t detail_id)
{
	return s->nbackward && detail_id &&
	       bsearch(&detail_id, s->backward, s->nbackward, sizeof(*s->backward),
		       sort_compare_int64);
}

/* `all`: whether slices of no class are operators. */
static bool is_told(enum slice_class class, bool all)
{
	return class == CLASS_OP || class == CLASS_ANNOTATION || class == CLASS_RUNTIME ||
	       class == CLASS_DRIVER || (all && class == CLASS_OTHER);
}

static int tell_slice(struct scanning *s, struct err *err)
{
	const struct packed_slice *packed = &s->walk.slices.slice;
	struct host_slice slice = {
		.id = packed->id,
		.start_ns = packed->start_ns,
		.end_ns = packed->end_ns,
		.track_id = s->walk.track_id,
		.class = packed->class == CLASS_OTHER ? CLASS_OP : packed->class,
		.has_sequence = (packed->marks & SLICE_SEQUENCE) != 0,
		.is_backward = is_backward(s, packed->op_detail_id),
	};

	if (text_pool_number(s->texts, packed->name_id, &slice.name, err) < 0)
		return -1;
	return s->each(s->context, &slice, err);
}

static int scan_track(struct scanning *s, struct err *err)
{
	bool all = sqlite3_column_int(s->walk.tracks, TRACK_ALL) != 0;
	int rc;

	while ((rc = slice_pack_next(&s->walk.slices, err)) > 0)
		if (is_told(s->walk.slices.slice.class, all) && tell_slice(s, err) < 0)
			return -1;
	return rc;
}

int host_scan(struct store *store, struct text_pool *texts,
	      const struct scope_profile *profile, host_slice_fn *each, void *context,
	      struct err *err)
{
	struct scanning s = { .texts = texts, .each = each, .context = context };
	int rc = load_backward(&s, store, profile->id, err);

	if (rc == 0)
		rc = slice_walk_open(store, asset_query_views_host_tracks_sql,
				     profile->id, COLUMNS, &s.walk, err);
	while (rc == 0 && (rc = slice_walk_track(&s.walk, err)) > 0)
		rc = scan_track(&s, err);
	slice_walk_close(&s.walk);
	free(s.backward);
	return rc;
}
