/* Runs of samples: see sample_runs.h. */
#include "query/samples/sample_runs.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_sample_row_series_sql);

/*
 * A run goes on after at most so many rows of other series: reading over them costs less
 * than to keep a run for each row where a few series take turns.
 */
#define GAP_MAX 8

/* The range of a series. */
struct claim {
	int64_t id, first, last;
	int64_t series; /* place in the set */
	size_t run;     /* place of its newest + 1; 0: none so far */
};

static size_t list_claims(const struct sample_set *set, struct claim *claims)
{
	size_t n = 0;

	for (size_t i = 0; i < set->nseries; i++) {
		const struct sample_series *s = &set->series[i];
		if (s->sample_rows > 0)
			claims[n++] = (struct claim){ .id = s->id,
						      .first = s->first_sample_id,
						      .last = s->first_sample_id +
							      s->sample_rows - 1,
						      .series = (int64_t)i };
	}
	return n;
}

/* By first row.  A range of one row, which series without samples have, costs nothing. */
static bool do_overlap(const struct claim *claims, size_t n)
{
	int64_t end = INT64_MIN;

	for (size_t i = 0; i < n; i++) {
		if (claims[i].first == claims[i].last)
			continue;
		if (claims[i].first <= end)
			return true;
		end = claims[i].last;
	}
	return false;
}

static void take_row(struct sample_runs *runs, struct claim *claim, int64_t id)
{
	if (id < claim->first || id > claim->last)
		return;
	if (claim->run == 0 || id - runs->at[claim->run - 1].last > GAP_MAX + 1) {
		*ARRAY_PUSH(runs->at, runs->n, runs->cap) =
			(struct sample_run){ .series = claim->series, .first = id };
		claim->run = runs->n;
	}
	runs->at[claim->run - 1].last = id;
}

/* `claims` by first row. */
static int read_rows(struct store *store, struct claim *claims, size_t n,
		     struct sample_runs *runs, struct err *err)
{
	int64_t first = claims[0].first, last = first;

	for (size_t i = 0; i < n; i++)
		if (claims[i].last > last)
			last = claims[i].last;
	SORT_BY(claims, n, id);
	struct query q = query_of_range(store, asset_query_views_sample_row_series_sql,
					first, last, err);
	size_t at = 0;

	while (query_next(&q, err)) {
		int64_t series = sqlite3_column_int64(q.stmt, 1);
		if (at == n || claims[at].id != series)
			at = SORT_FIRST(claims, n, id, series);
		if (at < n && claims[at].id == series)
			take_row(runs, &claims[at], sqlite3_column_int64(q.stmt, 0));
	}
	return query_end(&q);
}

int sample_runs_find(struct store *store, const struct sample_set *set,
		     struct sample_runs *out, struct err *err)
{
	struct claim *claims = xcalloc(set->nseries + 1, sizeof(*claims));
	size_t n = list_claims(set, claims);
	int rc = 0;

	*out = (struct sample_runs){ .n = 0 };
	SORT_BY(claims, n, first);
	if (do_overlap(claims, n))
		rc = read_rows(store, claims, n, out, err);
	else
		for (size_t i = 0; i < n; i++)
			*ARRAY_PUSH(out->at, out->n, out->cap) =
				(struct sample_run){ claims[i].series, claims[i].first,
						     claims[i].last };
	SORT_BY(out->at, out->n, series);
	free(claims);
	return rc;
}

void sample_runs_release(struct sample_runs *runs)
{
	free(runs->at);
	*runs = (struct sample_runs){ .n = 0 };
}

const struct sample_run *sample_runs_of(const struct sample_runs *runs, size_t series,
					size_t *n)
{
	*n = 0;
	if (runs->n == 0)
		return NULL;
	size_t at = SORT_FIRST(runs->at, runs->n, series, (int64_t)series), end = at;

	while (end < runs->n && runs->at[end].series == (int64_t)series)
		end++;
	*n = end - at;
	return runs->at + at;
}
