/* Tracks and details of a profile's timeline: see timeline_load.h. */
#include "query/timeline/timeline_load.h"

#include <sqlite3.h>
#include <string.h>

#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_ops_detail_sql);
ASSET(asset_query_views_ops_profile_sql);
ASSET(asset_query_views_timeline_copies_sql);
ASSET(asset_query_views_timeline_tracks_sql);

/* Columns of views/timeline_tracks.sql. */
enum {
	TRACK_KIND,
	TRACK_FIRST,
	TRACK_SLICES,
	TRACK_NAME,
	TRACK_PROCESS,
	TRACK_PID,
	TRACK_TID,
	TRACK_DEVICE
};
/* Columns of views/ops_detail.sql, and of ops_profile.sql the last. */
enum { OP_SHAPES, OP_STACK, OP_MODULE, OP_FLOPS };
enum { PROFILE_FIRST_OP_DETAIL = 8 };

struct cell timeline_kept(struct arena *arena, struct cell cell)
{
	if (cell.type == CELL_TEXT)
		cell.as.text = arena_copy(arena, cell.as.text);
	return cell;
}

static struct str kept_text(struct arena *arena, struct cell cell)
{
	cell = timeline_kept(arena, cell);
	return cell.type == CELL_TEXT ? cell.as.text : (struct str){ "", 0 };
}

static enum timeline_kind kind_of(const char *name)
{
	static const enum track_kind kinds[] = {
		[TIMELINE_THREAD] = TRACK_THREAD,
		[TIMELINE_ASYNC] = TRACK_ASYNC,
		[TIMELINE_STREAM_NOTES] = TRACK_STREAM_NOTES,
		[TIMELINE_STREAM] = TRACK_STREAM,
	};

	for (int kind = TIMELINE_THREAD; kind <= TIMELINE_STREAM; kind++)
		if (name && strcmp(name, track_kind_name(kinds[kind])) == 0)
			return (enum timeline_kind)kind;
	return TIMELINE_ASYNC;
}

static int load_sources(struct timeline_reader *r, struct err *err)
{
	struct arena *arena = &r->shared->arena;

	if (query_check_tracks(r->shared->store, r->profile, err) < 0)
		return -1;
	struct query q = query_of_profile(
		r->shared->store, asset_query_views_timeline_tracks_sql, r->profile, err);

	while (query_next(&q, err)) {
		struct timeline_source source = {
			.first_id = sqlite3_column_int64(q.stmt, TRACK_FIRST),
			.n = sqlite3_column_int64(q.stmt, TRACK_SLICES),
		};
		source.track = (struct timeline_track){
			.kind = kind_of(
				(const char *)sqlite3_column_text(q.stmt, TRACK_KIND)),
			.profile = r->place,
			.name = kept_text(arena, query_cell(q.stmt, TRACK_NAME)),
			.process = kept_text(arena, query_cell(q.stmt, TRACK_PROCESS)),
			.pid = timeline_kept(arena, query_cell(q.stmt, TRACK_PID)),
			.tid = timeline_kept(arena, query_cell(q.stmt, TRACK_TID)),
			.device = timeline_kept(arena, query_cell(q.stmt, TRACK_DEVICE)),
		};
		if (source.first_id < r->profile->first_slice_id ||
		    source.n > r->profile->slices ||
		    source.first_id - r->profile->first_slice_id >
			    r->profile->slices - source.n) {
			q.rc = query_damaged("tracks", err);
			break;
		}
		*ARRAY_PUSH(r->sources, r->nsources, r->sources_cap) = source;
	}
	return query_end(&q);
}

static int add_op_detail(struct timeline_reader *r, struct sqlite3_stmt *stmt,
			 size_t *cap, struct err *err)
{
	struct timeline_saying what = { .n = 0 };
	uint32_t text;

	if (text_pool_number(&r->shared->texts, sqlite3_column_int64(stmt, OP_SHAPES),
			     &text, err) < 0)
		return -1;
	timeline_say_text(&what, DETAIL_SHAPES, text);
	if (text_pool_number(&r->shared->texts, sqlite3_column_int64(stmt, OP_MODULE),
			     &text, err) < 0)
		return -1;
	timeline_say_text(&what, DETAIL_MODULE, text);
	timeline_say(&what, DETAIL_FLOPS, query_number(stmt, OP_FLOPS));
	size_t n = (size_t)r->nop_details;
	*ARRAY_PUSH(r->op_details, n, *cap) = timeline_detail(&r->shared->details, &what);
	r->nop_details++;
	return 0;
}

static int load_op_details(struct timeline_reader *r, struct err *err)
{
	struct query q = query_of_profile(
		r->shared->store, asset_query_views_ops_profile_sql, r->profile, err);
	size_t cap = 0;

	while (query_next(&q, err))
		r->first_op_detail =
			sqlite3_column_int64(q.stmt, PROFILE_FIRST_OP_DETAIL);
	if (query_end(&q) < 0)
		return -1;
	q = query_of_profile(r->shared->store, asset_query_views_ops_detail_sql,
			     r->profile, err);
	while (query_next(&q, err))
		q.rc = add_op_detail(r, q.stmt, &cap, err);
	return query_end(&q);
}

static int load_copies(struct timeline_reader *r, struct err *err)
{
	struct query q = query_of_profile(
		r->shared->store, asset_query_views_timeline_copies_sql, r->profile, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(r->copies, r->ncopies, r->copies_cap) =
			(struct timeline_copy){ sqlite3_column_int64(q.stmt, 0),
						sqlite3_column_int64(q.stmt, 1) };
	return query_end(&q);
}

int timeline_reader_open(struct timeline_shared *shared,
			 const struct scope_profile *profile, size_t place,
			 struct timeline_reader *out, struct err *err)
{
	*out = (struct timeline_reader){ .shared = shared,
					 .profile = profile,
					 .place = place };
	if (profile->slices == 0)
		return 0;
	return load_sources(out, err);
}

int timeline_reader_begin(struct timeline_reader *r, struct err *err)
{
	r->ordinals = xcalloc((size_t)r->profile->slices + 1, sizeof(*r->ordinals));
	if (r->profile->slices == 0)
		return 0;
	if (kernel_details_load(r->shared->store, r->profile, &r->shared->details.shapes,
				&r->kernels, err) < 0)
		return -1;
	return load_copies(r, err) < 0 ? -1 : load_op_details(r, err);
}
