/* Rows of call graphs: see write_rows.h. */
#include <math.h>

#include "store/write_rows.h"
#include "trace/seconds.h"

static void function_cell(const void *from, int64_t row, int column,
			  struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct function_rec *f = &w->m->functions.functions[row];
	struct str bytes;

	switch (column) {
	case 0:
		bulk_int(to, w->profile_id);
		break;
	case 1:
		cell_text_id(to, w, f->file);
		break;
	case 2:
		bulk_int(to, f->line);
		break;
	case 3:
		cell_text_id(to, w, f->name);
		break;
	default:
		bytes = functions_file_bytes(&w->m->functions, (uint32_t)row);
		if (bytes.n)
			bulk_blob_copy(to, bytes);
		break;
	}
}

const struct bulk bulk_function = { "function", 5, false, function_cell };

/* Without times, and of what is no number: NULL. */
static void seconds_cell(struct sqlite3_context *to, double seconds, bool as_ns)
{
	if (as_ns)
		bulk_number(to, seconds_ns(seconds));
	else if (!isnan(seconds))
		bulk_real(to, seconds_stored(seconds));
}

/* Columns that both tables have: counts, times, digits. */
static void sums_cell(const struct write_rows *w, const struct sums_rec *sums,
		      bool has_times, int column, struct sqlite3_context *to)
{
	if (column < 2)
		bulk_number(to, column ? sums->primitive : sums->calls);
	else if (column < 6 && has_times)
		seconds_cell(to, column % 2 ? sums->total_s : sums->self_s, column < 4);
	else if (column >= 6)
		cell_string(to, w->m,
			    column == 6 ? sums->calls_text : sums->primitive_text);
}

static void stat_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct stat_rec *stat = &w->m->functions.stats[row];

	if (column == 0)
		cell_row(to, w->function, stat->function);
	else
		sums_cell(w, &stat->sums, true, column - 1, to);
}

const struct bulk bulk_function_stat = { "function_stat", 9, false, stat_cell };

static void call_cell(const void *from, int64_t row, int column,
		      struct sqlite3_context *to)
{
	const struct write_rows *w = from;
	const struct call_rec *call = &w->m->functions.calls[row];

	if (column < 2)
		cell_row(to, w->function, column ? call->caller : call->callee);
	else
		sums_cell(w, &call->sums, call->has_times, column - 2, to);
}

const struct bulk bulk_call_edge = { "call_edge", 10, false, call_cell };
