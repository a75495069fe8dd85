/* The slices of some profiles: see slices.h. */
#include "query/slices/slices.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/intervals.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/step_numbers.h"
#include "query/text_pool.h"
#include "trace/fact.h"
#include "trace/slice_bits.h"

/* What is known of a text and the filters that ask for it. */
enum verdict { UNKNOWN, UNWANTED, WANTED };

/* Columns of views/slice_rows.sql. */
enum {
	COLUMN_ID,
	COLUMN_TS,
	COLUMN_DUR,
	COLUMN_SELF,
	COLUMN_NAME,
	COLUMN_CATEGORY,
	COLUMN_CLASS,
	COLUMN_FLAGS,
	COLUMN_DEPTH,
	COLUMN_PARENT,
	COLUMN_STEP,
	COLUMN_CORRELATION,
	COLUMN_LAUNCH
};

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
	TRACKS_IS_APART,
	TRACKS_NAME
};

struct slices_state {
	struct slices public;
	const struct scope *scope;
	const struct filter *filter; /* NULL: everything is wanted */
	struct arena arena;
	struct sqlite3_stmt *rows;
	struct text_pool texts;
	struct step_numbers steps;
	size_t tracks_cap, classes_cap;
	const char **classes; /* owned; by number */
	size_t nclasses;
	bool has_device;
	int64_t device; /* of the newest track of a device, when has_device */
	/* owned, by text id, NULL without such a filter */
	uint8_t *name_verdicts, *category_verdicts;
};

static int read_row(struct sqlite3_stmt *stmt, struct slice_row *row, struct err *err)
{
	int flags = sqlite3_column_int(stmt, COLUMN_FLAGS);

	*row = (struct slice_row){
		.id = sqlite3_column_int64(stmt, COLUMN_ID),
		.ts_ns = sqlite3_column_int64(stmt, COLUMN_TS),
		.dur_ns = sqlite3_column_int64(stmt, COLUMN_DUR),
		.self_ns = sqlite3_column_int64(stmt, COLUMN_SELF),
		.name_id = sqlite3_column_int64(stmt, COLUMN_NAME),
		.category_id = sqlite3_column_int64(stmt, COLUMN_CATEGORY),
		.parent_id = sqlite3_column_int64(stmt, COLUMN_PARENT),
		.step_id = sqlite3_column_int64(stmt, COLUMN_STEP),
		.correlation = sqlite3_column_int64(stmt, COLUMN_CORRELATION),
		.launch_id = sqlite3_column_int64(stmt, COLUMN_LAUNCH),
		.class = sqlite3_column_int(stmt, COLUMN_CLASS),
		.depth = sqlite3_column_int(stmt, COLUMN_DEPTH),
		.is_instant = flags & SLICE_INSTANT,
		.is_unfinished = flags & SLICE_UNFINISHED,
		.has_correlation =
			sqlite3_column_type(stmt, COLUMN_CORRELATION) != SQLITE_NULL,
	};
	bool is_apart = flags & SLICE_APART;
	bool is_sound = query_is_slice_time(row->ts_ns, row->dur_ns, is_apart);

	return is_sound ? 0 : query_damaged("slices", err);
}

static void read_range(struct slices *slices, int64_t first, int64_t last)
{
	struct sqlite3_stmt *stmt = slices->state->rows;

	sqlite3_reset(stmt);
	query_bind_int(stmt, ":first", first);
	query_bind_int(stmt, ":last", last);
}

void slices_from(struct slices *slices, const struct slices_track *track, int64_t id)
{
	read_range(slices, id, track->first_id + track->slices - 1);
}

int slices_next(struct slices *slices, struct slice_row *row, struct err *err)
{
	int rc = sql_step(slices->state->rows, err);

	return rc > 0 && read_row(slices->state->rows, row, err) < 0 ? -1 : rc;
}

int slices_read(struct slices *slices, const struct slices_track *track, int64_t id,
		struct slice_row *rows, size_t n, struct err *err)
{
	int64_t last = track->first_id + track->slices - 1;
	size_t got = 0;
	int rc = 0;

	if (last - id >= (int64_t)n)
		last = id + (int64_t)n - 1;
	read_range(slices, id, last);
	while (got < n && (rc = slices_next(slices, &rows[got], err)) > 0)
		got++;
	return rc < 0 ? -1 : (int)got;
}

int slices_seek(struct slices *slices, const struct slices_track *track, int64_t ts_ns,
		int64_t *id, struct err *err)
{
	int64_t low = track->first_id, high = track->first_id + track->slices;
	struct slice_row row;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		int rc = slices_read(slices, track, middle, &row, 1, err);
		if (rc == 0)
			err_set(err, ERR_INPUT,
				"the store is damaged: slices are missing");
		if (rc <= 0)
			return -1;
		if (row.ts_ns < ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*id = low;
	return 0;
}

const struct slices_track *slices_track_of(const struct slices *slices, int64_t id)
{
	size_t at;

	/* the first track that begins behind the id */
	SEARCH(at, 0, slices->ntracks, slices->tracks[at].first_id <= id);
	if (at == 0)
		return NULL;
	const struct slices_track *track = &slices->tracks[at - 1];
	return id < track->first_id + track->slices ? track : NULL;
}

/* Each text is judged once. */
static int name_is_wanted(struct slices_state *s, const struct slice_row *row,
			  struct err *err)
{
	struct str name;

	if (slices_text(&s->public, row->name_id, &name, err) < 0)
		return -1;
	uint8_t *verdict = &s->name_verdicts[row->name_id];
	if (*verdict == UNKNOWN) {
		int rc = filter_has_name(s->filter, name, err);
		if (rc < 0)
			return -1;
		*verdict = rc ? WANTED : UNWANTED;
	}
	return *verdict == WANTED;
}

static int category_is_wanted(struct slices_state *s, const struct slice_row *row,
			      struct err *err)
{
	struct str category;

	if (row->class >= 0 && row->class < NCLASSES &&
	    s->filter->classes >> row->class & 1)
		return 1;
	if (slices_text(&s->public, row->category_id, &category, err) < 0)
		return -1;
	uint8_t *verdict = &s->category_verdicts[row->category_id];
	if (*verdict == UNKNOWN)
		*verdict = filter_has_category(s->filter, category, CLASS_NONE)
				   ? WANTED
				   : UNWANTED;
	return *verdict == WANTED;
}

int slices_is_wanted(struct slices *slices, const struct slice_row *row, struct err *err)
{
	struct slices_state *s = slices->state;
	int rc = 1;

	if (!s->filter)
		return 1;
	if (!filter_has_time(s->filter, row->ts_ns) ||
	    !filter_has_dur(s->filter, row->dur_ns))
		return 0;
	const struct step_number *step = step_numbers_at(&s->steps, row->step_id);
	if (!filter_has_step(s->filter, step ? step->profile_id : 0,
			     step ? step->number : 0, step != NULL))
		return 0;
	if (s->category_verdicts)
		rc = category_is_wanted(s, row, err);
	if (rc > 0 && s->name_verdicts)
		rc = name_is_wanted(s, row, err);
	return rc;
}

bool slices_step(const struct slices *slices, const struct slice_row *row,
		 int64_t *number)
{
	const struct slices_state *s = slices->state;

	return step_numbers_find(&s->steps, row->step_id, number);
}

const char *slices_class(const struct slices *slices, const struct slice_row *row)
{
	const struct slices_state *s = slices->state;

	return row->class >= 0 && (size_t)row->class < s->nclasses
		       ? s->classes[row->class]
		       : "";
}

int slices_text(struct slices *slices, int64_t id, struct str *out, struct err *err)
{
	struct text_pool *texts = &slices->state->texts;
	uint32_t number;

	if (text_pool_number(texts, id, &number, err) < 0)
		return -1;
	*out = text_pool_str(texts, number);
	return 0;
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
		.kind = sql_text(stmt, TRACKS_KIND, &s->arena),
		.pid = sql_text(stmt, TRACKS_PID, &s->arena),
		.thread = sql_text(stmt, TRACKS_THREAD, &s->arena),
		.thread_name = sql_text(stmt, TRACKS_THREAD_NAME, &s->arena),
		.name = sql_text(stmt, TRACKS_NAME, &s->arena),
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
	struct query q = query_open(store, sql, err);

	if (sqlite3_bind_parameter_count(q.stmt) > 0)
		query_bind_text(q.stmt, ":profiles", s->scope->ids);
	while (query_next(&q, err))
		add(s, q.stmt);
	return query_end(&q);
}

static void add_track(struct slices_state *s, struct sqlite3_stmt *stmt)
{
	struct slices *p = &s->public;

	struct slices_track *track = ARRAY_PUSH(p->tracks, p->ntracks, s->tracks_cap);

	*track = read_track(s, stmt);
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
	/* A damaged store may have NULL where a name must be. */
	const char *name = sql_text(stmt, 1, &s->arena);

	*ARRAY_PUSH(s->classes, s->nclasses, s->classes_cap) = name ? name : "";
}

/* Ids that can be counted with, each of one track of the scope, whatever the store says. */
static int check_tracks(const struct slices *p, struct err *err)
{
	int64_t end = 1;

	for (size_t i = 0; i < p->ntracks; i++) {
		const struct slices_track *track = &p->tracks[i];
		if (track->first_id < end || !track->kind || !track->profile ||
		    !query_is_range(track->first_id, track->slices))
			return query_damaged("tracks", err);
		end = track->first_id + track->slices;
	}
	return 0;
}

/* From the first to the last wanted step of each profile of the scope. */
static struct interval *step_extents(const struct slices_state *s)
{
	struct interval *extents = xrealloc_array(NULL, s->scope->n, sizeof(*extents));

	for (size_t i = 0; i < s->scope->n; i++)
		extents[i] = (struct interval){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < s->steps.n; i++) {
		const struct step_number *step = &s->steps.items[i];
		const struct scope_profile *profile =
			scope_find(s->scope, step->profile_id);
		if (!profile ||
		    !filter_has_step(s->filter, profile->id, step->number, true))
			continue;
		struct interval *e = &extents[profile - s->scope->profiles];
		e->start_ns = step->start_ns < e->start_ns ? step->start_ns : e->start_ns;
		e->end_ns = step->end_ns > e->end_ns ? step->end_ns : e->end_ns;
	}
	return extents;
}

/*
 * Where a track's wanted slices can begin.  A step holds the starts of its slices on the
 * host; its device work may begin at any time.
 */
static void limit_tracks(struct slices_state *s)
{
	bool has_times = s->filter && s->filter->has_times;
	bool has_steps = s->filter && s->filter->has_steps;
	struct interval *extents = has_steps ? step_extents(s) : NULL;

	for (size_t i = 0; i < s->public.ntracks; i++) {
		struct slices_track *track = &s->public.tracks[i];
		track->from_ns = has_times ? s->filter->from_ns : 0;
		track->to_ns = has_times ? s->filter->to_ns : INT64_MAX;
		if (!has_steps || track->is_apart || strcmp(track->kind, "thread") != 0)
			continue;
		const struct interval *e = &extents[track->profile - s->scope->profiles];
		if (e->start_ns > track->from_ns)
			track->from_ns = e->start_ns;
		if (e->end_ns < track->to_ns)
			track->to_ns = sum_add(e->end_ns, 1);
	}
	free(extents);
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
	limit_tracks(s);
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
