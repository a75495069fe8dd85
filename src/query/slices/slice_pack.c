/* Packed slices: see slice_pack.h. */
#include "query/slices/slice_pack.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/varint.h"
#include "query/query.h"

ASSET(asset_query_views_slice_packs_sql);
ASSET(asset_query_views_slice_pick_sql);

/* Columns of slice_packs.sql; the packed ones behind. */
enum { ROW_ID, ROW_SLICES, ROW_PACKED };

/* The packed columns in their order. */
enum { TS, DUR, NAME, CLASS, MARKS, STEP, LAUNCH, OP, DETAIL };

int slice_pack_open(struct store *store, unsigned columns, struct slice_pack *out,
		    struct err *err)
{
	*out = (struct slice_pack){ .store = store, .has_names = columns & PACKED_NAME };
	if (query_take(store, asset_query_views_slice_packs_sql, &out->stmt, err) < 0)
		return -1;
	query_bind_int(out->stmt, ":columns", columns);
	return 0;
}

void slice_pack_close(struct slice_pack *p)
{
	if (p->stmt)
		query_give(p->store, p->stmt);
	*p = (struct slice_pack){ .stmt = NULL };
}

static int damaged(struct err *err)
{
	return query_damaged("slices", err);
}

int slice_pack_seek(struct slice_pack *p, int64_t first_id, int64_t n, struct err *err)
{
	if (first_id < 0 || !query_is_range(first_id, n))
		return damaged(err);
	p->next_id = first_id;
	p->last_id = first_id + n - 1;
	p->left = 0;
	sqlite3_reset(p->stmt);
	query_bind_int(p->stmt, ":first", first_id);
	query_bind_int(p->stmt, ":last", p->last_id);
	return 0;
}

/* Whether the row's bytes end where its slices do. */
static bool is_used_up(const struct slice_pack *p)
{
	for (size_t i = 0; i < NPACKED; i++)
		if (p->bytes[i].at != p->bytes[i].end)
			return false;
	return true;
}

static void take_bytes(struct slice_pack *p)
{
	for (int i = 0; i < NPACKED; i++) {
		const uint8_t *bytes = sqlite3_column_blob(p->stmt, ROW_PACKED + i);
		int n = sqlite3_column_bytes(p->stmt, ROW_PACKED + i);
		p->bytes[i] = (struct packed_bytes){ bytes, bytes ? bytes + n : NULL };
	}
	p->has_ids = false;
	for (int i = MARKS; i < NPACKED; i++)
		p->has_ids |= p->bytes[i].end != NULL;
}

/* 1: p->left more are there; 0: the range is at its end. */
static int next_row(struct slice_pack *p, struct err *err)
{
	if (p->next_id > p->last_id)
		return 0;
	int rc = sql_step(p->stmt, err);
	if (rc <= 0)
		return rc < 0 ? -1 : damaged(err);
	p->left = sqlite3_column_int64(p->stmt, ROW_SLICES);
	if (sqlite3_column_int64(p->stmt, ROW_ID) != p->next_id || p->left <= 0 ||
	    p->left > p->last_id - p->next_id + 1)
		return damaged(err);
	take_bytes(p);
	p->slice = (struct packed_slice){ .id = p->next_id - 1 };
	return 1;
}

/* Most numbers are of one or two bytes. */
static inline bool get_code(struct packed_bytes *bytes, uint64_t *code)
{
	const uint8_t *at = bytes->at;

	if (bytes->end - at < 2)
		return varint_get(&bytes->at, bytes->end, code);
	if (at[0] < 0x80) {
		*code = at[0];
		bytes->at = at + 1;
		return true;
	}
	if (at[1] >= 0x80)
		return varint_get(&bytes->at, bytes->end, code);
	*code = (uint64_t)(at[0] & 0x7f) | (uint64_t)at[1] << 7;
	bytes->at = at + 2;
	return true;
}

static inline bool get_number(struct packed_bytes *bytes, int64_t *value)
{
	uint64_t code = 0;

	if (bytes->end && !get_code(bytes, &code))
		return false;
	*value = (int64_t)code;
	return true;
}

/* What it is more than the value before. */
static inline bool get_difference(struct packed_bytes *bytes, int64_t *value)
{
	uint64_t code;

	if (!bytes->end)
		return true;
	if (!get_code(bytes, &code))
		return false;
	*value = (int64_t)((uint64_t)*value + (uint64_t)zigzag_value(code));
	return true;
}

static bool get_byte(struct packed_bytes *bytes, uint8_t *value)
{
	if (!bytes->end)
		return true;
	if (bytes->at == bytes->end)
		return false;
	*value = *bytes->at++;
	return true;
}

static bool get_ids(struct packed_bytes *bytes, struct packed_slice *s)
{
	return get_byte(&bytes[MARKS], &s->marks) &&
	       get_difference(&bytes[STEP], &s->step_id) &&
	       get_difference(&bytes[LAUNCH], &s->launch_id) &&
	       get_difference(&bytes[OP], &s->op_id) &&
	       get_difference(&bytes[DETAIL], &s->op_detail_id);
}

static bool get_slice(struct slice_pack *p, struct packed_slice *s)
{
	struct packed_bytes *bytes = p->bytes;
	int64_t dur_ns;

	if (!get_difference(&bytes[TS], &s->start_ns) ||
	    !get_number(&bytes[DUR], &dur_ns) || !get_number(&bytes[NAME], &s->name_id) ||
	    !get_byte(&bytes[CLASS], &s->class) || (p->has_ids && !get_ids(bytes, s)))
		return false;
	if (p->has_names && s->name_id < 1)
		return false;
	if (!query_is_time(s->start_ns, dur_ns) || s->class >= NCLASSES)
		return false;
	s->end_ns = s->start_ns + dur_ns;
	s->id++;
	return true;
}

int slice_pack_next(struct slice_pack *p, struct err *err)
{
	if (p->left == 0) {
		int rc = next_row(p, err);
		if (rc <= 0)
			return rc;
	}
	if (!get_slice(p, &p->slice))
		return damaged(err);
	p->next_id++;
	p->left--;
	return p->left || is_used_up(p) ? 1 : damaged(err);
}

int slice_walk_open(struct store *store, const unsigned char *tracks, int64_t profile_id,
		    unsigned columns, struct slice_walk *out, struct err *err)
{
	*out = (struct slice_walk){ .tracks = NULL };
	if (slice_pack_open(store, columns, &out->slices, err) < 0 ||
	    query_take(store, tracks, &out->tracks, err) < 0)
		return -1;
	query_bind_int(out->tracks, ":profile", profile_id);
	return 0;
}

void slice_walk_close(struct slice_walk *w)
{
	if (w->tracks)
		query_give(w->slices.store, w->tracks);
	slice_pack_close(&w->slices);
	*w = (struct slice_walk){ .tracks = NULL };
}

int slice_walk_track(struct slice_walk *w, struct err *err)
{
	int rc = sql_step(w->tracks, err);

	if (rc <= 0)
		return rc;
	w->track_id = sqlite3_column_int64(w->tracks, 0);
	w->first_id = sqlite3_column_int64(w->tracks, 1);
	w->n = sqlite3_column_int64(w->tracks, 2);
	if (w->first_id < w->next_id)
		return damaged(err);
	if (slice_pack_seek(&w->slices, w->first_id, w->n, err) < 0)
		return -1;
	w->next_id = w->first_id + w->n;
	return 1;
}

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
		return damaged(err);
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
		return damaged(err);
	sort_places(&p);
	rc = slice_walk_open(store, asset_query_views_slice_pick_sql, profile->id,
			     picks->columns, &p.walk, err);
	while (rc == 0 && p.next < p.n && (rc = slice_walk_track(&p.walk, err)) > 0)
		rc = pick_of_track(&p, err);
	if (rc == 0 && p.next < p.n)
		rc = damaged(err);
	slice_walk_close(&p.walk);
	free(p.at);
	return rc;
}
