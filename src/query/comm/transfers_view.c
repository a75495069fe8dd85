/* ptool transfers: see transfers.h. */
#include "query/comm/transfers_rows.h"

#include <string.h>

#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/work_profiles.h"
#include "query/devices/work_times.h"
#include "query/query.h"

/* What rows of a table have; each way to group has some of these. */
enum { SUMS = 1, KINDS = 2, OPS = 4, STEPS = 8, SINGLE = 16 };

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
	const struct transfer_row *r = row;

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
	const struct transfer *t = &((const struct transfer_row *)row)->of;
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
	const struct transfer_row *r = row;

	(void)from, (void)arg;
	return bandwidth_cell(r->bytes, r->sized_ns);
}

#define NUMBER(member) \
	.get = view_number, .arg = (int)offsetof(struct transfer_row, member)
#define TEXT(member) .get = get_text, .arg = (int)offsetof(struct transfer_row, member)

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
	{ "exposed_ns", "Exposed", "time during which no kernel computed", "exposed", UNIT_NS, NUMBER(exposure.exposed_ns) },
	{ "hidden_ns", "Hidden", "time during which a kernel computed", "hidden", UNIT_NS, NUMBER(exposure.hidden_ns) },
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

struct transfers_view {
	struct transfers_sources sources;
	struct summary_reader summaries;
	struct transfer_rows rows;
	bool has_work;   /* any profile has device work */
	bool has_copies; /* and copies or sets, when slices are read */
};

static int add_slices(struct transfers_view *v, const struct scope_profile *profile,
		      enum transfers_by by, struct err *err)
{
	struct device_work work;
	struct transfers all = { .n = 0 };
	int rc = device_work_load(v->sources.store, v->sources.texts, profile,
				  WORK_WITH_OPS, &work, err);

	if (rc == 0)
		rc = transfers_load(&v->sources, profile, &work, &all, err);
	if (rc == 0)
		transfer_rows_add(&v->rows, by, profile, &work, &all);
	v->has_work |= work.n > 0;
	for (size_t i = 0; i < work.n && !v->has_copies; i++)
		v->has_copies = work_kind_is_memory((enum work_kind)work.items[i].kind);
	transfers_release(&all);
	device_work_release(&work);
	return rc;
}

static int add_profiles(struct transfers_view *v, const struct scope *scope,
			const struct transfers_request *request, struct err *err)
{
	bool is_whole = !filter_is_given(request->filter);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		bool is_there = false;
		if (is_whole)
			rc = transfer_rows_stored(&v->rows, request->by, &v->summaries,
						  &scope->profiles[i], &is_there, err);
		if (rc == 0 && !is_there)
			rc = add_slices(v, &scope->profiles[i], request->by, err);
	}
	if (rc == 0 && !v->rows.n && !v->has_work)
		rc = device_work_is_there(v->sources.store, scope->ids, &v->has_work,
					  err);
	if (rc == 0 && !v->rows.n && !v->has_work)
		rc = device_work_lacks(v->sources.store, scope, err);
	if (rc == 0 && !v->rows.n)
		rc = err_set(err, ERR_EMPTY,
			     v->has_copies ? "no copy or set matches"
					   : "no copy or set of memory was recorded");
	return rc;
}

static struct memtable *table_of(const struct transfers_view *v,
				 const struct scope *scope,
				 const struct transfers_request *request,
				 struct arena *arena)
{
	const struct showing from = { v->sources.texts, arena };
	const struct view_rows of = { &from, v->rows.items, v->rows.n,
				      sizeof(*v->rows.items) };
	struct view_request show = request->show;

	if (request->by == TRANSFERS_BY_DEVICE)
		show.people = people_by_device;
	if (request->by == TRANSFERS_SINGLE)
		show.people = people_single;
	return view_table(&transfers_view, &of, scope, &show);
}

int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err)
{
	struct text_pool texts;
	struct transfers_view v = { .rows.texts = &texts };

	if (work_filter_check(request->filter, err) < 0)
		return -1;
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0)
		rc = transfers_sources_open(store, scope, request->filter, &texts,
					    &v.sources, err);
	if (rc == 0)
		rc = summary_reader_open(store, &texts, &v.summaries, err);
	if (rc == 0)
		rc = add_profiles(&v, scope, request, err);
	if (rc == 0)
		*out = &table_of(&v, scope, request, &v.rows.arena)->table;
	summary_reader_close(&v.summaries);
	transfers_sources_close(&v.sources);
	text_pool_close(&texts);
	transfer_rows_release(&v.rows);
	return rc;
}
