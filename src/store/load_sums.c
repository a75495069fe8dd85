/*
 * The sink of what was added up as it was recorded: functions, calls and lines of Python
 * profilers, stacks of samples, rows of printed tables.  See load.c.
 */
#include <inttypes.h>

#include "store/loader.h"

static uint32_t on_function(struct sink *s, const struct function_fact *function)
{
	struct model *m = loader_model(s);
	bool is_cut;
	uint32_t number = functions_add(&m->functions, m->texts, function, &is_cut);

	if (is_cut)
		model_finding(m, FINDING_SHARED_SIZE, 0, STR_LIT(""), STR_LIT(""));
	return number;
}

static int on_op_sum(struct sink *s, const struct op_sum_fact *sum, struct err *err)
{
	struct model *m = loader_model(s);

	if (m->nop_sums >= MODEL_ROWS_MAX)
		return err_at(err, sum->offset, "more than %u rows of a table",
			      MODEL_ROWS_MAX);
	m->op_sums = spill_grow(m->spill, m->op_sums, &m->op_sums_cap, m->nop_sums + 1,
				sizeof(*m->op_sums));
	m->op_sums[m->nop_sums++] = *sum;
	return 0;
}

static int on_function_stat(struct sink *s, const struct function_stat_fact *stat,
			    struct err *err)
{
	struct model *m = loader_model(s);

	if (m->functions.nstats == MODEL_ROWS_MAX ||
	    m->functions.ncalls >= MODEL_ROWS_MAX)
		return err_at(err, stat->offset, "more than %u functions in one profile",
			      MODEL_ROWS_MAX);
	if (!functions_stat(&m->functions, m->texts, stat)) {
		const struct function_rec *f = &m->functions.functions[stat->function];
		model_finding(m, FINDING_DUPLICATE_FUNCTION, stat->offset, STR_LIT(""),
			      intern_str(m->texts, f->name));
	}
	return 0;
}

static int on_call(struct sink *s, const struct call_fact *call, struct err *err)
{
	struct model *m = loader_model(s);

	if (m->functions.ncalls == MODEL_ROWS_MAX)
		return err_set(err, ERR_INPUT, "more than %u callers in one profile",
			       MODEL_ROWS_MAX);
	functions_call(&m->functions, m->texts, call);
	return 0;
}

static int on_line(struct sink *s, const struct line_fact *line, struct err *err)
{
	struct model *m = loader_model(s);

	if (m->functions.nlines == MODEL_ROWS_MAX)
		return err_set(err, ERR_INPUT, "more than %u lines in one profile",
			       MODEL_ROWS_MAX);
	functions_line(&m->functions, line);
	return 0;
}

static uint32_t on_series(struct sink *s, uint32_t known,
			  const struct series_fact *series)
{
	return samples_series(&loader_model(s)->samples, known, series);
}

static uint32_t on_sample_thread(struct sink *s, const struct sample_thread_fact *thread)
{
	return samples_thread(&loader_model(s)->samples, thread);
}

static uint32_t on_frame(struct sink *s, uint32_t known, const struct frame_fact *frame)
{
	return samples_frame(&loader_model(s)->samples, known, frame);
}

static uint32_t on_stack(struct sink *s, uint32_t caller, uint32_t frame)
{
	return samples_stack(&loader_model(s)->samples, caller, frame);
}

static int on_sample(struct sink *s, const struct sample_fact *sample, struct err *err)
{
	struct model *m = loader_model(s);
	const struct samples *all = &m->samples;

	if (all->nnodes >= MODEL_ROWS_MAX || all->nsums >= MODEL_ROWS_MAX)
		return err_at(err, sample->offset, "more than %u stacks in one profile",
			      MODEL_ROWS_MAX);
	if (all->threads.n > m->limits->tracks)
		return err_at(err, sample->offset,
			      "more than %" PRIu64 " threads in one profile",
			      m->limits->tracks);
	if (sample->ts_ns != NUMBER_NONE && !time_is_possible(sample->ts_ns)) {
		model_finding(m, FINDING_TIME_RANGE, sample->offset, STR_LIT(""),
			      STR_LIT(""));
		return 0;
	}
	switch (samples_add(&m->samples, sample)) {
	case SAMPLES_BEYOND:
		model_finding(m, FINDING_WEIGHT_RANGE, sample->offset, STR_LIT(""),
			      STR_LIT(""));
		break;
	case SAMPLES_ROUNDED:
		model_finding(m, FINDING_WEIGHT_ROUNDED, sample->offset, STR_LIT(""),
			      STR_LIT(""));
		break;
	case SAMPLES_ADDED:
		break;
	}
	return 0;
}

void loader_take_sums(struct sink *sink)
{
	sink->op_sum = on_op_sum;
	sink->function = on_function;
	sink->function_stat = on_function_stat;
	sink->call = on_call;
	sink->line = on_line;
	sink->series = on_series;
	sink->sample_thread = on_sample_thread;
	sink->frame = on_frame;
	sink->stack = on_stack;
	sink->sample = on_sample;
}
