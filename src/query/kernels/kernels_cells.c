/* Cells of kernels: see kernels_cells.h. */
#include "query/kernels/kernels_cells.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sum.h"
#include "ingest/sink.h"
#include "query/number_cell.h"

struct cell kernel_mean_cell(const struct kernel_mean *mean)
{
	return mean->weight > 0 ? cell_real(mean->weighted / mean->weight) : cell_null();
}

static struct cell share_cell(int64_t part, int64_t whole)
{
	return whole > 0 && !sum_is_stuck(whole)
		       ? cell_real(100.0 * (double)part / (double)whole)
		       : cell_null();
}

static struct cell average_cell(int64_t sum, int64_t n)
{
	return n > 0 && !sum_is_stuck(sum) ? cell_real((double)sum / (double)n)
					   : cell_null();
}

/* Three numbers, as the trace has them; null unless all are recorded. */
static struct cell extent_cell(const struct kernels_drawing *d, const int64_t *n,
			       char out[128])
{
	if (n[0] == NUMBER_NONE || n[1] == NUMBER_NONE || n[2] == NUMBER_NONE)
		return cell_null();
	snprintf(out, 128,
		 d->query->for_people ? "%" PRId64 "x%" PRId64 "x%" PRId64
				      : "[%" PRId64 ", %" PRId64 ", %" PRId64 "]",
		 n[0], n[1], n[2]);
	return cell_text(str_of(out));
}

static struct cell shape_cell(struct kernels_drawing *d, const struct kernel_group *g,
			      int column)
{
	struct kernel_shape shape;

	if (g->shape == TEXT_NONE)
		return cell_null();
	memcpy(&shape, intern_str(&d->k->shapes, g->shape).p, sizeof(shape));
	switch (column) {
	case KERNEL_GRID:
		return extent_cell(d, shape.grid, d->grid);
	case KERNEL_BLOCK:
		return extent_cell(d, shape.block, d->block);
	case KERNEL_REGISTERS:
		return number_cell(shape.registers);
	default:
		return number_cell(shape.shared_bytes);
	}
}

static struct cell split_cell(const struct kernels_drawing *d,
			      const struct kernel_group *g, int column)
{
	int64_t value = g->split[column - KERNEL_RANK];

	if (column == KERNEL_PROFILE && value != NUMBER_NONE) {
		const struct scope_profile *profile = scope_find(d->scope, value);
		return profile ? cell_text(str_of(profile->path)) : cell_null();
	}
	return number_cell(value);
}

/* What launches did not say is not known, rather than 0. */
static struct cell launch_cell(const struct kernel_launches *l, int column)
{
	if (column == KERNEL_LAUNCHED)
		return cell_int(l->calls);
	if (l->calls == 0)
		return cell_null();
	switch (column) {
	case KERNEL_CALL:
		return cell_int(l->call_ns);
	case KERNEL_DELAY:
		return cell_int(l->delay_ns);
	case KERNEL_MEAN_DELAY:
		return average_cell(l->delay_ns, l->calls);
	case KERNEL_MAX_DELAY:
		return cell_int(l->max_delay_ns);
	case KERNEL_EARLY:
		return cell_int(l->early);
	case KERNEL_QUEUE:
		return cell_int(l->queue_ns);
	case KERNEL_MEAN_QUEUE:
		return average_cell(l->queue_ns, l->calls);
	case KERNEL_SHORTER:
		return cell_int(l->shorter);
	case KERNEL_SHORTER_SHARE:
		return share_cell(l->shorter, l->calls);
	default:
		return share_cell(l->bound, l->calls);
	}
}

struct cell kernels_cell(struct kernels_drawing *d, const struct kernel_group *g,
			 int column)
{
	switch (column) {
	case KERNEL_NAME:
		return text_pool_cell(&d->k->texts, g->name);
	case KERNEL_CALLS:
		return cell_int(g->calls);
	case KERNEL_TOTAL:
		return cell_int(g->total_ns);
	case KERNEL_SHARE:
		return share_cell(g->total_ns, d->k->total_ns);
	case KERNEL_MEAN:
		return average_cell(g->total_ns, g->calls);
	case KERNEL_MIN:
		return cell_int(g->min_ns);
	case KERNEL_MAX:
		return cell_int(g->max_ns);
	case KERNEL_P50:
		return cell_int(g->p50_ns);
	case KERNEL_P95:
		return cell_int(g->p95_ns);
	case KERNEL_BLOCKS:
		return kernel_mean_cell(&g->blocks);
	case KERNEL_OCCUPANCY:
		return kernel_mean_cell(&g->occupancy);
	case KERNEL_TENSOR_CORE:
		return g->tensor_core == TENSOR_CORE_UNKNOWN
			       ? cell_null()
			       : cell_int(g->tensor_core == TENSOR_CORE_YES);
	case KERNEL_OP:
		return text_pool_cell(&d->k->texts, g->op);
	case KERNEL_OP_ELIGIBLE:
		return g->op == TEXT_NONE ? cell_null() : cell_int(g->op_eligible);
	default:
		break;
	}
	if (column >= KERNEL_LAUNCHED)
		return launch_cell(&g->launches, column);
	return column >= KERNEL_RANK ? split_cell(d, g, column)
				     : shape_cell(d, g, column);
}
