/* ptool comm --ranks: see comm_ranks.h. */
#include "query/comm/comm_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "query/axis_fields.h"
#include "query/comm/comm_ranks_rows.h"
#include "query/comm/comm_rows.h"
#include "query/query.h"

/* What tells the groups of a table apart. */
enum groups {
	ONE_GROUP,
	NAMED_GROUPS,
	LISTED_GROUPS, /* their ranks: two are of one name */
	NGROUPS
};

/* Which columns a table has, by how rows are grouped. */
enum {
	KINDS = 1,
	SIZES = 2,
	RANK = 4,
	SINGLE = 8,
	AXIS = 16,
	OF_TP = 32 /* and above */
};

static const struct comm_call *call_of(const void *row)
{
	return ((const struct comm_ranks_row *)row)->call;
}

/* A text of the call, at its offset. */
static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct comm_ranks *r = from;
	uint32_t text;

	if (!call_of(row))
		return cell_null();
	memcpy(&text, (const char *)call_of(row) + offset, sizeof(text));
	return text_pool_cell(r->texts, text);
}

static struct cell get_side(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return call_of(row) ? cell_text(str_of(
				      comm_side_name((enum comm_side)call_of(row)->side)))
			    : cell_null();
}

static struct cell get_group_size(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return call_of(row) ? number_cell(call_of(row)->group_size) : cell_null();
}

static struct cell get_missing(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct comm_ranks_row *)row)->missing);
}

static struct cell get_bandwidth(const void *from, const void *row, int arg)
{
	double busbw_gbps = ((const struct comm_ranks_row *)row)->busbw_gbps;

	(void)from, (void)arg;
	return busbw_gbps >= 0 ? cell_real(busbw_gbps) : cell_null();
}

#define NUMBER(member) \
	.get = view_number, .arg = (int)offsetof(struct comm_ranks_row, member)
#define TEXT(member)  .get = get_text, .arg = (int)offsetof(struct comm_call, member)
#define OF_AXIS(axis) NUMBER(axes.at[axis]), .needs = OF_TP << (axis), .flags = FIELD_KEY

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile, with --by rank", NULL, UNIT_ID, NUMBER(profile), .needs = RANK },
	{ "rank", "Rank", "rank, with --by rank", NULL, UNIT_ID, NUMBER(rank), .needs = RANK, .flags = FIELD_KEY },
	AXIS_FIELDS(OF_AXIS),
	{ "sequence", "Seq", "number in its group, with --list", NULL, UNIT_COUNT, NUMBER(number), .needs = SINGLE },
	{ "start_ns", "Start", "start on the first rank's clock, from its first event, with --list", "start", UNIT_TIME, NUMBER(start_ns), .needs = SINGLE },
	{ "collective", "Collective", "all_reduce and so on", "name", UNIT_TEXT, TEXT(collective), .needs = KINDS | SINGLE, .flags = FIELD_KEY, .least = 12 },
	{ "side", "Side", "device or host", NULL, UNIT_TEXT, .get = get_side, .needs = KINDS | SINGLE, .flags = FIELD_KEY },
	{ "dtype", "Type", "element type, with --list", "type", UNIT_TEXT, TEXT(dtype), .needs = SINGLE, .flags = FIELD_KEY },
	{ "group", "Group", "group", NULL, UNIT_TEXT, TEXT(group), .needs = KINDS | SINGLE, .flags = FIELD_KEY, .least = 8 },
	{ "group_ranks", "Group ranks", "ranks of the group", NULL, UNIT_TEXT, TEXT(ranks), .needs = KINDS | SINGLE, .flags = FIELD_KEY, .least = 8 },
	{ "group_size", "Members", "number of ranks of the group", NULL, UNIT_COUNT, .get = get_group_size, .needs = KINDS | SINGLE },
	{ "ranks", "Ranks", "number of ranks that took part", NULL, UNIT_COUNT, NUMBER(ranks), .needs = KINDS | SINGLE | AXIS },
	{ "missing_ranks", "Missing", "ranks of the group that did not take part; null when not known", NULL, UNIT_TEXT, .get = get_missing, .needs = KINDS | SINGLE },
	{ "calls", "Calls", "collectives of two ranks or more; by rank those that it took part in", "count", UNIT_COUNT, NUMBER(calls), .needs = KINDS | RANK | AXIS },
	{ "message_bytes", "Size", "size of a message, with --by size", "message size", UNIT_BYTES, NUMBER(message_bytes), .needs = SIZES | SINGLE },
	{ "total_ns", "Time", "time of all ranks together, or of one", "total time", UNIT_NS, NUMBER(total_ns) },
	{ "wait_ns", "Wait", "time that ranks waited for the last", "wait", UNIT_NS, NUMBER(wait_ns) },
	{ "transfer_ns", "Transfer", "time after the last rank arrived", "transfer", UNIT_NS, NUMBER(transfer_ns) },
	{ "shortest_ns", "Shortest", "shortest time of a rank in it, with --list", NULL, UNIT_NS, NUMBER(shortest_ns), .needs = SINGLE },
	{ "busbw_gbps", "Bus GB/s", "bus bandwidth of the transfer alone", "busbw", UNIT_RATIO, .get = get_bandwidth, .needs = KINDS | SINGLE },
	{ "mean_skew_ns", "Mean skew", "mean time from the first to the last start", NULL, UNIT_NS, NUMBER(mean_skew_ns), .needs = KINDS },
	{ "skew_ns", "Skew", "longest time from the first to the last start", "skew", UNIT_NS, NUMBER(skew_ns), .needs = KINDS | SINGLE, .leaves = 1 },
	{ "end_skew_ns", "End skew", "time from the first to the last end, with --list", NULL, UNIT_NS, NUMBER(end_skew_ns), .needs = SINGLE },
	{ "late_rank", "Latest", "rank that came last most often", NULL, UNIT_ID, NUMBER(late_rank), .needs = KINDS | SINGLE },
	{ "late_calls", "Last", "how often it came last", NULL, UNIT_COUNT, NUMBER(late_calls), .needs = KINDS | RANK | AXIS },
	{ "late_ns", "Late", "time by which it came after the second-last rank, in all", "late", UNIT_NS, NUMBER(late_ns) },
	{ "clock", "Clock", "number of its clock: ranks with the same number share one, with --by rank or --list", NULL, UNIT_COUNT, NUMBER(clock), .needs = RANK | SINGLE },
	{ "clock_offset_ns", "Clock", "difference from the clock of the first rank there, with --by rank", NULL, UNIT_NS, NUMBER(offset_ns), .needs = RANK, .leaves = 3 },
	{ "clock_error_ns", "Error", "error of that, with --by rank", NULL, UNIT_NS, NUMBER(error_ns), .needs = RANK, .leaves = 4 },
	{ "blocking_ns", "Blocking", "its cost: the time that the rank that lost most waited for it and computed nothing, with --by rank", "blocking", UNIT_NS, NUMBER(blocking_ns), .needs = RANK },
	{ "prefill_wait_ns", "Prefill", "time that its decode steps waited for a rank whose step had prompts, with --by rank", NULL, UNIT_NS, NUMBER(prefill_wait_ns), .needs = RANK },
	{ "prefill_rank", "Prefill by", "the rank that caused most of that wait", NULL, UNIT_ID, NUMBER(prefill_rank), .needs = RANK, .leaves = 2 },
	{ .name = NULL },
};
/* clang-format on */

const struct view comm_ranks_view = { .name = "comm --ranks", .fields = fields };

#define WAITS " wait_ns! transfer_ns! skew_ns! late_rank"

/* What tells rows apart takes the place of how many ranks took part. */
static const struct view_part by_collective[NGROUPS][2] = {
	[ONE_GROUP] = { { NULL, "collective ranks calls" WAITS } },
	[NAMED_GROUPS] = { { NULL, "collective group! calls" WAITS } },
	[LISTED_GROUPS] = { { NULL, "collective group_ranks! calls" WAITS } },
};
static const struct view_part by_size[NGROUPS][2] = {
	[ONE_GROUP] = { { NULL, "collective calls message_bytes!" WAITS } },
	[NAMED_GROUPS] = { { NULL, "collective group! calls message_bytes!" WAITS } },
	[LISTED_GROUPS] = { { NULL,
			      "collective group_ranks! calls message_bytes!" WAITS } },
};
static const struct view_part by_rank[] = {
	{ NULL,
	  "rank! calls wait_ns! transfer_ns! late_calls! late_ns! prefill_wait_ns prefill_rank "
	  "clock_offset_ns! clock_error_ns!" },
	{ .fields = NULL },
};
static const struct view_part by_axis[] = {
	{ NULL, "tp! dp! pp! ep! cp! ranks! calls! wait_ns! transfer_ns! late_calls! "
		"late_ns!" },
	{ .fields = NULL },
};
static const struct view_part single[] = {
	{ NULL, "start_ns collective wait_ns! transfer_ns! skew_ns! late_rank late_ns!" },
	{ .fields = NULL },
};

unsigned comm_ranks_columns(enum comm_by by)
{
	static const unsigned columns[] = {
		[COMM_BY_COLLECTIVE] = KINDS,
		[COMM_BY_SIZE] = KINDS | SIZES,
		[COMM_BY_RANK] = RANK,
		[COMM_SINGLE] = SINGLE,
	};

	return by >= COMM_BY_AXES ? AXIS | (unsigned)OF_TP << (by - COMM_BY_AXES)
				  : columns[by];
}

/* Matches lie by group: of several, do their names tell them apart? */
static enum groups groups_of(const struct comm_matches *m)
{
	enum groups groups = ONE_GROUP;

	for (size_t i = 1; i < m->nmatches; i++) {
		const struct comm_call *call = &m->parts[m->matches[i].first].call;
		const struct comm_call *before = &m->parts[m->matches[i - 1].first].call;
		if (call->group != before->group && groups == ONE_GROUP)
			groups = NAMED_GROUPS;
		if (call->group == before->group && call->ranks != before->ranks)
			groups = LISTED_GROUPS;
	}
	return groups;
}

static struct comm_ranks_rows rows_of(const struct comm_ranks *r, struct arena *arena)
{
	if (r->by == COMM_SINGLE)
		return comm_ranks_single(r, arena);
	if (r->by >= COMM_BY_AXES)
		return comm_ranks_by_axis(r);
	return r->by == COMM_BY_RANK ? comm_ranks_by_rank(r) : comm_ranks_kinds(r, arena);
}

static const struct view_part *people_of(const struct comm_ranks *r)
{
	if (r->by >= COMM_BY_AXES)
		return by_axis;
	switch (r->by) {
	case COMM_BY_RANK:
		return by_rank;
	case COMM_SINGLE:
		return single;
	case COMM_BY_SIZE:
		return by_size[groups_of(r->matches)];
	case COMM_BY_AXES:
	case COMM_BY_COLLECTIVE:
		break;
	}
	return by_collective[groups_of(r->matches)];
}

static struct memtable *show(const struct comm_ranks *r, struct view_request show)
{
	struct arena arena = { 0 };
	struct comm_ranks_rows rows = rows_of(r, &arena);
	const struct view_rows of = { r, rows.items, rows.n, sizeof(*rows.items) };

	show.people = people_of(r);
	struct memtable *m = view_table(&comm_ranks_view, &of, r->shown, &show);
	free(rows.items);
	arena_release(&arena);
	return m;
}

struct table *comm_ranks_table(const struct comm_ranks *r)
{
	bool with_ranks =
		r->show->for_people && r->by != COMM_BY_RANK && r->by < COMM_SINGLE;
	struct memtable *m = show(r, *r->show);

	if (!with_ranks) {
		comm_ranks_add_notes(r, m);
		return &m->table;
	}
	const struct view_request all = { .asked = comm_ranks_columns(COMM_BY_RANK),
					  .for_people = true };
	struct comm_ranks ranks = *r;
	ranks.by = COMM_BY_RANK;
	struct memtable *below = show(&ranks, all);
	comm_ranks_add_notes(&ranks, below);
	m->table.more = &below->table;
	return &m->table;
}
