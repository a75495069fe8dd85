/*
 * The table of annotations: for each label of record_function its host time,
 * the device work that was launched inside it (on its own thread), and the span
 * of that work, from its first start to its last end, each device apart.  The
 * exporter's own gpu_user_annotation is one span for each stream instead.
 */
#include "base/sum.h"
#include "store/idmap.h"
#include "store/op_pass.h"
#include "store/ranges.h"
#include "store/steps.h"
#include "store/summary.h"

/* Device work launched in one call of an annotation on one device. */
struct call_span {
	uint32_t row;
	int64_t device, start_ns, end_ns, device_ns, launches;
};

struct call_spans {
	struct call_span *at;
	size_t n, cap;
	struct idmap by_row;
};

static struct call_span *find_span(struct call_spans *spans, uint32_t row, int64_t device)
{
	size_t probe = idmap_first(&spans->by_row, row);
	uint32_t at;

	while ((at = idmap_next(&spans->by_row, &probe)) != UINT32_MAX)
		if (spans->at[at].device == device)
			return &spans->at[at];
	spans->at = spill_grow(spans->by_row.spill, spans->at, &spans->cap, spans->n + 1,
			       sizeof(*spans->at));
	idmap_add(&spans->by_row, row, (uint32_t)spans->n);
	spans->at[spans->n] =
		(struct call_span){ row, device, INT64_MAX, INT64_MIN, 0, 0 };
	return &spans->at[spans->n++];
}

static int64_t device_of(const struct model *m, const struct slice_rec *s)
{
	const struct device_fact *setup = slice_setup(m, s);

	if (setup && setup->device != NUMBER_NONE)
		return setup->device;
	return m->processes[m->tracks[s->track].process].pid.number;
}

/* Charges the work to a label that is open around its launch. */
static void charge(const struct model *m, struct call_spans *spans, uint32_t row,
		   uint32_t work)
{
	const struct slice_rec *s = model_slice(m, work);
	struct call_span *span = find_span(spans, row, device_of(m, s));

	if (s->ts_ns < span->start_ns)
		span->start_ns = s->ts_ns;
	if (slice_end(s) > span->end_ns)
		span->end_ns = slice_end(s);
	span->device_ns = sum_add(span->device_ns, s->dur_ns);
	span->launches++;
}

/* Passes over a thread: its launches' work is charged to the labels around them. */
static void charge_thread(const struct model *m, const struct track *t,
			  struct call_spans *spans, size_t *next, struct ranges *open)
{
	open->n = 0;
	for (size_t i = 0; i < t->n && *next < m->nworks; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		ranges_pass(open, m, row);
		for (; *next < m->nworks && row_launch(m, m->works[*next]) == row;
		     ++*next)
			for (size_t k = 0; k < open->n; k++)
				if (ranges_is_open(open, m, k, CLASS_ANNOTATION))
					charge(m, spans, open->rows[k], m->works[*next]);
	}
}

static struct annotation_stat *find_label(struct summary *s, struct idmap *labels,
					  uint32_t step, uint32_t name)
{
	int64_t id = (int64_t)((uint64_t)step << 32 | name);
	size_t probe = idmap_first(labels, id);
	uint32_t at = idmap_next(labels, &probe);

	if (at != UINT32_MAX)
		return &s->annotations[at];
	s->annotations = spill_grow(s->spill, s->annotations, &s->annotations_cap,
				    s->nannotations + 1, sizeof(*s->annotations));
	s->annotations[s->nannotations] = (struct annotation_stat){
		.step = step, .name = name, .first_ts_ns = INT64_MAX
	};
	idmap_add(labels, id, (uint32_t)s->nannotations);
	return &s->annotations[s->nannotations++];
}

/* Adds a call to its label, with the device work of the call. */
static void add_call(const struct model *m, const struct call_spans *spans, uint32_t row,
		     struct annotation_stat *label)
{
	const struct slice_rec *slice = model_slice(m, row);
	size_t probe = idmap_first(&spans->by_row, row);
	uint32_t at;

	if (slice->ts_ns < label->first_ts_ns)
		label->first_ts_ns = slice->ts_ns;
	label->calls++;
	label->host_ns = sum_add(label->host_ns, slice->dur_ns);
	while ((at = idmap_next(&spans->by_row, &probe)) != UINT32_MAX) {
		const struct call_span *span = &spans->at[at];
		label->device_ns = sum_add(label->device_ns, span->device_ns);
		label->device_span_ns = sum_add(label->device_span_ns,
						sum_sub(span->end_ns, span->start_ns));
		label->launches += span->launches;
	}
}

static void add_calls(const struct model *m, struct op_pass *pass,
		      const struct call_spans *spans, struct summary *s)
{
	struct step_cursor steps = step_cursor(m);
	struct idmap labels;

	idmap_init_in(&labels, 16, m->spill);
	for (uint32_t row = 0; row < m->nrows; row++) {
		const struct slice_rec *slice = model_slice(m, row);
		if (slice->class != CLASS_ANNOTATION || slice->phase != PHASE_COMPLETE)
			continue;
		uint32_t name = op_pass_name(pass, slice->name, false).name;
		uint32_t step = step_of_row(&steps, row);
		add_call(m, spans, row, find_label(s, &labels, step, name));
	}
	idmap_release(&labels);
}

void summary_annotations(const struct model *m, struct op_pass *pass, struct summary *s)
{
	struct call_spans spans = { 0 };
	struct ranges open = { .spill = m->spill };
	size_t next = 0; /* work to come */

	idmap_init_in(&spans.by_row, 16, m->spill);
	for (size_t t = 0; t < m->ntracks && next < m->nworks; t++)
		charge_thread(m, &m->tracks[t], &spans, &next, &open);
	add_calls(m, pass, &spans, s);
	ranges_release(&open);
	spill_free(m->spill, spans.at);
	idmap_release(&spans.by_row);
}
