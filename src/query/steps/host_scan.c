/* The slices of host threads: see host_scan.h. */
#include "query/steps/host_scan.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/query.h"

ASSET(asset_query_views_host_details_sql);
ASSET(asset_query_views_host_rows_sql);
ASSET(asset_query_views_host_tracks_sql);

/* Columns of host_tracks.sql, */
enum { TRACK_ID, TRACK_FIRST, TRACK_SLICES, TRACK_ALL };

/* and of host_rows.sql. */
enum { ROW_ID, ROW_TS, ROW_DUR, ROW_NAME, ROW_CLASS, ROW_HAS_SEQUENCE, ROW_DETAIL };

struct scanning {
	struct text_pool *texts;
	struct sqlite3_stmt *rows;
	int64_t *backward; /* ids of details, in order */
	size_t nbackward, cap;
	int64_t next_id; /* no track begins before it: each slice is told once */
	host_slice_fn *each;
	void *context;
};

static int load_backward(struct scanning *s, struct store *store, int64_t profile_id,
			 struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(store, asset_query_views_host_details_sql, &stmt, err) < 0)
		return -1;
	query_bind_int(stmt, ":profile", profile_id);
	while ((rc = sql_step(stmt, err)) > 0) {
		s->backward = xgrow(s->backward, &s->cap, s->nbackward + 1,
				    sizeof(*s->backward));
		s->backward[s->nbackward++] = sqlite3_column_int64(stmt, 0);
	}
	sqlite3_finalize(stmt);
	return rc;
}

static int by_id(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static bool is_backward(const struct scanning *s, int64_t detail_id)
{
	return s->nbackward && detail_id &&
	       bsearch(&detail_id, s->backward, s->nbackward, sizeof(*s->backward),
		       by_id);
}

static int tell_row(struct scanning *s, int64_t track_id, struct err *err)
{
	struct sqlite3_stmt *stmt = s->rows;
	int64_t dur_ns = sqlite3_column_int64(stmt, ROW_DUR);
	int class = sqlite3_column_int(stmt, ROW_CLASS);
	struct host_slice slice = {
		.id = sqlite3_column_int64(stmt, ROW_ID),
		.start_ns = sqlite3_column_int64(stmt, ROW_TS),
		.track_id = track_id,
		.class = (uint8_t)(class == CLASS_OTHER ? CLASS_OP : class),
		.has_sequence = sqlite3_column_int(stmt, ROW_HAS_SEQUENCE) != 0,
		.is_backward = is_backward(s, sqlite3_column_int64(stmt, ROW_DETAIL)),
	};

	if (dur_ns < 0 || slice.start_ns > INT64_MAX - dur_ns)
		return query_damaged("slices do", err);
	slice.end_ns = slice.start_ns + dur_ns;
	if (text_pool_number(s->texts, sqlite3_column_int64(stmt, ROW_NAME), &slice.name,
			     err) < 0)
		return -1;
	return s->each(s->context, &slice, err);
}

static int scan_track(struct scanning *s, struct sqlite3_stmt *track, struct err *err)
{
	int64_t first = sqlite3_column_int64(track, TRACK_FIRST);
	int64_t n = sqlite3_column_int64(track, TRACK_SLICES);
	bool all = sqlite3_column_int(track, TRACK_ALL) != 0;
	int rc;

	if (first < s->next_id || first > INT64_MAX - n)
		return query_damaged("slices do", err);
	s->next_id = first + n;
	sqlite3_reset(s->rows);
	query_bind_int(s->rows, ":first", first);
	query_bind_int(s->rows, ":last", first + n - 1);
	query_bind_int(s->rows, ":other", all ? CLASS_OTHER : CLASS_OP);
	while ((rc = sql_step(s->rows, err)) > 0)
		if (tell_row(s, sqlite3_column_int64(track, TRACK_ID), err) < 0)
			return -1;
	return rc;
}

int host_scan(struct store *store, struct text_pool *texts,
	      const struct scope_profile *profile, host_slice_fn *each, void *context,
	      struct err *err)
{
	struct scanning s = { .texts = texts, .each = each, .context = context };
	struct sqlite3_stmt *tracks = NULL;
	int rc = -1;

	if (load_backward(&s, store, profile->id, err) == 0 &&
	    query_prepare(store, asset_query_views_host_rows_sql, &s.rows, err) == 0 &&
	    query_prepare(store, asset_query_views_host_tracks_sql, &tracks, err) == 0) {
		query_bind_int(tracks, ":profile", profile->id);
		while ((rc = sql_step(tracks, err)) > 0 &&
		       (rc = scan_track(&s, tracks, err)) == 0)
			;
	}
	sqlite3_finalize(tracks);
	sqlite3_finalize(s.rows);
	free(s.backward);
	return rc;
}
