/* The best slices by a key: see slice_rank.h. */
#include "query/slices/slice_rank.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/query.h"
#include "query/slices/slice_scan.h"
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
	enum slice_key key;
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

static int64_t key_of(const struct slice_rank *r, const struct slice_row *row)
{
	switch (r->key) {
	case SLICE_BY_DUR:
		return ~row->dur_ns; /* turns the order round, and cannot overflow */
	case SLICE_BY_SELF:
		return ~row->self_ns;
	case SLICE_BY_NAME:
		break;
	}
	return (size_t)row->name_id < r->nplaces ? r->places[row->name_id] : 0;
}

static int consider(void *to, const struct slices_track *track,
		    const struct slice_row *row, struct err *err)
{
	struct slice_rank *r = to;

	(void)track;
	(void)err;
	keep(r, (struct ranked){ key_of(r, row), row->id });
	return 0;
}

static int scan(struct slice_rank *r, struct store *store, struct err *err)
{
	const struct slice_scan scan = { .whole = r->key == SLICE_BY_SELF,
					 .each = consider,
					 .to = r };
	int rc = slice_scan(store, r->slices, &scan, err);

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
			q.rc = query_damaged("texts", err);
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
	r->key = key;
	r->limit = limit > 0 ? (size_t)limit : SIZE_MAX;
	*out = r;
	if ((key != SLICE_BY_NAME || load_places(r, store, err) == 0) &&
	    scan(r, store, err) == 0)
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
		return query_damaged("slices", err);
	return slices_read(r->slices, *track, id, row, 1, err);
}
