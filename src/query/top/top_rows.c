/* Rows of the operator table: see top_rows.h. */
#include "query/top/top_rows.h"

#include <stdlib.h>

#include "base/sum.h"

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

static uint32_t stack_key(struct top_rows *rows, int64_t frames, uint32_t stack)
{
	if (stack == TEXT_NONE || frames == 0)
		return stack;
	return intern_add(&rows->texts.intern,
			  cut_stack(text_pool_str(&rows->texts, stack), frames));
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

static uint32_t split_key(struct top_rows *rows, unsigned asked,
			  const struct top_place *place)
{
	int64_t values[NTOP_SPLITS];

	for (size_t i = 0; i < NTOP_SPLITS; i++)
		values[i] = asked & TOP_SPLIT(i) ? place->split[i] : SPLIT_NONE;
	/* most rows are of the step that the one before was of */
	if (rows->last_split < rows->splits.n &&
	    memcmp(intern_str(&rows->splits, rows->last_split).p, values,
		   sizeof(values)) == 0)
		return rows->last_split;
	rows->last_split = intern_add(&rows->splits, str_bytes(values, sizeof(values)));
	return rows->last_split;
}

uint32_t top_row(struct top_rows *rows, const struct top_query *query,
		 const struct top_place *place, const struct opstat_key *key)
{
	unsigned asked = query->show.asked;
	const struct opstat_key group = {
		.step = split_key(rows, asked, place),
		.name = key->name,
		.shapes = asked & TOP_SHAPE ? shapes_key(rows, place, key) : TEXT_NONE,
		.stack = asked & TOP_STACK
				 ? stack_key(rows, query->stack_frames, place->stack)
				 : TEXT_NONE,
		.overload = asked & TOP_OVERLOAD ? place->overload : TEXT_NONE,
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

void top_add_totals(struct top_rows *rows, const struct filter *filter)
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
