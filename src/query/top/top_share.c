/* What part of the time the operator table shows: the footer's share, see top.h. */
#include "base/sum.h"
#include "query/top/top.h"

bool top_is_device_time(enum top_column column)
{
	return column == TOP_SELF_DEVICE || column == TOP_TOTAL_DEVICE ||
	       column == TOP_AVG_DEVICE;
}

/* NULL when the whole is nothing, or a sum that stuck. */
static const char *share_of(struct arena *arena, const char *what, int64_t part,
			    int64_t whole)
{
	if (whole <= 0 || sum_is_stuck(whole))
		return NULL;
	return arena_printf(arena, "%.1f%% of %s", 100.0 * (double)part / (double)whole,
			    what);
}

/*
 * Operators and the work they launched stand side by side, so device time is
 * added up over the operators, or where there are none, over the work: each
 * nanosecond once.
 */
static const char *device_share(const struct top_rows *rows, struct arena *arena)
{
	int64_t launched_ns = 0, work_ns = 0;

	for (size_t i = 0; i < rows->norder; i++) {
		const struct opstat *stat = &rows->stats.rows[rows->order[i]];
		if (!top_is_device_row(rows, rows->order[i]))
			launched_ns = sum_add(launched_ns, stat->sums.self_device_ns);
		else if (stat->key.kind == OP_DEVICE)
			work_ns = sum_add(work_ns, stat->sums.self_device_ns);
	}
	if (!launched_ns)
		return share_of(arena, "device time", work_ns, rows->self_device_ns);
	const char *share =
		share_of(arena, "device time", launched_ns, rows->launched_of_ns);
	return share ? arena_printf(arena, "whose operators launched %s", share) : NULL;
}

static const char *cpu_share(const struct top_rows *rows, struct arena *arena)
{
	int64_t shown_ns = 0;

	for (size_t i = 0; i < rows->norder; i++)
		shown_ns =
			sum_add(shown_ns, rows->stats.rows[rows->order[i]].sums.self_ns);
	return share_of(arena, "self CPU time", shown_ns, rows->self_cpu_ns);
}

const char *top_shown_share(const struct top_rows *rows, struct arena *arena)
{
	if (rows->norder == rows->stats.n)
		return NULL;
	return top_is_device_time(rows->sorted_by) && rows->self_device_ns > 0
		       ? device_share(rows, arena)
		       : cpu_share(rows, arena);
}
