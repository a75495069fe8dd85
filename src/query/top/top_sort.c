/* Sorting the operator table: see top_rows.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/top/top_rows.h"

/*
 * Torch sorts by any attribute of its rows, descending: "key" and the memory and
 * time names are its own, the rest is pstats' and pprof's.
 */
/* clang-format off */
const struct sort_key top_sort_keys[] = {
	{ "name", "stdname nfl filename file module line", "name, A to Z", TOP_NAME, true },
	{ "key", NULL, "name, Z to A, as torch sorts by it", TOP_NAME, false },
	{ "calls", "count ncalls nc", "number of calls", TOP_CALLS, false },
	{ "primitive_calls", "pcalls cc", "calls that are not inside a call of the same name", TOP_PRIMITIVE_CALLS, false },
	{ "self_cpu_ns", "self_cpu_time_total self_cpu_time self cpu tottime time flat", "host time less that of its children", TOP_SELF_CPU, false },
	{ "total_cpu_ns", "cpu_time_total total cumulative cumtime cum", "host time", TOP_TOTAL_CPU, false },
	{ "avg_cpu_ns", "cpu_time avg", "host time of a call", TOP_AVG_CPU, false },
	{ "self_device_ns", "self_device_time_total self_device_time device gpu", "device time launched by itself", TOP_SELF_DEVICE, false },
	{ "total_device_ns", "device_time_total", "device time, its children's too", TOP_TOTAL_DEVICE, false },
	{ "avg_device_ns", "device_time", "device time of a call", TOP_AVG_DEVICE, false },
	{ "cpu_mem_bytes", "cpu_memory_usage", "host memory allocated less freed", TOP_CPU_MEM, false },
	{ "self_cpu_mem_bytes", "self_cpu_memory_usage", "the same less that of its children", TOP_SELF_CPU_MEM, false },
	{ "device_mem_bytes", "device_memory_usage", "device memory allocated less freed", TOP_DEVICE_MEM, false },
	{ "self_device_mem_bytes", "self_device_memory_usage", "the same less that of its children", TOP_SELF_DEVICE_MEM, false },
	{ "memory", "mem", "self_device_mem_bytes, or self_cpu_mem_bytes without device memory", TOP_MEMORY, false },
	{ "flops", NULL, "floating-point operations", TOP_FLOPS, false },
	{ "is_user_annotation", NULL, "labels of record_function first", TOP_IS_ANNOTATION, false },
	{ "is_async", NULL, "what stands outside the tree first", TOP_IS_ASYNC, false },
	{ "input_shapes", "shape shapes", "text of the shapes, Z to A", TOP_SHAPES, false },
	{ "stack", NULL, "text of the stack, Z to A", TOP_STACK, false },
	{ "overload", "overload_name", "text of the overload, Z to A", TOP_OVERLOAD, false },
	{ "tensor_core_eligible", "tc_eligible", "operators that could use Tensor Cores first, with --tensor-cores", TOP_TENSOR_ELIGIBLE, false },
	{ "self_tensor_core_ns", NULL, "self device time on Tensor Cores, with --tensor-cores", TOP_TENSOR_SELF, false },
	{ "total_tensor_core_ns", NULL, "device total on Tensor Cores, with --tensor-cores", TOP_TENSOR_TOTAL, false },
	{ "self_tensor_core_pct", "tc_self_ratio", "the part of self device time, with --tensor-cores", TOP_TENSOR_SELF_SHARE, false },
	{ "total_tensor_core_pct", "tc_total_ratio", "the part of the device total, with --tensor-cores", TOP_TENSOR_TOTAL_SHARE, false },
	{ "self_tensor_core_unknown_pct", NULL, "the part of self device time whose kernels do not say, with --tensor-cores", TOP_TENSOR_SELF_UNKNOWN, false },
	{ "total_tensor_core_unknown_pct", NULL, "the part of the device total whose kernels do not say, with --tensor-cores", TOP_TENSOR_TOTAL_UNKNOWN, false },
	{ "rank", NULL, "rank, ascending, with --by rank", TOP_RANK, true },
	{ "profile", NULL, "path of the profile, with --by profile", TOP_PROFILE, true },
	{ "step", NULL, "number of the step, with --by step", TOP_STEP, true },
	{ "thread", NULL, "thread, with --by thread", TOP_THREAD, true },
	{ "stream", NULL, "stream, with --by stream", TOP_STREAM, true },
	{ "category", "cat", "category, with --by category", TOP_CATEGORY, true },
	{ "none", "node_id", "not at all: the order of first calls", TOP_NONE, false },
	{ NULL, NULL, NULL, TOP_NONE, false },
};
/* clang-format on */

struct sorting {
	const struct top_rows *rows;
	struct cell *cells; /* owned; by row: what is sorted by */
	bool ascending;
};

static bool first_before(const void *context, uint32_t a, uint32_t b)
{
	const struct top_rows *rows = context;

	return opstat_is_before(&rows->stats.rows[a].first, &rows->stats.rows[b].first);
}

/* Of one column, so of one type, or null, which is the least. */
static int compare_cells(const struct cell *a, const struct cell *b)
{
	if (a->type == CELL_NULL || b->type == CELL_NULL)
		return (a->type != CELL_NULL) - (b->type != CELL_NULL);
	switch (a->type) {
	case CELL_INT:
		return (a->as.integer > b->as.integer) - (a->as.integer < b->as.integer);
	case CELL_REAL:
		return (a->as.real > b->as.real) - (a->as.real < b->as.real);
	case CELL_TEXT:
		return str_compare(a->as.text, b->as.text);
	case CELL_NULL:
		break;
	}
	return 0;
}

static bool cell_before(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *s = context;
	int order = compare_cells(&s->cells[a], &s->cells[b]);

	return s->ascending ? order < 0 : order > 0;
}

/* Torch sorts by its doubles, whose last bits can differ where the times are equal. */
static struct cell sorted_cell(const struct top_rows *rows, const struct scope *scope,
			       uint32_t row, enum top_column column)
{
	const struct top_float *f = rows->floats ? &rows->floats[row] : NULL;

	if (f && column == TOP_SELF_CPU)
		return cell_real(f->self_us);
	if (f && column == TOP_TOTAL_CPU)
		return cell_real(f->total_us);
	if (f && column == TOP_AVG_CPU)
		return cell_real(f->total_us / (double)rows->stats.rows[row].sums.calls);
	return top_cell(rows, scope, row, column);
}

static void sort_rows(struct top_rows *rows, const struct scope *scope,
		      const struct top_query *query, const struct sort_key *key)
{
	size_t n = rows->nmatched;
	uint32_t *spare = xrealloc_array(NULL, n, sizeof(*spare));
	struct sorting s = { .rows = rows,
			     .ascending = key->ascending != query->reverse };

	sort_indexes(rows->order, n, spare, first_before, rows);
	if (key->column != TOP_NONE) {
		s.cells = xcalloc(rows->stats.n, sizeof(*s.cells));
		for (size_t i = 0; i < n; i++)
			s.cells[rows->order[i]] =
				sorted_cell(rows, scope, rows->order[i],
					    (enum top_column)key->column);
		sort_indexes(rows->order, n, spare, cell_before, &s);
		free(s.cells);
	}
	free(spare);
}

static void add_totals(struct top_rows *rows, const struct filter *filter)
{
	int64_t launched_ns = 0;

	for (size_t i = 0; i < rows->stats.n; i++) {
		const struct opstat *stat = &rows->stats.rows[i];
		const struct opstat_sums *s = &stat->sums;
		rows->self_cpu_ns = sum_add(rows->self_cpu_ns, s->self_ns);
		if (stat->key.kind == OP_DEVICE)
			rows->self_device_ns =
				sum_add(rows->self_device_ns, s->self_device_ns);
		else if (stat->key.kind != OP_DEVICE_ANNOTATION)
			launched_ns = sum_add(launched_ns, s->self_device_ns);
		rows->has_device |= s->self_device_ns || s->total_device_ns;
		rows->has_device_memory |= s->device_bytes || s->self_device_bytes;
	}
	rows->has_device_memory |= rows->has_device;
	if (rows->self_device_ns == 0)
		rows->self_device_ns = launched_ns;
	/* what a step's operators launched can, at its ends, be another step's work */
	bool is_part =
		!filter_needs_slices(filter) && launched_ns <= rows->self_device_ns;
	rows->launched_of_ns = is_part ? rows->self_device_ns : launched_ns;
}

static int match_rows(struct top_rows *rows, const struct top_query *query,
		      struct err *err)
{
	rows->order = xrealloc_array(NULL, rows->stats.n, sizeof(*rows->order));
	for (uint32_t row = 0; row < rows->stats.n; row++) {
		const struct opstat *stat = &rows->stats.rows[row];
		if (query->top_level && !stat->is_top_level)
			continue;
		int has = filter_has_name(
			query->filter, text_pool_str(&rows->texts, stat->key.name), err);
		if (has < 0)
			return -1;
		if (has)
			rows->order[rows->nmatched++] = row;
	}
	return 0;
}

static bool allocates_on_device(const struct top_rows *rows)
{
	for (size_t i = 0; i < rows->stats.n; i++)
		if (rows->stats.rows[i].sums.self_device_bytes)
			return true;
	return false;
}

/* The key asked for; without one, and for "memory", what the recording has. */
static const struct sort_key *find_key(const struct top_rows *rows,
				       const struct sort_key *asked)
{
	const char *name = rows->self_device_ns > 0 ? "self_device_ns" : "self_cpu_ns";

	if (asked && asked->column != TOP_MEMORY)
		return asked;
	if (asked)
		name = allocates_on_device(rows) ? "self_device_mem_bytes"
						 : "self_cpu_mem_bytes";
	return sort_key_find(top_sort_keys, name);
}

/* As torch orders rows, a label such as ProfilerStep* would stand above all work. */
static void put_spans_last(struct top_rows *rows)
{
	size_t n = rows->nmatched, others = 0, nspans = 0;
	uint32_t *spans = xrealloc_array(NULL, n + 1, sizeof(*spans));

	for (size_t i = 0; i < n; i++) {
		uint32_t row = rows->order[i];
		if (rows->stats.rows[row].key.kind == OP_DEVICE_ANNOTATION)
			spans[nspans++] = row;
		else
			rows->order[others++] = row;
	}
	for (size_t i = 0; i < nspans; i++)
		rows->order[others + i] = spans[i];
	free(spans);
}

int top_order(struct top_rows *rows, const struct scope *scope,
	      const struct top_query *query, struct err *err)
{
	add_totals(rows, query->filter);
	if (match_rows(rows, query, err) < 0)
		return -1;
	const struct sort_key *key = find_key(rows, query->sort);
	rows->sorted_by = (enum top_column)key->column;
	sort_rows(rows, scope, query, key);
	if (query->spans_last)
		put_spans_last(rows);
	rows->norder = rows->nmatched;
	if (query->limit > 0 && (uint64_t)query->limit < rows->norder)
		rows->norder = (size_t)query->limit;
	return 0;
}
