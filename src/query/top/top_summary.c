/* The operator table from the summaries: see top_rows.h. */
#include <assert.h>
#include <sqlite3.h>

#include "query/query.h"
#include "query/steps/step_numbers.h"
#include "query/top/top_rows.h"

ASSET(asset_query_views_top_stat_sql);

/* op_stat.grain */
enum { GRAIN_NAME = 0, GRAIN_DETAIL = 1, GRAIN_STEP = 2 };

/* Columns of views/top_stat.sql. */
enum {
	COLUMN_PROFILE,
	COLUMN_STEP,
	COLUMN_KIND,
	COLUMN_ANNOTATION,
	COLUMN_NAME,
	COLUMN_SHAPES,
	COLUMN_STACK,
	COLUMN_OVERLOAD,
	COLUMN_FIRST_TS,
	COLUMN_FIRST_DUR,
	COLUMN_FIRST_ORDER,
	COLUMN_ASYNC,
	COLUMN_TOP_LEVEL,
	COLUMN_CALLS,
	COLUMN_PRIMITIVE_CALLS,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_SELF_DEVICE,
	COLUMN_TOTAL_DEVICE,
	COLUMN_CPU_MEM,
	COLUMN_SELF_CPU_MEM,
	COLUMN_DEVICE_MEM,
	COLUMN_SELF_DEVICE_MEM,
	COLUMN_FLOPS
};

static int64_t int_at(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_int64(stmt, column);
}

/* Without what the table does not show: the shortest, the longest and the mean. */
static void read_stat(struct sqlite3_stmt *stmt, struct opstat *out)
{
	*out = (struct opstat){
		.key = { .kind = (uint16_t)int_at(stmt, COLUMN_KIND),
			 .is_annotation = int_at(stmt, COLUMN_ANNOTATION) != 0 },
		.first = { int_at(stmt, COLUMN_FIRST_TS), int_at(stmt, COLUMN_FIRST_DUR),
			   (uint64_t)int_at(stmt, COLUMN_FIRST_ORDER) },
		.is_async = int_at(stmt, COLUMN_ASYNC) != 0,
		.is_top_level = int_at(stmt, COLUMN_TOP_LEVEL) != 0,
		.sums = { .calls = int_at(stmt, COLUMN_CALLS),
			  .primitive_calls = int_at(stmt, COLUMN_PRIMITIVE_CALLS),
			  .self_ns = int_at(stmt, COLUMN_SELF),
			  .total_ns = int_at(stmt, COLUMN_TOTAL),
			  .self_device_ns = int_at(stmt, COLUMN_SELF_DEVICE),
			  .total_device_ns = int_at(stmt, COLUMN_TOTAL_DEVICE),
			  .cpu_bytes = int_at(stmt, COLUMN_CPU_MEM),
			  .self_cpu_bytes = int_at(stmt, COLUMN_SELF_CPU_MEM),
			  .device_bytes = int_at(stmt, COLUMN_DEVICE_MEM),
			  .self_device_bytes = int_at(stmt, COLUMN_SELF_DEVICE_MEM),
			  .flops = query_number(stmt, COLUMN_FLOPS) },
	};
}

/* SPLIT_NONE for what stands in no step. */
static int64_t step_number(const struct step_numbers *steps, int64_t id)
{
	int64_t number;

	return step_numbers_find(steps, id, &number) ? number : SPLIT_NONE;
}

struct summing {
	const struct scope *scope;
	const struct top_query *query;
	struct top_rows *rows;
	struct step_numbers steps;
	const struct scope_profile *profile; /* of the newest row */
};

static int place_row(struct summing *s, struct sqlite3_stmt *stmt,
		     struct top_place *place, struct err *err)
{
	struct text_pool *texts = &s->rows->texts;
	int64_t id = int_at(stmt, COLUMN_PROFILE);

	if (!s->profile || s->profile->id != id)
		s->profile = scope_find(s->scope, id);
	assert(s->profile); /* the view gives rows of the scope alone */
	*place = (struct top_place){ .profile = s->profile };
	for (size_t i = 0; i < NTOP_SPLITS; i++)
		place->split[i] = SPLIT_NONE;
	top_split_by_profile(place->split, s->profile);
	place->split[TOP_BY_STEP] = step_number(&s->steps, int_at(stmt, COLUMN_STEP));
	if (text_pool_number(texts, int_at(stmt, COLUMN_SHAPES), &place->shapes, err) <
		    0 ||
	    text_pool_number(texts, int_at(stmt, COLUMN_STACK), &place->stack, err) < 0)
		return -1;
	return text_pool_number(texts, int_at(stmt, COLUMN_OVERLOAD), &place->overload,
				err);
}

static int add_row(struct summing *s, struct sqlite3_stmt *stmt, struct err *err)
{
	struct top_rows *rows = s->rows;
	struct top_place place;
	struct opstat stat;

	read_stat(stmt, &stat);
	if (stat.sums.calls <= 0)
		return 0; /* of no use to an average; no ptool writes one */
	if (place_row(s, stmt, &place, err) < 0 ||
	    text_pool_number(&rows->texts, int_at(stmt, COLUMN_NAME), &stat.key.name,
			     err) < 0)
		return -1;
	rows->has_device |=
		stat.key.kind == OP_DEVICE || stat.key.kind == OP_DEVICE_ANNOTATION;
	int64_t step = place.split[TOP_BY_STEP];
	if (filter_has_step(s->query->filter, s->profile->id, step, step != SPLIT_NONE))
		top_add(rows, s->query, &place, &stat);
	return 0;
}

int top_load_summaries(struct store *store, const struct scope *scope,
		       const struct top_query *query, struct top_rows *rows,
		       struct err *err)
{
	struct summing s = { .scope = scope, .query = query, .rows = rows };
	unsigned asked = query->show.asked;
	bool by_step = query->filter->has_steps || asked & TOP_SPLIT(TOP_BY_STEP);
	bool by_detail = asked & (TOP_SHAPE | TOP_STACK | TOP_OVERLOAD);
	struct query q =
		query_of_scope(store, asset_query_views_top_stat_sql, scope->ids, err);

	query_bind_int(q.stmt, ":grain",
		       by_step     ? GRAIN_STEP
		       : by_detail ? GRAIN_DETAIL
				   : GRAIN_NAME);
	if (q.rc == 0 && by_step)
		q.rc = step_numbers_load(store, scope, &s.steps, err);
	while (query_next(&q, err))
		q.rc = add_row(&s, q.stmt, err);
	step_numbers_release(&s.steps);
	return query_end(&q);
}
