/* ptool transfers: see transfers_table.h. */
#include "query/comm/transfers_table.h"

#include "query/comm/transfers_rows.h"

/* What rows of a table have; each way to group has some of these. */
enum { SUMS = 1, KINDS = 2, OPS = 4, STEPS = 8, SINGLE = 16 };

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Prof", "profile", NULL, UNIT_ID, CELL(TRANSFERS_PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, CELL(TRANSFERS_RANK) },
	{ "device", "Dev", "device", NULL, UNIT_ID, CELL(TRANSFERS_DEVICE) },
	{ "stream", "Stream", "stream, with --list", NULL, UNIT_ID, CELL(TRANSFERS_STREAM), .needs = SINGLE },
	{ "start_ns", "Start", "start, with --list", "start", UNIT_TIME, CELL(TRANSFERS_START), .needs = SINGLE },
	{ "dur_ns", "Time", "time, with --list", "time", UNIT_NS, CELL(TRANSFERS_DUR), .needs = SINGLE },
	{ "transfer", "Transfer", NULL, NULL, UNIT_TEXT, CELL(TRANSFERS_WHAT), .needs = KINDS, .flags = FIELD_PEOPLE },
	{ "kind", "Kind", "kind", NULL, UNIT_TEXT, CELL(TRANSFERS_KIND), .needs = KINDS },
	{ "memory", "Memory", "memory of the host", NULL, UNIT_TEXT, CELL(TRANSFERS_MEMORY), .needs = KINDS },
	{ "step", "Step", "step", NULL, UNIT_ID, CELL(TRANSFERS_STEP), .needs = STEPS },
	{ "calls", "Calls", "number of transfers", "count", UNIT_COUNT, CELL(TRANSFERS_CALLS), .needs = SUMS },
	{ "bytes", "Size", "size", "size", UNIT_BYTES, CELL(TRANSFERS_BYTES) },
	{ "total_ns", "Time", "time of all transfers", "total time", UNIT_NS, CELL(TRANSFERS_TOTAL), .needs = SUMS },
	{ "busy_ns", "Busy", "time with any of them", NULL, UNIT_NS, CELL(TRANSFERS_BUSY), .needs = SUMS },
	{ "bandwidth_gbps", "GB/s", "bandwidth", "bandwidth", UNIT_RATIO, CELL(TRANSFERS_BANDWIDTH), .leaves = 2 },
	{ "exposed_ns", "Exposed", "time without computation", "exposed", UNIT_NS, CELL(TRANSFERS_EXPOSED) },
	{ "hidden_ns", "Hidden", "time beside computation", "hidden", UNIT_NS, CELL(TRANSFERS_HIDDEN) },
	{ "blocking_calls", "Waits", "transfers that the host waited for", "waits", UNIT_COUNT, CELL(TRANSFERS_BLOCKING), .needs = SUMS, .leaves = 1 },
	{ "blocking", "Waits", "how the host waited, with --list", NULL, UNIT_TEXT, CELL(TRANSFERS_WAIT), .needs = SINGLE },
	{ "op", "Operator", "operator", "operator", UNIT_TEXT, CELL(TRANSFERS_OP), .needs = OPS, .least = 12 },
	{ "launch", "Launch", "launching call, with --list", NULL, UNIT_TEXT, CELL(TRANSFERS_CALL), .needs = SINGLE },
	{ "name", "Name", "name, with --list", NULL, UNIT_TEXT, CELL(TRANSFERS_NAME), .needs = SINGLE },
	{ "id", "ID", "slice, with --list", NULL, UNIT_ID, CELL(TRANSFERS_ID), .needs = SINGLE },
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
		       enum transfers_by by, struct transfers_sources *s,
		       struct memtable *to, struct err *err)
{
	const struct transfers_from from = { &s->finder, &s->choice, &s->bytes };
	struct device_work work = { .n = 0 };
	struct transfers transfers = { .n = 0 };
	int rc = device_work_load(store, &s->texts, profile, false, &work, err);

	if (rc == 0)
		rc = transfers_load(&from, &work, &transfers, err);
	const struct transfers_rows rows = { profile, &s->texts, &work, &transfers, by };
	if (rc == 0 && by == TRANSFERS_SINGLE)
		transfers_add_single(&rows, to);
	else if (rc == 0)
		transfers_add_sums(&rows, to);
	s->has_work |= work.n > 0;
	transfers_release(&transfers);
	device_work_release(&work);
	return rc;
}

static int add_profiles(struct store *store, const struct scope *scope,
			const struct transfers_request *request, struct memtable *to,
			struct err *err)
{
	struct transfers_sources s = { .has_work = false };
	int rc = open_sources(store, scope, request->filter, &s, err);

	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		rc = add_profile(store, &scope->profiles[i], request->by, &s, to, err);
	if (rc == 0 && !s.has_work)
		rc = device_work_lacks(store, scope, err);
	if (rc == 0 && !to->nrows)
		rc = err_set(err, ERR_EMPTY,
			     filter_is_given(request->filter)
				     ? "no copy or set matches"
				     : "no copy or set of memory was recorded");
	close_sources(&s);
	return rc;
}

int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err)
{
	struct view_request show = request->show;
	struct memtable *rows = memtable_new(NULL, NTRANSFERS_COLUMNS);
	int rc = work_filter_check(request->filter, err);

	if (rc == 0)
		rc = add_profiles(store, scope, request, rows, err);
	if (request->by == TRANSFERS_BY_DEVICE)
		show.people = people_by_device;
	if (request->by == TRANSFERS_SINGLE)
		show.people = people_single;
	if (rc == 0)
		*out = &view_of_cells(&transfers_view, rows, scope, &show)->table;
	table_free(&rows->table);
	return rc;
}
