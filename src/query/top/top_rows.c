/* Rows of the operator table: see top_rows.h. */
#include "query/top/top_rows.h"

#include <stdlib.h>

#include "base/sum.h"
#include "query/number_cell.h"
#include "query/top/top_tensor.h"

static struct str cut_stack(struct str stack, int64_t frames)
{
	const char *p = stack.p, *end = stack.p + stack.n;

	for (int64_t i = 0; i < frames; i++) {
		const char *semicolon = memchr(p, ';', (size_t)(end - p));
		if (!semicolon)
			return stack;
		p = semicolon + 1;
	}
	return (struct str){ stack.p, (size_t)(p - 1 - stack.p) };
}

static uint32_t stack_key(struct top_rows *rows, const struct top_by *by, uint32_t stack)
{
	if (stack == TEXT_NONE || by->stack_frames == 0)
		return stack;
	return intern_add(
		&rows->texts.intern,
		cut_stack(text_pool_str(&rows->texts, stack), by->stack_frames));
}

/* Inputs were recorded and there are none: [], as torch says; kernels have no inputs. */
static uint32_t shapes_key(struct top_rows *rows, const struct top_place *place,
			   const struct opstat_key *key)
{
	bool on_device = key->kind == OP_DEVICE || key->kind == OP_DEVICE_ANNOTATION;

	if (place->shapes != TEXT_NONE || on_device || !place->profile->has_shapes)
		return place->shapes;
	return intern_add(&rows->texts.intern, STR_LIT("[]"));
}

static uint32_t split_key(struct top_rows *rows, const struct top_by *by,
			  const struct top_place *place)
{
	int64_t values[NTOP_SPLITS];

	for (size_t i = 0; i < NTOP_SPLITS; i++)
		values[i] = by->split[i] ? place->split[i] : SPLIT_NONE;
	return intern_add(&rows->splits,
			  (struct str){ (const char *)values, sizeof(values) });
}

uint32_t top_row(struct top_rows *rows, const struct top_query *query,
		 const struct top_place *place, const struct opstat_key *key)
{
	const struct top_by *by = &query->by;
	const struct opstat_key group = {
		.step = split_key(rows, by, place),
		.name = key->name,
		.shapes = by->shape ? shapes_key(rows, place, key) : TEXT_NONE,
		.stack = by->stack ? stack_key(rows, by, place->stack) : TEXT_NONE,
		.overload = by->overload ? place->overload : TEXT_NONE,
		.kind = key->kind,
		.is_annotation = key->is_annotation,
	};

	return (uint32_t)(opstats_group(&rows->stats, &group) - rows->stats.rows);
}

uint32_t top_add(struct top_rows *rows, const struct top_query *query,
		 const struct top_place *place, const struct opstat *stat)
{
	uint32_t row = top_row(rows, query, place, &stat->key);

	opstat_merge(&rows->stats.rows[row], stat);
	return row;
}

void top_release(struct top_rows *rows)
{
	text_pool_close(&rows->texts);
	opstats_release(&rows->stats);
	intern_release(&rows->splits);
	free(rows->floats);
	free(rows->tensor);
	free(rows->order);
	*rows = (struct top_rows){ .norder = 0 };
}

bool top_is_device_row(const struct top_rows *rows, uint32_t row)
{
	enum op_kind kind = (enum op_kind)rows->stats.rows[row].key.kind;

	return kind == OP_DEVICE || kind == OP_DEVICE_ANNOTATION;
}

static struct cell share(int64_t part, int64_t whole)
{
	return whole > 0 && !sum_is_stuck(whole)
		       ? cell_real(100.0 * (double)part / (double)whole)
		       : cell_null();
}

/* A label's span holds idle time too, so it is no share of anything. */
static struct cell device_share(const struct top_rows *rows, const struct opstat *stat)
{
	if (!rows->has_device || stat->key.kind == OP_DEVICE_ANNOTATION)
		return cell_null();
	return share(stat->sums.self_device_ns, stat->key.kind == OP_DEVICE
							? rows->self_device_ns
							: rows->launched_of_ns);
}

static struct cell kind_cell(const struct opstat *stat)
{
	switch ((enum op_kind)stat->key.kind) {
	case OP_DEVICE:
		return cell_text(STR_LIT("device"));
	case OP_DEVICE_ANNOTATION:
		return cell_text(STR_LIT("span"));
	case OP_HOST:
	case OP_PYTHON:
	case OP_MEMORY:
		break;
	}
	return stat->key.is_annotation ? cell_text(STR_LIT("label"))
				       : cell_text(STR_LIT("host"));
}

static int64_t split_value(const struct top_rows *rows, const struct opstat *stat,
			   enum top_column column)
{
	int64_t values[NTOP_SPLITS];
	struct str key = intern_str(&rows->splits, stat->key.step);

	memcpy(values, key.p, sizeof(values));
	return values[top_split(column)];
}

static struct cell split_cell(const struct top_rows *rows, const struct scope *scope,
			      const struct opstat *stat, enum top_column column)
{
	int64_t value = split_value(rows, stat, column);
	const struct scope_profile *profile;

	if (value == SPLIT_NONE)
		return cell_null();
	switch ((int)column) {
	case TOP_PROFILE:
		profile = scope_find(scope, value);
		return profile ? cell_text(str_of(profile->path)) : cell_null();
	case TOP_THREAD:
	case TOP_CATEGORY:
	case TOP_MODULE:
		return cell_text(text_pool_str(&rows->texts, (uint32_t)value));
	default:
		return cell_int(value);
	}
}

static struct cell cell_if(bool recorded, int64_t value)
{
	return recorded ? cell_int(value) : cell_null();
}

static struct cell average(int64_t total, int64_t calls)
{
	return sum_is_stuck(total) ? cell_null()
				   : cell_real((double)total / (double)calls);
}

/*
 * The device total of a row.  A call within one of its name adds to that one alone: where
 * shapes, say, or a filter put the two into different rows, its own time is left.
 */
static int64_t device_total(const struct opstat *stat)
{
	const struct opstat_sums *s = &stat->sums;

	return s->total_device_ns > s->self_device_ns ? s->total_device_ns
						      : s->self_device_ns;
}

static struct tensor_core_times tensor_total(const struct top_tensor *t)
{
	struct tensor_core_times times = t->total;

	if (times.yes_ns < t->self.yes_ns)
		times.yes_ns = t->self.yes_ns;
	if (times.unknown_ns < t->self.unknown_ns)
		times.unknown_ns = t->self.unknown_ns;
	return times;
}

static struct cell if_known(double pct)
{
	return pct >= 0 ? cell_real(pct) : cell_null();
}

/* What there is no device time for has no part of it on Tensor Cores. */
static struct cell tensor_cell(const struct top_rows *rows, uint32_t row,
			       enum top_column column)
{
	const struct opstat *stat = &rows->stats.rows[row];

	if (!rows->tensor || !rows->has_device || stat->key.kind == OP_MEMORY ||
	    stat->key.kind == OP_DEVICE_ANNOTATION)
		return cell_null();
	const struct top_tensor *t = &rows->tensor[row];
	switch ((int)column) {
	case TOP_TENSOR_ELIGIBLE:
		return stat->key.kind == OP_DEVICE ? cell_null() : cell_int(t->eligible);
	case TOP_TENSOR_SELF:
		return cell_int(t->self.yes_ns);
	case TOP_TENSOR_TOTAL:
		return cell_int(tensor_total(t).yes_ns);
	case TOP_TENSOR_SELF_SHARE:
		return if_known(tensor_core_pct(t->self, stat->sums.self_device_ns));
	case TOP_TENSOR_TOTAL_SHARE:
		return if_known(tensor_core_pct(tensor_total(t), device_total(stat)));
	case TOP_TENSOR_SELF_UNKNOWN:
		return if_known(
			tensor_core_unknown_pct(t->self, stat->sums.self_device_ns));
	default:
		return if_known(
			tensor_core_unknown_pct(tensor_total(t), device_total(stat)));
	}
}

static struct cell sums_cell(const struct top_rows *rows, const struct opstat *stat,
			     enum top_column column)
{
	const struct opstat_sums *s = &stat->sums;
	bool has_device_memory = rows->has_memory && rows->has_device_memory;

	switch ((int)column) {
	case TOP_CALLS:
		return cell_int(s->calls);
	case TOP_PRIMITIVE_CALLS:
		return cell_int(s->primitive_calls);
	case TOP_SELF_CPU:
		return cell_int(s->self_ns);
	case TOP_TOTAL_CPU:
		return cell_int(s->total_ns);
	case TOP_AVG_CPU:
		return average(s->total_ns, s->calls);
	case TOP_SELF_DEVICE:
		return cell_if(rows->has_device, s->self_device_ns);
	case TOP_TOTAL_DEVICE:
		return cell_if(rows->has_device, device_total(stat));
	case TOP_AVG_DEVICE:
		return rows->has_device ? average(device_total(stat), s->calls)
					: cell_null();
	case TOP_CPU_MEM:
		return cell_if(rows->has_memory, s->cpu_bytes);
	case TOP_SELF_CPU_MEM:
		return cell_if(rows->has_memory, s->self_cpu_bytes);
	case TOP_DEVICE_MEM:
		return cell_if(has_device_memory, s->device_bytes);
	case TOP_SELF_DEVICE_MEM:
		return cell_if(has_device_memory, s->self_device_bytes);
	case TOP_FLOPS:
		return number_cell(s->flops);
	case TOP_SELF_CPU_SHARE:
		return share(s->self_ns, rows->self_cpu_ns);
	case TOP_TOTAL_CPU_SHARE:
		/* as torch: outside the tree a share of it means nothing */
		return stat->is_async ? cell_null()
				      : share(s->total_ns, rows->self_cpu_ns);
	case TOP_SELF_DEVICE_SHARE:
		return device_share(rows, stat);
	default:
		return cell_null();
	}
}

struct cell top_cell(const struct top_rows *rows, const struct scope *scope, uint32_t row,
		     enum top_column column)
{
	const struct opstat *stat = &rows->stats.rows[row];

	switch ((int)column) {
	case TOP_NAME:
		return text_pool_cell(&rows->texts, stat->key.name);
	case TOP_IS_ANNOTATION:
		return cell_int(stat->key.is_annotation);
	case TOP_IS_ASYNC:
		return cell_int(stat->is_async);
	case TOP_KIND:
		return kind_cell(stat);
	case TOP_SHAPES:
		return text_pool_cell(&rows->texts, stat->key.shapes);
	case TOP_STACK:
		return text_pool_cell(&rows->texts, stat->key.stack);
	case TOP_OVERLOAD:
		return text_pool_cell(&rows->texts, stat->key.overload);
	default:
		break;
	}
	if (column >= TOP_FIRST_SPLIT && column < TOP_FIRST_SPLIT + NTOP_SPLITS)
		return split_cell(rows, scope, stat, column);
	if (column >= TOP_TENSOR_ELIGIBLE && column <= TOP_TENSOR_TOTAL_UNKNOWN)
		return tensor_cell(rows, row, column);
	return sums_cell(rows, stat, column);
}
