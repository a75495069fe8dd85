/* Ranges of communication on the host: see comm_host.h. */
#include "query/comm/comm_host.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

ASSET(asset_query_views_comm_host_compute_sql);
ASSET(asset_query_views_comm_names_sql);
ASSET(asset_query_views_slice_pick_sql);

/* Which names are ranges of a backend; by string.id. */
struct range_names {
	uint8_t *backends; /* owned: enum comm_backend */
	int64_t max_id;
	bool any;
};

static enum comm_backend backend_of(struct str name)
{
	struct str collective;

	return comm_range_backend(name, &collective);
}

static int list_names(struct store *store, const struct scope_profile *profile,
		      bool only_host, struct range_names *out, struct err *err)
{
	struct query q =
		query_of_profile(store, asset_query_views_comm_names_sql, profile, err);

	while (query_next(&q, err)) {
		int64_t id = sqlite3_column_int64(q.stmt, 0);
		struct cell name = query_cell(q.stmt, 1);
		enum comm_backend backend = name.type == CELL_TEXT
						    ? backend_of(name.as.text)
						    : COMM_BACKEND_NONE;
		if (id < 0 || id > out->max_id || backend == COMM_BACKEND_NONE ||
		    (only_host && backend != COMM_BACKEND_HOST))
			continue;
		out->backends[id] = (uint8_t)backend;
		out->any = true;
	}
	return query_end(&q);
}

static bool is_range(const struct range_names *names, const struct packed_slice *slice)
{
	return (slice->class == CLASS_OP || slice->class == CLASS_ANNOTATION) &&
	       slice->name_id <= names->max_id && names->backends[slice->name_id];
}

static int add_range(struct text_pool *texts, const struct range_names *names,
		     const struct packed_slice *slice, struct comm_ranges *out,
		     struct err *err)
{
	struct comm_range range = {
		.slice_id = slice->id,
		.start_ns = slice->start_ns,
		.end_ns = slice->end_ns,
		.step_id = slice->step_id,
		.backend = names->backends[slice->name_id],
	};

	if (text_pool_number(texts, slice->name_id, &range.name, err) < 0)
		return -1;
	*ARRAY_PUSH(out->items, out->n, out->cap) = range;
	return 0;
}

static int find_ranges(struct store *store, struct text_pool *texts,
		       const struct scope_profile *profile,
		       const struct range_names *names, struct comm_ranges *out,
		       struct err *err)
{
	unsigned columns = PACKED_NAME | PACKED_CLASS | PACKED_STEP;
	struct slice_walk walk;
	int rc = slice_walk_open(store, asset_query_views_slice_pick_sql, profile->id,
				 columns, &walk, err);

	while (rc == 0 && (rc = slice_walk_track(&walk, err)) > 0)
		while ((rc = slice_pack_next(&walk.slices, err)) > 0)
			if (is_range(names, &walk.slices.slice) &&
			    add_range(texts, names, &walk.slices.slice, out, err) < 0) {
				rc = -1;
				break;
			}
	slice_walk_close(&walk);
	return rc;
}

int comm_ranges_load(struct store *store, struct text_pool *texts,
		     const struct scope_profile *profile, bool only_host,
		     struct comm_ranges *out, struct err *err)
{
	struct range_names names = { .max_id = texts->max_id };

	*out = (struct comm_ranges){ .n = 0 };
	names.backends = xcalloc((size_t)names.max_id + 1, sizeof(*names.backends));
	int rc = list_names(store, profile, only_host, &names, err);
	if (rc == 0 && names.any && profile->slices > 0)
		rc = find_ranges(store, texts, profile, &names, out, err);
	free(names.backends);
	return rc;
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

	if (!query_is_time(ts_ns, dur_ns))
		return query_damaged("slices", err);
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
