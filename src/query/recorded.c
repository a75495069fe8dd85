/* What is rare in recordings: see recorded.h. */
#include "query/recorded.h"

#include <sqlite3.h>

#include "query/query.h"

ASSET(asset_query_views_recorded_sql);

/* Columns of recorded.sql. */
enum { PHASES, GRAPHS, COMPILED };

int recorded_load(struct store *store, const struct scope *scope, struct recorded *out,
		  struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_recorded_sql, scope->ids, err);

	*out = (struct recorded){ .shapes = false };
	if (query_next(&q, err)) {
		out->phases = sqlite3_column_int(q.stmt, PHASES);
		out->graphs = sqlite3_column_int(q.stmt, GRAPHS);
		out->compiled = sqlite3_column_int(q.stmt, COMPILED);
	}
	for (size_t i = 0; i < scope->n; i++)
		out->shapes |= scope->profiles[i].has_shapes;
	return query_end(&q);
}
