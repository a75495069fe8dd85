/*
 * Slices for a comparison: one by one by their exact names, or labels of record_function,
 * whose device time comes from the summaries, which tell what was launched inside each.
 */
#include "query/diff/diff_load.h"

#include <sqlite3.h>

#include "query/query.h"
#include "query/slices/slices.h"
#include "query/text_pool.h"
#include "trace/fact.h"
#include "trace/step_name.h"

static bool is_label(struct str name)
{
	return !step_name_is_mark(name);
}

struct naming {
	const struct diff_loading *l;
	struct slices *slices;
	bool labels; /* those of record_function alone */
};

/* Instants, and what counts memory, take no time; a step is no label. */
static bool is_meant(const struct naming *n, const struct slice_row *row, struct str name)
{
	if (row->is_instant || row->class == CLASS_MEMORY)
		return false;
	return !n->labels || (row->class == CLASS_ANNOTATION && is_label(name));
}

static int64_t amount_of(const struct slice_row *row, enum diff_metric metric)
{
	bool is_work = row->class >= 0 && row->class < NCLASSES &&
		       class_is_device_work((enum slice_class)row->class);

	if (metric == DIFF_CALLS)
		return 1;
	return metric == DIFF_SELF && !is_work ? row->self_ns : row->dur_ns;
}

static int add_slice(const struct naming *n, const struct slices_track *track,
		     const struct slice_row *row, struct err *err)
{
	struct diff_place place = { .profile_id = track->profile->id };
	struct str name;
	int wanted = slices_is_wanted(n->slices, row, err);

	if (wanted <= 0)
		return wanted;
	if (slices_text(n->slices, row->name_id, &name, err) < 0)
		return -1;
	if (!is_meant(n, row, name))
		return 0;
	place.in_step = slices_step(n->slices, row, &place.step);
	diff_loading_add(n->l, name, place, 1, amount_of(row, n->l->metric));
	return 0;
}

static int add_track(const struct naming *n, const struct slices_track *track,
		     struct err *err)
{
	struct slice_row row;
	int rc;

	slices_from(n->slices, track, track->first_id);
	while ((rc = slices_next(n->slices, &row, err)) > 0)
		if (add_slice(n, track, &row, err) < 0)
			return -1;
	return rc;
}

static int load(const struct diff_loading *l, bool labels, struct err *err)
{
	struct naming n = { .l = l, .labels = labels };
	int rc = 0;

	if (slices_open(l->store, l->scope, l->filter, &n.slices, err) < 0)
		return -1;
	for (size_t i = 0; i < n.slices->ntracks && rc == 0; i++)
		if (n.slices->tracks[i].is_wanted && !n.slices->tracks[i].is_apart)
			rc = add_track(&n, &n.slices->tracks[i], err);
	slices_close(n.slices);
	return rc;
}

int diff_load_names(const struct diff_loading *l, struct err *err)
{
	return load(l, false, err);
}

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

	if (!filter_has_step(r->l->filter, place.profile_id, place.step, place.in_step))
		return 0;
	if (text_pool_number(&r->texts, sqlite3_column_int64(stmt, COLUMN_NAME), &number,
			     err) < 0)
		return -1;
	struct str name = text_pool_str(&r->texts, number);
	int has = is_label(name) ? filter_has_name(r->l->filter, name, err) : 0;
	if (has <= 0)
		return has;
	r->has_launches |= sqlite3_column_int64(stmt, COLUMN_LAUNCHES) != 0;
	diff_loading_add(r->l, name, place, sqlite3_column_int64(stmt, COLUMN_CALLS),
			 sqlite3_column_int64(stmt, COLUMN_DEVICE));
	return 0;
}

static int read_labels(struct label_reading *r, struct err *err)
{
	struct query q = query_of_scope(r->l->store, asset_query_views_top_annotation_sql,
					r->l->scope->ids, err);

	while (query_next(&q, err))
		q.rc = add_label(r, q.stmt, err);
	return query_end(&q);
}

static int load_device_time(const struct diff_loading *l, struct err *err)
{
	struct label_reading r = { .l = l };

	if (filter_needs_slices(l->filter))
		return err_set(err, ERR_USAGE,
			       "the device time of labels is recorded by name and step: "
			       "only --focus, --ignore and --step apply");
	int rc = text_pool_open(l->store, &r.texts, err);
	if (rc == 0)
		rc = read_labels(&r, err);
	text_pool_close(&r.texts);
	if (rc == 0 && l->to->n > l->before && !r.has_launches)
		rc = err_set(err, ERR_EMPTY,
			     "no device work was launched in a label, or none was "
			     "recorded (ProfilerActivity.CUDA)");
	return rc;
}

int diff_load_annotations(const struct diff_loading *l, struct err *err)
{
	return l->metric == DIFF_DEVICE ? load_device_time(l, err) : load(l, true, err);
}
