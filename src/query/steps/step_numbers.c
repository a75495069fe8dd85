/* Numbers of steps: see step_numbers.h. */
#include "query/steps/step_numbers.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"

int step_numbers_load(struct store *store, const struct scope *scope,
		      struct step_numbers *out, struct err *err)
{
	*out = (struct step_numbers){ .n = 0 };
	struct query q =
		query_of_scope(store, asset_query_views_slice_steps_sql, scope->ids, err);

	while (query_next(&q, err)) {
		int64_t start_ns = sqlite3_column_int64(q.stmt, 3);
		int64_t dur_ns = sqlite3_column_int64(q.stmt, 4);
		if (!query_is_time(start_ns, dur_ns))
			q.rc = query_damaged("steps", err);
		*ARRAY_PUSH(out->items, out->n, out->cap) = (struct step_number){
			sqlite3_column_int64(q.stmt, 0), sqlite3_column_int64(q.stmt, 1),
			sqlite3_column_int64(q.stmt, 2), start_ns,
			sum_add(start_ns, dur_ns),       sqlite3_column_int64(q.stmt, 5),
		};
	}
	return query_end(&q);
}

void step_numbers_release(struct step_numbers *s)
{
	free(s->items);
	*s = (struct step_numbers){ .n = 0 };
}

const struct step_number *step_numbers_at(const struct step_numbers *s, int64_t id)
{
	size_t at;

	if (id == 0 || s->n == 0)
		return NULL;
	/* those of one profile follow each other */
	uint64_t guess = (uint64_t)id - (uint64_t)s->items[0].id;
	if (guess < s->n && s->items[guess].id == id)
		return &s->items[guess];
	SEARCH(at, 0, s->n, s->items[at].id < id);
	return at < s->n && s->items[at].id == id ? &s->items[at] : NULL;
}

bool step_numbers_find(const struct step_numbers *s, int64_t id, int64_t *number)
{
	const struct step_number *step = step_numbers_at(s, id);

	if (step)
		*number = step->number;
	return step != NULL;
}
