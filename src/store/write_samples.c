/* Rows of sampled stacks: see write_rows.h. */
#include "store/write_rows.h"

static struct bulk_cell mode_cell(const struct series_fact *fact)
{
	return fact->mode ? bulk_text(str_of(fact->mode)) : bulk_null();
}

/*
 * As many rows as hold all samples of the series.  1 for a series without samples, if others
 * of the profile have some: 0 means that its samples have no order.
 */
static int64_t sample_rows(const struct samples *s, const struct series_rec *series)
{
	return series->kept ? (int64_t)(series->last_kept - series->first_kept + 1)
			    : s->nkept > 0;
}

static void series_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct samples *s = &w->m->samples;
	const struct series_rec *series = &s->series[row];
	const struct series_fact *fact = &series->fact;

	c[COL_SAMPLE_SERIES_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_SAMPLE_SERIES_NAME] = cell_string(w->m, fact->name);
	c[COL_SAMPLE_SERIES_MEASURE] = cell_string(w->m, fact->measure);
	c[COL_SAMPLE_SERIES_MODE] = mode_cell(fact);
	c[COL_SAMPLE_SERIES_UNIT] = bulk_text(str_of(sample_unit_name(fact->unit)));
	c[COL_SAMPLE_SERIES_DECIMALS] =
		bulk_int(fact->unit == SAMPLE_COUNT ? s->decimals : 0);
	c[COL_SAMPLE_SERIES_IS_DEFAULT] = bulk_int(fact->is_default);
	c[COL_SAMPLE_SERIES_IS_EVENTED] = bulk_int(fact->is_evented);
	c[COL_SAMPLE_SERIES_IS_ROUNDED] = bulk_int(fact->is_rounded);
	c[COL_SAMPLE_SERIES_START_AT] = bulk_number(fact->start_at);
	c[COL_SAMPLE_SERIES_END_AT] = bulk_number(fact->end_at);
	c[COL_SAMPLE_SERIES_SAMPLES] = bulk_number(series->samples);
	c[COL_SAMPLE_SERIES_WEIGHT] = bulk_int(series->weight);
	c[COL_SAMPLE_SERIES_FIRST_NODE_ID] = bulk_int(w->sample_node + 1);
	c[COL_SAMPLE_SERIES_NODES] = bulk_int((int64_t)s->nrows);
	c[COL_SAMPLE_SERIES_FIRST_SUM_ID] =
		bulk_int(w->sample_sum + 1 + (int64_t)series->first_sum);
	c[COL_SAMPLE_SERIES_SUMS] = bulk_int((int64_t)series->sums);
	c[COL_SAMPLE_SERIES_FIRST_SAMPLE_ID] =
		bulk_int(w->sample + 1 + (int64_t)series->first_kept);
	c[COL_SAMPLE_SERIES_SAMPLE_ROWS] = bulk_int(sample_rows(s, series));
}

const struct bulk bulk_sample_series = BULK(SAMPLE_SERIES, sample_series, series_row);

static void thread_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct sample_thread_fact *thread =
		uniques_at(&w->m->samples.threads, (uint32_t)row);

	c[COL_SAMPLE_THREAD_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_SAMPLE_THREAD_PID] = bulk_number(thread->pid);
	c[COL_SAMPLE_THREAD_PROCESS] = cell_string(w->m, thread->process);
	c[COL_SAMPLE_THREAD_TID] = bulk_number(thread->tid);
	c[COL_SAMPLE_THREAD_NAME] = cell_string(w->m, thread->thread);
}

const struct bulk bulk_sample_thread = BULK(SAMPLE_THREAD, sample_thread, thread_row);

/* The row of a stack, whose number is a node; an empty one is NULL. */
static struct bulk_cell stack_cell(const struct write_rows *w, uint32_t node)
{
	uint32_t row = node == SAMPLE_NONE ? SAMPLE_NONE : w->m->samples.place_of[node];

	return row == SAMPLE_NONE ? bulk_null() : cell_row(w->sample_node, row);
}

static void node_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct samples *s = &w->m->samples;
	const struct node_rec *node = &s->nodes[s->rows[row]];
	const struct frame_rec *frame = &s->frames[node->frame];

	model_tick(w->m, (size_t)row);
	c[COL_SAMPLE_NODE_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_SAMPLE_NODE_CALLER_ID] = stack_cell(w, node->caller);
	c[COL_SAMPLE_NODE_FUNCTION_ID] = cell_row(w->function, frame->function);
	c[COL_SAMPLE_NODE_LINE] = bulk_number(frame->line);
}

const struct bulk bulk_sample_node = BULK(SAMPLE_NODE, sample_node, node_row);

static struct bulk_cell thread_cell(const struct write_rows *w,
				    const struct lane_rec *lane)
{
	return cell_row(w->sample_thread, lane->thread);
}

static void sum_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct samples *s = &w->m->samples;
	const struct sample_sum_rec *sum = &s->sums[s->sum_order[row]];
	const struct lane_rec *lane = uniques_at(&s->lanes, sum->lane);

	model_tick(w->m, (size_t)row);
	c[COL_SAMPLE_SUM_SERIES_ID] = cell_row(w->sample_series, lane->series);
	c[COL_SAMPLE_SUM_THREAD_ID] = thread_cell(w, lane);
	c[COL_SAMPLE_SUM_NODE_ID] = stack_cell(w, sum->node);
	c[COL_SAMPLE_SUM_SAMPLES] = bulk_number(sum->samples);
	c[COL_SAMPLE_SUM_WEIGHT] = bulk_int(sum->weight);
}

const struct bulk bulk_sample_sum = BULK(SAMPLE_SUM, sample_sum, sum_row);

static void sample_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct samples *s = &w->m->samples;
	const struct kept_sample *kept = samples_next(s, &w->walk->samples);
	const struct lane_rec *lane = uniques_at(&s->lanes, kept->lane);

	model_tick(w->m, (size_t)row);
	c[COL_SAMPLE_ROW_SERIES_ID] = cell_row(w->sample_series, lane->series);
	c[COL_SAMPLE_ROW_THREAD_ID] = thread_cell(w, lane);
	c[COL_SAMPLE_ROW_TS] = kept->ts_ns == NUMBER_NONE
				       ? bulk_null()
				       : bulk_int(kept->ts_ns - w->m->start_ns);
	c[COL_SAMPLE_ROW_NODE_ID] = stack_cell(w, kept->node);
	c[COL_SAMPLE_ROW_WEIGHT] = bulk_int(samples_weight(s, kept));
}

const struct bulk bulk_sample = BULK(SAMPLE_ROW, sample_row, sample_row);
