/* Nesting: see nest.h. */
#include "store/nest.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

struct open_row {
	uint32_t row;
	int64_t end_ns; /* no later than that of the slice around it */
};

struct open_rows {
	struct open_row *at;
	size_t n, cap;
};

static void nest_row(struct model *m, uint32_t row, struct open_rows *open)
{
	const struct slice_rec *s = model_slice(m, row);
	int64_t end_ns = slice_end(s);

	while (open->n && open->at[open->n - 1].end_ns <= s->ts_ns)
		open->n--;
	m->depth[row] = (uint32_t)open->n;
	m->parent[row] = open->n ? open->at[open->n - 1].row : ROW_NONE;
	if (open->n) {
		const struct open_row *around = &open->at[open->n - 1];
		if (end_ns > slice_end(model_slice(m, around->row)))
			model_finding(m, FINDING_CHILD_OVERRUNS, s->offset, STR_LIT(""),
				      intern_str(m->texts, s->name));
		if (end_ns > around->end_ns)
			end_ns = around->end_ns;
		m->self_ns[around->row] -= end_ns - s->ts_ns;
	}
	m->self_ns[row] = end_ns - s->ts_ns;
	if (end_ns == s->ts_ns)
		return;
	open->at = xgrow(open->at, &open->cap, open->n + 1, sizeof(*open->at));
	open->at[open->n++] = (struct open_row){ row, end_ns };
}

static void nest_track(struct model *m, const struct track *t, struct open_rows *open)
{
	int64_t roots_ns = 0, selves_ns = 0;

	open->n = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		if (t->kind == TRACK_STREAM) {
			m->parent[row] = ROW_NONE;
			m->self_ns[row] = model_slice(m, row)->dur_ns;
		} else {
			nest_row(m, row, open);
		}
	}
	if (t->kind == TRACK_STREAM)
		return;
	/* Roots do not overlap, so that no sum leaves int64. */
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		selves_ns += m->self_ns[row];
		if (m->parent[row] == ROW_NONE)
			roots_ns += model_slice(m, row)->dur_ns;
	}
	assert(selves_ns == roots_ns);
	(void)selves_ns;
	(void)roots_ns;
}

void nest_rows(struct model *m)
{
	struct open_rows open = { 0 };

	m->parent = xrealloc_array(NULL, m->nrows, sizeof(*m->parent));
	m->depth = xcalloc(m->nrows, sizeof(*m->depth));
	m->self_ns = xcalloc(m->nrows, sizeof(*m->self_ns));
	for (size_t t = 0; t < m->ntracks; t++)
		nest_track(m, &m->tracks[t], &open);
	free(open.at);
}
