/* Waits for other ranks: see gap_ranks.h. */
#include "query/gaps/gap_ranks.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/collective_name.h"
#include "query/gaps/gap_clocks.h"
#include "query/query.h"
#include "store/columns.h"

ASSET(asset_query_views_gap_collectives_sql);

enum { ROW_MEMBERS, ROW_ON_DEVICE, ROW_NAME, ROW_TS, ROW_DUR };

static uint32_t own_text(struct gap_ranks *r, struct sqlite3_stmt *stmt, int column)
{
	return intern_add(&r->texts->intern, sql_bytes(stmt, column));
}

static int load_slices(struct gap_ranks *r, struct store *store, struct gap_rank *rank,
		       struct err *err)
{
	struct query q = query_of_profile(store, asset_query_views_gap_collectives_sql,
					  rank->profile, err);

	while (query_next(&q, err)) {
		int64_t ts_ns = sqlite3_column_int64(q.stmt, ROW_TS);
		int64_t dur_ns = sqlite3_column_int64(q.stmt, ROW_DUR);
		if (!query_is_time(ts_ns, dur_ns)) {
			q.rc = query_damaged("slices", err);
			break;
		}
		*ARRAY_PUSH(rank->items, rank->n, rank->cap) = (struct gap_collective){
			.start_ns = ts_ns,
			.end_ns = ts_ns + dur_ns,
			.members = own_text(r, q.stmt, ROW_MEMBERS),
			.name = own_text(r, q.stmt, ROW_NAME),
			.on_device = sqlite3_column_int(q.stmt, ROW_ON_DEVICE) != 0,
		};
	}
	return query_end(&q);
}

static uint32_t text_of(struct gap_ranks *r, struct cell cell)
{
	return intern_add(&r->texts->intern,
			  cell.type == CELL_TEXT ? cell.as.text : STR_LIT(""));
}

/* The same from the rows of a summary. */
static int load_rows(struct gap_ranks *r, struct summary_reader *reader,
		     struct gap_rank *rank, struct err *err)
{
	struct part_rows rows;
	int rc = summary_read(reader, rank->profile, &summary_gap_calls, &rows, err);

	for (size_t i = 0; rc == 0 && i < rows.n; i++) {
		const struct cell *c = part_rows_at(&rows, i);
		int64_t ts_ns = part_int(c[COL_GAP_CALL_PART_TS], 0);
		int64_t dur_ns = part_int(c[COL_GAP_CALL_PART_DUR], -1);
		if (!query_is_time(ts_ns, dur_ns)) {
			rc = summary_damaged(&summary_gap_calls, err);
			break;
		}
		*ARRAY_PUSH(rank->items, rank->n, rank->cap) = (struct gap_collective){
			.start_ns = ts_ns,
			.end_ns = ts_ns + dur_ns,
			.members = text_of(r, c[COL_GAP_CALL_PART_MEMBERS_ID]),
			.name = text_of(r, c[COL_GAP_CALL_PART_NAME_ID]),
			.on_device = part_int(c[COL_GAP_CALL_PART_ON_DEVICE], 0) != 0,
		};
	}
	part_rows_release(&rows);
	return rc;
}

/* What is put before the members' text, or NULL. */
static const char *group_of(const struct gap_ranks *r, const struct scope_profile *p,
			    const struct gap_collective *item, uint32_t none)
{
	if (item->members != none)
		return p->replica;
	return collective_of(intern_str(&r->texts->intern, item->name)) ==
			       COLLECTIVE_ALL_TO_ALL
		       ? p->exchange_group
		       : p->group;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct gap_collective *x = (const struct gap_collective *)context + a;
	const struct gap_collective *y = (const struct gap_collective *)context + b;

	if (x->members != y->members)
		return x->members < y->members;
	return x->on_device < y->on_device;
}

/* One group after another again, each in the order that it had. */
static void sort_groups(struct gap_rank *rank)
{
	uint32_t *at = xmalloc(2 * rank->n * sizeof(*at));
	struct gap_collective *items = xmalloc(rank->n * sizeof(*items));

	for (size_t i = 0; i < rank->n; i++)
		at[i] = (uint32_t)i;
	sort_indexes(at, rank->n, at + rank->n, is_before, rank->items);
	for (size_t i = 0; i < rank->n; i++)
		items[i] = rank->items[at[i]];
	free(rank->items);
	rank->items = items;
	rank->cap = rank->n;
	free(at);
}

/* As of comm_load(): ranks that share no group by their axes are kept apart. */
static void name_groups(struct gap_ranks *r, struct gap_rank *rank)
{
	const struct scope_profile *p = rank->profile;
	uint32_t none = intern_add(&r->texts->intern, STR_LIT(" "));
	uint32_t before = TEXT_NONE, named = TEXT_NONE;
	const char *last = NULL;

	if (rank->n == 0 || (!p->group && !p->replica))
		return;
	for (size_t i = 0; i < rank->n; i++) {
		uint32_t *members = &rank->items[i].members;
		const char *with = group_of(r, p, &rank->items[i], none);
		if (!with)
			continue;
		if (*members != before || with != last) {
			struct str text = intern_str(&r->texts->intern, *members);
			char *name = xasprintf("%s " STR_FMT, with, STR_ARG(text));
			before = *members;
			last = with;
			named = intern_add(&r->texts->intern, str_of(name));
			free(name);
		}
		*members = named;
	}
	sort_groups(rank);
}

static int load_all(struct gap_ranks *r, struct store *store, struct err *err)
{
	struct summary_reader reader;
	int rc = summary_reader_open(store, r->texts, &reader, err);

	for (size_t i = 0; rc == 0 && i < r->run.n; i++) {
		const struct scope_profile *profile = &r->run.profiles[i];
		if (!profile->has_rank)
			continue;
		struct gap_rank *rank = &r->ranks[r->n++];
		rank->profile = profile;
		rc = summary_has(&reader, profile, &summary_gap_calls)
			     ? load_rows(r, &reader, rank, err)
			     : load_slices(r, store, rank, err);
		name_groups(r, rank);
	}
	summary_reader_close(&reader);
	return rc;
}

static int make_calls(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct gap_ranks r = { .texts = from->texts };
	struct gap_rank rank = { .profile = from->profile };
	int rc = load_slices(&r, from->store, &rank, err);

	for (size_t i = 0; rc == 0 && i < rank.n; i++) {
		const struct gap_collective *item = &rank.items[i];
		struct cell *c = part_rows_add(out);
		if (!c)
			break;
		c[COL_GAP_CALL_PART_MEMBERS_ID] =
			text_pool_cell(from->texts, item->members);
		c[COL_GAP_CALL_PART_ON_DEVICE] = cell_int(item->on_device);
		c[COL_GAP_CALL_PART_NAME_ID] = text_pool_cell(from->texts, item->name);
		c[COL_GAP_CALL_PART_TS] = cell_int(item->start_ns);
		c[COL_GAP_CALL_PART_DUR] = cell_int(item->end_ns - item->start_ns);
	}
	free(rank.items);
	return rc;
}

const struct summary summary_gap_calls = { PART_TABLE(GAP_CALL_PART, gap_call_part),
					   make_calls };

int gap_ranks_open(struct store *store, struct text_pool *texts, const char *run,
		   struct gap_ranks *out, struct err *err)
{
	const struct scope_request request = { .run = run };

	*out = (struct gap_ranks){ .texts = texts };
	if (scope_load(store, &request, &out->run, err) < 0)
		return -1;
	if (out->run.nranks < 2)
		return 0;
	out->ranks = xcalloc(out->run.n, sizeof(*out->ranks));
	int rc = load_all(out, store, err);
	if (rc == 0)
		gap_clocks_align(out);
	return rc;
}

void gap_ranks_close(struct gap_ranks *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->ranks[i].items);
		free(r->ranks[i].groups);
	}
	free(r->ranks);
	free(r->lasts);
	scope_release(&r->run);
	*r = (struct gap_ranks){ .n = 0 };
}

/* When the last of the others came to each of the rank's collectives on the host. */
static struct gap_late *find_late(const struct gap_ranks *r, const struct gap_rank *rank)
{
	struct gap_late *late = xcalloc(rank->n, sizeof(*late));

	for (size_t i = 0; i < rank->ngroups; i++) {
		const struct gap_group *group = &rank->groups[i];
		for (size_t k = 0; k < group->n; k++) {
			struct gap_late *at = &late[group->first + k];
			int64_t came_ns, number;
			at->from_ns = at->to_ns = rank->items[group->first + k].start_ns;
			if (gap_clocks_last(r, rank, group, k, &came_ns, &number) &&
			    came_ns > at->from_ns)
				*at = (struct gap_late){ at->from_ns, came_ns, number };
		}
	}
	return late;
}

static int by_start(const void *a, const void *b)
{
	const struct gap_late *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

/*
 * Those collectives that still ran when another rank came, and waited longer than the
 * clocks are wrong; by start, none touches another's inside.
 */
static size_t choose_late(const struct gap_ranks *r, const struct gap_rank *rank,
			  struct gap_late *late)
{
	size_t n = 0;

	for (size_t i = 0; i < rank->n; i++) {
		const struct gap_collective *c = &rank->items[i];
		if (late[i].to_ns <= c->end_ns &&
		    sum_sub(late[i].to_ns, late[i].from_ns) > r->error_ns)
			late[n++] = late[i];
	}
	qsort(late, n, sizeof(*late), by_start);
	for (size_t i = 1; i < n; i++)
		if (late[i - 1].to_ns > late[i].from_ns)
			late[i - 1].to_ns = late[i].from_ns;
	return n;
}

static void add_part(struct gap_line *to, struct gap_segment segment, int64_t from_ns,
		     int64_t to_ns)
{
	segment.start_ns = from_ns > segment.start_ns ? from_ns : segment.start_ns;
	segment.end_ns = to_ns < segment.end_ns ? to_ns : segment.end_ns;
	if (segment.start_ns < segment.end_ns)
		gap_line_add(to, segment);
}

uint32_t gap_ranks_text(struct gap_ranks *r, int64_t rank)
{
	char text[40];

	snprintf(text, sizeof(text), "rank %" PRId64, rank);
	return intern_add(&r->texts->intern, str_of(text));
}

/* Cuts the segment where waits for others begin and end. */
static void split(struct gap_ranks *r, struct gap_line *to,
		  const struct gap_segment *segment, const struct gap_late *late,
		  size_t nlate)
{
	int64_t at_ns = segment->start_ns;
	size_t at;

	/* the first that ends behind the segment's start */
	SEARCH(at, 0, nlate, late[at].to_ns <= at_ns);
	for (; at < nlate && late[at].from_ns < segment->end_ns; at++) {
		struct gap_segment waiting = *segment;
		add_part(to, *segment, at_ns, late[at].from_ns);
		waiting.cause = GAP_LATE_RANK;
		waiting.blamed = gap_ranks_text(r, late[at].rank);
		add_part(to, waiting, late[at].from_ns, late[at].to_ns);
		at_ns = late[at].to_ns > at_ns ? late[at].to_ns : at_ns;
	}
	add_part(to, *segment, at_ns, segment->end_ns);
}

static bool has_communication(const struct gap_line *line)
{
	for (size_t i = 0; i < line->n; i++)
		if (line->items[i].cause == GAP_COMMUNICATION)
			return true;
	return false;
}

static void cut_line(struct gap_ranks *r, struct gap_line *line,
		     const struct gap_late *late, size_t nlate)
{
	struct gap_line cut = { .n = 0 };

	for (size_t i = 0; i < line->n; i++) {
		if (line->items[i].cause == GAP_COMMUNICATION)
			split(r, &cut, &line->items[i], late, nlate);
		else
			gap_line_add(&cut, line->items[i]);
	}
	free(line->items);
	line->items = cut.items;
	line->n = cut.n;
	line->cap = cut.cap;
}

static void charge(struct gap_ranks *r, struct gap_blame *blame,
		   const struct gap_late *late, size_t nlate)
{
	bool *is_cut = xcalloc(blame->nlines, sizeof(*is_cut));

	for (uint32_t i = GAP_OWN_LINE + 1; i < blame->nlines; i++) {
		is_cut[i] = has_communication(&blame->lines[i]);
		if (is_cut[i])
			cut_line(r, &blame->lines[i], late, nlate);
	}
	for (size_t i = 0; i < blame->nspans; i++) {
		struct gap_span *span = &blame->spans[i];
		struct interval when = { span->start_ns, span->end_ns };
		if (is_cut[span->line])
			*span = gap_line_span(blame, span->line, 0, when);
	}
	free(is_cut);
}

/* Profiles are asked for in the order of the ranks. */
static const struct gap_rank *rank_of(struct gap_ranks *r, int64_t profile_id)
{
	for (size_t i = 0; i < r->n; i++) {
		size_t at = (r->newest + i) % r->n;
		if (r->ranks[at].profile->id == profile_id) {
			r->newest = at;
			return &r->ranks[at];
		}
	}
	return NULL;
}

size_t gap_ranks_late(struct gap_ranks *r, const struct scope_profile *profile,
		      struct gap_late **out)
{
	const struct gap_rank *rank = rank_of(r, profile->id);

	*out = NULL;
	if (!rank || !rank->n)
		return 0;
	*out = find_late(r, rank);
	return choose_late(r, rank, *out);
}

void gap_ranks_charge(struct gap_ranks *r, const struct scope_profile *profile,
		      struct gap_blame *blame)
{
	struct gap_late *late;
	size_t n = gap_ranks_late(r, profile, &late);

	if (n)
		charge(r, blame, late, n);
	free(late);
}
