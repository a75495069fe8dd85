/*
 * The table of annotations: for each label of record_function its host time,
 * the device work that was launched inside it (on its own thread), and the span
 * of that work, from its first start to its last end, each device apart.  The
 * exporter's own gpu_user_annotation is one span for each stream instead.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "store/idmap.h"
#include "store/op_pass.h"
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

	while ((at = idmap_next(&spans->by_row, row, &probe)) != UINT32_MAX)
		if (spans->at[at].device == device)
			return &spans->at[at];
	spans->at = xgrow(spans->at, &spans->cap, spans->n + 1, sizeof(*spans->at));
	idmap_add(&spans->by_row, row, (uint32_t)spans->n);
	spans->at[spans->n] = (struct call_span){ row, device, INT64_MAX, INT64_MIN, 0, 0 };
	return &spans->at[spans->n++];
}

static int64_t device_of(const struct model *m, const struct slice_rec *s)
{
	if (s->detail != ROW_NONE && m->devices[s->detail].fact.device != NUMBER_NONE)
		return m->devices[s->detail].fact.device;
	return m->processes[m->tracks[s->track].process].pid.number;
}

/* Charges the work to every annotation around its launch. */
static void charge(const struct model *m, struct call_spans *spans, uint32_t work)
{
	const struct slice_rec *s = model_slice(m, work);
	uint32_t row = m->launch[work];

	for (; row != ROW_NONE; row = m->parent[row]) {
		if (model_slice(m, row)->class != CLASS_ANNOTATION)
			continue;
		struct call_span *span = find_span(spans, row, device_of(m, s));
		if (s->ts_ns < span->start_ns)
			span->start_ns = s->ts_ns;
		if (slice_end(s) > span->end_ns)
			span->end_ns = slice_end(s);
		span->device_ns = sum_add(span->device_ns, s->dur_ns);
		span->launches++;
	}
}

static struct annotation_stat *find_label(struct summary *s, uint32_t step, uint32_t name)
{
	for (size_t i = s->nannotations; i-- > 0;)
		if (s->annotations[i].name == name && s->annotations[i].step == step)
			return &s->annotations[i];
	s->annotations = xgrow(s->annotations, &s->annotations_cap, s->nannotations + 1,
			       sizeof(*s->annotations));
	s->annotations[s->nannotations] =
		(struct annotation_stat){ .step = step, .name = name, .first_ts_ns = INT64_MAX };
	return &s->annotations[s->nannotations++];
}

static void add_call(const struct model *m, struct op_pass *pass, const struct call_spans *spans,
		     uint32_t row, struct summary *s)
{
	const struct slice_rec *slice = model_slice(m, row);
	struct annotation_stat *label =
		find_label(s, m->step[row], op_pass_name(pass, slice->name, false).name);
	size_t probe = idmap_first(&spans->by_row, row);
	uint32_t at;

	if (slice->ts_ns < label->first_ts_ns)
		label->first_ts_ns = slice->ts_ns;
	label->calls++;
	label->host_ns = sum_add(label->host_ns, slice->dur_ns);
	while ((at = idmap_next(&spans->by_row, row, &probe)) != UINT32_MAX) {
		const struct call_span *span = &spans->at[at];
		label->device_ns = sum_add(label->device_ns, span->device_ns);
		label->device_span_ns = sum_add(label->device_span_ns, span->end_ns - span->start_ns);
		label->launches += span->launches;
	}
}

void summary_annotations(const struct model *m, struct op_pass *pass, struct summary *s)
{
	struct call_spans spans = { 0 };

	idmap_init(&spans.by_row, 16);
	for (uint32_t row = 0; row < m->nrows; row++)
		if (m->launch[row] != ROW_NONE)
			charge(m, &spans, row);
	for (uint32_t row = 0; row < m->nrows; row++)
		if (model_slice(m, row)->class == CLASS_ANNOTATION &&
		    model_slice(m, row)->phase == PHASE_COMPLETE)
			add_call(m, pass, &spans, row, s);
	idmap_release(&spans.by_row);
	free(spans.at);
}
