/* Cells of call graphs: see callgraph_cells.h. */
#include "query/calls/callgraph_cells.h"

#include <stddef.h>
#include <string.h>

#include "query/number_cell.h"
#include "query/view.h"
#include "trace/fact.h"

/* Text where no int64 holds it. */
static struct cell count_cell(const struct bignum *count)
{
	return count->digits ? cell_text(str_of(count->digits)) : cell_int(count->n);
}

static const struct callgraph_function *function_at(const void *from, const void *row,
						    int arg)
{
	const struct call_source *source = from;
	uint32_t function;

	memcpy(&function, (const char *)row + arg, sizeof(function));
	return &source->g->functions[function];
}

struct cell call_file(const void *from, const void *row, int arg)
{
	const struct call_source *source = from;

	return cell_text(callgraph_text(source->g, function_at(from, row, arg)->file));
}

struct cell call_line(const void *from, const void *row, int arg)
{
	return cell_int(function_at(from, row, arg)->line);
}

struct cell call_name(const void *from, const void *row, int arg)
{
	const struct call_source *source = from;

	return cell_text(callgraph_text(source->g, function_at(from, row, arg)->name));
}

struct cell call_count(const void *from, const void *row, int arg)
{
	const struct callgraph_sums *sums = ((const struct call_row *)row)->sums;

	(void)from;
	if (arg != offsetof(struct callgraph_sums, calls) && !sums->has_times)
		return cell_null();
	return count_cell((const void *)((const char *)sums + arg));
}

struct cell call_ns(const void *from, const void *row, int arg)
{
	const struct callgraph_sums *sums = ((const struct call_row *)row)->sums;

	return sums->has_times ? view_number(from, sums, arg) : cell_null();
}

const struct callgraph_sums *callgraph_sums_of(const struct callgraph *g,
					       uint32_t function)
{
	uint32_t row = g->functions[function].row;

	return row == CALLGRAPH_NONE ? NULL : &g->rows[row].sums;
}

int64_t callgraph_total_ns(const struct callgraph *g, uint32_t function)
{
	const struct callgraph_sums *sums = callgraph_sums_of(g, function);

	return sums && sums->has_times ? sums->total_ns : NUMBER_NONE;
}
