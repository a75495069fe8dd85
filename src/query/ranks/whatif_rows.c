/* The rows of what-if runs: see whatif_rows.h. */
#include "query/ranks/whatif_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/ranks/ranks.h"

struct whatif_row *whatif_add(struct whatif_rows *w, const char *what, const char *name,
			      double ns)
{
	struct whatif_row *row = ARRAY_PUSH(w->items, w->n, w->cap);

	*row = (struct whatif_row){ .what = what,
				    .name = name,
				    .rank = NUMBER_NONE,
				    .time_ns = sum_of_double(nearbyint(ns)),
				    .slowdown = w->ideal_ns > 0 ? ns / w->ideal_ns : 0 };
	return row;
}

void whatif_add_cure(struct whatif_rows *w, const char *what, const char *name, double ns)
{
	struct whatif_row *row = whatif_add(w, what, name, ns);

	row->has_share = w->played_ns > w->cured_ns;
	if (row->has_share)
		row->share = 100.0 * (w->played_ns - ns) / (w->played_ns - w->cured_ns);
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	(void)from;
	return cell_text_or_null(
		*(const char *const *)(const void *)((const char *)row + offset));
}

static struct cell get_slowdown(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_real(((const struct whatif_row *)row)->slowdown);
}

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct whatif_row *r = row;

	(void)from, (void)arg;
	return r->has_share ? cell_real(r->share) : cell_null();
}

#define TEXT(member) .get = get_text, .arg = (int)offsetof(struct whatif_row, member)
#define ROW(member)  .get = view_number, .arg = (int)offsetof(struct whatif_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "what", "What", "recorded; replayed, which is the recorded run simulated; ideal, without stragglers; kind and rank, where these alone have stragglers; slowest, without the 3 % of ranks that slow down most; last_stage, without stragglers on the last stage of the pipeline", NULL, UNIT_TEXT, TEXT(what) },
	{ "name", "The run", NULL, NULL, UNIT_TEXT, TEXT(name), .flags = FIELD_PEOPLE },
	{ "kind", "Kind", "compute, copy, idle or transfer; in timelines of StragglerAnalysis the operation", NULL, UNIT_TEXT, TEXT(kind) },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, ROW(rank) },
	{ "time_ns", "Time", "from the start of the first rank's steps to the end of the last rank's; in timelines of StragglerAnalysis the sum of all steps", "time", UNIT_NS, ROW(time_ns) },
	{ "slowdown", "Slowdown", "time_ns divided by the ideal time: S of all, S_t of a kind, S_w of a rank", NULL, UNIT_RATIO, .get = get_slowdown },
	{ "recovered_pct", "Recovered", "the share of what stragglers cost that is saved: M_W without the slowest ranks, M_S without those of the last stage", NULL, UNIT_PERCENT, .get = get_share },
	{ .name = NULL },
};
/* clang-format on */

const struct view ranks_whatif_view = {
	.name = "ranks --what-if",
	.fields = fields,
	.people = VIEW_PART("name time_ns! slowdown! recovered_pct"),
};

struct memtable *whatif_table(const struct whatif_rows *w, const struct scope *scope,
			      const struct view_request *show)
{
	const struct view_rows rows = { NULL, w->items, w->n, sizeof(*w->items) };

	return view_table(&ranks_whatif_view, &rows, scope, show);
}

void whatif_rows_release(struct whatif_rows *w)
{
	free(w->items);
	arena_release(&w->arena);
}
