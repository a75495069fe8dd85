/* Single slices by id: see slice_finder.h. */
#include "query/slices/slice_finder.h"

#include <sqlite3.h>

#include "query/query.h"
#include "trace/fact.h"

ASSET(asset_query_views_slice_any_sql);
ASSET(asset_query_views_slice_at_sql);
ASSET(asset_query_views_slice_shapes_sql);
ASSET(asset_query_views_next_call_sql);

/* Columns of slice_at.sql and next_call.sql. */
enum { AT_TS, AT_DUR, AT_NAME, AT_TRACK, AT_PARENT, AT_CLASS, AT_STEP, NEXT_ID };

struct slice_finder slice_finder_of(struct store *store, struct text_pool *texts)
{
	return (struct slice_finder){ .store = store, .texts = texts };
}

/* Stands the statement, NULL until it is needed, on the slice. */
static int step_to(struct slice_finder *f, const unsigned char *sql,
		   struct sqlite3_stmt **stmt, int64_t id, struct err *err)
{
	if (!f->held && (query_prepare(f->store, asset_query_views_slice_any_sql,
				       &f->held, err) < 0 ||
			 sql_step(f->held, err) < 0))
		return -1;
	if (!*stmt && query_prepare(f->store, sql, stmt, err) < 0)
		return -1;
	query_bind_int(*stmt, ":id", id);
	return sql_step(*stmt, err);
}

void slice_finder_close(struct slice_finder *f)
{
	sqlite3_finalize(f->at);
	sqlite3_finalize(f->next_call);
	sqlite3_finalize(f->shapes);
	sqlite3_finalize(f->held);
	*f = (struct slice_finder){ .texts = NULL };
}

static int read_found(struct slice_finder *f, struct sqlite3_stmt *stmt,
		      struct found_slice *out, struct err *err)
{
	out->ts_ns = sqlite3_column_int64(stmt, AT_TS);
	out->dur_ns = sqlite3_column_int64(stmt, AT_DUR);
	out->track_id = sqlite3_column_int64(stmt, AT_TRACK);
	out->parent_id = sqlite3_column_int64(stmt, AT_PARENT);
	out->step_id = sqlite3_column_int64(stmt, AT_STEP);
	out->class = sqlite3_column_int(stmt, AT_CLASS);
	if (!query_is_range(out->ts_ns, out->dur_ns))
		return query_damaged("slices", err);
	if (out->parent_id >= out->id)
		return err_set(err, ERR_INPUT,
			       "the store is damaged: slices come before the ones around "
			       "them; ingest again");
	return text_pool_number(f->texts, sqlite3_column_int64(stmt, AT_NAME), &out->name,
				err);
}

int slice_finder_find(struct slice_finder *f, int64_t id, struct found_slice *out,
		      struct err *err)
{
	*out = (struct found_slice){ .id = id, .name = TEXT_NONE };
	if (id <= 0)
		return 0;
	int rc = step_to(f, asset_query_views_slice_at_sql, &f->at, id, err);
	if (rc > 0 && read_found(f, f->at, out, err) < 0)
		rc = -1;
	sqlite3_reset(f->at);
	return rc;
}

/* Is the slice that the statement stands on a call beside that one? */
static bool is_call_beside(struct sqlite3_stmt *stmt, const struct found_slice *call)
{
	int class = sqlite3_column_int(stmt, AT_CLASS);

	return (class == CLASS_RUNTIME || class == CLASS_DRIVER) &&
	       sqlite3_column_int64(stmt, AT_TRACK) == call->track_id &&
	       sqlite3_column_int64(stmt, AT_PARENT) == call->parent_id;
}

/*
 * Of the call that the statement stands on, and the one behind it.  Parents of what lies
 * within the slice around the call are not before that slice; then it has ended.
 */
static int read_calls(struct slice_finder *f, struct found_slice *call, uint32_t *next,
		      struct err *err)
{
	struct sqlite3_stmt *stmt = f->next_call;
	int rc;

	if (read_found(f, stmt, call, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0 && !is_call_beside(stmt, call))
		if (sqlite3_column_int64(stmt, AT_PARENT) < call->parent_id)
			return 0;
	return rc > 0 ? text_pool_number(f->texts, sqlite3_column_int64(stmt, AT_NAME),
					 next, err)
		      : rc;
}

int slice_finder_call(struct slice_finder *f, int64_t id, struct found_slice *out,
		      uint32_t *next, struct err *err)
{
	*out = (struct found_slice){ .id = id, .name = TEXT_NONE };
	*next = TEXT_NONE;
	if (id <= 0)
		return 0;
	int rc = step_to(f, asset_query_views_next_call_sql, &f->next_call, id, err);
	bool is_there = rc > 0 && sqlite3_column_int64(f->next_call, NEXT_ID) == id;
	if (is_there)
		rc = read_calls(f, out, next, err);
	sqlite3_reset(f->next_call);
	return rc < 0 ? -1 : is_there;
}

int slice_finder_shapes(struct slice_finder *f, int64_t id, uint32_t *shapes,
			struct err *err)
{
	*shapes = TEXT_NONE;
	int rc = step_to(f, asset_query_views_slice_shapes_sql, &f->shapes, id, err);
	if (rc > 0 && sqlite3_column_type(f->shapes, 0) != SQLITE_NULL)
		rc = text_pool_number(f->texts, sqlite3_column_int64(f->shapes, 0),
				      shapes, err);
	sqlite3_reset(f->shapes);
	return rc < 0 ? -1 : 0;
}
