/* Device work in arrays: see device_work.h. */
#include "query/devices/device_work.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/comm/comm_kernel.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

ASSET(asset_query_views_device_captures_sql);
ASSET(asset_query_views_device_launches_sql);
ASSET(asset_query_views_device_work_any_sql);
ASSET(asset_query_views_work_tracks_sql);

#define COLUMNS    (PACKED_NAME | PACKED_CLASS | PACKED_STEP | PACKED_LAUNCH | PACKED_OP)
#define SLICES_MAX (UINT32_MAX - 1) /* what sort_items() can number */

/* Columns of work_tracks.sql. */
enum {
	TRACK_ID,
	TRACK_NUMBER,
	TRACK_NAME,
	TRACK_FIRST,
	TRACK_SLICES,
	TRACK_DEVICE,
	TRACK_PID_TEXT
};

struct device_work_owned {
	struct arena arena; /* names */
	size_t items_cap, streams_cap, devices_cap;
};

struct loading {
	struct text_pool *texts;
	struct device_work *out;
	struct slice_pack slices;
	int64_t nslices; /* of the profile */
};

/* Names are judged once each; copies and sets are what they are whatever their names. */
static enum work_kind kind_of(struct loading *l, enum slice_class class, uint32_t name)
{
	struct text_pool *texts = l->texts;
	size_t key = ((size_t)(name + 1U) * 3) + (class == CLASS_MEMCPY   ? 1
						  : class == CLASS_MEMSET ? 2
									  : 0);
	uint8_t *kind = ARRAY_AT(texts->work_kinds, texts->work_kinds_cap, key);

	if (!*kind)
		*kind = (uint8_t)(1 + work_kind_of(class, text_pool_str(l->texts, name)));
	return (enum work_kind)(*kind - 1);
}

/* Adds the newest slice, when it is device work. */
static int add_item(struct loading *l, struct err *err)
{
	const struct packed_slice *s = &l->slices.slice;
	struct device_work *out = l->out;

	if ((int64_t)out->n >= l->nslices)
		return query_damaged("pieces of device work", err);
	if (!class_is_device_work((enum slice_class)s->class))
		return 0;
	struct work_item item = {
		.start_ns = s->start_ns,
		.end_ns = s->end_ns,
		.slice_id = s->id,
		.launch_id = s->launch_id,
		.op_id = s->op_id,
		.step_id = s->step_id,
		.launch_name = TEXT_NONE,
		.op_name = TEXT_NONE,
		.stream = (uint32_t)out->nstreams,
		.class = s->class,
	};
	if (text_pool_number(l->texts, s->name_id, &item.name, err) < 0)
		return -1;
	item.kind = (uint8_t)kind_of(l, (enum slice_class)s->class, item.name);
	*ARRAY_PUSH(out->items, out->n, out->owned->items_cap) = item;
	return 0;
}

static int load_items(struct loading *l, int64_t first_id, int64_t n, struct err *err)
{
	int rc = slice_pack_seek(&l->slices, first_id, n, err);

	while (rc == 0 && (rc = slice_pack_next(&l->slices, err)) > 0)
		rc = add_item(l, err);
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
	const char *name = number == NUMBER_NONE
				   ? sql_text(stmt, TRACK_PID_TEXT, &out->owned->arena)
				   : NULL;

	if (out->ndevices &&
	    is_same_device(&out->devices[out->ndevices - 1], number, name))
		return &out->devices[out->ndevices - 1];
	struct work_device *new =
		ARRAY_PUSH(out->devices, out->ndevices, out->owned->devices_cap);
	*new = (struct work_device){
		.device = number,
		.name = name,
		.first = first_item,
		.first_stream = out->nstreams,
	};
	return new;
}

/* The stream that the statement stands on; one without device work leaves no trace. */
static int add_stream(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct device_work *out = l->out;
	size_t before = out->n;

	if (load_items(l, sqlite3_column_int64(stmt, TRACK_FIRST),
		       sqlite3_column_int64(stmt, TRACK_SLICES), err) < 0)
		return -1;
	if (out->n == before)
		return 0;
	struct work_device *device = device_of(out, stmt, before);
	device->n = out->n - device->first;
	device->nstreams++;
	*ARRAY_PUSH(out->streams, out->nstreams, out->owned->streams_cap) =
		(struct work_stream){
			.track_id = sqlite3_column_int64(stmt, TRACK_ID),
			.stream = query_number(stmt, TRACK_NUMBER),
			.name = sql_text(stmt, TRACK_NAME, &out->owned->arena),
			.device = out->ndevices - 1,
			.nitems = out->n - before,
		};
	return 0;
}

static int load_streams(struct loading *l, struct sqlite3_stmt *tracks, struct err *err)
{
	int rc;

	while ((rc = sql_step(tracks, err)) > 0)
		if (add_stream(l, tracks, err) < 0)
			return -1;
	/* Streams are in order, one behind the other: the sort is stable. */
	for (size_t i = 0; rc == 0 && i < l->out->ndevices; i++) {
		const struct work_device *device = &l->out->devices[i];
		if (device->nstreams > 1)
			sort_by_field(l->out->items + device->first, device->n,
				      sizeof(*l->out->items),
				      offsetof(struct work_item, start_ns));
	}
	return rc;
}

/* Of the launches, and behind them those of the operators. */
static int add_link(void *context, size_t place, const struct packed_slice *slice,
		    int64_t track_id, struct err *err)
{
	struct loading *l = context;
	struct device_work *out = l->out;

	if (place >= out->n)
		return text_pool_number(l->texts, slice->name_id,
					&out->items[place - out->n].op_name, err);
	struct work_item *item = &out->items[place];
	item->launch_start_ns = slice->start_ns;
	item->launch_end_ns = slice->end_ns;
	item->launch_track_id = track_id;
	return text_pool_number(l->texts, slice->name_id, &item->launch_name, err);
}

static int load_links(struct loading *l, struct store *store,
		      const struct scope_profile *profile, enum work_links links,
		      struct err *err)
{
	struct device_work *out = l->out;
	size_t n = links == WORK_WITH_OPS ? 2 * out->n : out->n;
	int64_t *ids = xrealloc_array(NULL, n + 1, sizeof(*ids));

	for (size_t i = 0; i < out->n; i++)
		ids[i] = out->items[i].launch_id;
	for (size_t i = out->n; i < n; i++)
		ids[i] = out->items[i - out->n].op_id;
	int rc = slice_pick(store, profile,
			    &(struct slice_picks){ .ids = ids,
						   .n = n,
						   .columns = PACKED_NAME,
						   .each = add_link,
						   .context = l },
			    err);
	free(ids);
	return rc;
}

int device_work_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, enum work_links links,
		     struct device_work *out, struct err *err)
{
	struct loading l = {
		.texts = texts,
		.out = out,
		.nslices = profile->slices < SLICES_MAX ? profile->slices : SLICES_MAX,
	};
	struct sqlite3_stmt *tracks = NULL;
	int rc = -1;

	*out = (struct device_work){ .owned = xcalloc(1, sizeof(*out->owned)) };
	if (query_check_tracks(store, profile, err) == 0 &&
	    query_take(store, asset_query_views_work_tracks_sql, &tracks, err) == 0 &&
	    slice_pack_open(store, COLUMNS, &l.slices, err) == 0) {
		query_bind_int(tracks, ":profile", profile->id);
		rc = load_streams(&l, tracks, err);
	}
	query_give(store, tracks);
	slice_pack_close(&l.slices);
	return rc == 0 && links ? load_links(&l, store, profile, links, err) : rc;
}

void device_work_release(struct device_work *work)
{
	if (work->owned)
		arena_release(&work->owned->arena);
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

/* Of profiles that capture graphs and replay none. */
static int add_uncaptured(struct store *store, const char *ids,
			  struct device_launches *out, struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_device_captures_sql, ids, err);

	if (query_next(&q, err))
		out->run += sqlite3_column_int64(q.stmt, 0);
	return query_end(&q);
}

int device_launches(struct store *store, const char *ids, bool has_slices,
		    struct device_launches *out, struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_device_launches_sql, ids, err);

	*out = (struct device_launches){ .all = 0 };
	if (query_next(&q, err)) {
		const char *others = (const char *)sqlite3_column_text(q.stmt, 3);
		out->all = sqlite3_column_int64(q.stmt, 0);
		out->run = sqlite3_column_int64(q.stmt, 1);
		out->profiles = (size_t)sqlite3_column_int64(q.stmt, 4);
		if (!has_slices)
			out->run += sqlite3_column_int64(q.stmt, 2);
		else if (others && strcmp(others, "[]") != 0)
			q.rc = add_uncaptured(store, others, out, err);
	}
	return query_end(&q);
}

int device_work_is_there(struct store *store, const char *ids, bool *is_there,
			 struct err *err)
{
	*is_there = false;
	struct query q =
		query_of_scope(store, asset_query_views_device_work_any_sql, ids, err);

	if (query_next(&q, err))
		*is_there = sqlite3_column_int(q.stmt, 0);
	return query_end(&q);
}

int device_work_lacks(struct store *store, const struct scope *scope, struct err *err)
{
	bool is_call_graph = false;
	struct device_launches launches;

	if (scope_is_call_graph(scope, &is_call_graph, err) == 0 && is_call_graph)
		return err_set(err, ERR_EMPTY,
			       "a call graph has no device work: record with "
			       "torch.profiler");
	if (device_launches(store, scope->ids, scope_has_slices(scope), &launches, err) <
	    0)
		return -1;
	if (launches.run > 0)
		return err_set(err, ERR_EMPTY, DEVICE_LOST, (long long)launches.run,
			       launches.run == 1 ? "" : "s", ":");
	if (launches.all > 0)
		return err_set(err, ERR_EMPTY, DEVICE_CAPTURED ": record a replay of it");
	return err_set(err, ERR_EMPTY, "no device work was recorded%s",
		       scope_in_torch(scope,
				      ": profile with activities=[ProfilerActivity."
				      "CPU, ProfilerActivity.CUDA]"));
}

/* Copies and sets that a tracer shows as kernels (ROCm, MTIA); what a name begins with. */
static const struct memory_name {
	const char *prefix;
	enum work_kind kind;
} memory_names[] = {
	{ "Memcpy", WORK_MEMCPY },       { "hipMemcpy", WORK_MEMCPY },
	{ "MEMORY_COPY_", WORK_MEMCPY }, { "__amd_rocclr_copyBuffer", WORK_MEMCPY },
	{ "dma", WORK_MEMCPY },          { "Memset", WORK_MEMSET },
	{ "hipMemset", WORK_MEMSET },    { "__amd_rocclr_fillBuffer", WORK_MEMSET },
};

enum work_kind work_kind_of(enum slice_class class, struct str name)
{
	enum collective collective;

	if (comm_kernel_find(name, &collective))
		return WORK_COMMUNICATION;
	if (class == CLASS_MEMCPY)
		return WORK_MEMCPY;
	if (class == CLASS_MEMSET)
		return WORK_MEMSET;
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(*memory_names); i++)
		if (str_starts_with(name, str_of(memory_names[i].prefix)))
			return memory_names[i].kind;
	return WORK_COMPUTE;
}
