/* Slices in blocks: see slices.h. */
#include "query/slices/slices.h"

#include <sqlite3.h>

#include "query/query.h"
#include "query/slices/slices_state.h"
#include "trace/fact.h"
#include "trace/slice_bits.h"

/* What is known of a text and the filters that ask for it. */
enum verdict { UNKNOWN, UNWANTED, WANTED };

/* Columns of views/slice_rows.sql. */
enum {
	COLUMN_ID,
	COLUMN_TS,
	COLUMN_DUR,
	COLUMN_SELF,
	COLUMN_NAME,
	COLUMN_CATEGORY,
	COLUMN_CLASS,
	COLUMN_FLAGS,
	COLUMN_DEPTH,
	COLUMN_PARENT,
	COLUMN_STEP,
	COLUMN_CORRELATION
};

static int read_row(struct sqlite3_stmt *stmt, struct slice_row *row, struct err *err)
{
	*row = (struct slice_row){
		.id = sqlite3_column_int64(stmt, COLUMN_ID),
		.ts_ns = sqlite3_column_int64(stmt, COLUMN_TS),
		.dur_ns = sqlite3_column_int64(stmt, COLUMN_DUR),
		.self_ns = sqlite3_column_int64(stmt, COLUMN_SELF),
		.name_id = sqlite3_column_int64(stmt, COLUMN_NAME),
		.category_id = sqlite3_column_int64(stmt, COLUMN_CATEGORY),
		.parent_id = sqlite3_column_int64(stmt, COLUMN_PARENT),
		.step_id = sqlite3_column_int64(stmt, COLUMN_STEP),
		.correlation = sqlite3_column_int64(stmt, COLUMN_CORRELATION),
		.class = sqlite3_column_int(stmt, COLUMN_CLASS),
		.depth = sqlite3_column_int(stmt, COLUMN_DEPTH),
		.is_instant = sqlite3_column_int(stmt, COLUMN_FLAGS) & SLICE_INSTANT,
		.is_unfinished =
			sqlite3_column_int(stmt, COLUMN_FLAGS) & SLICE_UNFINISHED,
		.has_correlation =
			sqlite3_column_type(stmt, COLUMN_CORRELATION) != SQLITE_NULL,
	};
	return query_is_range(row->ts_ns, row->dur_ns) ? 0
						       : query_damaged("slices do", err);
}

static void read_range(struct slices *slices, int64_t first, int64_t last)
{
	struct sqlite3_stmt *stmt = slices->state->rows;

	sqlite3_reset(stmt);
	query_bind_int(stmt, ":first", first);
	query_bind_int(stmt, ":last", last);
}

void slices_from(struct slices *slices, const struct slices_track *track, int64_t id)
{
	read_range(slices, id, track->first_id + track->slices - 1);
}

int slices_next(struct slices *slices, struct slice_row *row, struct err *err)
{
	int rc = sql_step(slices->state->rows, err);

	return rc > 0 && read_row(slices->state->rows, row, err) < 0 ? -1 : rc;
}

int slices_read(struct slices *slices, const struct slices_track *track, int64_t id,
		struct slice_row *rows, size_t n, struct err *err)
{
	int64_t last = track->first_id + track->slices - 1;
	size_t got = 0;
	int rc = 0;

	if (last - id >= (int64_t)n)
		last = id + (int64_t)n - 1;
	read_range(slices, id, last);
	while (got < n && (rc = slices_next(slices, &rows[got], err)) > 0)
		got++;
	return rc < 0 ? -1 : (int)got;
}

int slices_seek(struct slices *slices, const struct slices_track *track, int64_t ts_ns,
		int64_t *id, struct err *err)
{
	int64_t low = track->first_id, high = track->first_id + track->slices;
	struct slice_row row;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		int rc = slices_read(slices, track, middle, &row, 1, err);
		if (rc == 0)
			err_set(err, ERR_INPUT,
				"the store is damaged: slices are missing");
		if (rc <= 0)
			return -1;
		if (row.ts_ns < ts_ns)
			low = middle + 1;
		else
			high = middle;
	}
	*id = low;
	return 0;
}

const struct slices_track *slices_track_of(const struct slices *slices, int64_t id)
{
	size_t low = 0, high = slices->ntracks;

	while (low < high) { /* the first track that begins behind the id */
		size_t middle = low + (high - low) / 2;
		if (slices->tracks[middle].first_id <= id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const struct slices_track *track = &slices->tracks[low - 1];
	return id < track->first_id + track->slices ? track : NULL;
}

/* Each text is judged once. */
static int name_is_wanted(struct slices_state *s, const struct slice_row *row,
			  struct err *err)
{
	struct str name;

	if (slices_text(&s->public, row->name_id, &name, err) < 0)
		return -1;
	uint8_t *verdict = &s->name_verdicts[row->name_id];
	if (*verdict == UNKNOWN) {
		int rc = filter_has_name(s->filter, name, err);
		if (rc < 0)
			return -1;
		*verdict = rc ? WANTED : UNWANTED;
	}
	return *verdict == WANTED;
}

static int category_is_wanted(struct slices_state *s, const struct slice_row *row,
			      struct err *err)
{
	struct str category;

	if (row->class >= 0 && row->class < NCLASSES &&
	    s->filter->classes >> row->class & 1)
		return 1;
	if (slices_text(&s->public, row->category_id, &category, err) < 0)
		return -1;
	uint8_t *verdict = &s->category_verdicts[row->category_id];
	if (*verdict == UNKNOWN)
		*verdict = filter_has_category(s->filter, category, CLASS_NONE)
				   ? WANTED
				   : UNWANTED;
	return *verdict == WANTED;
}

int slices_is_wanted(struct slices *slices, const struct slice_row *row, struct err *err)
{
	struct slices_state *s = slices->state;
	int64_t number = 0;
	int rc = 1;

	if (!s->filter)
		return 1;
	if (!filter_has_time(s->filter, row->ts_ns) ||
	    !filter_has_dur(s->filter, row->dur_ns))
		return 0;
	bool is_in_step = slices_step(slices, row, &number);
	if (!filter_has_step(s->filter, number, is_in_step))
		return 0;
	if (s->category_verdicts)
		rc = category_is_wanted(s, row, err);
	if (rc > 0 && s->name_verdicts)
		rc = name_is_wanted(s, row, err);
	return rc;
}

bool slices_step(const struct slices *slices, const struct slice_row *row,
		 int64_t *number)
{
	const struct slices_state *s = slices->state;

	return step_numbers_find(&s->steps, row->step_id, number);
}

const char *slices_class(const struct slices *slices, const struct slice_row *row)
{
	const struct slices_state *s = slices->state;

	return row->class >= 0 && (size_t)row->class < s->nclasses
		       ? s->classes[row->class]
		       : "";
}

int slices_text(struct slices *slices, int64_t id, struct str *out, struct err *err)
{
	struct text_pool *texts = &slices->state->texts;
	uint32_t number;

	if (text_pool_number(texts, id, &number, err) < 0)
		return -1;
	*out = text_pool_str(texts, number);
	return 0;
}
