/* Cells of call graphs: see callgraph_cells.h. */
#include "query/calls/callgraph_cells.h"

#include <stddef.h>
#include <string.h>

#include "query/number_cell.h"
#include "query/view.h"
#include "trace/fact.h"

void callgraph_function_cells(const struct callgraph *g, uint32_t function,
			      struct cell *cells)
{
	const struct callgraph_function *f = &g->functions[function];

	cells[CELLS_FILE] = cell_text(callgraph_text(g, f->file));
	cells[CELLS_LINE] = cell_int(f->line);
	cells[CELLS_NAME] = cell_text(callgraph_text(g, f->name));
}

/* Text where no int64 holds it. */
static struct cell count_cell(const struct bignum *count)
{
	return count->digits ? cell_text(str_of(count->digits)) : cell_int(count->n);
}

void callgraph_sum_cells(const struct callgraph_sums *sums, struct cell *cells)
{
	cells[CELLS_CALLS] = count_cell(&sums->calls);
	cells[CELLS_PRIMITIVE] =
		sums->has_times ? count_cell(&sums->primitive) : cell_null();
	cells[CELLS_SELF] = sums->has_times ? number_cell(sums->self_ns) : cell_null();
	cells[CELLS_TOTAL] = sums->has_times ? number_cell(sums->total_ns) : cell_null();
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

int callgraph_compare_names(const struct callgraph *g, uint32_t a, uint32_t b, int cell)
{
	const struct callgraph_function *x = &g->functions[a], *y = &g->functions[b];

	if (cell == CELLS_LINE)
		return (x->line > y->line) - (x->line < y->line);
	if (cell == CELLS_FILE)
		return str_compare(callgraph_text(g, x->file),
				   callgraph_text(g, y->file));
	return str_compare(callgraph_text(g, x->name), callgraph_text(g, y->name));
}

int callgraph_compare_sums(const struct callgraph_sums *a, const struct callgraph_sums *b,
			   int cell)
{
	int64_t x = cell == CELLS_SELF ? a->self_ns : a->total_ns;
	int64_t y = cell == CELLS_SELF ? b->self_ns : b->total_ns;

	if (cell == CELLS_CALLS)
		return bignum_compare(a->calls, b->calls);
	if (!a->has_times || !b->has_times)
		return a->has_times - b->has_times;
	if (cell == CELLS_PRIMITIVE)
		return bignum_compare(a->primitive, b->primitive);
	return (x > y) - (x < y); /* NUMBER_NONE is the least */
}
