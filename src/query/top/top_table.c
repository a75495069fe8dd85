/* The operator table: the order of its rows, the share that is shown, and notes. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/top/top_rows.h"

static const struct field *field_called(const char *name)
{
	return view_field_called(&top_view, str_of(name));
}

static bool first_before(const void *context, uint32_t a, uint32_t b)
{
	const struct top_rows *rows = context;

	return opstat_is_before(&rows->stats.rows[a].first, &rows->stats.rows[b].first);
}

static int match_rows(struct top_rows *rows, const struct top_query *query,
		      struct err *err)
{
	rows->order = xrealloc_array(NULL, rows->stats.n, sizeof(*rows->order));
	for (uint32_t row = 0; row < rows->stats.n; row++) {
		const struct opstat *stat = &rows->stats.rows[row];
		bool is_empty = stat->sums.calls == 0 && stat->sums.total_device_ns == 0;
		if (is_empty || (query->top_level && !stat->is_top_level))
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
static const struct field *find_key(const struct top_rows *rows,
				    const struct field *asked)
{
	if (!asked)
		return field_called(rows->self_device_ns > 0 ? "self_device_ns"
							     : "self_cpu_ns");
	if (asked != field_called("memory"))
		return asked;
	return field_called(allocates_on_device(rows) ? "self_device_mem_bytes"
						      : "self_cpu_mem_bytes");
}

/* Equal rows stay as they are. */
static void sort_by(struct top_rows *rows, const struct field *by, bool reverse,
		    uint32_t *spare)
{
	size_t n = rows->nmatched;
	const struct view_rows view_rows = { rows, spare, n, sizeof(*spare) };
	const struct view_request request = { .sort = by, .reverse = reverse };

	if (n)
		memcpy(spare, rows->order, n * sizeof(*spare));
	uint32_t *places = view_order(&top_view, &view_rows, &request);
	for (size_t i = 0; i < n; i++)
		rows->order[i] = spare[places[i]];
	free(places);
}

/* By what is asked for, and then in the order of first calls. */
static void sort_rows(struct top_rows *rows, const struct top_query *query)
{
	uint32_t *spare = xrealloc_array(NULL, rows->nmatched + 1, sizeof(*spare));

	sort_indexes(rows->order, rows->nmatched, spare, first_before, rows);
	if (query->own_order)
		sort_by(rows, field_called("self_cpu_ns"), query->show.reverse, spare);
	sort_by(rows, rows->sorted_by, query->show.reverse, spare);
	free(spare);
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

int top_order(struct top_rows *rows, const struct top_query *query, struct err *err)
{
	int64_t limit = query->show.limit;

	if (match_rows(rows, query, err) < 0)
		return -1;
	rows->sorted_by = find_key(rows, query->show.sort);
	sort_rows(rows, query);
	if (query->own_order)
		put_spans_last(rows);
	rows->norder = limit > 0 && (uint64_t)limit < rows->nmatched ? (size_t)limit
								     : rows->nmatched;
	return 0;
}

/* NULL when the whole is nothing or less than its part, or a sum that stuck. */
static const char *share_of(struct arena *arena, const char *what, int64_t part,
			    int64_t whole)
{
	if (whole <= 0 || sum_is_stuck(whole) || part > whole)
		return NULL;
	return arena_printf(arena, "%.1f%% of %s", 100.0 * (double)part / (double)whole,
			    what);
}

/*
 * Operators and the work they launched stand side by side, so device time is
 * added up over the operators, or where there are none, over the work: each
 * nanosecond once.
 */
static const char *shown_device(const struct top_rows *rows, struct arena *arena)
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

bool top_is_plain(const struct scope *scope)
{
	const char *format = scope->n ? scope->profiles[0].format : "";

	return strcmp(format, "chrome") == 0 || strcmp(format, "mprof") == 0;
}

static const char *shown_cpu(const struct top_rows *rows, struct arena *arena)
{
	int64_t shown_ns = 0;

	for (size_t i = 0; i < rows->norder; i++)
		shown_ns =
			sum_add(shown_ns, rows->stats.rows[rows->order[i]].sums.self_ns);
	return share_of(arena, top_is_plain(rows->scope) ? "self time" : "self CPU time",
			shown_ns, rows->self_cpu_ns);
}

/* What part of the time the rows to show make up; NULL when they are all there are. */
static const char *shown_share(const struct top_rows *rows, struct arena *arena)
{
	if (rows->norder == rows->stats.n)
		return NULL;
	return top_is_by_device(rows) && rows->self_device_ns > 0
		       ? shown_device(rows, arena)
		       : shown_cpu(rows, arena);
}

/* Rows shown of one kind: the host's, device work, or spans of labels. */
struct kinds {
	size_t host, device, spans;
};

static struct kinds count_kinds(const struct top_rows *rows)
{
	struct kinds kinds = { 0, 0, 0 };

	for (size_t i = 0; i < rows->norder; i++) {
		uint32_t row = rows->order[i];
		if (!top_is_device_row(rows, row))
			kinds.host++;
		else if (rows->stats.rows[row].key.kind == OP_DEVICE)
			kinds.device++;
		else
			kinds.spans++;
	}
	return kinds;
}

/* What --sort could not do, or does unseen. */
static void note_sort(struct memtable *m, const struct top_rows *rows,
		      const struct view_request *show)
{
	if (!show->sort || show->sort == field_called("none"))
		return;
	if (top_is_nowhere(rows, rows->sorted_by))
		memtable_add_note(m,
				  "no %s was recorded: rows are in the order of their "
				  "first calls",
				  show->sort->name);
	else if (show->sort == view_field(&top_view, "flops") &&
		 !(show->asked & TOP_FLOPS))
		memtable_add_note(m, "sorted by flops, which --flops shows");
}

struct table *top_table(const struct top_rows *rows, const struct top_query *query)
{
	const struct view_rows view_rows = { rows, rows->order, rows->nmatched,
					     sizeof(*rows->order) };
	unsigned apart = TOP_PROFILE_SPLITS;
	struct view_request show = query->show;
	const struct kinds kinds = count_kinds(rows);

	/* a kind says something where one label or operator can stand there twice */
	if (kinds.spans || (kinds.host && kinds.device))
		show.asked |= TOP_KINDS;
	if (top_is_plain(rows->scope))
		show.people = top_plain_people;
	show.sort = rows->sorted_by;
	show.is_sorted = true;
	struct memtable *m = view_table(&top_view, &view_rows, rows->scope, &show);
	m->table.share = shown_share(rows, &m->arena);
	const char *note =
		show.asked & apart ? NULL : top_scope_note(rows->scope, true, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	note_sort(m, rows, &query->show);
	if (kinds.spans)
		memtable_add_note(m,
				  "span: a label on the device; its time includes "
				  "idle time%s",
				  query->own_order ? ", so it comes last" : "");
	return &m->table;
}
