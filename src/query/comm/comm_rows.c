/* Rows of collectives: see comm_rows.h. */
#include "query/comm/comm_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/axis_fields.h"
#include "query/comm/transfers.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"
#include "query/query.h"

/* Which columns a table has, by how rows are grouped. */
enum {
	KINDS = 1, /* a row is of one collective, type and group */
	SUMS = 2,
	SINGLE = 4,
	OF_PROFILES = 8,
	OF_TP = 16 /* and the bits above it */
};

/* One call, or a group of them.  Numbers are NUMBER_NONE where they are not known. */
struct comm_row {
	const struct scope_profile *profile;
	struct cell device;  /* null: the host */
	struct comm_call of; /* the first of a group, ... */
	uint32_t first;      /* ... and its place */
	int64_t calls, total_ns;
	int64_t message_bytes; /* of one, when all are alike */
	int64_t bytes;         /* of those whose size is known */
	/* Only what happened where it was measured has a bandwidth, and ran beside something. */
	int64_t alg_bytes, alg_ns, bus_ns;
	double bus_bytes; /* bytes times the collective's factor */
	struct exposure exposure;
};

enum { PLACE_PROFILE, PLACE_RANK, PLACE_DEVICE };

static struct cell get_place(const void *from, const void *row, int what)
{
	const struct comm_row *r = row;

	(void)from;
	if (what == PLACE_DEVICE)
		return r->device;
	if (what == PLACE_PROFILE)
		return cell_int(r->profile->id);
	return scope_rank_cell(r->profile);
}

static struct cell get_axis(const void *from, const void *row, int axis)
{
	(void)from;
	return number_cell(((const struct comm_row *)row)->profile->axes.at[axis]);
}

static struct cell get_text(const void *from, const void *row, int arg)
{
	uint32_t text;

	memcpy(&text, (const char *)row + arg, sizeof(text));
	return text_pool_cell(from, text);
}

static struct cell get_side(const void *from, const void *row, int arg)
{
	const struct comm_row *r = row;

	(void)from, (void)arg;
	return cell_text(str_of(comm_side_name((enum comm_side)r->of.side)));
}

/* Null where the slice was left out of the store. */
static struct cell get_slice(const void *from, const void *row, int arg)
{
	const struct comm_row *r = row;

	(void)from, (void)arg;
	return r->profile->has_slices ? cell_int(r->of.slice_id) : cell_null();
}

static struct cell get_bandwidth(const void *from, const void *row, int is_bus)
{
	const struct comm_row *r = row;

	(void)from;
	if (!is_bus)
		return bandwidth_cell(r->alg_bytes, r->alg_ns);
	return r->bus_ns > 0 && !sum_is_stuck(r->bus_ns)
		       ? cell_real(r->bus_bytes / (double)r->bus_ns)
		       : cell_null();
}

#define NUMBER(member) .get = view_number, .arg = (int)offsetof(struct comm_row, member)
#define TEXT(member)   .get = get_text, .arg = (int)offsetof(struct comm_row, member)
#define OF_AXIS(axis)  .get = get_axis, .arg = (axis), .needs = OF_TP << (axis)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Prof", "number of the profile", NULL, UNIT_ID, .get = get_place, .arg = PLACE_PROFILE, .needs = OF_PROFILES, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank", NULL, UNIT_ID, .get = get_place, .arg = PLACE_RANK, .needs = OF_PROFILES },
	{ "device", "Dev", "device; null for the host", NULL, UNIT_ID, .get = get_place, .arg = PLACE_DEVICE, .needs = OF_PROFILES },
	AXIS_FIELDS(OF_AXIS),
	{ "stream", "Stream", "stream, with --list", NULL, UNIT_ID, NUMBER(of.stream), .needs = SINGLE },
	{ "start_ns", "Start", "start, from the profile's first event, with --list", "start", UNIT_TIME, NUMBER(of.start_ns), .needs = SINGLE },
	{ "dur_ns", "Time", "time, with --list", "time", UNIT_NS, NUMBER(total_ns), .needs = SINGLE },
	{ "collective", "Collective", "all_reduce and so on, whatever the spelling", "name", UNIT_TEXT, TEXT(of.collective), .needs = KINDS | SINGLE, .least = 12 },
	{ "side", "Side", "device, host, or launch where only that was recorded", NULL, UNIT_TEXT, .get = get_side },
	{ "dtype", "Type", "element type, as torch calls it", "type", UNIT_TEXT, TEXT(of.dtype), .needs = KINDS | SINGLE, .least = 8 },
	{ "group", "Group", "group, as the recording has it", NULL, UNIT_TEXT, TEXT(of.group), .needs = KINDS | SINGLE, .least = 10 },
	{ "group_ranks", "Group ranks", "ranks of the group, likewise", NULL, UNIT_TEXT, TEXT(of.ranks), .needs = KINDS | SINGLE },
	{ "group_size", "Ranks", "their number, likewise", NULL, UNIT_COUNT, NUMBER(of.group_size), .needs = KINDS | SINGLE },
	{ "sequence", "Seq", "number in its group, with --list", NULL, UNIT_COUNT, NUMBER(of.sequence), .needs = SINGLE },
	{ "step", "Step", "step, with --list", NULL, UNIT_ID, NUMBER(of.step), .needs = SINGLE },
	{ "calls", "Calls", "number of calls", "count", UNIT_COUNT, NUMBER(calls), .needs = SUMS },
	{ "message_bytes", "Size", "size of one call, when all are alike", "message", UNIT_BYTES, NUMBER(message_bytes), .needs = KINDS },
	{ "people_size", "Size", NULL, NULL, UNIT_BYTES, NUMBER(message_bytes), .needs = SINGLE, .flags = FIELD_PEOPLE },
	{ "bytes", "Sum", "size of all calls", "size", UNIT_BYTES, NUMBER(bytes), .leaves = 2 },
	{ "total_ns", "Time", "time of all calls", "total time", UNIT_NS, NUMBER(total_ns), .needs = SUMS },
	{ "busy_ns", "Busy", "time with any of them", NULL, UNIT_NS, NUMBER(exposure.busy_ns), .needs = SUMS },
	{ "algbw_gbps", "Alg GB/s", "algorithm bandwidth of the calls whose size is known", "algbw", UNIT_RATIO, .get = get_bandwidth, .arg = false },
	{ "busbw_gbps", "Bus GB/s", "bus bandwidth of these", "busbw", UNIT_RATIO, .get = get_bandwidth, .arg = true },
	{ "exposed_ns", "Exposed", "busy time without computation", "exposed", UNIT_NS, NUMBER(exposure.exposed_ns), .leaves = 1 },
	{ "overlap_ns", "Overlap", "the rest of the busy time", "overlap", UNIT_NS, NUMBER(exposure.hidden_ns) },
	{ "algorithm", "Algorithm", "algorithm of NCCL, by the kernel's name, with --list", NULL, UNIT_TEXT, TEXT(of.algorithm), .needs = SINGLE },
	{ "protocol", "Protocol", "protocol of NCCL, likewise, with --list", NULL, UNIT_TEXT, TEXT(of.protocol), .needs = SINGLE },
	{ "name", "Name", "kernel or range, with --list", NULL, UNIT_TEXT, TEXT(of.name), .needs = SINGLE },
	{ "id", "ID", "number of the slice: slice.id, with --list", NULL, UNIT_ID, .get = get_slice, .needs = SINGLE },
	{ .name = NULL },
};
/* clang-format on */

const struct view comm_view = { .name = "comm", .fields = fields };

#define WHERE  "profile rank? device? "
#define AMOUNT "total_ns busbw_gbps! exposed_ns!"

/* By enum comm_by, and whether there are several groups. */
static const struct view_part people[][2][2] = {
	[COMM_BY_COLLECTIVE] = { { { NULL,
				     WHERE "collective dtype calls bytes! " AMOUNT } },
				 { { NULL, WHERE
				     "collective dtype group! calls bytes! " AMOUNT } } },
	[COMM_BY_SIZE] = { { { NULL,
			       WHERE "collective dtype calls message_bytes! " AMOUNT } },
			   { { NULL, WHERE
			       "collective dtype group! calls message_bytes! " AMOUNT } } },
	[COMM_BY_RANK] = { { { NULL, "profile rank! device? calls bytes! " AMOUNT
				     " overlap_ns!" } },
			   { { NULL, "profile rank! device? calls bytes! " AMOUNT
				     " overlap_ns!" } } },
	[COMM_SINGLE] = { { { NULL,
			      WHERE "start_ns dur_ns collective people_size! busbw_gbps! "
				    "exposed_ns!" } },
			  { { NULL,
			      WHERE "start_ns dur_ns collective people_size! busbw_gbps! "
				    "exposed_ns!" } } },
};

static const struct view_part people_by_axis[] = {
	{ NULL, "tp! dp! pp! ep! cp! side calls! bytes! " AMOUNT " overlap_ns!" },
	{ .fields = NULL },
};

static const unsigned asked[] = {
	[COMM_BY_COLLECTIVE] = OF_PROFILES | KINDS | SUMS,
	[COMM_BY_SIZE] = OF_PROFILES | KINDS | SUMS,
	[COMM_BY_RANK] = OF_PROFILES | SUMS,
	[COMM_SINGLE] = OF_PROFILES | SINGLE,
};

unsigned comm_rows_columns(enum comm_by by)
{
	return by >= COMM_BY_AXES ? SUMS | (unsigned)OF_TP << (by - COMM_BY_AXES)
				  : asked[by];
}

/* What compares calls of a device, or rows. */
struct grouping {
	const struct comm_call *calls;
	const struct comm_row *rows;
	enum comm_by by;
};

static int compare_keys(enum comm_by by, const struct comm_call *a,
			const struct comm_call *b)
{
	const int64_t x[] = { a->device, a->side,  a->collective, a->dtype,
			      a->group,  a->ranks, a->group_size, a->bytes };
	const int64_t y[] = { b->device, b->side,  b->collective, b->dtype,
			      b->group,  b->ranks, b->group_size, b->bytes };
	size_t n = by == COMM_BY_RANK || by >= COMM_BY_AXES ? 2
		   : by == COMM_BY_COLLECTIVE               ? 7
							    : 8;
	int order = 0;

	for (size_t i = 0; i < n && !order; i++)
		order = sort_order(x[i], y[i]);
	return order;
}

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;

	return compare_keys(g->by, &g->calls[a], &g->calls[b]) < 0;
}

/* By device, the longest first, then the first to start. */
static bool sums_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct comm_row *x = &g->rows[a], *y = &g->rows[b];
	int order = sort_order(x->of.device, y->of.device);

	if (!order)
		order = sort_order(y->total_ns, x->total_ns);
	return order ? order < 0 : x->first < y->first;
}

static void add_bandwidth(struct comm_row *row, const struct comm_call *c)
{
	int64_t dur_ns = c->end_ns - c->start_ns;
	double factor = collective_bus_factor((enum collective)c->kind, c->group_size);

	row->alg_bytes = sum_add(row->alg_bytes, c->bytes);
	row->alg_ns = sum_add(row->alg_ns, dur_ns);
	if (factor < 0)
		return;
	row->bus_bytes += factor * (double)c->bytes;
	row->bus_ns = sum_add(row->bus_ns, dur_ns);
}

static void add_call(struct comm_row *row, const struct comm_call *c)
{
	row->calls++;
	row->total_ns = sum_add(row->total_ns, c->end_ns - c->start_ns);
	if (c->bytes != row->message_bytes)
		row->message_bytes = NUMBER_NONE;
	if (c->bytes == NUMBER_NONE)
		return;
	row->bytes = sum_add(row->bytes == NUMBER_NONE ? 0 : row->bytes, c->bytes);
	if (c->side != COMM_LAUNCH_ONLY)
		add_bandwidth(row, c);
}

static struct cell device_cell(const struct comm_profile *p, const struct comm_call *c)
{
	return c->side == COMM_ON_DEVICE ? work_device_cell(&p->devices[c->device])
					 : cell_null();
}

/* Of the calls at[0..n), which are of one group. */
static struct comm_row sum_up(const struct scope_profile *profile,
			      const struct comm_profile *p, struct sort_group group)
{
	const struct comm_call *first = &p->calls.items[group.at[0]];
	struct comm_row row = { .profile = profile,
				.device = device_cell(p, first),
				.of = *first,
				.first = group.at[0],
				.message_bytes = first->bytes,
				.bytes = NUMBER_NONE };
	struct intervals ran = { .n = 0 };
	bool is_measured = false;

	for (size_t i = 0; i < group.n; i++) {
		const struct comm_call *c = &p->calls.items[group.at[i]];
		add_call(&row, c);
		is_measured |= c->side != COMM_LAUNCH_ONLY;
		intervals_add(&ran, c->start_ns, c->end_ns);
	}
	row.exposure = exposure_of(&ran, &p->compute[first->device]);
	if (!is_measured)
		row.exposure.exposed_ns = row.exposure.hidden_ns = NUMBER_NONE;
	intervals_release(&ran);
	return row;
}

static void add_row(struct comm_rows *to, struct comm_row row)
{
	*ARRAY_PUSH(to->items, to->n, to->cap) = row;
}

static void add_sums(struct comm_rows *to, const struct scope_profile *profile,
		     const struct comm_profile *p)
{
	struct grouping g = { .calls = p->calls.items, .by = to->by };
	struct sort_groups groups;

	sort_groups_make(&groups, p->calls.n, key_before, &g);
	struct comm_row *rows = xcalloc(groups.n + 1, sizeof(*rows));
	for (size_t i = 0; i < groups.n; i++)
		rows[i] = sum_up(profile, p, groups.items[i]);
	g.rows = rows;
	uint32_t *order = sorted_places(groups.n, sums_before, &g);
	for (size_t i = 0; i < groups.n; i++)
		add_row(to, rows[order[i]]);
	free(order);
	free(rows);
	sort_groups_release(&groups);
}

void comm_rows_add(struct comm_rows *to, const struct scope_profile *profile,
		   const struct comm_profile *from)
{
	if (to->by != COMM_SINGLE) {
		add_sums(to, profile, from);
		return;
	}
	for (uint32_t i = 0; i < from->calls.n; i++)
		add_row(to, sum_up(profile, from, (struct sort_group){ &i, 1 }));
}

/* What has no place comes last. */
static bool place_before(const void *context, uint32_t a, uint32_t b)
{
	const struct comm_rows *rows = context;
	const struct comm_row *x = &rows->items[a], *y = &rows->items[b];
	int axis = (int)(rows->by - COMM_BY_AXES);
	uint64_t of_x = (uint64_t)x->profile->axes.at[axis];
	uint64_t of_y = (uint64_t)y->profile->axes.at[axis];

	return of_x != of_y ? of_x < of_y : x->of.side < y->of.side;
}

static void add_sum(int64_t *to, int64_t from)
{
	if (from != NUMBER_NONE)
		*to = sum_add(*to == NUMBER_NONE ? 0 : *to, from);
}

static void add_other(struct comm_row *to, const struct comm_row *from)
{
	const struct {
		int64_t *to, from;
	} sums[] = {
		{ &to->calls, from->calls },
		{ &to->total_ns, from->total_ns },
		{ &to->bytes, from->bytes },
		{ &to->alg_bytes, from->alg_bytes },
		{ &to->alg_ns, from->alg_ns },
		{ &to->bus_ns, from->bus_ns },
		{ &to->exposure.busy_ns, from->exposure.busy_ns },
		{ &to->exposure.exposed_ns, from->exposure.exposed_ns },
		{ &to->exposure.hidden_ns, from->exposure.hidden_ns },
	};

	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		add_sum(sums[i].to, sums[i].from);
	to->bus_bytes += from->bus_bytes;
}

void comm_rows_fold(struct comm_rows *rows)
{
	struct sort_groups groups;

	if (rows->by < COMM_BY_AXES || !rows->n)
		return;
	sort_groups_make(&groups, rows->n, place_before, rows);
	struct comm_row *folded = xcalloc(groups.n, sizeof(*folded));
	for (size_t i = 0; i < groups.n; i++) {
		struct sort_group group = groups.items[i];
		folded[i] = rows->items[group.at[0]];
		for (size_t k = 1; k < group.n; k++)
			add_other(&folded[i], &rows->items[group.at[k]]);
	}
	free(rows->items);
	rows->items = folded;
	rows->n = rows->cap = groups.n;
	sort_groups_release(&groups);
}

void comm_rows_release(struct comm_rows *rows)
{
	free(rows->items);
	*rows = (struct comm_rows){ .n = 0 };
}

struct memtable *comm_rows_table(const struct comm_rows *rows,
				 const struct comm_sources *s, const struct scope *scope,
				 const struct view_request *show)
{
	const struct view_rows of = { s->texts, rows->items, rows->n,
				      sizeof(*rows->items) };
	struct view_request request = *show;

	request.people = rows->by >= COMM_BY_AXES ? people_by_axis
						  : people[rows->by][s->several_groups];
	return view_table(&comm_view, &of, scope, &request);
}
