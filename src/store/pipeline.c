/* A worker's part of a pipeline's timeline: see pipeline.h. */
#include "store/pipeline.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "trace/pipeline_op.h"

#define NAME_MAX_BYTES 256

bool pipeline_is(const struct model *m)
{
	return m->profile.format && strcmp(m->profile.format, PIPELINE_FORMAT) == 0;
}

bool pipeline_is_side_by_side(const struct model *m, const struct slice_rec *work)
{
	const struct device_fact *setup =
		slice_is_of_device(work) ? slice_setup(m, work) : NULL;

	return pipeline_is(m) && setup && setup->stream != PIPELINE_COMPUTE;
}

/* "grads-reduce-scatter of pp 1, tp 0": the axes in which its members are alike. */
static uint32_t group_text(struct model *m, const struct pipeline_op *op)
{
	static const unsigned alike[] = {
		[PIPELINE_PEER] = 1U << AXIS_DP | 1U << AXIS_TP,
		[PIPELINE_OF_TP] = 1U << AXIS_DP | 1U << AXIS_PP,
		[PIPELINE_OF_DP] = 1U << AXIS_PP | 1U << AXIS_TP,
		[PIPELINE_OF_ENDS] = 1U << AXIS_DP | 1U << AXIS_TP,
		[PIPELINE_OF_ALL] = 0,
	};
	static const enum axis order[] = { AXIS_DP, AXIS_PP, AXIS_TP };
	struct buf text;
	const char *before = " of ";

	buf_init(&text, NAME_MAX_BYTES);
	buf_add_text(&text, op->name);
	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		int64_t place = m->axes.at[order[i]];
		if (!(alike[op->group] >> order[i] & 1) || place == NUMBER_NONE)
			continue;
		buf_addf(&text, "%s%s %" PRId64, before, axis_names[order[i]], place);
		before = ", ";
	}
	uint32_t number = intern_add(m->texts, buf_str(&text));
	buf_release(&text);
	return number;
}

void pipeline_groups(struct model *m)
{
	uint32_t texts[PIPELINE_KINDS + 1];

	if (!pipeline_is(m))
		return;
	memset(texts, 0xff, sizeof(texts)); /* TEXT_NONE */
	for (size_t i = 0; i < m->ncollectives; i++) {
		struct collective_fact *fact = &m->collectives[i].fact;
		const struct pipeline_op *op =
			pipeline_op_find(intern_str(m->texts, fact->name));
		uint32_t text = texts[op->kind];
		if (text == TEXT_NONE || op->kind == PIPELINE_NO_KIND)
			text = group_text(m, op);
		texts[op->kind] = text;
		fact->group = text;
	}
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct step_rec *steps = context;

	if (steps[a].ts_ns != steps[b].ts_ns)
		return steps[a].ts_ns < steps[b].ts_ns;
	return steps[a].number < steps[b].number;
}

/* The place of the step of that number, which is added where it is new. */
static uint32_t step_of(struct model *m, struct idmap *known, int64_t number,
			const struct slice_rec *s)
{
	size_t probe = idmap_first(known, number);
	uint32_t at = idmap_next(known, &probe);

	if (at != UINT32_MAX)
		return at;
	if (m->nsteps >= m->limits->steps) {
		model_finding(m, FINDING_MANY_STEPS, s->offset, STR_LIT(""),
			      intern_str(m->texts, s->name));
		return ROW_NONE;
	}
	idmap_add(known, number, (uint32_t)m->nsteps);
	*APPEND(m, steps) = (struct step_rec){ .number = number,
					       .ts_ns = s->ts_ns,
					       .end_ns = slice_end(s),
					       .row = ROW_NONE,
					       .source = "args.step",
					       .told = engine_step_unknown() };
	return (uint32_t)m->nsteps - 1;
}

/* Sorts the steps by their start, and renumbers those that work refers to. */
static void sort_steps(struct model *m)
{
	size_t n = m->nsteps;
	uint32_t *at = spill_alloc(m->spill, 3 * n, sizeof(*at));
	uint32_t *place = at + (2 * n);
	struct step_rec *steps = spill_alloc(m->spill, n, sizeof(*steps));

	memcpy(steps, m->steps, n * sizeof(*steps));
	for (uint32_t i = 0; i < n; i++)
		at[i] = i;
	sort_indexes(at, n, at + n, is_before, steps);
	for (uint32_t i = 0; i < n; i++) {
		m->steps[i] = steps[at[i]];
		place[at[i]] = i;
	}
	for (size_t i = 0; i < m->nstep_marks; i++) {
		const struct slice_rec *s = model_slice(m, m->step_marks[i].slice);
		struct device_rec *d = slice_device(m, s);
		if (d->step < n)
			d->step = place[d->step];
	}
	spill_free(m->spill, steps);
	spill_free(m->spill, at);
}

void pipeline_steps(struct model *m)
{
	struct idmap known;

	if (!pipeline_is(m) || m->nsteps)
		return;
	idmap_init_in(&known, 64, m->spill);
	for (size_t i = 0; i < m->nstep_marks; i++) {
		const struct step_mark *mark = &m->step_marks[i];
		if (mark->slice >= m->nrows)
			continue; /* it is set apart */
		const struct slice_rec *s = model_slice(m, mark->slice);
		uint32_t at = step_of(m, &known, mark->number, s);
		slice_device(m, s)->step = at;
		if (at == ROW_NONE)
			continue;
		struct step_rec *step = &m->steps[at];
		step->ts_ns = s->ts_ns < step->ts_ns ? s->ts_ns : step->ts_ns;
		step->end_ns = slice_end(s) > step->end_ns ? slice_end(s) : step->end_ns;
	}
	idmap_release(&known);
	if (m->nsteps > 1)
		sort_steps(m);
}
