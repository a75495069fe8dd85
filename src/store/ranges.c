/* What is open on a thread: see ranges.h. */
#include "store/ranges.h"

void ranges_release(struct ranges *r)
{
	spill_free(r->spill, r->rows);
	*r = (struct ranges){ 0 };
}

void ranges_pass(struct ranges *r, const struct model *m, uint32_t row)
{
	const struct slice_rec *s = model_slice(m, row);

	r->ts_ns = s->ts_ns;
	while (r->n && slice_end(model_slice(m, r->rows[r->n - 1])) <= s->ts_ns)
		r->n--;
	if ((s->class != CLASS_OP && s->class != CLASS_ANNOTATION) || s->dur_ns == 0)
		return;
	r->rows = spill_grow(r->spill, r->rows, &r->cap, r->n + 1, sizeof(*r->rows));
	r->rows[r->n++] = row;
}

bool ranges_is_open(const struct ranges *r, const struct model *m, size_t i,
		    enum slice_class class)
{
	const struct slice_rec *s = model_slice(m, r->rows[i]);

	return s->class == class && slice_end(s) > r->ts_ns;
}

uint32_t ranges_innermost(const struct ranges *r, const struct model *m,
			  enum slice_class class)
{
	for (size_t i = r->n; i-- > 0;)
		if (ranges_is_open(r, m, i, class))
			return r->rows[i];
	return ROW_NONE;
}
