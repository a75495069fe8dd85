/* Peaks of allocated memory for a comparison: a row for each device. */
#include <inttypes.h>
#include <sqlite3.h>

#include "query/diff/diff_load.h"
#include "query/query.h"

ASSET(asset_query_views_diff_memory_sql);

enum { COLUMN_PROFILE, COLUMN_TYPE, COLUMN_DEVICE, COLUMN_PEAK };

/* c10::DeviceType. */
static const char *device_type(int64_t type)
{
	switch (type) {
	case 0:
		return "CPU";
	case 1:
		return "CUDA";
	case 6:
		return "HIP";
	case 12:
		return "XPU";
	default:
		return "device";
	}
}

static void name_row(const struct diff_loading *l, struct sqlite3_stmt *stmt,
		     struct buf *name)
{
	const struct scope_profile *profile =
		scope_find(l->scope, sqlite3_column_int64(stmt, COLUMN_PROFILE));
	int64_t device = sqlite3_column_int64(stmt, COLUMN_DEVICE);

	buf_clear(name);
	buf_addf(name, "peak of %s",
		 device_type(sqlite3_column_int64(stmt, COLUMN_TYPE)));
	if (device >= 0 && sqlite3_column_int64(stmt, COLUMN_TYPE) != 0)
		buf_addf(name, " %" PRId64, device);
	if (l->scope->n > 1 && profile && profile->has_rank)
		buf_addf(name, ", rank %" PRId64, profile->rank);
	else if (l->scope->n > 1 && profile)
		buf_addf(name, ", profile %zu",
			 (size_t)(profile - l->scope->profiles) + 1);
}

int diff_load_memory(const struct diff_loading *l, struct err *err)
{
	struct sqlite3_stmt *stmt;
	size_t before = l->to->n;
	struct buf name;
	int rc;

	if (query_prepare(l->store, asset_query_views_diff_memory_sql, &stmt, err) < 0)
		return -1;
	buf_init(&name, SIZE_MAX);
	query_bind_text(stmt, ":profiles", l->scope->ids);
	while ((rc = sql_step(stmt, err)) > 0) {
		if (sqlite3_column_type(stmt, COLUMN_PEAK) == SQLITE_NULL)
			continue;
		name_row(l, stmt, &name);
		rc = filter_has_name(l->filter, buf_str(&name), err);
		if (rc < 0)
			break;
		if (rc > 0)
			diff_loading_add(l, buf_str(&name), (struct diff_place){ 0 }, 1,
					 sqlite3_column_int64(stmt, COLUMN_PEAK));
	}
	sqlite3_finalize(stmt);
	buf_release(&name);
	if (rc == 0 && l->to->n == before)
		rc = err_set(err, ERR_EMPTY,
			     "no running total of memory was recorded "
			     "(profile_memory=True), or none matches");
	return rc;
}
