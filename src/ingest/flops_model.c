/* Modules of a model and what each has itself: see flops_model.h. */
#include "ingest/flops_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"

void flops_model_init(struct flops_model *model, struct stacks *stacks)
{
	*model = (struct flops_model){ .stacks = stacks, .innermost = FLOPS_NONE };
}

void flops_model_release(struct flops_model *model)
{
	free(model->modules);
}

static struct flops_module *module_at(const struct flops_model *model, uint32_t place)
{
	return place == FLOPS_NONE ? NULL : &model->modules[place];
}

struct flops_module *flops_model_open(const struct flops_model *model)
{
	return module_at(model, model->innermost);
}

int flops_model_enter(struct flops_model *model, const struct flops_module *module,
		      struct str name, struct err *err)
{
	struct sink *sink = model->stacks->sink;
	uint32_t at = model->innermost;
	bool is_within = at != FLOPS_NONE;
	const struct stacks_frame frame = { .name = name,
					    .first_line = NUMBER_NONE,
					    .line = NUMBER_NONE };
	struct flops_module m = *module;
	struct frame_fact fact;

	if (stacks_frame(model->stacks, &frame, m.at, &fact, err) < 0)
		return -1;
	m.stack = sink->stack(sink, is_within ? model->modules[at].stack : SAMPLE_NONE,
			      sink->frame(sink, SAMPLE_NONE, &fact));
	m.above = at;
	if (__builtin_mul_overflow(is_within ? model->modules[at].all_times : 1, m.times,
				   &m.all_times))
		return err_at(err, m.at, "more modules than a 64-bit number can count");
	if (model->nmodules >= FLOPS_NONE)
		return err_at(err, m.at, "too many modules");
	model->innermost = (uint32_t)model->nmodules;
	*ARRAY_PUSH(model->modules, model->nmodules, model->modules_cap) = m;
	return 0;
}

/* `times` as much, added to a sum; false: it is beyond 64 bits. */
static bool add_times(int64_t amount, int64_t times, int64_t *sum)
{
	return !__builtin_mul_overflow(amount, times, &amount) &&
	       !__builtin_add_overflow(*sum, amount, sum);
}

/*
 * What is printed of a module and what is below it are the same to their last digits, or
 * it has something of its own.  Where they cannot both be, what is below it counts.
 */
static void settle(struct flops_module *m, int i)
{
	const struct flops_numbers *below = &m->below;
	struct flops_numbers *all = &m->all;

	m->has_own[i] = m->has_numbers && all->least[i] > below->most[i];
	if (m->has_own[i])
		return;
	if (!m->has_numbers || all->most[i] < below->least[i]) {
		all->value[i] = below->value[i];
		all->least[i] = below->least[i];
		all->most[i] = below->most[i];
		return;
	}
	if (all->least[i] < below->least[i])
		all->least[i] = below->least[i];
	if (all->most[i] > below->most[i])
		all->most[i] = below->most[i];
	if (all->value[i] < all->least[i])
		all->value[i] = all->least[i];
	if (all->value[i] > all->most[i])
		all->value[i] = all->most[i];
}

int flops_model_leave(struct flops_model *model, struct err *err)
{
	struct flops_module *m = &model->modules[model->innermost];
	struct flops_module *above = module_at(model, m->above);
	bool fits = true;

	for (int i = 0; i < NFLOPS; i++) {
		settle(m, i);
		fits &= !above ||
			(add_times(m->all.value[i], m->times, &above->below.value[i]) &&
			 add_times(m->all.least[i], m->times, &above->below.least[i]) &&
			 add_times(m->all.most[i], m->times, &above->below.most[i]));
	}
	m->is_closed = model->has_closed = true;
	model->innermost = m->above;
	return fits ? 0 : err_at(err, m->at, "a number beyond 64 bits");
}

/* How far a number may be moved that way within its last digit. */
static double room(const struct flops_numbers *n, int i, bool is_up)
{
	return is_up ? (double)n->most[i] - (double)n->value[i]
		     : (double)n->value[i] - (double)n->least[i];
}

/*
 * A module's number with its part of what those beside it are to be more, so that they
 * add up to what is printed above them.
 */
static int64_t moved(const struct flops_module *m, const struct flops_module *above,
		     int i)
{
	if (!above || !above->shift[i])
		return m->all.value[i];
	bool is_up = above->shift[i] > 0;
	double all = room(&above->below, i, is_up);
	double part = all > 0 ? room(&m->all, i, is_up) / all : 0;
	return sum_add(m->all.value[i],
		       sum_of_double(round((double)above->shift[i] * part)));
}

/* What a module has itself. */
static int tell_measure(struct flops_model *model, struct flops_module *m, int i,
			uint32_t series, struct err *err)
{
	struct sink *sink = model->stacks->sink;
	struct sample_fact sample = { .series = series,
				      .thread = SAMPLE_NONE,
				      .stack = m->stack,
				      .samples = NUMBER_NONE,
				      .ts_ns = NUMBER_NONE,
				      .offset = m->at };

	if (!m->is_closed)
		return 0;
	int64_t own = moved(m, module_at(model, m->above), i) - m->below.value[i];
	if (!m->has_own[i]) {
		m->shift[i] = own;
		return 0;
	}
	if (__builtin_mul_overflow(own, m->all_times, &sample.weight))
		return err_at(err, m->at, "a number beyond 64 bits");
	return own > 0 ? sink->sample(sink, &sample, err) : 0;
}

/* The measures that samples are told for. */
static void tell_series(const struct flops_model *model, uint32_t series[NFLOPS])
{
	struct sink *sink = model->stacks->sink;
	const struct {
		const char *name;
		enum sample_unit unit;
	} told[NFLOPS] = { [FLOPS_TIME] = { "forward", SAMPLE_NS },
			   [FLOPS_MACS] = { "MACs", SAMPLE_COUNT },
			   [FLOPS_PARAMS] = { "parameters", SAMPLE_COUNT } };

	for (int i = 0; i < NFLOPS; i++) {
		uint32_t name = sink->text(sink, str_of(told[i].name));
		const struct series_fact fact = { .name = name,
						  .measure = name,
						  .unit = told[i].unit,
						  .is_default = i == FLOPS_TIME,
						  .is_evented = true,
						  .is_rounded = true,
						  .start_at = NUMBER_NONE,
						  .end_at = NUMBER_NONE };
		series[i] = sink->series(sink, SAMPLE_NONE, &fact);
	}
}

int flops_model_tell(struct flops_model *model, struct err *err)
{
	uint32_t series[NFLOPS];

	tell_series(model, series);
	for (size_t n = 0; n < model->nmodules; n++)
		for (int i = 0; i < NFLOPS; i++)
			if (tell_measure(model, &model->modules[n], i, series[i], err) <
			    0)
				return -1;
	return 0;
}
