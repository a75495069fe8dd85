/*
 * Kernels as columns: for machines always the same first ones and then what was asked
 * for; for people as many as fit.
 */
#include "base/buf.h"
#include "base/memtable.h"
#include "base/sum.h"
#include "query/fit_columns.h"
#include "query/kernels/kernels_cells.h"
#include "query/top/top.h"

#define TITLES_MAX     1024
#define NAME_WITH_MORE 22 /* cells: next to columns that were asked for */

/* What must be asked for before a column is there. */
enum asked { ALWAYS, WITH_OP, WITH_SPLIT, WITH_LAUNCHES };

struct heading {
	struct fit_column fit;
	enum asked asked;
};

/* clang-format off */
#define MACHINE(id, name, unit, asked) { { { name, name, unit }, id, 0, 0 }, asked }
static const struct heading machine[] = {
	MACHINE(KERNEL_NAME, "name", UNIT_TEXT, ALWAYS),
	MACHINE(KERNEL_CALLS, "calls", UNIT_COUNT, ALWAYS),
	MACHINE(KERNEL_TOTAL, "total_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_MEAN, "mean_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_MIN, "min_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_MAX, "max_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_P50, "p50_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_P95, "p95_ns", UNIT_NS, ALWAYS),
	MACHINE(KERNEL_BLOCKS, "blocks_per_sm", UNIT_RATIO, ALWAYS),
	MACHINE(KERNEL_OCCUPANCY, "occupancy_pct", UNIT_PERCENT, ALWAYS),
	MACHINE(KERNEL_TENSOR_CORE, "tensor_core", UNIT_BOOL, ALWAYS),
	MACHINE(KERNEL_OP, "op", UNIT_TEXT, WITH_OP),
	MACHINE(KERNEL_GRID, "grid", UNIT_TEXT, WITH_OP),
	MACHINE(KERNEL_BLOCK, "block", UNIT_TEXT, WITH_OP),
	MACHINE(KERNEL_REGISTERS, "registers", UNIT_COUNT, WITH_OP),
	MACHINE(KERNEL_SHARED, "shared_memory_bytes", UNIT_BYTES, WITH_OP),
	MACHINE(KERNEL_OP_ELIGIBLE, "op_tensor_core_eligible", UNIT_BOOL, WITH_OP),
	MACHINE(KERNEL_RANK, "rank", UNIT_COUNT, WITH_SPLIT),
	MACHINE(KERNEL_PROFILE, "profile", UNIT_TEXT, WITH_SPLIT),
	MACHINE(KERNEL_DEVICE, "device", UNIT_COUNT, WITH_SPLIT),
	MACHINE(KERNEL_STREAM, "stream", UNIT_COUNT, WITH_SPLIT),
	MACHINE(KERNEL_STEP, "step", UNIT_COUNT, WITH_SPLIT),
	MACHINE(KERNEL_LAUNCHED, "launched_calls", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(KERNEL_CALL, "launch_call_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(KERNEL_DELAY, "launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(KERNEL_MEAN_DELAY, "mean_launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(KERNEL_MAX_DELAY, "max_launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(KERNEL_EARLY, "negative_delays", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(KERNEL_QUEUE, "queue_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(KERNEL_SHORTER, "short_calls", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(KERNEL_BOUND, "launch_bound_pct", UNIT_PERCENT, WITH_LAUNCHES),
};

/* With --launches what says less of launches leaves first. */
#define PEOPLE(id, name, title, unit, asked, leaves, least) \
	{ { { name, title, unit }, id, leaves, least }, asked }
static const struct heading people[] = {
	PEOPLE(KERNEL_NAME, "name", "Name", UNIT_TEXT, ALWAYS, 0, 30),
	PEOPLE(KERNEL_OP, "op", "Operator", UNIT_TEXT, WITH_OP, 0, 14),
	PEOPLE(KERNEL_GRID, "grid", "Grid", UNIT_TEXT, WITH_OP, 4, 9),
	PEOPLE(KERNEL_BLOCK, "block", "Block", UNIT_TEXT, WITH_OP, 5, 7),
	PEOPLE(KERNEL_REGISTERS, "registers", "Regs", UNIT_COUNT, WITH_OP, 12, 0),
	PEOPLE(KERNEL_SHARED, "shared_memory_bytes", "Shared", UNIT_BYTES, WITH_OP, 13, 0),
	PEOPLE(KERNEL_RANK, "rank", "Rank", UNIT_ID, WITH_SPLIT, 0, 0),
	PEOPLE(KERNEL_PROFILE, "profile", "Profile", UNIT_TEXT, WITH_SPLIT, 0, 12),
	PEOPLE(KERNEL_DEVICE, "device", "Device", UNIT_ID, WITH_SPLIT, 0, 0),
	PEOPLE(KERNEL_STREAM, "stream", "Stream", UNIT_ID, WITH_SPLIT, 0, 0),
	PEOPLE(KERNEL_STEP, "step", "Step", UNIT_ID, WITH_SPLIT, 0, 0),
	PEOPLE(KERNEL_TENSOR_CORE, "tensor_core", "TC", UNIT_BOOL, ALWAYS, 9, 3),
	PEOPLE(KERNEL_OP_ELIGIBLE, "op_tensor_core_eligible", "Eligible", UNIT_BOOL, WITH_OP, 19, 0),
	PEOPLE(KERNEL_TOTAL, "total_ns", "Total", UNIT_NS, ALWAYS, 0, 0),
	PEOPLE(KERNEL_SHARE, "total_pct", "%", UNIT_PERCENT, ALWAYS, 6, 0),
	PEOPLE(KERNEL_CALLS, "calls", "Calls", UNIT_COUNT, ALWAYS, 0, 0),
	PEOPLE(KERNEL_MEAN, "mean_ns", "Mean", UNIT_NS, ALWAYS, 3, 0),
	PEOPLE(KERNEL_MIN, "min_ns", "Min", UNIT_NS, ALWAYS, 17, 0),
	PEOPLE(KERNEL_P50, "p50_ns", "p50", UNIT_NS, ALWAYS, 16, 0),
	PEOPLE(KERNEL_P95, "p95_ns", "p95", UNIT_NS, ALWAYS, 14, 0),
	PEOPLE(KERNEL_MAX, "max_ns", "Max", UNIT_NS, ALWAYS, 15, 0),
	PEOPLE(KERNEL_BLOCKS, "blocks_per_sm", "Blocks/SM", UNIT_RATIO, ALWAYS, 11, 0),
	PEOPLE(KERNEL_OCCUPANCY, "occupancy_pct", "Occ. %", UNIT_PERCENT, ALWAYS, 10, 0),
	PEOPLE(KERNEL_MEAN_DELAY, "mean_launch_delay_ns", "Delay", UNIT_NS, WITH_LAUNCHES, 1, 0),
	PEOPLE(KERNEL_MEAN_QUEUE, "mean_queue_ns", "Queued", UNIT_NS, WITH_LAUNCHES, 8, 0),
	PEOPLE(KERNEL_EARLY, "negative_delays", "Early", UNIT_COUNT, WITH_LAUNCHES, 18, 0),
	PEOPLE(KERNEL_SHORTER_SHARE, "short_pct", "Short %", UNIT_PERCENT, WITH_LAUNCHES, 7, 0),
	PEOPLE(KERNEL_BOUND, "launch_bound_pct", "Bound %", UNIT_PERCENT, WITH_LAUNCHES, 2, 0),
};
/* clang-format on */

#define NMACHINE (sizeof(machine) / sizeof(*machine))
#define NPEOPLE  (sizeof(people) / sizeof(*people))

static bool is_asked_for(const struct kernels_query *query, const struct heading *h)
{
	switch (h->asked) {
	case WITH_OP:
		return query->by_op;
	case WITH_SPLIT:
		return query->split[h->fit.id - KERNEL_RANK];
	case WITH_LAUNCHES:
		return query->launches;
	case ALWAYS:
		break;
	}
	return true;
}

/* A column for people that holds nothing but nulls is left out. */
static bool is_empty(struct kernels_drawing *d, int column)
{
	for (size_t i = 0; i < d->k->norder; i++)
		if (kernels_cell(d, &d->k->groups[d->k->order[i]], column).type !=
		    CELL_NULL)
			return false;
	return true;
}

static size_t choose(struct kernels_drawing *d, struct fit_column *columns)
{
	const struct heading *all = d->query->for_people ? people : machine;
	size_t n = 0, most = d->query->for_people ? NPEOPLE : NMACHINE;

	for (size_t i = 0; i < most; i++)
		if (is_asked_for(d->query, &all[i]) &&
		    !(d->query->for_people && is_empty(d, all[i].fit.id)))
			columns[n++] = all[i].fit;
	if (d->query->for_people && (d->query->by_op || d->query->launches))
		columns[0].least = NAME_WITH_MORE;
	return n;
}

static const char *shown_share(const struct kernels *k, struct arena *arena)
{
	int64_t shown_ns = 0;

	if (k->norder == k->n || k->total_ns <= 0 || sum_is_stuck(k->total_ns))
		return NULL;
	for (size_t i = 0; i < k->norder; i++)
		shown_ns = sum_add(shown_ns, k->groups[k->order[i]].total_ns);
	return arena_printf(arena, "%.1f%% of kernel time",
			    100.0 * (double)shown_ns / (double)k->total_ns);
}

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

static void add_notes(struct memtable *m, const struct kernels_drawing *d,
		      const struct buf *left)
{
	const bool *split = d->query->split;
	const char *note = split[KERNEL_BY_RANK] || split[KERNEL_BY_PROFILE]
				   ? NULL
				   : top_scope_note(d->scope, &m->arena);

	if (note)
		memtable_add_note(m, "%s", note);
	note_tensor_cores(m, d->k);
	if (left->n)
		memtable_add_note(m, "hidden: " STR_FMT "; -o FILE.csv has all columns",
				  STR_ARG(buf_str(left)));
}

static struct table *draw(struct kernels_drawing *d)
{
	struct fit_column columns[NMACHINE > NPEOPLE ? NMACHINE : NPEOPLE];
	struct cell cells[NKERNEL_COLUMNS];
	struct buf left;

	buf_init(&left, TITLES_MAX);
	size_t n = choose(d, columns);
	if (d->query->for_people)
		n = fit_columns(columns, n, d->query->width, &left);
	struct memtable *m = memtable_new(NULL, n);
	struct column *headings = arena_alloc(&m->arena, n * sizeof(*headings));
	for (size_t i = 0; i < n; i++)
		headings[i] = columns[i].column;
	m->table.columns = headings;
	for (size_t row = 0; row < d->k->norder; row++) {
		for (size_t i = 0; i < n; i++)
			cells[i] = kernels_cell(d, &d->k->groups[d->k->order[row]],
						columns[i].id);
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)d->k->n;
	m->table.share = shown_share(d->k, &m->arena);
	add_notes(m, d, &left);
	buf_release(&left);
	return &m->table;
}

int kernels_open(struct store *store, const struct scope *scope,
		 const struct kernels_query *query, struct table **out, struct err *err)
{
	struct kernels k;
	int rc = kernels_load(store, scope, query, &k, err);

	if (rc == 0)
		*out = draw(&(struct kernels_drawing){
			.k = &k, .scope = scope, .query = query });
	kernels_release(&k);
	return rc;
}
