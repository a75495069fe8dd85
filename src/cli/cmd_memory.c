/* ptool memory: what was allocated, when, by what, and what stayed. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/table_command.h"
#include "cli/view_options.h"
#include "query/memory/memory.h"
#include "query/memory/memory_samples.h"

struct memory_opts {
	struct table_opts on;
	const char *by, *min_bytes, *min_share;
	bool views[NMEMORY_VIEWS];
	int64_t limit;
	struct opt_strings device; /* names: the shared filter takes numbers */
};

#define FIELD(member)      offsetof(struct memory_opts, member)
#define INTO(type, member) OPT_INTO(type, struct memory_opts, member)

/* By enum memory_by. */
static const char *const bys[] = { "op", "size", "step", NULL };

/* clang-format off */
static const struct opt memory_views[] = {
	{ .name = "stats", .help = "bytes that each operator allocated and freed",
	  INTO(FLAG, views[MEMORY_VIEW_STATS]) },
	{ .name = "live", .help = "blocks that were live at each device's peak",
	  INTO(FLAG, views[MEMORY_VIEW_LIVE]) },
	{ .name = "events", .help = "every block: when it was allocated and how long it lived",
	  INTO(FLAG, views[MEMORY_VIEW_EVENTS]) },
	{ .name = "curve", .help = "every event, with the running totals after it",
	  INTO(FLAG, views[MEMORY_VIEW_CURVE]) },
	{ .name = "growth", .help = "memory at the start and end of each step, and its growth",
	  INTO(FLAG, views[MEMORY_VIEW_GROWTH]) },
	{ .name = "leaks", .help = "operators whose blocks from a step are still allocated at the end",
	  INTO(FLAG, views[MEMORY_VIEW_LEAKS]) },
	{ .name = "spikes", .help = "sudden rises of memory",
	  INTO(FLAG, views[MEMORY_VIEW_SPIKES]) },
	{ .name = "oom", .help = "failed allocations (out of memory)",
	  INTO(FLAG, views[MEMORY_VIEW_OOM]) },
	OPT_END
};

static const struct opt memory_options[] = {
	{ .name = "limit", .arg = "ROWS", .help = "show this many rows (per device in ranked tables), 0 for all",
	  INTO(UINT, limit), .short_name = 'n' },
	{ .name = "by", .arg = "WHAT", .help = "what to group the rows of --live by",
	  .choices = bys, INTO(CHOICE, by) },
	{ .name = "min-bytes", .arg = "SIZE", .help = "only blocks of this size or more (--events; 64K, 1M)",
	  INTO(STRING, min_bytes) },
	{ .name = "min-share", .arg = "PERCENT", .help = "smallest rise of a spike, as a share of the peak (--spikes)",
	  INTO(STRING, min_share) },
	OPT_END
};

/* Of the shared filters those that memory events have; a device is torch's. */
static const struct opt memory_filters[] = {
	{ .name = "focus", .arg = "RE", .help = "only operators that match the regular expression",
	  INTO(STRING, on.filter.focus), .short_name = 'F' },
	{ .name = "ignore", .arg = "RE", .help = "no operators that match the regular expression",
	  INTO(STRING, on.filter.ignore), .short_name = 'N' },
	{ .name = "device", .arg = "DEVICE", .help = "only these devices (cpu, cuda:0, cuda, 0)",
	  INTO(STRINGS, device) },
	{ .name = "step", .arg = "A..B", .help = "only events in these steps, both ends included",
	  INTO(STRING, on.filter.step) },
	FILTER_PHASE(struct memory_opts, on.filter.phase),
	{ .name = "time", .arg = "A..B", .help = "only events in this interval of the recording (1ms..2.5ms)",
	  INTO(STRING, on.filter.time) },
	OPT_END
};

static const struct opt_group memory_groups[] = {
	TABLE_OPERAND,
	{ "Views (default: the peaks)", memory_views, 0, false },
	{ "", memory_options, 0, false },
	{ "Filters", memory_filters, 0, true },
	TABLE_GROUPS,
	OPT_GROUP_END
};
/* clang-format on */

static const struct memory_opts defaults = {
	.by = "op", .limit = VIEW_LIMIT_PEOPLE, .min_share = "10", .on = TABLE_DEFAULTS
};

/* "--stats" of a view; the row of a flag tells where its view lies. */
static const char *flag_of(enum memory_view view)
{
	for (const struct opt *o = memory_views; o->name; o++)
		if (o->offset == FIELD(views[view]))
			return o->name;
	return NULL;
}

static int find_view(const struct memory_opts *o, enum memory_view *view, struct err *err)
{
	*view = MEMORY_VIEW_PEAKS;
	for (int i = 0; i < NMEMORY_VIEWS; i++) {
		if (!o->views[i])
			continue;
		if (*view != MEMORY_VIEW_PEAKS)
			return err_set(err, ERR_USAGE,
				       "--%s and --%s are separate tables: give one",
				       flag_of(*view), flag_of((enum memory_view)i));
		*view = (enum memory_view)i;
	}
	return 0;
}

static enum memory_by by_of(const char *word)
{
	int i = 0;

	while (bys[i] && strcmp(bys[i], word) != 0)
		i++;
	return (enum memory_by)i;
}

static int parse_share(const char *text, double *pct, struct err *err)
{
	char *end;

	*pct = strtod(text, &end);
	if (end != text && *end == '%')
		end++;
	if (end != text && !*end && *pct >= 0 && *pct <= 100)
		return 0;
	return err_set(err, ERR_USAGE, "--min-share wants 0 to 100 percent, not '%.100s'",
		       text);
}

static bool is_changed(const char *value, const char *usual)
{
	return value && (!usual || strcmp(value, usual) != 0);
}

/* Options that the view does not look at would be taken for an answer. */
static int check_view(const struct memory_opts *o, enum memory_view view, struct err *err)
{
	bool has_ops = view != MEMORY_VIEW_PEAKS && view != MEMORY_VIEW_GROWTH;
	bool has_live = view == MEMORY_VIEW_LIVE || view == MEMORY_VIEW_PEAKS;

	if ((o->on.filter.focus || o->on.filter.ignore) && !has_ops)
		return err_set(err, ERR_USAGE,
			       "--focus and --ignore choose operators; the peaks and "
			       "--growth have none");
	if (o->min_bytes && view != MEMORY_VIEW_EVENTS)
		return err_set(err, ERR_USAGE, "--min-bytes is for --events");
	if (is_changed(o->min_share, defaults.min_share) && view != MEMORY_VIEW_SPIKES)
		return err_set(err, ERR_USAGE, "--min-share is for --spikes");
	if (is_changed(o->by, defaults.by) && !has_live)
		return err_set(err, ERR_USAGE, "--by is for --live");
	return 0;
}

static int make_request(const void *options, const struct filter *filter, void *into,
			struct err *err)
{
	const struct memory_opts *o = options;
	struct memory_request *request = into;

	*request = (struct memory_request){ .by = by_of(o->by),
					    .filter = filter,
					    .limit = o->limit };
	if (find_view(o, &request->view, err) < 0 ||
	    check_view(o, request->view, err) < 0 ||
	    parse_share(o->min_share, &request->min_share_pct, err) < 0)
		return -1;
	if (o->min_bytes && !units_parse_bytes(str_of(o->min_bytes), &request->min_bytes))
		return err_set(err, ERR_USAGE,
			       "--min-bytes wants a size (4096, 512K, 1M), not '%.100s'",
			       o->min_bytes);
	for (size_t i = 0; i < o->device.n; i++)
		if (memory_specs_add(&request->devices, o->device.items[i], err) < 0)
			return -1;
	return 0;
}

static int open_memory(const struct reading *r, void *from, struct table **out,
		       struct err *err)
{
	struct memory_request *request = from;

	request->for_people = r->for_people;
	if (request->limit < 0)
		request->limit = r->for_people ? -request->limit : 0;
	return memory_open(r->store, r->scope, request, out, err);
}

static const char *nothing_of(const void *request)
{
	return memory_nothing(((const struct memory_request *)request)->view);
}

static const char *const examples[] = {
	"ptool memory trace.json",
	"ptool memory --stats --device cuda:0 --limit 20",
	"ptool memory --live --by size",
	"ptool memory --leaks",
	"ptool memory --events --min-bytes 1M --format csv -o blocks.csv",
	"ptool memory mprofile_20261122.dat",
	NULL
};

static const struct table_command table = {
	.request_size = sizeof(struct memory_request),
	.make = make_request,
	.open = open_memory,
	.nothing_of = nothing_of,
};

const struct command cmd_memory = {
	.name = "memory",
	.part = COMMAND_MEMORY,
	.question = "What fills the memory, when, and what is never freed?",
	.summary = "Show how much memory was allocated, when and by what",
	.groups = memory_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.views = COMMAND_VIEWS(&memory_peaks_view, &memory_live_view, &memory_stats_view,
			       &memory_block_view, &memory_event_view,
			       &memory_growth_view, &memory_leak_view,
			       &memory_spikes_view, &memory_processes_view,
			       &memory_functions_view, &memory_samples_view),
	.exits = EXITS_READING(
		"there are rows; or there is no leak, spike or failed allocation, which is an answer",
		"nothing matches; or the recording lacks memory events, addresses (torch 1.10 and newer) or steps"),
	.table = &table,
};
