/* Opening the slices of some profiles: their tracks and steps, and the filters. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/slices/slices_state.h"

/* Columns of views/slice_tracks.sql. */
enum {
	TRACKS_PROFILE,
	TRACKS_KIND,
	TRACKS_FIRST,
	TRACKS_SLICES,
	TRACKS_TID,
	TRACKS_PID,
	TRACKS_DEVICE,
	TRACKS_THREAD,
	TRACKS_THREAD_NAME,
	TRACKS_IS_APART
};

static const char *copy_text(struct slices_state *s, struct sqlite3_stmt *stmt,
			     int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return text ? arena_strdup(&s->arena, (const char *)text) : NULL;
}

static struct str text_or_empty(const char *text)
{
	return str_of(text ? text : "");
}

static bool track_is_wanted(const struct slices_track *track, const struct filter *filter)
{
	if (!filter)
		return true;
	if (track->is_apart && filter->has_times)
		return false;
	bool has_device_filter = filter->streams.n > 0 || filter->devices.n > 0;
	if (has_device_filter && !track->is_device)
		return false;
	if (filter->threads.n > 0 && track->is_device)
		return false;
	return filter_has_number(&filter->streams, track->stream) &&
	       filter_has_number(&filter->devices, track->device) &&
	       filter_has_thread(filter, text_or_empty(track->thread),
				 text_or_empty(track->thread_name));
}

static struct slices_track read_track(struct slices_state *s, struct sqlite3_stmt *stmt)
{
	struct slices_track track = {
		.profile =
			scope_find(s->scope, sqlite3_column_int64(stmt, TRACKS_PROFILE)),
		.kind = copy_text(s, stmt, TRACKS_KIND),
		.pid = copy_text(s, stmt, TRACKS_PID),
		.thread = copy_text(s, stmt, TRACKS_THREAD),
		.thread_name = copy_text(s, stmt, TRACKS_THREAD_NAME),
		.device = query_number(stmt, TRACKS_DEVICE),
		.stream = query_number(stmt, TRACKS_TID),
		.first_id = sqlite3_column_int64(stmt, TRACKS_FIRST),
		.slices = sqlite3_column_int64(stmt, TRACKS_SLICES),
		.is_apart = sqlite3_column_int(stmt, TRACKS_IS_APART) != 0,
	};

	track.is_device = str_starts_with(text_or_empty(track.kind), STR_LIT("stream"));
	track.is_wanted = track_is_wanted(&track, s->filter);
	return track;
}

/* Calls `add` for each row of a statement about the profiles of the scope. */
static int for_rows(struct slices_state *s, struct store *store, const unsigned char *sql,
		    void (*add)(struct slices_state *s, struct sqlite3_stmt *stmt),
		    struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(store, sql, &stmt, err) < 0)
		return -1;
	if (sqlite3_bind_parameter_count(stmt) > 0)
		query_bind_text(stmt, ":profiles", s->scope->ids);
	while ((rc = sql_step(stmt, err)) > 0)
		add(s, stmt);
	sqlite3_finalize(stmt);
	return rc;
}

static void add_track(struct slices_state *s, struct sqlite3_stmt *stmt)
{
	struct slices *p = &s->public;

	p->tracks = xgrow(p->tracks, &s->tracks_cap, p->ntracks + 1, sizeof(*p->tracks));
	p->tracks[p->ntracks] = read_track(s, stmt);
	const struct slices_track *track = &p->tracks[p->ntracks++];
	p->total = sum_add(p->total, track->slices);
	if (!track->is_device)
		return;
	p->has_devices |= s->has_device && track->device != s->device;
	s->has_device = true;
	s->device = track->device;
}

/* Classes are numbered from 0 without a gap. */
static void add_class(struct slices_state *s, struct sqlite3_stmt *stmt)
{
	s->classes =
		xgrow(s->classes, &s->classes_cap, s->nclasses + 1, sizeof(*s->classes));
	/* A damaged store may have NULL where a name must be. */
	const char *name = copy_text(s, stmt, 1);
	s->classes[s->nclasses++] = name ? name : "";
}

/* Ids that can be counted with, whatever the store says. */
static int check_tracks(const struct slices *p, struct err *err)
{
	for (size_t i = 0; i < p->ntracks; i++) {
		const struct slices_track *track = &p->tracks[i];
		if (track->first_id < 1 || !track->kind ||
		    !query_is_range(track->first_id, track->slices))
			return query_damaged("tracks do", err);
	}
	return 0;
}

static int load(struct slices_state *s, struct store *store, struct err *err)
{
	if (for_rows(s, store, asset_query_views_slice_tracks_sql, add_track, err) < 0 ||
	    step_numbers_load(store, s->scope, &s->steps, err) < 0 ||
	    for_rows(s, store, asset_query_views_slice_classes_sql, add_class, err) < 0 ||
	    check_tracks(&s->public, err) < 0 ||
	    text_pool_open(store, &s->texts, err) < 0)
		return -1;
	if (s->filter && (s->filter->focus || s->filter->ignore))
		s->name_verdicts = xcalloc((size_t)s->texts.max_id + 1, 1);
	s->public.is_by_category = s->filter && s->filter->categories.n > 0;
	if (s->public.is_by_category)
		s->category_verdicts = xcalloc((size_t)s->texts.max_id + 1, 1);
	return query_prepare(store, asset_query_views_slice_rows_sql, &s->rows, err);
}

int slices_open(struct store *store, const struct scope *scope,
		const struct filter *filter, struct slices **out, struct err *err)
{
	struct slices_state *s = xcalloc(1, sizeof(*s));

	s->public.state = s;
	s->public.is_filtered = filter && filter_is_given(filter);
	s->scope = scope;
	s->filter = s->public.is_filtered ? filter : NULL;
	bool has_times = filter && filter->has_times;
	s->public.from_ns = has_times ? filter->from_ns : 0;
	s->public.to_ns = has_times ? filter->to_ns : INT64_MAX;
	*out = &s->public;
	if (load(s, store, err) == 0)
		return 0;
	slices_close(*out);
	*out = NULL;
	return -1;
}

void slices_close(struct slices *slices)
{
	if (!slices)
		return;
	struct slices_state *s = slices->state;
	sqlite3_finalize(s->rows);
	text_pool_close(&s->texts);
	free(slices->tracks);
	step_numbers_release(&s->steps);
	free(s->classes);
	free(s->name_verdicts);
	free(s->category_verdicts);
	arena_release(&s->arena);
	free(s);
}
