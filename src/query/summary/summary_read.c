/* Reading the rows of summaries: see summary.h. */
#include <assert.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "query/query.h"
#include "query/summary/summary.h"

ASSET(asset_query_views_summary_places_sql);

#define SQL_MAX 8192

int summary_damaged(const struct summary *summary, struct err *err)
{
	return err_set(err, ERR_INPUT, "the rows of %s do not fit together; ingest again",
		       summary->table.name);
}

static const struct summary *summary_called(struct str part)
{
	for (size_t i = 0; summaries[i]; i++)
		if (str_equal(part, str_of(summaries[i]->table.name)))
			return summaries[i];
	return NULL;
}

/* By the rules of another ptool. */
static int is_by_others(const struct summary_place *place)
{
	return place->rules != place->summary->table.rules;
}

/* Whatever its rules. */
static int is_place(const void *wanted, const void *place)
{
	const struct summary_place *a = wanted, *b = place;

	if (a->profile_id != b->profile_id)
		return a->profile_id < b->profile_id ? -1 : 1;
	return strcmp(a->summary->table.name, b->summary->table.name);
}

static int by_place(const void *left, const void *right)
{
	const struct summary_place *a = left, *b = right;
	int order = is_place(a, b);

	return order ? order : is_by_others(a) - is_by_others(b);
}

/* Where rows were made anew, merging has left the older ones there, too. */
static void keep_first_places(struct summary_reader *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct summary_place *place = &r->places[i],
					   *last = &r->places[kept ? kept - 1 : 0];
		if (!kept || last->profile_id != place->profile_id ||
		    last->summary != place->summary)
			r->places[kept++] = *place;
	}
	r->n = kept;
}

static int add_place(struct summary_reader *r, struct sqlite3_stmt *stmt, struct err *err)
{
	struct cell part = query_cell(stmt, 1);
	struct summary_place place = {
		.profile_id = sqlite3_column_int64(stmt, 0),
		.rules = sqlite3_column_int(stmt, 2),
		.first_row_id = sqlite3_column_int64(stmt, 3),
		.nrows = sqlite3_column_int64(stmt, 4),
		.summary = part.type == CELL_TEXT ? summary_called(part.as.text) : NULL,
	};

	if (!place.summary)
		return 0;
	if (place.nrows > PART_ROWS_MOST ||
	    !query_is_range(place.first_row_id, place.nrows))
		return summary_damaged(place.summary, err);
	*ARRAY_PUSH(r->places, r->n, r->cap) = place;
	return 0;
}

int summary_reader_open(struct store *store, struct text_pool *texts,
			struct summary_reader *out, struct err *err)
{
	*out = (struct summary_reader){ .store = store, .texts = texts };
	struct query q = query_open(store, asset_query_views_summary_places_sql, err);

	while (query_next(&q, err))
		q.rc = add_place(out, q.stmt, err);
	if (out->n)
		qsort(out->places, out->n, sizeof(*out->places), by_place);
	keep_first_places(out);
	return query_end(&q);
}

void summary_reader_close(struct summary_reader *r)
{
	summary_source_release(&r->source);
	sqlite3_finalize(r->stmt);
	free(r->places);
	*r = (struct summary_reader){ .n = 0 };
}

static const struct summary_place *find(const struct summary_reader *r,
					const struct scope_profile *profile,
					const struct summary *summary)
{
	const struct summary_place wanted = { .profile_id = profile->id,
					      .summary = summary };

	/* who may not ask would take slices instead, or what is missing for none */
	assert(store_has_table(r->store, summary->table.name));
	const struct summary_place *place =
		r->n ? bsearch(&wanted, r->places, r->n, sizeof(*r->places), is_place)
		     : NULL;
	return place && is_by_others(place) && profile->has_slices ? NULL : place;
}

bool summary_has(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary)
{
	return find(r, profile, summary) != NULL;
}

static int prepare(struct summary_reader *r, const struct summary *summary,
		   struct err *err)
{
	struct buf sql;

	if (r->last == summary)
		return 0;
	sqlite3_finalize(r->stmt);
	r->stmt = NULL;
	r->last = NULL;
	buf_init(&sql, SQL_MAX);
	buf_addf(&sql, "SELECT %s FROM %s WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		 summary->table.columns, summary->table.name);
	int rc = sql_prepare(store_db(r->store), sql.p, &r->stmt, err);
	buf_release(&sql);
	if (rc == 0)
		r->last = summary;
	return rc;
}

/* The text whose id is in a column; null where there is none. */
static int read_text(struct summary_reader *r, int column, struct cell *cell,
		     struct err *err)
{
	uint32_t number;

	if (text_pool_number(r->texts, sqlite3_column_int64(r->stmt, column), &number,
			     err) < 0)
		return -1;
	*cell = text_pool_cell(r->texts, number);
	return 0;
}

static struct cell read_value(struct summary_reader *r, int column, struct part_rows *out)
{
	struct cell cell = query_cell(r->stmt, column);

	if (cell.type == CELL_TEXT)
		cell.as.text = arena_copy(&out->arena, cell.as.text);
	return cell;
}

static int read_row(struct summary_reader *r, const struct summary_place *place,
		    struct part_rows *out, struct err *err)
{
	struct cell *row = part_rows_add(out);

	if (!row || sqlite3_column_int64(r->stmt, 1) != place->profile_id)
		return summary_damaged(place->summary, err);
	for (int i = 0; i < out->table->ncolumns; i++) {
		if (!(out->table->texts >> i & 1))
			row[i] = read_value(r, i, out);
		else if (read_text(r, i, &row[i], err) < 0)
			return -1;
	}
	return 0;
}

/* 1: it was the last one that is wanted. */
static int add_row(struct summary_reader *r, const struct summary_place *place,
		   const struct summary_prefix *prefix, struct part_rows *out,
		   struct err *err)
{
	if (read_row(r, place, out, err) < 0)
		return -1;
	if (!prefix || prefix->wants(prefix, part_rows_at(out, out->n - 1)))
		return 0;
	out->n--;
	return 1;
}

int summary_read_prefix(struct summary_reader *r, const struct scope_profile *profile,
			const struct summary *summary,
			const struct summary_prefix *prefix, struct part_rows *out,
			struct err *err)
{
	const struct summary_place *place = find(r, profile, summary);
	int rc = 0, more;

	part_rows_init(out, &summary->table);
	if (!place)
		return 0;
	out->rules = place->rules;
	if (is_by_others(place))
		store_note_rules(r->store);
	if (place->nrows == 0)
		return 0;
	if (prepare(r, summary, err) < 0)
		return -1;
	sqlite3_bind_int64(r->stmt, 1, place->first_row_id);
	sqlite3_bind_int64(r->stmt, 2, place->first_row_id + place->nrows - 1);
	while (rc == 0 && (more = sql_step(r->stmt, err)) > 0)
		rc = add_row(r, place, prefix, out, err);
	sqlite3_reset(r->stmt);
	if (rc == 0 && more < 0)
		return -1;
	if (rc == 0 && (int64_t)out->n != place->nrows)
		return summary_damaged(summary, err);
	return rc < 0 ? -1 : 0;
}

int summary_read(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary, struct part_rows *out, struct err *err)
{
	return summary_read_prefix(r, profile, summary, NULL, out, err);
}
