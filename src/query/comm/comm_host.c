/* Ranges of communication on the host: see comm_host.h. */
#include "query/comm/comm_host.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "query/query.h"

ASSET(asset_query_views_comm_host_compute_sql);
ASSET(asset_query_views_comm_names_sql);
ASSET(asset_query_views_comm_ranges_sql);

enum { RANGE_ID, RANGE_TS, RANGE_DUR, RANGE_NAME, RANGE_STEP };

static enum comm_backend backend_of(struct str name)
{
	struct str collective;

	return comm_range_backend(name, &collective);
}

/* The ids of the wanted names as a JSON array; empty when there are none. */
static int list_names(struct store *store, const struct scope_profile *profile,
		      bool only_host, struct buf *ids, struct err *err)
{
	struct query q =
		query_of_profile(store, asset_query_views_comm_names_sql, profile, err);

	while (query_next(&q, err)) {
		struct cell name = query_cell(q.stmt, 1);
		enum comm_backend backend = name.type == CELL_TEXT
						    ? backend_of(name.as.text)
						    : COMM_BACKEND_NONE;
		if (backend == COMM_BACKEND_NONE ||
		    (only_host && backend != COMM_BACKEND_HOST))
			continue;
		buf_addf(ids, "%c%lld", ids->n ? ',' : '[',
			 (long long)sqlite3_column_int64(q.stmt, 0));
	}
	int rc = query_end(&q);
	if (ids->n)
		buf_add_char(ids, ']');
	return rc;
}

static int add_range(struct text_pool *texts, struct sqlite3_stmt *stmt,
		     struct comm_ranges *out, struct err *err)
{
	int64_t ts_ns = sqlite3_column_int64(stmt, RANGE_TS);
	int64_t dur_ns = sqlite3_column_int64(stmt, RANGE_DUR);
	struct comm_range range = { .slice_id = sqlite3_column_int64(stmt, RANGE_ID),
				    .step_id = sqlite3_column_int64(stmt, RANGE_STEP) };

	if (!query_is_range(ts_ns, dur_ns))
		return query_damaged("slices do", err);
	range.start_ns = ts_ns;
	range.end_ns = ts_ns + dur_ns;
	if (text_pool_number(texts, sqlite3_column_int64(stmt, RANGE_NAME), &range.name,
			     err) < 0)
		return -1;
	range.backend = (uint8_t)backend_of(text_pool_str(texts, range.name));
	*ARRAY_PUSH(out->items, out->n, out->cap) = range;
	return 0;
}

int comm_ranges_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, bool only_host,
		     struct comm_ranges *out, struct err *err)
{
	struct query q = { .stmt = NULL };
	struct buf ids;

	*out = (struct comm_ranges){ .n = 0 };
	buf_init(&ids, SIZE_MAX);
	q.rc = list_names(store, profile, only_host, &ids, err);
	if (q.rc == 0 && ids.n && profile->slices > 0) {
		q = query_of_profile(store, asset_query_views_comm_ranges_sql, profile,
				     err);
		query_bind_int(q.stmt, ":op", CLASS_OP);
		query_bind_int(q.stmt, ":annotation", CLASS_ANNOTATION);
		query_bind_text(q.stmt, ":names", ids.p);
		while (query_next(&q, err))
			q.rc = add_range(texts, q.stmt, out, err);
	}
	buf_release(&ids);
	return query_end(&q);
}

void comm_ranges_release(struct comm_ranges *r)
{
	free(r->items);
	*r = (struct comm_ranges){ .n = 0 };
}

/* Operators that only hand a collective over, or wait for it. */
static bool is_of_distributed(struct str name)
{
	return str_starts_with(name, STR_LIT("c10d::")) ||
	       str_is(name, "record_param_comms") || backend_of(name);
}

static int add_operator(struct text_pool *texts, struct sqlite3_stmt *stmt,
			struct intervals *out, struct err *err)
{
	int64_t ts_ns = sqlite3_column_int64(stmt, 0);
	int64_t dur_ns = sqlite3_column_int64(stmt, 1);
	uint32_t name;

	if (!query_is_range(ts_ns, dur_ns))
		return query_damaged("slices do", err);
	/* most lie within the one before */
	if (out->n && out->items[out->n - 1].start_ns <= ts_ns &&
	    out->items[out->n - 1].end_ns >= ts_ns + dur_ns)
		return 0;
	if (text_pool_number(texts, sqlite3_column_int64(stmt, 2), &name, err) < 0)
		return -1;
	if (!is_of_distributed(text_pool_str(texts, name)))
		intervals_add(out, ts_ns, ts_ns + dur_ns);
	return 0;
}

int comm_host_compute(struct store *store, struct text_pool *texts,
		      const struct scope_profile *profile, struct intervals *out,
		      struct err *err)
{
	*out = (struct intervals){ .n = 0 };
	if (profile->slices == 0)
		return 0;
	struct query q = query_of_profile(store, asset_query_views_comm_host_compute_sql,
					  profile, err);

	query_bind_int(q.stmt, ":op", CLASS_OP);
	while (query_next(&q, err))
		q.rc = add_operator(texts, q.stmt, out, err);
	int rc = query_end(&q);
	intervals_unite(out);
	return rc;
}
