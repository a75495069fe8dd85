/* Packed slices: see slice_pack.h. */
#include "query/slices/slice_pack.h"

#include <sqlite3.h>

#include "base/varint.h"
#include "query/query.h"

ASSET(asset_query_views_slice_packs_sql);

/* Columns of slice_packs.sql; the packed ones behind. */
enum { ROW_ID, ROW_SLICES, ROW_PACKED };

/* The packed columns in their order. */
enum { TS, DUR, NAME, CLASS, MARKS, STEP, LAUNCH, OP, DETAIL };

int slice_pack_open(struct store *store, unsigned columns, struct slice_pack *out,
		    struct err *err)
{
	*out = (struct slice_pack){ .stmt = NULL };
	if (query_prepare(store, asset_query_views_slice_packs_sql, &out->stmt, err) < 0)
		return -1;
	query_bind_int(out->stmt, ":columns", columns);
	return 0;
}

void slice_pack_close(struct slice_pack *p)
{
	sqlite3_finalize(p->stmt);
	*p = (struct slice_pack){ .stmt = NULL };
}

static int damaged(struct err *err)
{
	return query_damaged("slices do", err);
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

static bool get_number(struct packed_bytes *bytes, int64_t *value)
{
	uint64_t code = 0;

	if (bytes->end && !varint_get(&bytes->at, bytes->end, &code))
		return false;
	*value = (int64_t)code;
	return true;
}

/* What it is more than the value before. */
static bool get_difference(struct packed_bytes *bytes, int64_t *value)
{
	uint64_t code;

	if (!bytes->end)
		return true;
	if (!varint_get(&bytes->at, bytes->end, &code))
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

static bool get_slice(struct packed_bytes *bytes, struct packed_slice *s)
{
	int64_t dur_ns;

	if (!get_difference(&bytes[TS], &s->start_ns) ||
	    !get_number(&bytes[DUR], &dur_ns) || !get_number(&bytes[NAME], &s->name_id) ||
	    !get_byte(&bytes[CLASS], &s->class) || !get_byte(&bytes[MARKS], &s->marks) ||
	    !get_difference(&bytes[STEP], &s->step_id) ||
	    !get_difference(&bytes[LAUNCH], &s->launch_id) ||
	    !get_difference(&bytes[OP], &s->op_id) ||
	    !get_difference(&bytes[DETAIL], &s->op_detail_id))
		return false;
	if (bytes[NAME].end && s->name_id < 1)
		return false;
	if (!query_is_range(s->start_ns, dur_ns) || s->class >= NCLASSES)
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
	if (!get_slice(p->bytes, &p->slice))
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
	    query_prepare(store, tracks, &out->tracks, err) < 0)
		return -1;
	query_bind_int(out->tracks, ":profile", profile_id);
	return 0;
}

void slice_walk_close(struct slice_walk *w)
{
	sqlite3_finalize(w->tracks);
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
