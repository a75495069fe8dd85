/* Rows of call graphs and line profiles: see write_rows.h. */
#include <math.h>

#include "store/write_rows.h"
#include "trace/seconds.h"

static void function_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct functions *functions = &w->m->functions;
	const struct function_rec *f = &functions->functions[row];
	struct str bytes = functions_file_bytes(functions, (uint32_t)row);

	c[COL_FUNCTION_PROFILE_ID] = bulk_int(w->profile_id);
	c[COL_FUNCTION_FILE_ID] = cell_text_id(w, f->file);
	c[COL_FUNCTION_LINE] = bulk_number(f->line);
	c[COL_FUNCTION_NAME_ID] = cell_text_id(w, f->name);
	c[COL_FUNCTION_FILE_BYTES] = bytes.n ? bulk_blob(bytes) : bulk_null();
}

const struct bulk bulk_function = BULK(FUNCTION, function, function_row);

static struct bulk_cell ns_cell(const double *seconds)
{
	return seconds ? bulk_number(seconds_ns(*seconds)) : bulk_null();
}

static struct bulk_cell seconds_cell(const double *seconds)
{
	return !seconds || isnan(*seconds) ? bulk_null()
					   : bulk_real(seconds_stored(*seconds));
}

static void stat_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct stat_rec *stat = &w->m->functions.stats[row];
	const struct sums_rec *sums = &stat->sums;

	c[COL_FUNCTION_STAT_FUNCTION_ID] = cell_row(w->function, stat->function);
	c[COL_FUNCTION_STAT_CALLS] = bulk_number(sums->calls);
	c[COL_FUNCTION_STAT_PRIMITIVE_CALLS] = bulk_number(sums->primitive);
	c[COL_FUNCTION_STAT_SELF_NS] = ns_cell(&sums->self_s);
	c[COL_FUNCTION_STAT_TOTAL_NS] = ns_cell(&sums->total_s);
	c[COL_FUNCTION_STAT_SELF_S] = seconds_cell(&sums->self_s);
	c[COL_FUNCTION_STAT_TOTAL_S] = seconds_cell(&sums->total_s);
	c[COL_FUNCTION_STAT_CALLS_TEXT] = cell_string(w->m, sums->calls_text);
	c[COL_FUNCTION_STAT_PRIMITIVE_CALLS_TEXT] =
		cell_string(w->m, sums->primitive_text);
}

const struct bulk bulk_function_stat = BULK(FUNCTION_STAT, function_stat, stat_row);

static void call_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct call_rec *call = &w->m->functions.calls[row];
	const struct sums_rec *sums = &call->sums;
	const double *self_s = call->has_times ? &sums->self_s : NULL;
	const double *total_s = call->has_times ? &sums->total_s : NULL;

	c[COL_CALL_EDGE_CALLEE_ID] = cell_row(w->function, call->callee);
	c[COL_CALL_EDGE_CALLER_ID] = cell_row(w->function, call->caller);
	c[COL_CALL_EDGE_CALLS] = bulk_number(sums->calls);
	c[COL_CALL_EDGE_PRIMITIVE_CALLS] = bulk_number(sums->primitive);
	c[COL_CALL_EDGE_SELF_NS] = ns_cell(self_s);
	c[COL_CALL_EDGE_TOTAL_NS] = ns_cell(total_s);
	c[COL_CALL_EDGE_SELF_S] = seconds_cell(self_s);
	c[COL_CALL_EDGE_TOTAL_S] = seconds_cell(total_s);
	c[COL_CALL_EDGE_CALLS_TEXT] = cell_string(w->m, sums->calls_text);
	c[COL_CALL_EDGE_PRIMITIVE_CALLS_TEXT] = cell_string(w->m, sums->primitive_text);
}

const struct bulk bulk_call_edge = BULK(CALL_EDGE, call_edge, call_row);

static void line_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct write_rows *w = from;
	const struct line_fact *line = &w->m->functions.lines[row];

	c[COL_LINE_STAT_FUNCTION_ID] = cell_row(w->function, line->function);
	c[COL_LINE_STAT_BLOCK] = bulk_int(line->block);
	c[COL_LINE_STAT_LINE] = bulk_int(line->line);
	c[COL_LINE_STAT_HITS] = bulk_number(line->hits);
	c[COL_LINE_STAT_SELF_NS] = bulk_number(line->self_ns);
	c[COL_LINE_STAT_MEMORY_BYTES] = bulk_number(line->memory_bytes);
	c[COL_LINE_STAT_INCREMENT_BYTES] = bulk_number(line->increment_bytes);
	c[COL_LINE_STAT_TEXT_ID] = cell_text_id(w, line->text);
}

const struct bulk bulk_line_stat = BULK(LINE_STAT, line_stat, line_row);
