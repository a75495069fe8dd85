/* Tabs of a page: see report_tabs.h. */
#include "cli/report_tabs.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/machine.h"
#include "cli/report_charts.h"
#include "cli/report_flame.h"
#include "cli/report_timeline.h"
#include "cli/table_command.h"
#include "query/recorded.h"
#include "query/short_name.h"
#include "report/page_table.h"

#define TRACES      REPORT_KIND(SCOPE_TRACES)
#define CALL_GRAPHS REPORT_KIND(SCOPE_CALL_GRAPHS)
#define SAMPLES     REPORT_KIND(SCOPE_SAMPLES)
#define LINES       REPORT_KIND(SCOPE_LINES)
#define ALL         (TRACES | CALL_GRAPHS | SAMPLES | LINES)

/* clang-format off */
#define TABLES(...) (const struct report_table[]){ __VA_ARGS__, { .line = NULL } }

#define OF_DEVICES "busy_pct the span;utilization_pct the steps;sm_efficiency_pct the time of SMs;" \
		   "occupancy_pct the warps of an SM;tensor_core_pct kernel time"

static const struct report_tab tabs[] = {
	{ "overview", "Overview", ALL, .add = report_overview, .is_slow = true },
	{ "timeline", "Timeline", TRACES, .add = report_timeline, .is_slow = true },
	{ "operators", "Operators", TRACES, .tables = TABLES(
		{ "top -n 0 --wide", "table-operators", "Operators",
		  "self is without what was called", .bar = "self_cpu_ns cpu;self_device_ns kernel",
		  .of = "self_device_pct self device time;total_device_pct self device time;* self CPU time", .has_slices = true }) },
	{ "functions", "Functions", CALL_GRAPHS | SAMPLES | LINES, .tables = TABLES(
		{ "top -n 0 --wide", "table-functions", "Functions",
		  "self is without what was called",
		  .bar = "self_ns python;self_count python;self_bytes python;total_ns python",
		  .of = "* all" }) },
	{ "lines", "Lines", LINES, .tables = TABLES(
		{ "lines -n 0 --wide", "table-lines", "Lines", "of each function, the hottest first",
		  .bar = "self_ns python;time_ns python", .of = "* the function" }) },
	{ "kernels", "Kernels", TRACES, .tables = TABLES(
		{ "kernels -n 0 --wide", "table-kernels", "Kernels", "on all streams",
		  .bar = "total_ns kernel", .of = "occupancy_pct the warps of an SM;* kernel time", .has_slices = true }) },
	{ "idle", "Idle", TRACES, .add = report_idle },
	{ "steps", "Steps", TRACES, .add = report_steps, .tables = TABLES(
		{ "steps --by phase --wide", "table-phases", "Phases of the inference engine", "prefill and decode", .bar = "total_ns kernel",
		  .of = "utilization_pct the steps;* device time", .is_silent = true, .is_of_phases = true },
		{ "steps --wide", "table-steps", "What each step took", .bar = "total_ns kernel", .of = "* the step" },
		{ "devices --wide", "table-devices", "Devices", "how busy they were, and with what", .of = OF_DEVICES, .is_silent = true },
		{ "streams --wide", "table-streams", "Streams", "what each did", .is_silent = true }) },
	{ "memory", "Memory", TRACES, .add = report_memory, .tables = TABLES(
		{ "memory --wide", "table-peaks", "Peaks, and what was live at them", .bar = "bytes memcpy", .of = "* the peak" },
		{ "memory --stats -n 0 --wide", "table-allocations", "What operators allocated", .is_silent = true },
		{ "memory --growth -n 0 --wide", "table-growth", "Growth from step to step", .is_silent = true },
		{ "memory --spikes -n 0 --wide", "table-spikes", "Sudden rises", .of = "* the peak", .is_silent = true }) },
	{ "transfers", "Transfers", TRACES, .tables = TABLES(
		{ "transfers --by op -n 0 --wide", "table-transfers-by", "Copies and sets",
		  "by kind, memory and the operator that asked", .bar = "total_ns memcpy" }) },
	{ "comm", "Communication", TRACES, .tables = TABLES(
		{ "comm -n 0 --wide", "table-comm", "Collectives", .bar = "total_ns comm" },
		{ "comm --ranks -n 0 --wide", "table-ranks", "Ranks", "who waited for whom", .is_silent = true }) },
	{ "modules", "Modules", TRACES, .tables = TABLES(
		{ "modules -n 0 --wide", "table-modules", "Calls of nn.Module", .bar = "total_ns cpu;device_ns kernel" }) },
	{ "roofline", "Roofline", TRACES, .is_rare = true, .tables = TABLES(
		{ "roofline -n 100 --wide", "table-roofline", "How close operators come to the peak of the device",
		  "the 100 with most time to win", .bar = "left_ns data;device_ns kernel",
		  .only = "name people_shapes people_dtypes calls device_ns host_ns tflops people_gbs peak_pct bandwidth_pct bound roof_pct left_ns",
		  .of = "roof_pct its time;peak_pct the peak of the type;bandwidth_pct the memory's speed", .has_slices = true, .is_silent = true }) },
	{ "compile", "Compiled", TRACES, .is_rare = true, .tables = TABLES(
		{ "compile -n 0 --wide", "table-compile", "Frames that torch.compile compiled", .bar = "total_ns cpu;device_ns kernel", .is_silent = true },
		{ "compile --by step -n 0 --wide", "table-compile-steps", "Compiled regions of each step", .is_silent = true },
		{ "compile --by kernel -n 0 --wide", "table-compile-kernels", "Kernels of compiled code", .bar = "total_ns kernel", .is_silent = true }) },
	{ "graphs", "Graphs", TRACES, .is_rare = true, .tables = TABLES(
		{ "graphs -n 0 --wide", "table-graphs", "Replayed graphs", "CUDA and HIP graphs", .bar = "total_ns kernel",
		  .of = "device_pct device time;named_pct the graph", .is_silent = true }) },
	{ "flame", "Call tree", TRACES | CALL_GRAPHS | SAMPLES, .add = report_flame, .is_slow = true },
	{ "recording", "Recording", ALL, .tables = TABLES(
		{ "info --wide", "table-info", "What was recorded", .of = OF_DEVICES },
		{ "doctor --wide", "table-doctor", "What was wrong with it", .bar = NULL }) },
	{ .id = NULL },
};
/* clang-format on */

const char *report_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(path, "-") == 0)
		return "standard input";
	return slash && slash[1] ? slash + 1 : path;
}

#define NTABS (sizeof(tabs) / sizeof(*tabs))

struct table_place {
	struct report_making *making;
	const struct report_table *table;
};

static int use(void *to, struct table *t, struct err *err)
{
	const struct table_place *place = to;
	struct report_making *m = place->making;
	const struct page_table how = {
		.id = arena_printf(&m->page->arena, "%s%s", m->id, place->table->id),
		.title = arena_printf(&m->page->arena, "%s%s", m->title,
				      place->table->title),
		.about = place->table->about,
		.bar = place->table->bar,
		.of = place->table->of,
		.only = place->table->only,
		.has_slices = place->table->has_slices,
		.shorten = short_name_add,
	};

	int rc = page_table(m->page, &how, t, err);
	m->ntables += rc > 0;
	return rc;
}

int report_table_add(struct report_making *m, const struct report_table *table,
		     struct err *err)
{
	struct table_place place = { m, table };
	struct err why = ERR_INIT;
	struct recorded recorded;

	if (table->is_of_phases) {
		if (recorded_load(m->reading->store, m->reading->scope, &recorded, err) <
		    0)
			return -1;
		if (!recorded.phases)
			return 0;
	}
	int rc = table_command_use(table->line, m->reading,
				   &(struct table_use){ use, &place }, &why);

	if (rc < 0) {
		*err = why;
		return -1;
	}
	if (rc == 0 && !table->is_silent && why.text[0])
		page_part(m->page->body, "absent",
			  PAGE_SLOTS(PAGE_TEXT("text", str_of(why.text))));
	return 0;
}

/* A tab that is made apart from the others, perhaps by another thread. */
struct tab_job {
	const struct report_making *of;
	const struct report_tab *tab;
	struct page page;
	struct err err;
	int rc;
	bool is_empty;
};

static int fill(const struct report_tab *tab, struct report_making *m, struct err *err)
{
	page_tab(m->page, tab->id, tab->title);
	if (tab->add && tab->add(m, err) < 0)
		return -1;
	for (const struct report_table *t = tab->tables; t && t->line; t++)
		if (report_table_add(m, t, err) < 0)
			return -1;
	return 0;
}

/* Those that take longest first, lest one is left over at the end. */
static void make_tab(void *order, size_t i)
{
	struct tab_job *job = ((struct tab_job **)order)[i];
	struct report_making m = *job->of;
	struct reading reading = *m.reading;
	struct store *own = NULL;

	page_init(&job->page, m.page->title);
	m.page = &job->page;
	m.reading = &reading;
	job->err = (struct err)ERR_INIT;
	if (m.path)
		job->rc = store_open(m.path, &own, &job->err);
	if (own)
		reading.store = own;
	if (job->rc == 0)
		job->rc = fill(job->tab, &m, &job->err);
	job->is_empty = m.ntables == 0;
	store_close(own);
}

/* The pages of the tabs, in their order; each is released. */
static int join_tabs(struct page *page, struct tab_job *jobs, size_t n, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		if (rc == 0 && jobs[i].rc < 0) {
			*err = jobs[i].err;
			rc = -1;
		}
		if (rc == 0 && !(jobs[i].tab->is_rare && jobs[i].is_empty))
			page_append(page, &jobs[i].page);
		page_release(&jobs[i].page);
	}
	return rc;
}

/* A thread holds the device work of a tab: more of them take more memory than they help. */
#define THREADS_MAX 3

int report_tabs_add(struct report_making *m, struct err *err)
{
	struct tab_job *jobs = xcalloc(NTABS, sizeof(*jobs)), *order[NTABS];
	uint64_t cores = machine_cores();
	unsigned others = 0;
	size_t n = 0, ordered = 0;

	if (!scope_has_slices(
		    m->reading->scope)) /* another connection would not know it */
		m->path = NULL;
	for (const struct report_tab *tab = tabs; tab->id; tab++)
		if (tab->kinds & REPORT_KIND(m->kind))
			jobs[n++] = (struct tab_job){ .of = m, .tab = tab };
	if (m->path && cores > 1)
		others = (unsigned)(cores < THREADS_MAX ? cores : THREADS_MAX) - 1;
	for (int slow = 1; slow >= 0; slow--)
		for (size_t i = 0; i < n; i++)
			if (jobs[i].tab->is_slow == (bool)slow)
				order[ordered++] = &jobs[i];
	crew_run(others, n, make_tab, order);
	int rc = join_tabs(m->page, jobs, n, err);
	free(jobs);
	return rc;
}
