/* The operator table from the summaries: see top_rows.h. */
#include <sqlite3.h>

#include "query/query.h"
#include "query/steps/step_numbers.h"
#include "query/top/top_rows.h"

ASSET(asset_query_views_printed_totals_sql);
ASSET(asset_query_views_top_stat_sql);
ASSET(asset_query_views_top_stat_all_sql);

/* op_stat.grain */
enum { GRAIN_NAME = 0, GRAIN_DETAIL = 1, GRAIN_STEP = 2 };

/* Columns of views/top_stat_all.sql; those of views/top_stat.sql are the first of them. */
enum {
	COLUMN_PROFILE,
	COLUMN_STEP,
	COLUMN_KIND,
	COLUMN_ANNOTATION,
	COLUMN_NAME,
	COLUMN_FIRST_TS,
	COLUMN_FIRST_DUR,
	COLUMN_FIRST_ORDER,
	COLUMN_ASYNC,
	COLUMN_CALLS,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_SELF_DEVICE,
	COLUMN_TOTAL_DEVICE,
	COLUMN_SHAPES,
	COLUMN_STACK,
	COLUMN_OVERLOAD,
	COLUMN_TOP_LEVEL,
	COLUMN_PRIMITIVE_CALLS,
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

/*
 * A column of a row costs as much as all that is then done with it: is one of those asked
 * for that are seldom shown?
 */
static bool needs_all(const struct scope *scope, const struct top_query *query)
{
	const struct field *sort = query->show.sort;

	if (query->show.asked & (TOP_SHAPE | TOP_STACK | TOP_OVERLOAD | TOP_FLOPS) ||
	    query->top_level || query->torch_times)
		return true;
	if (sort && (sort == view_field(&top_view, "primitive_calls") ||
		     sort == view_field(&top_view, "flops")))
		return true;
	return scope_has_memory(scope);
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
		.sums = { .calls = int_at(stmt, COLUMN_CALLS),
			  .self_ns = int_at(stmt, COLUMN_SELF),
			  .total_ns = int_at(stmt, COLUMN_TOTAL),
			  .self_device_ns = int_at(stmt, COLUMN_SELF_DEVICE),
			  .total_device_ns = int_at(stmt, COLUMN_TOTAL_DEVICE),
			  .flops = NUMBER_NONE },
	};
}

static void read_rest(struct sqlite3_stmt *stmt, struct opstat *out)
{
	struct opstat_sums *sums = &out->sums;

	out->is_top_level = int_at(stmt, COLUMN_TOP_LEVEL) != 0;
	sums->primitive_calls = int_at(stmt, COLUMN_PRIMITIVE_CALLS);
	sums->cpu_bytes = int_at(stmt, COLUMN_CPU_MEM);
	sums->self_cpu_bytes = int_at(stmt, COLUMN_SELF_CPU_MEM);
	sums->device_bytes = int_at(stmt, COLUMN_DEVICE_MEM);
	sums->self_device_bytes = int_at(stmt, COLUMN_SELF_DEVICE_MEM);
	sums->flops = query_number(stmt, COLUMN_FLOPS);
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
	bool has_all; /* columns of top_stat_all.sql */
	struct step_numbers steps;
	struct top_place place; /* of the newest row; profile NULL before the first */
};

static int place_profile(struct summing *s, int64_t id, struct err *err)
{
	const struct scope_profile *profile = scope_find(s->scope, id);

	if (!profile) {
		query_damaged("operators", err);
		return -1;
	}
	s->place = (struct top_place){ .profile = profile,
				       .shapes = TEXT_NONE,
				       .stack = TEXT_NONE,
				       .overload = TEXT_NONE };
	for (size_t i = 0; i < NTOP_SPLITS; i++)
		s->place.split[i] = SPLIT_NONE;
	top_split_by_profile(s->place.split, profile);
	return 0;
}

static int place_texts(struct summing *s, struct sqlite3_stmt *stmt, struct err *err)
{
	struct text_pool *texts = &s->rows->texts;
	struct top_place *place = &s->place;

	if (text_pool_number(texts, int_at(stmt, COLUMN_SHAPES), &place->shapes, err) <
		    0 ||
	    text_pool_number(texts, int_at(stmt, COLUMN_STACK), &place->stack, err) < 0)
		return -1;
	return text_pool_number(texts, int_at(stmt, COLUMN_OVERLOAD), &place->overload,
				err);
}

static int place_row(struct summing *s, struct sqlite3_stmt *stmt, struct err *err)
{
	int64_t id = int_at(stmt, COLUMN_PROFILE);

	if ((!s->place.profile || s->place.profile->id != id) &&
	    place_profile(s, id, err) < 0)
		return -1;
	s->place.split[TOP_BY_STEP] = step_number(&s->steps, int_at(stmt, COLUMN_STEP));
	return s->has_all ? place_texts(s, stmt, err) : 0;
}

static int add_row(struct summing *s, struct sqlite3_stmt *stmt, struct err *err)
{
	struct top_rows *rows = s->rows;
	struct opstat stat;

	read_stat(stmt, &stat);
	if (s->has_all)
		read_rest(stmt, &stat);
	if (stat.sums.calls <= 0)
		return 0; /* of no use to an average; no ptool writes one */
	if (place_row(s, stmt, err) < 0 ||
	    text_pool_number(&rows->texts, int_at(stmt, COLUMN_NAME), &stat.key.name,
			     err) < 0)
		return -1;
	rows->has_device |=
		stat.key.kind == OP_DEVICE || stat.key.kind == OP_DEVICE_ANNOTATION;
	int64_t step = s->place.split[TOP_BY_STEP];
	if (filter_has_step(s->query->filter, s->place.profile->id, step,
			    step != SPLIT_NONE))
		top_add(rows, s->query, &s->place, &stat);
	return 0;
}

int top_load_summaries(struct store *store, const struct scope *scope,
		       const struct top_query *query, struct top_rows *rows,
		       struct err *err)
{
	struct summing s = { .scope = scope,
			     .query = query,
			     .rows = rows,
			     .has_all = needs_all(scope, query) };
	unsigned asked = query->show.asked;
	bool by_step = query->filter->has_steps || asked & TOP_SPLIT(TOP_BY_STEP);
	bool by_detail = asked & (TOP_SHAPE | TOP_STACK | TOP_OVERLOAD);
	struct query q = query_of_scope(store,
					s.has_all ? asset_query_views_top_stat_all_sql
						  : asset_query_views_top_stat_sql,
					scope->ids, err);

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

int top_add_printed_totals(struct store *store, struct top_rows *rows, struct err *err)
{
	const struct scope *scope = rows->scope;
	struct query q = query_of_scope(store, asset_query_views_printed_totals_sql,
					scope->ids, err);

	if (query_next(&q, err) && (uint64_t)int_at(q.stmt, 0) == scope->n) {
		rows->has_printed_totals = true;
		rows->self_cpu_ns = int_at(q.stmt, 1);
		if (int_at(q.stmt, 2) > 0)
			rows->self_device_ns = rows->launched_of_ns = int_at(q.stmt, 2);
	}
	return query_end(&q);
}
