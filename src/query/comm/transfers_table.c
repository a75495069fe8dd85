/* ptool transfers: see transfers_table.h. */
#include "query/comm/transfers_table.h"

#include <string.h>

#include "query/comm/transfers_rows.h"
#include "query/pick.h"

static const struct column columns[NTRANSFERS_COLUMNS] = {
	[TRANSFERS_PROFILE] = { "profile", "Prof", UNIT_ID },
	[TRANSFERS_RANK] = { "rank", "Rank", UNIT_ID },
	[TRANSFERS_DEVICE] = { "device", "Dev", UNIT_ID },
	[TRANSFERS_STREAM] = { "stream", "Stream", UNIT_ID },
	[TRANSFERS_START] = { "start_ns", "Start", UNIT_TIME },
	[TRANSFERS_DUR] = { "dur_ns", "Time", UNIT_NS },
	[TRANSFERS_WHAT] = { "transfer", "Transfer", UNIT_TEXT },
	[TRANSFERS_KIND] = { "kind", "Kind", UNIT_TEXT },
	[TRANSFERS_MEMORY] = { "memory", "Memory", UNIT_TEXT },
	[TRANSFERS_STEP] = { "step", "Step", UNIT_ID },
	[TRANSFERS_CALLS] = { "calls", "Calls", UNIT_COUNT },
	[TRANSFERS_BYTES] = { "bytes", "Size", UNIT_BYTES },
	[TRANSFERS_TOTAL] = { "total_ns", "Time", UNIT_NS },
	[TRANSFERS_BUSY] = { "busy_ns", "Busy", UNIT_NS },
	[TRANSFERS_BANDWIDTH] = { "bandwidth_gbps", "GB/s", UNIT_RATIO },
	[TRANSFERS_EXPOSED] = { "exposed_ns", "Exposed", UNIT_NS },
	[TRANSFERS_HIDDEN] = { "hidden_ns", "Hidden", UNIT_NS },
	[TRANSFERS_BLOCKING] = { "blocking_calls", "Waits", UNIT_COUNT },
	[TRANSFERS_WAIT] = { "blocking", "Waits", UNIT_TEXT },
	[TRANSFERS_OP] = { "op", "Operator", UNIT_TEXT },
	[TRANSFERS_CALL] = { "launch", "Launch", UNIT_TEXT },
	[TRANSFERS_NAME] = { "name", "Name", UNIT_TEXT },
	[TRANSFERS_ID] = { "id", "ID", UNIT_ID },
};

/* People's tables have room for what they look at in 80 columns. */
static const enum shown sums_shown[NTRANSFERS_COLUMNS] = {
	[TRANSFERS_PROFILE] = SHOWN_IF_PROFILES,
	[TRANSFERS_RANK] = SHOWN_IF_RANKS,
	[TRANSFERS_STREAM] = SHOWN_NEVER,
	[TRANSFERS_START] = SHOWN_NEVER,
	[TRANSFERS_DUR] = SHOWN_NEVER,
	[TRANSFERS_WHAT] = SHOWN_TO_PEOPLE,
	[TRANSFERS_KIND] = SHOWN_TO_MACHINES,
	[TRANSFERS_MEMORY] = SHOWN_TO_MACHINES,
	[TRANSFERS_STEP] = SHOWN_NEVER,
	[TRANSFERS_BUSY] = SHOWN_TO_MACHINES,
	[TRANSFERS_HIDDEN] = SHOWN_TO_MACHINES,
	[TRANSFERS_WAIT] = SHOWN_NEVER,
	[TRANSFERS_OP] = SHOWN_NEVER,
	[TRANSFERS_CALL] = SHOWN_NEVER,
	[TRANSFERS_NAME] = SHOWN_NEVER,
	[TRANSFERS_ID] = SHOWN_NEVER,
};

static const enum shown single_shown[NTRANSFERS_COLUMNS] = {
	[TRANSFERS_PROFILE] = SHOWN_IF_PROFILES,
	[TRANSFERS_RANK] = SHOWN_IF_RANKS,
	[TRANSFERS_STREAM] = SHOWN_TO_MACHINES,
	[TRANSFERS_WHAT] = SHOWN_TO_PEOPLE,
	[TRANSFERS_KIND] = SHOWN_TO_MACHINES,
	[TRANSFERS_MEMORY] = SHOWN_TO_MACHINES,
	[TRANSFERS_STEP] = SHOWN_TO_MACHINES,
	[TRANSFERS_CALLS] = SHOWN_NEVER,
	[TRANSFERS_TOTAL] = SHOWN_NEVER,
	[TRANSFERS_BUSY] = SHOWN_NEVER,
	[TRANSFERS_EXPOSED] = SHOWN_TO_MACHINES,
	[TRANSFERS_HIDDEN] = SHOWN_TO_MACHINES,
	[TRANSFERS_BLOCKING] = SHOWN_NEVER,
	[TRANSFERS_BANDWIDTH] = SHOWN_TO_MACHINES,
	[TRANSFERS_CALL] = SHOWN_TO_MACHINES,
	[TRANSFERS_NAME] = SHOWN_TO_MACHINES,
	[TRANSFERS_ID] = SHOWN_TO_MACHINES,
};

/* One device for each profile goes without saying, to people. */
static void choose_columns(const struct transfers_request *request, bool several_devices,
			   enum shown *shown)
{
	enum transfers_by by = request->by;

	memcpy(shown, by == TRANSFERS_SINGLE ? single_shown : sums_shown,
	       sizeof(sums_shown));
	if (!several_devices)
		shown[TRANSFERS_DEVICE] = SHOWN_TO_MACHINES;
	if (by == TRANSFERS_BY_OP) {
		shown[TRANSFERS_OP] = SHOWN_ALWAYS;
		shown[TRANSFERS_BANDWIDTH] = SHOWN_TO_MACHINES;
		shown[TRANSFERS_BLOCKING] = SHOWN_TO_MACHINES;
	}
	if (by == TRANSFERS_BY_STEP) {
		shown[TRANSFERS_STEP] = SHOWN_ALWAYS;
		shown[TRANSFERS_BLOCKING] = SHOWN_TO_MACHINES;
	}
	if (by == TRANSFERS_BY_DEVICE) {
		shown[TRANSFERS_DEVICE] = SHOWN_ALWAYS;
		shown[TRANSFERS_WHAT] = SHOWN_NEVER;
		shown[TRANSFERS_KIND] = shown[TRANSFERS_MEMORY] = SHOWN_NEVER;
		shown[TRANSFERS_HIDDEN] = SHOWN_ALWAYS;
		shown[TRANSFERS_BLOCKING] = SHOWN_TO_MACHINES;
	}
}

struct transfers_sources {
	struct text_pool texts;
	struct slice_finder finder;
	struct work_filter choice;
	struct copied_bytes bytes;
	bool has_work;        /* any profile has device work */
	bool several_devices; /* any profile has transfers of several */
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
	for (size_t i = 0; i < transfers.n; i++)
		s->several_devices |=
			transfers.items[i].device != transfers.items[0].device;
	transfers_release(&transfers);
	device_work_release(&work);
	return rc;
}

static int add_profiles(struct store *store, const struct scope *scope,
			const struct transfers_request *request, struct memtable *to,
			bool *several_devices, struct err *err)
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
	*several_devices = s.several_devices;
	close_sources(&s);
	return rc;
}

int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err)
{
	enum shown shown[NTRANSFERS_COLUMNS];
	bool several_devices;

	*out = NULL;
	if (work_filter_check(request->filter, err) < 0)
		return -1;
	struct memtable *rows = memtable_new(columns, NTRANSFERS_COLUMNS);
	if (add_profiles(store, scope, request, rows, &several_devices, err) < 0) {
		table_free(&rows->table);
		return -1;
	}
	rows->table.total_rows = (int64_t)rows->nrows;
	if (request->limit && (uint64_t)request->limit < rows->nrows)
		rows->nrows = (size_t)request->limit;
	choose_columns(request, several_devices, shown);
	*out = table_pick(&rows->table, shown, scope, request->for_people);
	return 0;
}
