/* Tokens of exchanges: see comm_tokens.h. */
#include "query/comm/comm_tokens.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/decimal.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_exchange_splits_sql);

/* "[3, 0, 5]" as 8; NUMBER_NONE for an empty list, of equal parts, and one that is cut. */
static int64_t sum_of(struct cell list)
{
	struct str text = list.type == CELL_TEXT ? list.as.text : STR_LIT("");
	int64_t sum = NUMBER_NONE, number;

	for (size_t at = 0, end; at < text.n; at = end + (end == at)) {
		for (end = at; end < text.n && text.p[end] >= '0' && text.p[end] <= '9';)
			end++;
		if (end == at && strchr("[], ", text.p[at]))
			continue;
		struct str digits = { text.p + at, end - at };
		if (end == at || decimal_text_int(digits, &number) != DECIMAL_OK)
			return NUMBER_NONE;
		sum = sum_add(sum == NUMBER_NONE ? 0 : sum, number);
	}
	return sum;
}

int exchanges_load(struct store *store, const struct scope_profile *profile,
		   struct exchanges *out, struct err *err)
{
	*out = (struct exchanges){ .n = 0 };
	struct query q = query_of_profile(store, asset_query_views_exchange_splits_sql,
					  profile, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(out->items, out->n, out->cap) =
			(struct exchange){ sqlite3_column_int64(q.stmt, 0),
					   sum_of(query_cell(q.stmt, 1)),
					   sum_of(query_cell(q.stmt, 2)) };
	return query_end(&q);
}

void exchanges_release(struct exchanges *e)
{
	free(e->items);
	*e = (struct exchanges){ .n = 0 };
}

const struct exchange *exchanges_find(const struct exchanges *e, int64_t slice_id)
{
	size_t at;

	SEARCH(at, 0, e->n, e->items[at].slice_id < slice_id);
	return at < e->n && e->items[at].slice_id == slice_id ? &e->items[at] : NULL;
}
