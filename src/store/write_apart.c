/*
 * Rows of slices that are set apart, and of the table of what was recorded of them:
 * see write_rows.h.
 */
#include "store/apart.h"
#include "store/write_rows.h"

/* Slices that are set apart: no pass has found out anything about them. */
static void apart_cell(const void *from, int64_t row, int column,
		       struct sqlite3_context *to)
{
	const struct write_rows *w = from;

	switch (column) {
	case 2: /* dur */
	case 7: /* depth */
	case 9: /* self_ns */
		bulk_int(to, 0);
		break;
	case 8: /* parent, step, launch, operator */
	case 10:
	case 13:
	case 14:
		break;
	default:
		bulk_slice.cell(from, (int64_t)w->m->nrows + row, column, to);
	}
}

const struct bulk bulk_apart = { "slice_row", 17, false, apart_cell };

static void quarantine_cell(const void *from, int64_t row, int column,
			    struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	uint32_t at = (uint32_t)(w->m->nrows + (size_t)row);
	const struct slice_rec *s = model_slice(w->m, at);

	if (column == 0)
		cell_row(to, w->slice, at);
	else if (column == 1)
		bulk_text(
			to,
			str_of(finding_kinds[apart_finding((enum apart)s->apart)].code));
	else
		bulk_int(to, s->dur_ns);
}

const struct bulk bulk_quarantine = { "quarantine", 3, false, quarantine_cell };
