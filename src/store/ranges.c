/* What is open on a thread: see ranges.h. */
#include "store/ranges.h"

void ranges_release(struct ranges *r)
{
	spill_free(r->spill, r->ops.rows);
	spill_free(r->spill, r->labels.rows);
	*r = (struct ranges){ 0 };
}

void ranges_clear(struct ranges *r)
{
	r->ops.n = r->labels.n = 0;
}

static void pop_ended(struct range_stack *s, const struct model *m, int64_t ts_ns)
{
	while (s->n && slice_end(model_slice(m, s->rows[s->n - 1])) <= ts_ns)
		s->n--;
}

static void push(struct range_stack *s, struct spill *spill, uint32_t row)
{
	s->rows = spill_grow(spill, s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n++] = row;
}

void ranges_pass(struct ranges *r, const struct model *m, uint32_t row)
{
	const struct slice_rec *s = model_slice(m, row);

	pop_ended(&r->ops, m, s->ts_ns);
	pop_ended(&r->labels, m, s->ts_ns);
	if (s->dur_ns == 0)
		return;
	if (s->class == CLASS_OP)
		push(&r->ops, r->spill, row);
	else if (s->class == CLASS_ANNOTATION)
		push(&r->labels, r->spill, row);
}

static uint32_t last(const struct range_stack *s)
{
	return s->n ? s->rows[s->n - 1] : ROW_NONE;
}

uint32_t ranges_innermost_op(const struct ranges *r)
{
	return last(&r->ops);
}

uint32_t ranges_innermost_label(const struct ranges *r)
{
	return last(&r->labels);
}
