/* Kernels as a view: its columns, the words of --by, and its notes. */
#include <inttypes.h>

#include "query/axis_fields.h"
#include "query/kernels/kernels.h"
#include "query/query.h"
#include "query/top/top.h"

struct showing {
	const struct kernels *k;
	const struct scope *scope;
	struct arena *arena; /* of texts that are made here */
};

enum extent { GRID, BLOCK };

static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct showing *s = from;
	uint32_t text;

	memcpy(&text, (const char *)row + offset, sizeof(text));
	return text_pool_cell(&s->k->texts, text);
}

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const struct kernel_group *g = row;

	(void)arg;
	return share_cell(g->total_ns, s->k->total_ns);
}

static struct cell get_mean(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return mean_cell(g->total_ns, g->calls);
}

static struct cell get_blocks(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return kernel_mean_cell(&g->blocks);
}

static struct cell get_occupancy(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return kernel_mean_cell_of(&g->occupancy, g->total_ns);
}

static struct cell get_tensor_core(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return g->tensor_core == TENSOR_CORE_UNKNOWN
		       ? cell_null()
		       : cell_int(g->tensor_core == TENSOR_CORE_YES);
}

static struct cell get_family(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return cell_text(str_of(kernel_family_name(g->family)));
}

static struct cell get_eligible(const void *from, const void *row, int arg)
{
	const struct kernel_group *g = row;

	(void)from, (void)arg;
	return g->op == TEXT_NONE ? cell_null() : cell_int(g->op_eligible);
}

static bool find_shape(const struct showing *s, const struct kernel_group *g,
		       struct kernel_shape *out)
{
	if (g->shape == TEXT_NONE)
		return false;
	memcpy(out, intern_str(&s->k->shapes, g->shape).p, sizeof(*out));
	return true;
}

/* Three numbers; false unless all are recorded. */
static bool find_extent(const struct showing *s, const struct kernel_group *g, int which,
			int64_t n[3])
{
	struct kernel_shape shape;

	if (!find_shape(s, g, &shape))
		return false;
	memcpy(n, which == GRID ? shape.grid : shape.block, 3 * sizeof(*n));
	return n[0] != NUMBER_NONE && n[1] != NUMBER_NONE && n[2] != NUMBER_NONE;
}

/* As the trace has it. */
static struct cell get_extent(const void *from, const void *row, int which)
{
	const struct showing *s = from;
	int64_t n[3];

	return find_extent(s, row, which, n)
		       ? cell_text(str_of(arena_printf(
				 s->arena, "[%" PRId64 ", %" PRId64 ", %" PRId64 "]",
				 n[0], n[1], n[2])))
		       : cell_null();
}

static struct cell get_people_extent(const void *from, const void *row, int which)
{
	const struct showing *s = from;
	int64_t n[3];

	return find_extent(s, row, which, n)
		       ? cell_text(str_of(arena_printf(s->arena,
						       "%" PRId64 "x%" PRId64 "x%" PRId64,
						       n[0], n[1], n[2])))
		       : cell_null();
}

static struct cell get_registers(const void *from, const void *row, int arg)
{
	struct kernel_shape shape;

	(void)arg;
	return find_shape(from, row, &shape) ? number_cell(shape.registers) : cell_null();
}

static struct cell get_shared(const void *from, const void *row, int arg)
{
	struct kernel_shape shape;

	(void)arg;
	return find_shape(from, row, &shape) ? number_cell(shape.shared_bytes)
					     : cell_null();
}

static struct cell get_split(const void *from, const void *row, int split)
{
	const struct kernel_group *g = row;

	(void)from;
	return number_cell(g->split[split]);
}

static struct cell get_profile(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	const struct kernel_group *g = row;
	const struct scope_profile *profile =
		scope_find(s->scope, g->split[KERNEL_BY_PROFILE]);

	(void)arg;
	return profile ? cell_text(str_of(profile->path)) : cell_null();
}

/* What no launch was recorded for is not known, rather than 0. */
static struct cell get_launch(const void *from, const void *row, int offset)
{
	const struct kernel_group *g = row;

	return g->launches.calls ? view_int64(from, row, offset) : cell_null();
}

static struct cell get_launch_mean(const void *from, const void *row, int offset)
{
	const struct kernel_group *g = row;

	return mean_cell(view_int64(from, row, offset).as.integer, g->launches.calls);
}

static struct cell get_launch_share(const void *from, const void *row, int offset)
{
	const struct kernel_group *g = row;

	return share_cell(view_int64(from, row, offset).as.integer, g->launches.calls);
}

#define GROUP(member)  offsetof(struct kernel_group, member)
#define GET(how, what) .get = (how), .arg = (int)(what)
#define OP             .needs = KERNELS_BY_OP
#define SPLIT(split)   .needs = KERNELS_BY(split), .flags = FIELD_KEY
#define AXIS(axis)     GET(get_split, KERNEL_BY_AXES + (axis)), SPLIT(KERNEL_BY_AXES + (axis))
#define LAUNCHES       .needs = KERNELS_LAUNCHES

/* clang-format off */
static const struct field fields[] = {
	{ "name", "Name", "name, A to Z", NULL, UNIT_TEXT, GET(get_text, GROUP(name)), .needs = KERNELS_BY_NAME, .flags = FIELD_KEY },
	{ "family", NULL, "family of kernels, A to Z, by the name; unknown: it does not say", NULL, UNIT_TEXT, .get = get_family, .flags = FIELD_KEY },
	{ "people_family", "Family", NULL, NULL, UNIT_TEXT, .get = get_family, .needs = KERNELS_BY_FAMILY, .flags = FIELD_PEOPLE },
	{ "calls", "Calls", "number of calls", "count ncalls instances", UNIT_COUNT, GET(view_int64, GROUP(calls)) },
	{ "total_ns", "Total", "time of all calls",
	  "total time sum self_device_ns self_device_time_total device_time_total", UNIT_NS, GET(view_int64, GROUP(total_ns)) },
	{ "total_pct", "%", NULL, NULL, UNIT_PERCENT, .get = get_share, .flags = FIELD_PEOPLE, .leaves = 6 },
	{ "mean_ns", "Mean", "time of a call", "mean avg avg_ns device_time", UNIT_NS, .get = get_mean, .leaves = 3 },
	{ "min_ns", "Min", "time of the shortest call", "min", UNIT_NS, GET(view_int64, GROUP(min_ns)), .leaves = 17 },
	{ "max_ns", "Max", "time of the longest call", "max", UNIT_NS, GET(view_int64, GROUP(max_ns)), .leaves = 15 },
	{ "p50_ns", "p50", "median of the calls, exact (nearest rank)", "p50 median med", UNIT_NS, GET(view_int64, GROUP(p50_ns)), .leaves = 16 },
	{ "p95_ns", "p95", "95th percentile of the calls, likewise", "p95", UNIT_NS, GET(view_int64, GROUP(p95_ns)), .leaves = 14 },
	{ "blocks_per_sm", "Blocks/SM", "blocks per SM, mean of the calls by their time; null where none records it", "blocks", UNIT_RATIO, .get = get_blocks, .leaves = 11 },
	{ "occupancy_pct", "Occ. %", "achieved occupancy as estimated, likewise", "occupancy", UNIT_PERCENT, .get = get_occupancy, .leaves = 10 },
	{ "tensor_core", "TC", "ran on Tensor Cores, by its name; null: the name does not say", NULL, UNIT_BOOL, .get = get_tensor_core, .leaves = 9 },
	{ "op", "Operator", "operator that launched it, A to Z, with --by op", "operator", UNIT_TEXT, GET(get_text, GROUP(op)), OP, .flags = FIELD_KEY, .least = 14 },
	{ "grid", NULL, "grid, with --by op", NULL, UNIT_TEXT, GET(get_extent, GRID), OP, .flags = FIELD_KEY },
	{ "block", NULL, "block, with --by op", NULL, UNIT_TEXT, GET(get_extent, BLOCK), OP, .flags = FIELD_KEY },
	{ "people_grid", "Grid", NULL, NULL, UNIT_TEXT, GET(get_people_extent, GRID), OP, .flags = FIELD_PEOPLE, .leaves = 4, .least = 9 },
	{ "people_block", "Block", NULL, NULL, UNIT_TEXT, GET(get_people_extent, BLOCK), OP, .flags = FIELD_PEOPLE, .leaves = 5, .least = 7 },
	{ "registers", "Regs", "registers per thread, with --by op", NULL, UNIT_COUNT, .get = get_registers, OP, .flags = FIELD_KEY, .leaves = 12 },
	{ "shared_memory_bytes", "Shared", "shared memory, with --by op", "shared", UNIT_BYTES, .get = get_shared, OP, .flags = FIELD_KEY, .leaves = 13 },
	{ "op_tensor_core_eligible", "Eligible", "whether the operator could use Tensor Cores, with --by op", NULL, UNIT_BOOL, .get = get_eligible, OP, .leaves = 19 },
	{ "rank", "Rank", "rank, with --by rank", NULL, UNIT_ID, GET(get_split, KERNEL_BY_RANK), SPLIT(KERNEL_BY_RANK) },
	AXIS_FIELDS(AXIS),
	{ "profile", "Profile", "profile, with --by profile", NULL, UNIT_TEXT, .get = get_profile, SPLIT(KERNEL_BY_PROFILE), .least = 12 },
	{ "device", "Device", "device, with --by device", NULL, UNIT_ID, GET(get_split, KERNEL_BY_DEVICE), SPLIT(KERNEL_BY_DEVICE) },
	{ "stream", "Stream", "stream, with --by stream", NULL, UNIT_ID, GET(get_split, KERNEL_BY_STREAM), SPLIT(KERNEL_BY_STREAM) },
	{ "step", "Step", "step, with --by step", NULL, UNIT_ID, GET(get_split, KERNEL_BY_STEP), SPLIT(KERNEL_BY_STEP) },
	{ "launched_calls", NULL, "calls whose launch is in the recording, with --launches", NULL, UNIT_COUNT, GET(view_int64, GROUP(launches.calls)), LAUNCHES },
	{ "launch_call_ns", NULL, "time of the launching calls, a graph's once for each of its kernels, with --launches", NULL, UNIT_NS, GET(get_launch, GROUP(launches.call_ns)), LAUNCHES },
	{ "launch_delay_ns", NULL, "time from the end of launching calls to the starts, or 0, with --launches", "launch_delay delay", UNIT_NS, GET(get_launch, GROUP(launches.delay_ns)), LAUNCHES },
	{ "mean_launch_delay_ns", "Delay", "mean of that, with --launches", NULL, UNIT_NS, GET(get_launch_mean, GROUP(launches.delay_ns)), LAUNCHES, .leaves = 1 },
	{ "max_launch_delay_ns", NULL, "longest of them, with --launches", NULL, UNIT_NS, GET(get_launch, GROUP(launches.max_delay_ns)), LAUNCHES },
	{ "negative_delays", "Early", "calls that start before their launch ends, with --launches", NULL, UNIT_COUNT, GET(get_launch, GROUP(launches.early)), LAUNCHES, .leaves = 18 },
	{ "queue_ns", NULL, "part of the delay in which the stream was at work before it, with --launches", "queue", UNIT_NS, GET(get_launch, GROUP(launches.queue_ns)), LAUNCHES },
	{ "mean_queue_ns", "Queued", NULL, NULL, UNIT_NS, GET(get_launch_mean, GROUP(launches.queue_ns)), LAUNCHES, .flags = FIELD_PEOPLE, .leaves = 8 },
	{ "short_calls", NULL, "calls shorter than their launch, with --launches", NULL, UNIT_COUNT, GET(get_launch, GROUP(launches.shorter)), LAUNCHES },
	{ "short_pct", "Short %", NULL, NULL, UNIT_PERCENT, GET(get_launch_share, GROUP(launches.shorter)), LAUNCHES, .flags = FIELD_PEOPLE, .leaves = 7 },
	{ "launch_bound_pct", "Bound %", "share of calls that found their stream idle, with --launches", "launch_bound bound", UNIT_PERCENT, GET(get_launch_share, GROUP(launches.bound)), LAUNCHES, .leaves = 2 },
	{ .name = NULL },
};

static const struct view_word by[] = {
	{ "name", KERNELS_BY_NAME },
	{ "family", KERNELS_BY_FAMILY },
	{ "op", KERNELS_BY_OP },
	{ "rank", KERNELS_BY(KERNEL_BY_RANK) },
	{ "profile", KERNELS_BY(KERNEL_BY_PROFILE) },
	{ "tp", KERNELS_OF_AXIS(AXIS_TP) },
	{ "dp", KERNELS_OF_AXIS(AXIS_DP) },
	{ "pp", KERNELS_OF_AXIS(AXIS_PP) },
	{ "ep", KERNELS_OF_AXIS(AXIS_EP) },
	{ "cp", KERNELS_OF_AXIS(AXIS_CP) },
	{ "device", KERNELS_BY(KERNEL_BY_DEVICE) },
	/* streams are numbered on each device */
	{ "stream", KERNELS_BY(KERNEL_BY_STREAM) | KERNELS_BY(KERNEL_BY_DEVICE) },
	{ "step", KERNELS_BY(KERNEL_BY_STEP) },
	{ NULL, 0 },
};
/* clang-format on */

const struct view kernels_view = {
	.name = "kernels",
	.fields = fields,
	.people = VIEW_PART(
		"people_family name op people_grid people_block registers shared_memory_bytes rank "
		"tp dp pp ep cp profile device stream step tensor_core op_tensor_core_eligible "
		"total_ns total_pct calls mean_ns min_ns p50_ns p95_ns max_ns "
		"blocks_per_sm occupancy_pct mean_launch_delay_ns mean_queue_ns "
		"negative_delays short_pct launch_bound_pct"),
	.sort = "total_ns",
	.by = by,
	.share = "total_ns",
	.share_of = "kernel time",
};

/* Of all kernels, those that are not shown too. */
static void note_tensor_cores(struct memtable *m, const struct kernels *k)
{
	double pct = tensor_core_pct(k->tensor_core, k->total_ns);
	double unknown_pct = tensor_core_unknown_pct(k->tensor_core, k->total_ns);

	if (pct < 0)
		return;
	if (k->tensor_core.unknown_ns > 0)
		memtable_add_note(m,
				  "Tensor Cores: %.2f%% of kernel time, without the "
				  "%.2f%% whose names do not say",
				  pct, unknown_pct);
	else
		memtable_add_note(m, "Tensor Cores: %.2f%% of kernel time", pct);
}

static void note_families(struct memtable *m, const struct kernels *k)
{
	struct cell pct = share_cell(k->unknown_ns, k->total_ns);

	if (k->unknown_ns > 0 && pct.type == CELL_REAL)
		memtable_add_note(m,
				  "unknown: kernels whose names fit no family, "
				  "%.2f%% of kernel time",
				  pct.as.real);
}

static void note_ranks(struct memtable *m, const struct scope *scope, unsigned asked)
{
	unsigned apart = KERNELS_BY(KERNEL_BY_RANK) | KERNELS_BY(KERNEL_BY_PROFILE) |
			 ((1u << NAXES) - 1) * KERNELS_OF_AXIS(0);
	const char *note = asked & apart ? NULL : top_scope_note(scope, true, &m->arena);

	if (note)
		memtable_add_note(m, "%s", note);
}

int kernels_open(struct store *store, const struct scope *scope,
		 const struct kernels_query *query, struct table **out, struct err *err)
{
	struct kernels k;
	struct arena arena = { 0 };
	int rc = kernels_load(store, scope, query, &k, err);

	if (rc == 0) {
		const struct showing from = { &k, scope, &arena };
		const struct view_rows rows = { &from, k.groups, k.n, sizeof(*k.groups) };
		struct memtable *m =
			view_table(&kernels_view, &rows, scope, &query->show);
		note_ranks(m, scope, query->show.asked);
		note_tensor_cores(m, &k);
		if (query->show.asked & KERNELS_BY_FAMILY)
			note_families(m, &k);
		*out = &m->table;
	}
	arena_release(&arena);
	kernels_release(&k);
	return rc;
}
