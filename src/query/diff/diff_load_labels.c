/*
 * Labels of record_function for a comparison: their device time from the summaries, which
 * tell what was launched inside each; the rest from slices.
 */
#include <sqlite3.h>

#include "query/diff/diff_load.h"
#include "query/query.h"
#include "query/text_pool.h"

ASSET(asset_query_views_top_annotation_sql);

/* Columns of views/top_annotation.sql. */
enum {
	COLUMN_PROFILE,
	COLUMN_STEP,
	COLUMN_NAME,
	COLUMN_FIRST,
	COLUMN_CALLS,
	COLUMN_HOST,
	COLUMN_DEVICE,
	COLUMN_SPAN,
	COLUMN_LAUNCHES
};

struct label_reading {
	const struct diff_loading *l;
	struct text_pool texts;
	bool has_launches;
};

static int add_label(struct label_reading *r, struct sqlite3_stmt *stmt, struct err *err)
{
	const struct diff_place place = {
		.profile_id = sqlite3_column_int64(stmt, COLUMN_PROFILE),
		.step = sqlite3_column_int64(stmt, COLUMN_STEP),
		.in_step = sqlite3_column_type(stmt, COLUMN_STEP) != SQLITE_NULL,
	};
	uint32_t number;

	if (!filter_has_step(r->l->filter, place.step, place.in_step))
		return 0;
	if (text_pool_number(&r->texts, sqlite3_column_int64(stmt, COLUMN_NAME), &number,
			     err) < 0)
		return -1;
	struct str name = text_pool_str(&r->texts, number);
	int has = diff_is_label(name) ? filter_has_name(r->l->filter, name, err) : 0;
	if (has <= 0)
		return has;
	r->has_launches |= sqlite3_column_int64(stmt, COLUMN_LAUNCHES) != 0;
	diff_loading_add(r->l, name, place, sqlite3_column_int64(stmt, COLUMN_CALLS),
			 sqlite3_column_int64(stmt, COLUMN_DEVICE));
	return 0;
}

static int read_labels(struct label_reading *r, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (query_prepare(r->l->store, asset_query_views_top_annotation_sql, &stmt, err) <
	    0)
		return -1;
	query_bind_text(stmt, ":profiles", r->l->scope->ids);
	while ((rc = sql_step(stmt, err)) > 0)
		if (add_label(r, stmt, err) < 0) {
			rc = -1;
			break;
		}
	sqlite3_finalize(stmt);
	return rc;
}

static int load_device_time(const struct diff_loading *l, struct err *err)
{
	struct label_reading r = { .l = l };
	size_t before = l->to->n;

	if (filter_needs_slices(l->filter))
		return err_set(
			err, ERR_USAGE,
			"device time of labels is known by name and step alone: it "
			"takes --focus, --ignore and --step");
	int rc = text_pool_open(l->store, &r.texts, err);
	if (rc == 0)
		rc = read_labels(&r, err);
	text_pool_close(&r.texts);
	if (rc == 0 && l->to->n == before)
		rc = err_set(err, ERR_EMPTY,
			     "no label (record_function) was recorded, or none matches");
	else if (rc == 0 && !r.has_launches)
		rc = err_set(err, ERR_EMPTY,
			     "no device work was launched in a label, or none was "
			     "recorded (ProfilerActivity.CUDA)");
	return rc;
}

int diff_load_annotations(const struct diff_loading *l, struct err *err)
{
	return l->metric == DIFF_DEVICE ? load_device_time(l, err)
					: diff_load_label_slices(l, err);
}
