/* The length of one step after the other as a line of blocks: see steps.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bars.h"
#include "base/buf.h"
#include "base/units.h"
#include "query/steps/steps.h"

#define CURVE_CELLS 40 /* the line fits 80 columns */
#define STEPS_LEAST 3  /* fewer are seen in the table */
#define LINES_MOST  8

/* "Step time of rank 1: 116.146 ms to 181.565 ms  ▇▁▂▂▅▁" */
static const char *curve_of(const struct steps_profile *p, bool is_named,
			    struct arena *arena)
{
	double *values = xrealloc_array(NULL, p->nshown, sizeof(*values));
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	int64_t low = INT64_MAX, high = 0;
	struct buf line;

	for (size_t i = 0; i < p->nshown; i++) {
		int64_t ns = steps_value(p, p->shown[i], VALUE_TOTAL);
		values[i] = (double)ns;
		low = ns < low ? ns : low;
		high = ns > high ? ns : high;
	}
	buf_init(&line, 1024);
	buf_add_text(&line, "Step time");
	if (is_named && p->profile->has_rank)
		buf_addf(&line, " of rank %" PRId64, p->profile->rank);
	else if (is_named)
		buf_addf(&line, " of profile %" PRId64, p->profile->id);
	struct str low_text = units_text(UNIT_NS, cell_int(low), least);
	struct str high_text = units_text(UNIT_NS, cell_int(high), most);
	buf_addf(&line, ": " STR_FMT " to " STR_FMT "  ", STR_ARG(low_text),
		 STR_ARG(high_text));
	size_t n = bars_squeeze(values, p->nshown, CURVE_CELLS);
	bars_add_curve(&line, values, n, (double)low, (double)high);
	free(values);
	const char *text = arena_copy(arena, buf_str(&line)).p;
	buf_release(&line);
	return text;
}

void steps_add_curves(const struct steps *s, const struct scope *scope,
		      struct memtable *m)
{
	const char **lines = arena_alloc(&m->arena, (LINES_MOST + 3) * sizeof(*lines));
	size_t n = 0, ncurves = 0, untold = 0;

	if (m->table.caption)
		lines[n++] = m->table.caption;
	for (size_t i = 0; i < s->nprofiles; i++) {
		const struct steps_profile *p = &s->profiles[i];
		if (p->nshown < STEPS_LEAST)
			continue;
		if (ncurves++ < LINES_MOST)
			lines[n++] = curve_of(p, scope->n > 1, &m->arena);
		else
			untold++;
	}
	if (untold)
		lines[n++] = arena_printf(&m->arena, "and of %zu more profile%s", untold,
					  untold == 1 ? "" : "s");
	lines[n] = NULL;
	if (n) {
		m->table.caption = lines[0];
		m->table.under = lines + 1;
	}
}
