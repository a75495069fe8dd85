/* The rows that each profile has in the table counter: see counter_spans.h. */
#include "query/timeline/counter_spans.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "query/query.h"

ASSET(asset_query_views_counter_spans_sql);

/* Columns of views/counter_spans.sql. */
enum { SPAN_ID, SPAN_PROFILE };

static int by_profile(const void *a, const void *b)
{
	const struct counter_span *x = a, *y = b;

	return (x->profile > y->profile) - (x->profile < y->profile);
}

/* Samples come by id. */
static void add_sample(struct counter_spans *spans, int64_t id, int64_t profile)
{
	struct counter_span *last = spans->n ? &spans->items[spans->n - 1] : NULL;

	if (last && last->profile == profile)
		last->last = id;
	else
		*ARRAY_PUSH(spans->items, spans->n, spans->cap) =
			(struct counter_span){ profile, id, id };
}

/* Those of a store that somebody else made may be anywhere. */
static void join_by_profile(struct counter_spans *spans)
{
	size_t n = 0;

	if (spans->n)
		qsort(spans->items, spans->n, sizeof(*spans->items), by_profile);
	for (size_t i = 0; i < spans->n; i++) {
		const struct counter_span span = spans->items[i];
		struct counter_span *to = n ? &spans->items[n - 1] : NULL;
		if (!to || to->profile != span.profile) {
			spans->items[n++] = span;
			continue;
		}
		to->first = span.first < to->first ? span.first : to->first;
		to->last = span.last > to->last ? span.last : to->last;
	}
	spans->n = n;
}

int counter_spans_load(struct store *store, struct counter_spans *out, struct err *err)
{
	struct query q = query_open(store, asset_query_views_counter_spans_sql, err);

	*out = (struct counter_spans){ .n = 0 };
	while (query_next(&q, err))
		add_sample(out, sqlite3_column_int64(q.stmt, SPAN_ID),
			   sqlite3_column_int64(q.stmt, SPAN_PROFILE));
	join_by_profile(out);
	return query_end(&q);
}

const struct counter_span *counter_spans_find(const struct counter_spans *spans,
					      int64_t profile)
{
	const struct counter_span key = { .profile = profile };

	return spans->n ? bsearch(&key, spans->items, spans->n, sizeof(*spans->items),
				  by_profile)
			: NULL;
}

void counter_spans_release(struct counter_spans *spans)
{
	free(spans->items);
	*spans = (struct counter_spans){ .n = 0 };
}
