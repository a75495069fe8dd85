/* The best slices by a key: see slice_rank.h. */
#include "query/slices/slice_rank.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"
#include "query/text_pool.h"

struct ranked {
	int64_t key; /* small ones first */
	int64_t id;
};

struct slice_rank {
	struct slices *slices; /* borrowed */
	struct ranked *kept;   /* owned; a heap with the last one on top, later sorted */
	size_t n, cap, at;
	size_t limit; /* SIZE_MAX: none */
	int64_t total;
	uint32_t *places; /* owned: of each text among all, by id; NULL: not by name */
	size_t nplaces;
};

static bool is_before(const struct ranked *a, const struct ranked *b)
{
	return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static int compare(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : is_before(b, a);
}

static void swap(struct ranked *a, struct ranked *b)
{
	struct ranked moved = *a;

	*a = *b;
	*b = moved;
}

static void sift_up(struct slice_rank *r, size_t at)
{
	while (at > 0 && is_before(&r->kept[(at - 1) / 2], &r->kept[at])) {
		swap(&r->kept[at], &r->kept[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sift_down(struct slice_rank *r)
{
	size_t at = 0;

	for (;;) {
		size_t last = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++)
			if (child < r->n && is_before(&r->kept[last], &r->kept[child]))
				last = child;
		if (last == at)
			return;
		swap(&r->kept[at], &r->kept[last]);
		at = last;
	}
}

/* Without a limit there is no heap to keep: all are sorted in the end. */
static void keep(struct slice_rank *r, struct ranked ranked)
{
	r->total++;
	if (r->n < r->limit) {
		*ARRAY_PUSH(r->kept, r->n, r->cap) = ranked;
		if (r->limit != SIZE_MAX)
			sift_up(r, r->n - 1);
		return;
	}
	if (!is_before(&ranked, &r->kept[0]))
		return;
	r->kept[0] = ranked;
	sift_down(r);
}

static int64_t key_of(const struct slice_rank *r, const struct slice_row *row,
		      enum slice_key key)
{
	switch (key) {
	case SLICE_BY_DUR:
		return ~row->dur_ns; /* turns the order round, and cannot overflow */
	case SLICE_BY_SELF:
		return ~row->self_ns;
	case SLICE_BY_NAME:
		break;
	}
	return (size_t)row->name_id < r->nplaces ? r->places[row->name_id] : 0;
}

static int consider(struct slice_rank *r, const struct slice_row *row, enum slice_key key,
		    struct err *err)
{
	int rc = slices_is_wanted(r->slices, row, err);

	if (rc > 0)
		keep(r, (struct ranked){ key_of(r, row, key), row->id });
	return rc;
}

static int scan_rows(struct slice_rank *r, const struct slices_track *track,
		     enum slice_key key, struct err *err)
{
	int64_t id = track->first_id;
	struct slice_row row;
	int rc;

	if (r->slices->from_ns > 0 &&
	    slices_seek(r->slices, track, r->slices->from_ns, &id, err) < 0)
		return -1;
	slices_from(r->slices, track, id);
	while ((rc = slices_next(r->slices, &row, err)) > 0 &&
	       row.ts_ns < r->slices->to_ns)
		if (consider(r, &row, key, err) < 0)
			return -1;
	return rc < 0 ? -1 : 0;
}

static int scan_packed(struct slice_rank *r, struct slice_pack *packed,
		       const struct slices_track *track, enum slice_key key,
		       struct err *err)
{
	const struct packed_slice *s = &packed->slice;
	int rc;

	if (slice_pack_seek(packed, track->first_id, track->slices, err) < 0)
		return -1;
	while ((rc = slice_pack_next(packed, err)) > 0 &&
	       s->start_ns < r->slices->to_ns) {
		const struct slice_row row = { .id = s->id,
					       .ts_ns = s->start_ns,
					       .dur_ns = s->end_ns - s->start_ns,
					       .name_id = s->name_id,
					       .step_id = s->step_id };
		if (consider(r, &row, key, err) < 0)
			return -1;
	}
	return rc < 0 ? -1 : 0;
}

/* What is set apart is not packed, and neither are self times and categories. */
static int scan_tracks(struct slice_rank *r, struct slice_pack *packed,
		       enum slice_key key, struct err *err)
{
	bool needs_rows = key == SLICE_BY_SELF || r->slices->is_by_category;

	for (size_t i = 0; i < r->slices->ntracks; i++) {
		const struct slices_track *track = &r->slices->tracks[i];
		if (!track->is_wanted)
			continue;
		int rc = needs_rows || track->is_apart
				 ? scan_rows(r, track, key, err)
				 : scan_packed(r, packed, track, key, err);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int scan(struct slice_rank *r, struct store *store, enum slice_key key,
		struct err *err)
{
	struct slice_pack packed;
	int rc = slice_pack_open(store, PACKED_NAME | PACKED_STEP, &packed, err);

	if (rc == 0)
		rc = scan_tracks(r, &packed, key, err);
	slice_pack_close(&packed);
	if (r->n > 0)
		qsort(r->kept, r->n, sizeof(*r->kept), compare);
	return rc;
}

/* Where each text stands among all texts of the store, sorted. */
static int load_places(struct slice_rank *r, struct store *store, struct err *err)
{
	uint32_t place = 0;
	int64_t max_id;

	if (text_pool_max_id(store, &max_id, err) < 0)
		return -1;
	r->nplaces = (size_t)max_id + 1;
	r->places = xcalloc(r->nplaces, sizeof(*r->places));
	struct query q = query_open(store, asset_query_views_string_order_sql, err);

	while (query_next(&q, err)) {
		int64_t id = sqlite3_column_int64(q.stmt, 0);
		if (id < 1 || id > max_id) {
			q.rc = query_damaged("texts do", err);
			break;
		}
		r->places[id] = place++;
	}
	return query_end(&q);
}

int slice_rank_open(struct store *store, struct slices *slices, enum slice_key key,
		    int64_t limit, struct slice_rank **out, struct err *err)
{
	struct slice_rank *r = xcalloc(1, sizeof(*r));

	r->slices = slices;
	r->limit = limit > 0 ? (size_t)limit : SIZE_MAX;
	*out = r;
	if ((key != SLICE_BY_NAME || load_places(r, store, err) == 0) &&
	    scan(r, store, key, err) == 0)
		return 0;
	slice_rank_free(r);
	*out = NULL;
	return -1;
}

void slice_rank_free(struct slice_rank *r)
{
	if (!r)
		return;
	free(r->kept);
	free(r->places);
	free(r);
}

int64_t slice_rank_total(const struct slice_rank *r)
{
	return r->total;
}

int slice_rank_next(struct slice_rank *r, struct slice_row *row,
		    const struct slices_track **track, struct err *err)
{
	if (r->at == r->n)
		return 0;
	int64_t id = r->kept[r->at++].id;
	*track = slices_track_of(r->slices, id);
	if (!*track)
		return query_damaged("slices do", err);
	return slices_read(r->slices, *track, id, row, 1, err);
}
