/* ptool transfers: see transfers.h. */
#include "query/comm/transfers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"
#include "query/query.h"

/* What rows of a table have; each way to group has some of these. */
enum { SUMS = 1, KINDS = 2, OPS = 4, STEPS = 8, SINGLE = 16 };

/* One transfer, or a group of them. */
struct row {
	const struct scope_profile *profile;
	struct cell device;
	struct transfer of; /* the first of a group, ... */
	uint32_t first;     /* ... and its place */
	int64_t calls, total_ns;
	int64_t bytes,
		sized_ns;       /* of those whose bytes are recorded; NUMBER_NONE: none */
	int64_t blocking_calls; /* NUMBER_NONE: no launching call is recorded */
	struct exposure exposure;
};

struct rows {
	struct row *items; /* owned */
	size_t n, cap;
	struct arena arena; /* of devices without a number, and of what is shown */
	enum transfers_by by;
};

/* What getters read beside the row. */
struct showing {
	const struct text_pool *texts;
	struct arena *arena;
};

struct cell bandwidth_cell(int64_t bytes, int64_t ns)
{
	return ns > 0 && bytes >= 0 && !sum_is_stuck(ns) && !sum_is_stuck(bytes)
		       ? cell_real((double)bytes / (double)ns)
		       : cell_null();
}

enum { PLACE_PROFILE, PLACE_RANK, PLACE_DEVICE };

static struct cell get_place(const void *from, const void *row, int what)
{
	const struct row *r = row;

	(void)from;
	if (what == PLACE_DEVICE)
		return r->device;
	if (what == PLACE_PROFILE)
		return cell_int(r->profile->id);
	return scope_rank_cell(r->profile);
}

enum { WHAT_BOTH, WHAT_KIND, WHAT_MEMORY, WHAT_WAIT };

static struct cell get_what(const void *from, const void *row, int what)
{
	const struct transfer *t = &((const struct row *)row)->of;
	const char *kind = transfer_kind_name((enum transfer_kind)t->kind);
	const char *memory = host_memory_name((enum host_memory)t->memory);

	if (what == WHAT_WAIT)
		return cell_text_or_null(transfer_wait_name((enum transfer_wait)t->wait));
	if (what == WHAT_BOTH && memory) /* "HtoD pageable" */
		return cell_text(str_of(arena_printf(
			((const struct showing *)from)->arena, "%s %s", kind, memory)));
	return cell_text_or_null(what == WHAT_MEMORY ? memory : kind);
}

static struct cell get_text(const void *from, const void *row, int arg)
{
	uint32_t text;

	memcpy(&text, (const char *)row + arg, sizeof(text));
	return text_pool_cell(((const struct showing *)from)->texts, text);
}

static struct cell get_bandwidth(const void *from, const void *row, int arg)
{
	const struct row *r = row;

	(void)from, (void)arg;
	return bandwidth_cell(r->bytes, r->sized_ns);
}

#define NUMBER(member) .get = view_number, .arg = (int)offsetof(struct row, member)
#define TEXT(member)   .get = get_text, .arg = (int)offsetof(struct row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Prof", "number of the profile", NULL, UNIT_ID, .get = get_place, .arg = PLACE_PROFILE, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank, null where none is known", NULL, UNIT_ID, .get = get_place, .arg = PLACE_RANK },
	{ "device", "Dev", "device", NULL, UNIT_ID, .get = get_place, .arg = PLACE_DEVICE },
	{ "stream", "Stream", "stream, with --list", NULL, UNIT_ID, NUMBER(of.stream), .needs = SINGLE },
	{ "start_ns", "Start", "start, from the profile's first event, with --list", "start", UNIT_TIME, NUMBER(of.start_ns), .needs = SINGLE },
	{ "dur_ns", "Time", "time, with --list", "time", UNIT_NS, NUMBER(total_ns), .needs = SINGLE },
	{ "transfer", "Transfer", NULL, NULL, UNIT_TEXT, .get = get_what, .arg = WHAT_BOTH, .needs = KINDS, .flags = FIELD_PEOPLE },
	{ "kind", "Kind", "HtoD, DtoH, DtoD, PtoP, HtoH, memset, or copy where the name does not say", NULL, UNIT_TEXT, .get = get_what, .arg = WHAT_KIND, .needs = KINDS },
	{ "memory", "Memory", "pageable, pinned or managed; null where not recorded, or only devices take part", NULL, UNIT_TEXT, .get = get_what, .arg = WHAT_MEMORY, .needs = KINDS },
	{ "step", "Step", "step that launched it, null for none, with --by step or --list", NULL, UNIT_ID, NUMBER(of.step), .needs = STEPS },
	{ "calls", "Calls", "number of transfers", "count", UNIT_COUNT, NUMBER(calls), .needs = SUMS },
	{ "bytes", "Size", "size; null when no transfer has any recorded", "size", UNIT_BYTES, NUMBER(bytes) },
	{ "total_ns", "Time", "time of all transfers", "total time", UNIT_NS, NUMBER(total_ns), .needs = SUMS },
	{ "busy_ns", "Busy", "time with any of them", NULL, UNIT_NS, NUMBER(exposure.busy_ns), .needs = SUMS },
	{ "bandwidth_gbps", "GB/s", "bytes by the time of the transfers that have both", "bandwidth", UNIT_RATIO, .get = get_bandwidth, .leaves = 2 },
	{ "exposed_ns", "Exposed", "time without computation", "exposed", UNIT_NS, NUMBER(exposure.exposed_ns) },
	{ "hidden_ns", "Hidden", "time beside computation", "hidden", UNIT_NS, NUMBER(exposure.hidden_ns) },
	{ "blocking_calls", "Waits", "those that the host waited for; null when no launch is recorded", "waits", UNIT_COUNT, NUMBER(blocking_calls), .needs = SUMS, .leaves = 1 },
	{ "blocking", "Waits", "why the host waited: call, pageable, sync or no, with --list", NULL, UNIT_TEXT, .get = get_what, .arg = WHAT_WAIT, .needs = SINGLE },
	{ "op", "Operator", "operator that launched it, null for none, with --by op or --list", "operator", UNIT_TEXT, TEXT(of.op), .needs = OPS, .least = 12 },
	{ "launch", "Launch", "launching call, with --list", NULL, UNIT_TEXT, TEXT(of.call), .needs = SINGLE },
	{ "name", "Name", "name, with --list", NULL, UNIT_TEXT, TEXT(of.name), .needs = SINGLE },
	{ "id", "ID", "number of the slice: slice.id, with --list", NULL, UNIT_ID, NUMBER(of.slice_id), .needs = SINGLE },
	{ .name = NULL },
};

const struct view transfers_view = {
	.name = "transfers",
	.fields = fields,
	.people = VIEW_PART("profile rank? device? step transfer calls bytes total_ns bandwidth_gbps "
			    "exposed_ns! blocking_calls! op"),
};
/* clang-format on */

unsigned transfers_columns(enum transfers_by by)
{
	static const unsigned columns[] = {
		[TRANSFERS_BY_KIND] = SUMS | KINDS,
		[TRANSFERS_BY_OP] = SUMS | KINDS | OPS,
		[TRANSFERS_BY_STEP] = SUMS | KINDS | STEPS,
		[TRANSFERS_BY_DEVICE] = SUMS,
		[TRANSFERS_SINGLE] = SINGLE | KINDS | OPS | STEPS,
	};

	return columns[by];
}

static const struct view_part people_single[] = {
	{ NULL,
	  "profile rank? device? start_ns dur_ns transfer bytes bandwidth_gbps blocking op" },
	{ .fields = NULL },
};

/* One device for each profile goes without saying, but here. */
static const struct view_part people_by_device[] = {
	{ NULL, "profile rank? device! calls bytes total_ns bandwidth_gbps exposed_ns! "
		"hidden_ns!" },
	{ .fields = NULL },
};

static int compare_keys(enum transfers_by by, const struct transfer *a,
			const struct transfer *b)
{
	int order = sort_order(a->device, b->device);

	if (order || by == TRANSFERS_BY_DEVICE)
		return order;
	order = sort_order(a->kind, b->kind);
	if (!order)
		order = sort_order(a->memory, b->memory);
	if (!order && by == TRANSFERS_BY_OP)
		order = sort_order(a->op, b->op);
	if (!order && by == TRANSFERS_BY_STEP)
		order = sort_order(a->step, b->step);
	return order;
}

/* What compares transfers of a device, or sums of them. */
struct grouping {
	const struct transfer *items;
	const struct row *rows;
	enum transfers_by by;
};

static bool key_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;

	return compare_keys(g->by, &g->items[a], &g->items[b]) < 0;
}

/* By device, step, the longest first, the first. */
static bool sums_before(const void *context, uint32_t a, uint32_t b)
{
	const struct grouping *g = context;
	const struct row *x = &g->rows[a], *y = &g->rows[b];
	int order = sort_order(x->of.device, y->of.device);

	if (!order && g->by == TRANSFERS_BY_STEP)
		order = sort_order(x->of.step, y->of.step);
	if (!order)
		order = sort_order(y->total_ns, x->total_ns);
	if (!order)
		order = sort_order(x->first, y->first);
	return order < 0;
}

static void add_transfer(struct row *row, const struct transfer *t)
{
	int64_t dur_ns = t->end_ns - t->start_ns;

	row->calls++;
	row->total_ns = sum_add(row->total_ns, dur_ns);
	if (t->bytes != NUMBER_NONE) {
		row->bytes =
			sum_add(row->bytes == NUMBER_NONE ? 0 : row->bytes, t->bytes);
		row->sized_ns = sum_add(row->sized_ns, dur_ns);
	}
	if (t->wait != WAIT_UNKNOWN)
		row->blocking_calls =
			(row->blocking_calls == NUMBER_NONE ? 0 : row->blocking_calls) +
			(t->wait != WAIT_NO);
}

/* A profile's transfers; compute: when each device computed. */
struct profile_transfers {
	const struct scope_profile *profile;
	const struct device_work *work;
	const struct transfers *all;
	struct intervals *compute;
};

/* Of the transfers at[0..n), which are of one group. */
static struct row sum_up(const struct profile_transfers *p, const uint32_t *at, size_t n,
			 struct arena *arena)
{
	const struct transfer *first = &p->all->items[at[0]];
	struct row row = { .profile = p->profile,
			   .device = work_device_cell(&p->work->devices[first->device]),
			   .of = *first,
			   .first = at[0],
			   .bytes = NUMBER_NONE,
			   .blocking_calls = NUMBER_NONE };
	struct intervals ran = { .n = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct transfer *t = &p->all->items[at[i]];
		add_transfer(&row, t);
		intervals_add(&ran, t->start_ns, t->end_ns);
	}
	row.exposure = exposure_of(&ran, &p->compute[first->device]);
	intervals_release(&ran);
	if (row.device.type == CELL_TEXT)
		row.device.as.text = arena_copy(arena, row.device.as.text);
	return row;
}

static void add_row(struct rows *to, struct row row)
{
	*ARRAY_PUSH(to->items, to->n, to->cap) = row;
}

static void add_sums(const struct profile_transfers *p, struct rows *to)
{
	struct grouping g = { .items = p->all->items, .by = to->by };
	struct sort_groups groups;

	sort_groups_make(&groups, p->all->n, key_before, &g);
	struct row *rows = xcalloc(groups.n + 1, sizeof(*rows));
	for (size_t i = 0; i < groups.n; i++)
		rows[i] = sum_up(p, groups.items[i].at, groups.items[i].n, &to->arena);
	g.rows = rows;
	uint32_t *order = sorted_places(groups.n, sums_before, &g);
	for (size_t i = 0; i < groups.n; i++)
		add_row(to, rows[order[i]]);
	free(order);
	free(rows);
	sort_groups_release(&groups);
}

static void add_rows(struct profile_transfers *p, struct rows *to)
{
	const struct device_work *work = p->work;

	p->compute = xcalloc(work->ndevices + 1, sizeof(*p->compute));
	for (size_t i = 0; i < work->ndevices; i++)
		device_work_union(work, &work->devices[i], WORK_BIT(WORK_COMPUTE),
				  &p->compute[i]);
	if (to->by != TRANSFERS_SINGLE)
		add_sums(p, to);
	for (uint32_t i = 0; to->by == TRANSFERS_SINGLE && i < p->all->n; i++)
		add_row(to, sum_up(p, &i, 1, &to->arena));
	for (size_t i = 0; i < work->ndevices; i++)
		intervals_release(&p->compute[i]);
	free(p->compute);
}

struct transfers_sources {
	struct text_pool texts;
	struct slice_finder finder;
	struct work_filter choice;
	struct copied_bytes bytes;
	bool has_work; /* any profile has device work */
};

static int open_sources(struct store *store, const struct scope *scope,
			const struct filter *filter, struct transfers_sources *s,
			struct err *err)
{
	if (text_pool_open(store, &s->texts, err) < 0 ||
	    slice_finder_open(store, &s->texts, &s->finder, err) < 0 ||
	    work_filter_open(store, scope, filter, &s->texts, &s->choice, err) < 0)
		return -1;
	return copied_bytes_load(store, &s->bytes, err);
}

static void close_sources(struct transfers_sources *s)
{
	copied_bytes_release(&s->bytes);
	work_filter_close(&s->choice);
	slice_finder_close(&s->finder);
	text_pool_close(&s->texts);
}

static int add_profile(struct store *store, const struct scope_profile *profile,
		       struct transfers_sources *s, struct rows *to, struct err *err)
{
	const struct transfers_from from = { &s->finder, &s->choice, &s->bytes };
	struct device_work work = { .n = 0 };
	struct transfers all = { .n = 0 };
	struct profile_transfers p = { .profile = profile, .work = &work, .all = &all };
	int rc = device_work_load(store, &s->texts, profile, false, &work, err);

	if (rc == 0)
		rc = transfers_load(&from, &work, &all, err);
	if (rc == 0)
		add_rows(&p, to);
	s->has_work |= work.n > 0;
	transfers_release(&all);
	device_work_release(&work);
	return rc;
}

static int add_profiles(struct store *store, const struct scope *scope,
			const struct filter *filter, struct transfers_sources *s,
			struct rows *to, struct err *err)
{
	int rc = open_sources(store, scope, filter, s, err);

	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		rc = add_profile(store, &scope->profiles[i], s, to, err);
	if (rc == 0 && !s->has_work)
		rc = device_work_lacks(store, scope, err);
	if (rc == 0 && !to->n)
		rc = err_set(err, ERR_EMPTY,
			     filter_is_given(filter)
				     ? "no copy or set matches"
				     : "no copy or set of memory was recorded");
	return rc;
}

int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err)
{
	struct view_request show = request->show;
	struct transfers_sources s = { .has_work = false };
	struct rows rows = { .by = request->by };

	if (work_filter_check(request->filter, err) < 0)
		return -1;
	int rc = add_profiles(store, scope, request->filter, &s, &rows, err);
	if (request->by == TRANSFERS_BY_DEVICE)
		show.people = people_by_device;
	if (request->by == TRANSFERS_SINGLE)
		show.people = people_single;
	if (rc == 0) {
		const struct showing from = { &s.texts, &rows.arena };
		const struct view_rows of = { &from, rows.items, rows.n,
					      sizeof(*rows.items) };
		*out = &view_table(&transfers_view, &of, scope, &show)->table;
	}
	close_sources(&s);
	arena_release(&rows.arena);
	free(rows.items);
	return rc;
}
