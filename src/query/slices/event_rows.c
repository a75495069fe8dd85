/* Slices as events: see event_rows.h. */
#include "query/slices/event_rows.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/intern.h"
#include "query/query.h"
#include "trace/slice_bits.h"

ASSET(asset_query_views_event_at_sql);
ASSET(asset_query_views_event_tracks_sql);
ASSET(asset_query_views_event_apart_sql);
ASSET(asset_query_views_event_counters_sql);
ASSET(asset_query_views_event_flows_sql);
ASSET(asset_query_views_event_names_sql);
ASSET(asset_query_views_event_profile_sql);

/* Columns of views/event_at.sql. */
enum {
	COLUMN_TS,
	COLUMN_DUR,
	COLUMN_NAME,
	COLUMN_CATEGORY,
	COLUMN_FLAGS,
	COLUMN_TRACK,
	COLUMN_LAUNCH,
	COLUMN_ARGS,
	COLUMN_MORE,
	COLUMN_IS_OWN
};

/* Columns of views/event_tracks.sql. */
enum {
	TRACKS_ID,
	TRACKS_KIND,
	TRACKS_PID,
	TRACKS_TID,
	TRACKS_NAME,
	TRACKS_PROCESS,
	TRACKS_LABELS,
	TRACKS_PROCESS_SORT,
	TRACKS_THREAD_SORT,
	TRACKS_UPID
};

/* A duration that cannot be, of a slice that is set apart. */
struct apart {
	int64_t slice_id, dur_ns;
};

struct event_rows {
	struct store *store;                 /* borrowed */
	const struct scope_profile *profile; /* borrowed */
	int64_t most;                        /* bytes of a text that slices share */
	struct sqlite3_stmt *at, *text;
	struct event_track *tracks; /* owned */
	size_t ntracks, tracks_cap;
	struct apart *apart; /* owned; by slice_id */
	size_t napart, apart_cap;
	struct intern texts; /* of tracks: those of a process have its name */
	struct arena arena;  /* cells of tracks, and the head */
};

static struct str kept_text(struct event_rows *rows, struct cell cell)
{
	return cell.type == CELL_TEXT ? arena_copy(&rows->arena, cell.as.text)
				      : (struct str){ NULL, 0 };
}

/* Tracks of one process have its name. */
static struct str shared_text(struct event_rows *rows, struct cell cell)
{
	return cell.type == CELL_TEXT
		       ? intern_str(&rows->texts, intern_add(&rows->texts, cell.as.text))
		       : (struct str){ NULL, 0 };
}

static struct cell kept_cell(struct event_rows *rows, struct cell cell)
{
	if (cell.type == CELL_TEXT)
		cell.as.text = arena_copy(&rows->arena, cell.as.text);
	return cell;
}

static void add_track(struct event_rows *rows, struct sqlite3_stmt *stmt)
{
	struct str kind = kept_text(rows, query_cell(stmt, TRACKS_KIND));

	*ARRAY_PUSH(rows->tracks, rows->ntracks, rows->tracks_cap) = (struct event_track){
		.id = sqlite3_column_int64(stmt, TRACKS_ID),
		.kind = kind.p,
		.pid = kept_cell(rows, query_cell(stmt, TRACKS_PID)),
		.tid = kept_cell(rows, query_cell(stmt, TRACKS_TID)),
		.name = shared_text(rows, query_cell(stmt, TRACKS_NAME)),
		.process = shared_text(rows, query_cell(stmt, TRACKS_PROCESS)),
		.labels = shared_text(rows, query_cell(stmt, TRACKS_LABELS)),
		.process_sort = query_cell(stmt, TRACKS_PROCESS_SORT),
		.thread_sort = query_cell(stmt, TRACKS_THREAD_SORT),
		.upid = sqlite3_column_int64(stmt, TRACKS_UPID),
	};
}

static void add_apart(struct event_rows *rows, struct sqlite3_stmt *stmt)
{
	*ARRAY_PUSH(rows->apart, rows->napart, rows->apart_cap) =
		(struct apart){ sqlite3_column_int64(stmt, 0),
				sqlite3_column_int64(stmt, 1) };
}

static int load(struct event_rows *rows, const unsigned char *sql,
		void (*add)(struct event_rows *rows, struct sqlite3_stmt *stmt),
		struct err *err)
{
	struct query q = query_of_profile(rows->store, sql, rows->profile, err);

	while (query_next(&q, err))
		add(rows, q.stmt);
	return query_end(&q);
}

int event_rows_open(struct store *store, const struct scope_profile *profile,
		    struct event_rows **out, struct err *err)
{
	struct event_rows *rows = xcalloc(1, sizeof(*rows));

	*out = NULL;
	intern_init(&rows->texts);
	rows->most = INT64_MAX;
	rows->store = store;
	rows->profile = profile;
	if (load(rows, asset_query_views_event_tracks_sql, add_track, err) < 0 ||
	    load(rows, asset_query_views_event_apart_sql, add_apart, err) < 0 ||
	    query_prepare(store, asset_query_views_event_at_sql, &rows->at, err) < 0 ||
	    query_prepare(store, asset_query_views_string_text_sql, &rows->text, err) <
		    0) {
		event_rows_close(rows);
		return -1;
	}
	*out = rows;
	return 0;
}

void event_rows_close(struct event_rows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->at);
	sqlite3_finalize(rows->text);
	free(rows->tracks);
	free(rows->apart);
	intern_release(&rows->texts);
	arena_release(&rows->arena);
	free(rows);
}

void event_rows_shorten(struct event_rows *rows, int64_t most)
{
	rows->most = most;
}

const struct event_track *event_rows_tracks(const struct event_rows *rows, size_t *n)
{
	*n = rows->ntracks;
	return rows->tracks;
}

static int by_id(const void *key, const void *item)
{
	int64_t id = *(const int64_t *)key;
	const struct event_track *track = item;

	return (id > track->id) - (id < track->id);
}

/* The track of that id; NULL: none. */
static const struct event_track *event_rows_track(const struct event_rows *rows,
						  int64_t id)
{
	return rows->ntracks ? bsearch(&id, rows->tracks, rows->ntracks,
				       sizeof(*rows->tracks), by_id)
			     : NULL;
}

static int by_slice(const void *key, const void *item)
{
	int64_t id = *(const int64_t *)key;
	const struct apart *apart = item;

	return (id > apart->slice_id) - (id < apart->slice_id);
}

static int64_t dur_as_recorded(const struct event_rows *rows, int64_t id, int64_t dur_ns)
{
	const struct apart *apart = rows->napart ? bsearch(&id, rows->apart, rows->napart,
							   sizeof(*rows->apart), by_slice)
						 : NULL;

	return apart ? apart->dur_ns : dur_ns;
}

static struct str text_of(struct sqlite3_stmt *stmt, int column)
{
	struct cell cell = query_cell(stmt, column);

	return cell.type == CELL_TEXT ? cell.as.text : (struct str){ NULL, 0 };
}

int event_rows_at(struct event_rows *rows, int64_t id, struct event_row *out,
		  struct err *err)
{
	struct sqlite3_stmt *stmt = rows->at;

	sqlite3_reset(stmt);
	query_bind_int(stmt, ":id", id);
	query_bind_int(stmt, ":most", rows->most);
	query_bind_int(stmt, ":is_xprof", scope_is_xprof(rows->profile));
	int rc = sql_step(stmt, err);
	if (rc <= 0)
		return rc < 0 ? -1 : query_damaged("slices", err);
	int64_t flags = sqlite3_column_int64(stmt, COLUMN_FLAGS);
	*out = (struct event_row){
		.ts_ns = sqlite3_column_int64(stmt, COLUMN_TS),
		.dur_ns = sqlite3_column_int64(stmt, COLUMN_DUR),
		.name = text_of(stmt, COLUMN_NAME),
		.category = text_of(stmt, COLUMN_CATEGORY),
		.track = event_rows_track(rows, sqlite3_column_int64(stmt, COLUMN_TRACK)),
		.launch_id = sqlite3_column_int64(stmt, COLUMN_LAUNCH),
		.is_instant = flags & SLICE_INSTANT,
		.args = text_of(stmt, COLUMN_ARGS),
		.more = text_of(stmt, COLUMN_MORE),
		.has_own_args = sqlite3_column_int(stmt, COLUMN_IS_OWN),
	};
	if (!out->track)
		return query_damaged("slices", err);
	if (flags & SLICE_APART)
		out->dur_ns = dur_as_recorded(rows, id, out->dur_ns);
	return 0;
}

int event_rows_head(struct event_rows *rows, struct event_head *out, struct err *err)
{
	struct query q = query_of_profile(
		rows->store, asset_query_views_event_profile_sql, rows->profile, err);

	*out = (struct event_head){ .entries = { NULL, 0 } };
	while (query_next(&q, err)) {
		out->entries = kept_text(rows, query_cell(q.stmt, 0));
		out->rules = kept_text(rows, query_cell(q.stmt, 1));
	}
	if (query_end(&q) < 0)
		return -1;
	return out->rules.n ? 0 : query_damaged("profiles", err);
}

int event_rows_links(struct event_rows *rows,
		     int (*each)(void *to, const struct event_link *link,
				 struct err *err),
		     void *to, struct err *err)
{
	struct query q = query_open(rows->store, asset_query_views_event_flows_sql, err);

	while (query_next(&q, err)) {
		const struct event_link link = { sqlite3_column_int64(q.stmt, 0),
						 sqlite3_column_int64(q.stmt, 1),
						 sqlite3_column_int64(q.stmt, 2) };
		q.rc = each(to, &link, err);
	}
	return query_end(&q);
}

int event_rows_text(struct event_rows *rows, int64_t string_id, struct str *out,
		    struct err *err)
{
	int rc = 0;

	*out = (struct str){ NULL, 0 };
	sqlite3_reset(rows->text);
	query_bind_int(rows->text, ":id", string_id);
	if (string_id && (rc = sql_step(rows->text, err)) > 0)
		*out = text_of(rows->text, 0);
	return rc < 0 ? -1 : 0;
}

int event_rows_names(struct event_rows *rows, size_t most,
		     void (*each)(void *to, struct str text, int64_t uses), void *to,
		     struct err *err)
{
	struct query q = query_of_profile(rows->store, asset_query_views_event_names_sql,
					  rows->profile, err);

	if (q.stmt)
		query_bind_int(q.stmt, ":most", (int64_t)most);
	while (query_next(&q, err))
		each(to, text_of(q.stmt, 0), sqlite3_column_int64(q.stmt, 1));
	return query_end(&q);
}

int event_rows_samples(struct event_rows *rows, int64_t from_ns, int64_t to_ns,
		       int (*each)(void *to, const struct event_sample *sample,
				   struct err *err),
		       void *to, struct err *err)
{
	struct query q = query_of_profile(
		rows->store, asset_query_views_event_counters_sql, rows->profile, err);

	if (q.stmt) {
		query_bind_int(q.stmt, ":from", from_ns);
		query_bind_int(q.stmt, ":to", to_ns);
	}
	while (query_next(&q, err)) {
		const struct event_sample sample = {
			event_rows_track(rows, sqlite3_column_int64(q.stmt, 0)),
			sqlite3_column_int64(q.stmt, 1), query_cell(q.stmt, 2)
		};
		if (sample.track)
			q.rc = each(to, &sample, err);
	}
	return query_end(&q);
}
