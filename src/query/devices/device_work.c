/* Device work in arrays: see device_work.h. */
#include "query/devices/device_work.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_work_launches_sql);
ASSET(asset_query_views_work_rows_sql);
ASSET(asset_query_views_work_tracks_sql);

#define SLICES_MAX (UINT32_MAX - 1) /* what sort_items() can number */

/* Columns of work_tracks.sql, */
enum {
	TRACK_ID,
	TRACK_NUMBER,
	TRACK_NAME,
	TRACK_FIRST,
	TRACK_SLICES,
	TRACK_DEVICE,
	TRACK_PID_TEXT
};

/* and of work_rows.sql and work_launches.sql. */
enum {
	ROW_ID,
	ROW_TS,
	ROW_DUR,
	ROW_NAME,
	ROW_CLASS,
	ROW_LAUNCH,
	ROW_OP,
	ROW_STEP,
	ROW_LAUNCH_TS,
	ROW_LAUNCH_DUR,
	ROW_LAUNCH_NAME,
	ROW_LAUNCH_TRACK
};

struct device_work_owned {
	struct arena arena; /* names */
	size_t items_cap, streams_cap, devices_cap;
	uint8_t *
		kinds; /* by text: enum work_kind + 1 per class of copies, sets and others */
	size_t kinds_cap;
};

struct loading {
	struct text_pool *texts;
	struct device_work *out;
	struct sqlite3_stmt *rows;
	int64_t nslices; /* of the profile */
	bool with_launches;
};

/* A stream's slices in the store. */
struct stretch {
	int64_t first_id, n;
};

static const char *copy_text(struct device_work *work, struct sqlite3_stmt *stmt,
			     int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? arena_strdup(&work->owned->arena, text) : NULL;
}

/* Names are judged once each; copies and sets are what they are whatever their names. */
static enum work_kind kind_of(struct loading *l, enum slice_class class, uint32_t name)
{
	struct device_work_owned *own = l->out->owned;
	size_t key = ((size_t)(name + 1U) * 3) + (class == CLASS_MEMCPY   ? 1
						  : class == CLASS_MEMSET ? 2
									  : 0);

	if (key >= own->kinds_cap) {
		size_t old = own->kinds_cap;
		own->kinds = xgrow(own->kinds, &own->kinds_cap, key + 1, 1);
		memset(own->kinds + old, 0, own->kinds_cap - old);
	}
	if (!own->kinds[key])
		own->kinds[key] =
			(uint8_t)(1 + work_kind_of(class, text_pool_str(l->texts, name)));
	return (enum work_kind)(own->kinds[key] - 1);
}

static bool is_span(int64_t ts_ns, int64_t dur_ns)
{
	return dur_ns >= 0 && ts_ns <= INT64_MAX - dur_ns;
}

static int read_launch(struct loading *l, struct work_item *item, struct err *err)
{
	struct sqlite3_stmt *stmt = l->rows;
	int64_t ts_ns = sqlite3_column_int64(stmt, ROW_LAUNCH_TS);
	int64_t dur_ns = sqlite3_column_int64(stmt, ROW_LAUNCH_DUR);

	if (sqlite3_column_type(stmt, ROW_LAUNCH_TS) == SQLITE_NULL ||
	    !is_span(ts_ns, dur_ns))
		return query_damaged("device work does", err);
	item->launch_start_ns = ts_ns;
	item->launch_end_ns = ts_ns + dur_ns;
	item->launch_track_id = sqlite3_column_int64(stmt, ROW_LAUNCH_TRACK);
	return text_pool_number(l->texts, sqlite3_column_int64(stmt, ROW_LAUNCH_NAME),
				&item->launch_name, err);
}

/* Adds the row that the statement stands on, when it is device work. */
static int add_item(struct loading *l, struct err *err)
{
	struct sqlite3_stmt *stmt = l->rows;
	struct device_work *out = l->out;
	int64_t class = sqlite3_column_int64(stmt, ROW_CLASS);
	int64_t ts_ns = sqlite3_column_int64(stmt, ROW_TS);
	int64_t dur_ns = sqlite3_column_int64(stmt, ROW_DUR);

	if (class < 0 || class >= NCLASSES || !is_span(ts_ns, dur_ns) ||
	    (int64_t)out->n >= l->nslices)
		return query_damaged("device work does", err);
	if (!class_is_device_work((enum slice_class) class))
		return 0;
	struct work_item item = {
		.start_ns = ts_ns,
		.end_ns = ts_ns + dur_ns,
		.slice_id = sqlite3_column_int64(stmt, ROW_ID),
		.launch_id = sqlite3_column_int64(stmt, ROW_LAUNCH),
		.op_id = sqlite3_column_int64(stmt, ROW_OP),
		.step_id = sqlite3_column_int64(stmt, ROW_STEP),
		.launch_name = TEXT_NONE,
		.stream = (uint32_t)out->nstreams,
		.class = (uint8_t) class,
	};
	if (text_pool_number(l->texts, sqlite3_column_int64(stmt, ROW_NAME), &item.name,
			     err) < 0)
		return -1;
	if (l->with_launches && item.launch_id && read_launch(l, &item, err) < 0)
		return -1;
	item.kind = (uint8_t)kind_of(l, (enum slice_class) class, item.name);
	out->items = xgrow(out->items, &out->owned->items_cap, out->n + 1, sizeof(item));
	out->items[out->n++] = item;
	return 0;
}

static int load_items(struct loading *l, struct stretch in, struct err *err)
{
	int rc;

	if (in.first_id < 0 || in.n < 0 || in.first_id > INT64_MAX - in.n)
		return query_damaged("device work does", err);
	sqlite3_reset(l->rows);
	query_bind_int(l->rows, ":first", in.first_id);
	query_bind_int(l->rows, ":last", in.first_id + in.n - 1);
	while ((rc = sql_step(l->rows, err)) > 0)
		if (add_item(l, err) < 0)
			return -1;
	return rc;
}

static bool is_same_device(const struct work_device *device, int64_t number,
			   const char *name)
{
	if (device->device != number || !device->name != !name)
		return false;
	return !name || strcmp(device->name, name) == 0;
}

/* The device of the track that the statement stands on: the last one, or a new one. */
static struct work_device *device_of(struct device_work *out, struct sqlite3_stmt *stmt,
				     size_t first_item)
{
	int64_t number = query_number(stmt, TRACK_DEVICE);
	const char *name =
		number == NUMBER_NONE ? copy_text(out, stmt, TRACK_PID_TEXT) : NULL;

	if (out->ndevices &&
	    is_same_device(&out->devices[out->ndevices - 1], number, name))
		return &out->devices[out->ndevices - 1];
	out->devices = xgrow(out->devices, &out->owned->devices_cap, out->ndevices + 1,
			     sizeof(*out->devices));
	out->devices[out->ndevices] = (struct work_device){
		.device = number,
		.name = name,
		.first = first_item,
		.first_stream = out->nstreams,
	};
	return &out->devices[out->ndevices++];
}

/* The stream that the statement stands on; one without device work leaves no trace. */
static int add_stream(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct device_work *out = l->out;
	size_t before = out->n;
	struct stretch in = { sqlite3_column_int64(stmt, TRACK_FIRST),
			      sqlite3_column_int64(stmt, TRACK_SLICES) };

	if (load_items(l, in, err) < 0)
		return -1;
	if (out->n == before)
		return 0;
	struct work_device *device = device_of(out, stmt, before);
	device->n = out->n - device->first;
	device->nstreams++;
	out->streams = xgrow(out->streams, &out->owned->streams_cap, out->nstreams + 1,
			     sizeof(*out->streams));
	out->streams[out->nstreams++] = (struct work_stream){
		.track_id = sqlite3_column_int64(stmt, TRACK_ID),
		.stream = query_number(stmt, TRACK_NUMBER),
		.name = copy_text(out, stmt, TRACK_NAME),
		.device = out->ndevices - 1,
		.nitems = out->n - before,
	};
	return 0;
}

static bool starts_before(const void *context, uint32_t a, uint32_t b)
{
	const struct work_item *items = context;

	return items[a].start_ns < items[b].start_ns;
}

/* Streams are in order, one behind the other: the sort is stable. */
static void sort_items(struct work_item *items, size_t n)
{
	uint32_t *at = xrealloc_array(NULL, n * 2, sizeof(*at));
	struct work_item *sorted = xrealloc_array(NULL, n, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		at[i] = (uint32_t)i;
	sort_indexes(at, n, at + n, starts_before, items);
	for (size_t i = 0; i < n; i++)
		sorted[i] = items[at[i]];
	memcpy(items, sorted, n * sizeof(*items));
	free(sorted);
	free(at);
}

static int load_streams(struct loading *l, struct sqlite3_stmt *tracks, struct err *err)
{
	int rc;

	while ((rc = sql_step(tracks, err)) > 0)
		if (add_stream(l, tracks, err) < 0)
			return -1;
	for (size_t i = 0; rc == 0 && i < l->out->ndevices; i++) {
		const struct work_device *device = &l->out->devices[i];
		if (device->nstreams > 1)
			sort_items(l->out->items + device->first, device->n);
	}
	return rc;
}

int device_work_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, bool with_launches,
		     struct device_work *out, struct err *err)
{
	struct loading l = {
		.texts = texts,
		.out = out,
		.nslices = profile->slices < SLICES_MAX ? profile->slices : SLICES_MAX,
		.with_launches = with_launches,
	};
	struct sqlite3_stmt *tracks = NULL;
	int rc = -1;

	*out = (struct device_work){ .owned = xcalloc(1, sizeof(*out->owned)) };
	if (query_prepare(store, asset_query_views_work_tracks_sql, &tracks, err) == 0 &&
	    query_prepare(store,
			  with_launches ? asset_query_views_work_launches_sql
					: asset_query_views_work_rows_sql,
			  &l.rows, err) == 0) {
		query_bind_int(tracks, ":profile", profile->id);
		rc = load_streams(&l, tracks, err);
	}
	sqlite3_finalize(l.rows);
	sqlite3_finalize(tracks);
	return rc;
}

void device_work_release(struct device_work *work)
{
	if (work->owned) {
		arena_release(&work->owned->arena);
		free(work->owned->kinds);
	}
	free(work->owned);
	free(work->items);
	free(work->streams);
	free(work->devices);
	*work = (struct device_work){ .n = 0 };
}

void device_work_union(const struct device_work *work, const struct work_device *device,
		       unsigned kinds, struct intervals *out)
{
	*out = (struct intervals){ .n = 0 };
	for (size_t i = device->first; i < device->first + device->n; i++) {
		const struct work_item *item = &work->items[i];
		if (WORK_BIT(item->kind) & kinds)
			intervals_add(out, item->start_ns, item->end_ns);
	}
	intervals_unite(out);
}

int device_work_lacks(const struct scope *scope, struct err *err)
{
	bool is_call_graph = false;

	if (scope_is_call_graph(scope, &is_call_graph, err) == 0 && is_call_graph)
		return err_set(err, ERR_EMPTY,
			       "a call graph has no device work: record with "
			       "torch.profiler");
	return err_set(err, ERR_EMPTY,
		       "no device work was recorded: profile with "
		       "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
}
