/* Adding up op_stat in the database: see merge.h. */
#include "remote/merge.h"

#include <string.h>

/* schema.sql: op_stat.grain */
enum { GRAIN_NAME = 1 << 0, GRAIN_DETAIL = 1 << 1, GRAIN_STEP = 1 << 2 };
#define GRAINS (GRAIN_NAME | GRAIN_DETAIL | GRAIN_STEP)

/* The first call of all, and of those at the same time that of the first profile. */
#define FIRST "tuple(first_ts, -first_dur, first_order, no, seq)"

/* What is no sum; `keys` are the grains in which the column tells groups apart. */
static const struct merging {
	const char *name, *sql;
	unsigned keys;
} mergings[] = {
	{ "seq", "min(seq)", 0 },
	{ "grain", "min(grain)", 0 },
	{ "step_seq", "CAST(NULL AS Nullable(Int64))", 0 },
	{ "step", "CAST(NULL AS Nullable(Int64))", GRAIN_STEP },
	{ "kind", NULL, GRAINS },
	{ "name", NULL, GRAINS },
	{ "is_annotation", NULL, GRAINS },
	{ "shapes", "CAST(NULL AS Nullable(String))", GRAIN_DETAIL },
	{ "stack", "CAST(NULL AS Nullable(String))", GRAIN_DETAIL },
	{ "overload", "CAST(NULL AS Nullable(String))", GRAIN_DETAIL },
	{ "first_ts", "argMin(first_ts, " FIRST ")", 0 },
	{ "first_dur", "argMin(first_dur, " FIRST ")", 0 },
	{ "first_order", "argMin(first_order, " FIRST ")", 0 },
	{ "is_async", "argMin(is_async, " FIRST ")", 0 },
	{ "is_top_level", "argMin(is_top_level, " FIRST ")", 0 },
	{ "min_ns", "min(min_ns)", 0 },
	{ "max_ns", "max(max_ns)", 0 },
	/* of one profile each: nothing that is asked of merged rows reads it */
	{ "histogram", "CAST(NULL AS Nullable(String))", 0 },
};

static const struct merging *merging_of(const char *name)
{
	for (size_t i = 0; i < sizeof(mergings) / sizeof(*mergings); i++)
		if (strcmp(mergings[i].name, name) == 0)
			return &mergings[i];
	return NULL;
}

static bool is_key(const struct merging *m, unsigned grain)
{
	return m && m->keys >> grain & 1;
}

void merge_aggregates(const struct remote_table *op_stat, unsigned grain, struct buf *to)
{
	for (size_t i = 0; i < op_stat->n; i++) {
		const char *name = op_stat->columns[i].name;
		const struct merging *m = merging_of(name);
		buf_add_text(to, i ? ", " : "");
		if (is_key(m, grain))
			buf_add_text(to, name);
		else if (m)
			buf_add_text(to, m->sql);
		else
			buf_addf(to, "sum(%s)", name);
	}
}

void merge_keys(const struct remote_table *op_stat, unsigned grain, struct buf *to)
{
	/* where inputs were recorded, none is another group than where they were not */
	if (GRAIN_DETAIL >> grain & 1)
		buf_add_text(to, "has_shapes");
	for (size_t i = 0; i < op_stat->n; i++) {
		const char *name = op_stat->columns[i].name;
		if (is_key(merging_of(name), grain))
			buf_addf(to, "%s%s", to->n ? ", " : "", name);
	}
}
