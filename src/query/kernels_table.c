/*
 * Kernels as columns: for machines always the same first ones and then what was asked
 * for; for people as many as fit.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/memtable.h"
#include "ingest/sink.h"
#include "query/fit_columns.h"
#include "query/kernels.h"
#include "query/top.h"

#define TITLES_MAX 1024

enum kernel_column {
	NAME,
	CALLS,
	TOTAL,
	SHARE,
	MEAN,
	MIN,
	MAX,
	P50,
	P95,
	BLOCKS,
	OCCUPANCY,
	TENSOR_CORE,
	OP,
	GRID,
	BLOCK,
	REGISTERS,
	SHARED,
	OP_ELIGIBLE,
	RANK, /* in the order of enum kernel_split, from here ... */
	PROFILE,
	DEVICE,
	STREAM,
	STEP, /* ... to here */
	LAUNCHED,
	CALL,
	DELAY,
	MEAN_DELAY,
	MAX_DELAY,
	EARLY,
	QUEUE,
	MEAN_QUEUE,
	SHORTER,
	SHORTER_SHARE,
	BOUND,
	NCOLUMNS
};

/* What must be asked for before a column is there. */
enum asked { ALWAYS, WITH_OP, WITH_SPLIT, WITH_LAUNCHES };

struct heading {
	struct fit_column fit;
	enum asked asked;
};

/* clang-format off */
#define MACHINE(id, name, unit, asked) { { { name, name, unit }, id, 0, 0 }, asked }
static const struct heading machine[] = {
	MACHINE(NAME, "name", UNIT_TEXT, ALWAYS),
	MACHINE(CALLS, "calls", UNIT_COUNT, ALWAYS),
	MACHINE(TOTAL, "total_ns", UNIT_NS, ALWAYS),
	MACHINE(MEAN, "mean_ns", UNIT_NS, ALWAYS),
	MACHINE(MIN, "min_ns", UNIT_NS, ALWAYS),
	MACHINE(MAX, "max_ns", UNIT_NS, ALWAYS),
	MACHINE(P50, "p50_ns", UNIT_NS, ALWAYS),
	MACHINE(P95, "p95_ns", UNIT_NS, ALWAYS),
	MACHINE(BLOCKS, "blocks_per_sm", UNIT_RATIO, ALWAYS),
	MACHINE(OCCUPANCY, "occupancy_pct", UNIT_PERCENT, ALWAYS),
	MACHINE(TENSOR_CORE, "tensor_core", UNIT_BOOL, ALWAYS),
	MACHINE(OP, "op", UNIT_TEXT, WITH_OP),
	MACHINE(GRID, "grid", UNIT_TEXT, WITH_OP),
	MACHINE(BLOCK, "block", UNIT_TEXT, WITH_OP),
	MACHINE(REGISTERS, "registers", UNIT_COUNT, WITH_OP),
	MACHINE(SHARED, "shared_memory_bytes", UNIT_BYTES, WITH_OP),
	MACHINE(OP_ELIGIBLE, "op_tensor_core_eligible", UNIT_BOOL, WITH_OP),
	MACHINE(RANK, "rank", UNIT_COUNT, WITH_SPLIT),
	MACHINE(PROFILE, "profile", UNIT_TEXT, WITH_SPLIT),
	MACHINE(DEVICE, "device", UNIT_COUNT, WITH_SPLIT),
	MACHINE(STREAM, "stream", UNIT_COUNT, WITH_SPLIT),
	MACHINE(STEP, "step", UNIT_COUNT, WITH_SPLIT),
	MACHINE(LAUNCHED, "launched_calls", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(CALL, "launch_call_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(DELAY, "launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(MEAN_DELAY, "mean_launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(MAX_DELAY, "max_launch_delay_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(EARLY, "negative_delays", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(QUEUE, "queue_ns", UNIT_NS, WITH_LAUNCHES),
	MACHINE(SHORTER, "short_calls", UNIT_COUNT, WITH_LAUNCHES),
	MACHINE(BOUND, "launch_bound_pct", UNIT_PERCENT, WITH_LAUNCHES),
};

/* With --launches what says less of launches leaves first. */
#define PEOPLE(id, name, title, unit, asked, leaves, least) \
	{ { { name, title, unit }, id, leaves, least }, asked }
static const struct heading people[] = {
	PEOPLE(NAME, "name", "Name", UNIT_TEXT, ALWAYS, 0, 20),
	PEOPLE(OP, "op", "Operator", UNIT_TEXT, WITH_OP, 0, 14),
	PEOPLE(GRID, "grid", "Grid", UNIT_TEXT, WITH_OP, 4, 9),
	PEOPLE(BLOCK, "block", "Block", UNIT_TEXT, WITH_OP, 5, 7),
	PEOPLE(REGISTERS, "registers", "Regs", UNIT_COUNT, WITH_OP, 12, 0),
	PEOPLE(SHARED, "shared_memory_bytes", "Shared", UNIT_BYTES, WITH_OP, 13, 0),
	PEOPLE(RANK, "rank", "Rank", UNIT_COUNT, WITH_SPLIT, 0, 0),
	PEOPLE(PROFILE, "profile", "Profile", UNIT_TEXT, WITH_SPLIT, 0, 12),
	PEOPLE(DEVICE, "device", "Device", UNIT_COUNT, WITH_SPLIT, 0, 0),
	PEOPLE(STREAM, "stream", "Stream", UNIT_COUNT, WITH_SPLIT, 0, 0),
	PEOPLE(STEP, "step", "Step", UNIT_COUNT, WITH_SPLIT, 0, 0),
	PEOPLE(TENSOR_CORE, "tensor_core", "TC", UNIT_BOOL, ALWAYS, 9, 3),
	PEOPLE(OP_ELIGIBLE, "op_tensor_core_eligible", "Eligible", UNIT_BOOL, WITH_OP, 19, 0),
	PEOPLE(TOTAL, "total_ns", "Total", UNIT_NS, ALWAYS, 0, 0),
	PEOPLE(SHARE, "total_pct", "%", UNIT_PERCENT, ALWAYS, 6, 0),
	PEOPLE(CALLS, "calls", "Calls", UNIT_COUNT, ALWAYS, 0, 0),
	PEOPLE(MEAN, "mean_ns", "Mean", UNIT_NS, ALWAYS, 3, 0),
	PEOPLE(MIN, "min_ns", "Min", UNIT_NS, ALWAYS, 17, 0),
	PEOPLE(P50, "p50_ns", "p50", UNIT_NS, ALWAYS, 16, 0),
	PEOPLE(P95, "p95_ns", "p95", UNIT_NS, ALWAYS, 14, 0),
	PEOPLE(MAX, "max_ns", "Max", UNIT_NS, ALWAYS, 15, 0),
	PEOPLE(BLOCKS, "blocks_per_sm", "Blocks/SM", UNIT_RATIO, ALWAYS, 11, 0),
	PEOPLE(OCCUPANCY, "occupancy_pct", "Occ. %", UNIT_PERCENT, ALWAYS, 10, 0),
	PEOPLE(MEAN_DELAY, "mean_launch_delay_ns", "Delay", UNIT_NS, WITH_LAUNCHES, 1, 0),
	PEOPLE(MEAN_QUEUE, "mean_queue_ns", "Queued", UNIT_NS, WITH_LAUNCHES, 8, 0),
	PEOPLE(EARLY, "negative_delays", "Early", UNIT_COUNT, WITH_LAUNCHES, 18, 0),
	PEOPLE(SHORTER_SHARE, "short_pct", "Short %", UNIT_PERCENT, WITH_LAUNCHES, 7, 0),
	PEOPLE(BOUND, "launch_bound_pct", "Bound %", UNIT_PERCENT, WITH_LAUNCHES, 2, 0),
};
/* clang-format on */

#define NMACHINE (sizeof(machine) / sizeof(*machine))
#define NPEOPLE  (sizeof(people) / sizeof(*people))

struct drawing {
	const struct kernels *k;
	const struct scope *scope;
	const struct kernels_query *query;
	char grid[128], block[128]; /* of the newest cells */
};

struct cell kernel_mean_cell(const struct kernel_mean *mean)
{
	return mean->weight > 0 ? cell_real(mean->weighted / mean->weight) : cell_null();
}

static struct cell number_cell(int64_t value)
{
	return value == NUMBER_NONE ? cell_null() : cell_int(value);
}

static struct cell text_cell(const struct drawing *d, uint32_t text)
{
	return text == TEXT_NONE ? cell_null()
				 : cell_text(text_pool_str(&d->k->texts, text));
}

static struct cell share_cell(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_real(100.0 * (double)part / (double)whole) : cell_null();
}

static struct cell average_cell(int64_t sum, int64_t n)
{
	return n > 0 ? cell_real((double)sum / (double)n) : cell_null();
}

/* Three numbers, as the trace has them; null unless all are recorded. */
static struct cell extent_cell(const struct drawing *d, const int64_t *n, char out[128])
{
	if (n[0] == NUMBER_NONE || n[1] == NUMBER_NONE || n[2] == NUMBER_NONE)
		return cell_null();
	snprintf(out, 128,
		 d->query->for_people ? "%" PRId64 "x%" PRId64 "x%" PRId64
				      : "[%" PRId64 ", %" PRId64 ", %" PRId64 "]",
		 n[0], n[1], n[2]);
	return cell_text(str_of(out));
}

static struct cell shape_cell(struct drawing *d, const struct kernel_group *g, int column)
{
	struct kernel_shape shape;

	if (g->shape == TEXT_NONE)
		return cell_null();
	memcpy(&shape, intern_str(&d->k->shapes, g->shape).p, sizeof(shape));
	switch (column) {
	case GRID:
		return extent_cell(d, shape.grid, d->grid);
	case BLOCK:
		return extent_cell(d, shape.block, d->block);
	case REGISTERS:
		return number_cell(shape.registers);
	default:
		return number_cell(shape.shared_bytes);
	}
}

static struct cell split_cell(const struct drawing *d, const struct kernel_group *g,
			      int column)
{
	int64_t value = g->split[column - RANK];

	if (column == PROFILE && value != NUMBER_NONE) {
		const struct scope_profile *profile = scope_find(d->scope, value);
		return profile ? cell_text(str_of(profile->path)) : cell_null();
	}
	return number_cell(value);
}

/* What launches did not say is not known, rather than 0. */
static struct cell launch_cell(const struct kernel_launches *l, int column)
{
	if (column == LAUNCHED)
		return cell_int(l->calls);
	if (l->calls == 0)
		return cell_null();
	switch (column) {
	case CALL:
		return cell_int(l->call_ns);
	case DELAY:
		return cell_int(l->delay_ns);
	case MEAN_DELAY:
		return average_cell(l->delay_ns, l->calls);
	case MAX_DELAY:
		return cell_int(l->max_delay_ns);
	case EARLY:
		return cell_int(l->early);
	case QUEUE:
		return cell_int(l->queue_ns);
	case MEAN_QUEUE:
		return average_cell(l->queue_ns, l->calls);
	case SHORTER:
		return cell_int(l->shorter);
	case SHORTER_SHARE:
		return share_cell(l->shorter, l->calls);
	default:
		return share_cell(l->bound, l->calls);
	}
}

static struct cell cell_of(struct drawing *d, const struct kernel_group *g, int column)
{
	switch (column) {
	case NAME:
		return text_cell(d, g->name);
	case CALLS:
		return cell_int(g->calls);
	case TOTAL:
		return cell_int(g->total_ns);
	case SHARE:
		return share_cell(g->total_ns, d->k->total_ns);
	case MEAN:
		return average_cell(g->total_ns, g->calls);
	case MIN:
		return cell_int(g->min_ns);
	case MAX:
		return cell_int(g->max_ns);
	case P50:
		return cell_int(g->p50_ns);
	case P95:
		return cell_int(g->p95_ns);
	case BLOCKS:
		return kernel_mean_cell(&g->blocks);
	case OCCUPANCY:
		return kernel_mean_cell(&g->occupancy);
	case TENSOR_CORE:
		return cell_int(g->tensor_core);
	case OP:
		return text_cell(d, g->op);
	case OP_ELIGIBLE:
		return g->op == TEXT_NONE ? cell_null() : cell_int(g->op_eligible);
	default:
		break;
	}
	if (column >= LAUNCHED)
		return launch_cell(&g->launches, column);
	return column >= RANK ? split_cell(d, g, column) : shape_cell(d, g, column);
}

static bool is_asked_for(const struct kernels_query *query, const struct heading *h)
{
	switch (h->asked) {
	case WITH_OP:
		return query->by_op;
	case WITH_SPLIT:
		return query->split[h->fit.id - RANK];
	case WITH_LAUNCHES:
		return query->launches;
	case ALWAYS:
		break;
	}
	return true;
}

/* A column for people that holds nothing but nulls is left out. */
static bool is_empty(struct drawing *d, int column)
{
	for (size_t i = 0; i < d->k->norder; i++)
		if (cell_of(d, &d->k->groups[d->k->order[i]], column).type != CELL_NULL)
			return false;
	return true;
}

static size_t choose(struct drawing *d, struct fit_column *columns)
{
	const struct heading *all = d->query->for_people ? people : machine;
	size_t n = 0, most = d->query->for_people ? NPEOPLE : NMACHINE;

	for (size_t i = 0; i < most; i++)
		if (is_asked_for(d->query, &all[i]) &&
		    !(d->query->for_people && is_empty(d, all[i].fit.id)))
			columns[n++] = all[i].fit;
	return n;
}

static const char *shown_share(const struct kernels *k, struct arena *arena)
{
	int64_t shown_ns = 0;

	if (k->norder == k->n || k->total_ns <= 0)
		return NULL;
	for (size_t i = 0; i < k->norder; i++)
		shown_ns += k->groups[k->order[i]].total_ns;
	return arena_printf(arena, "%.1f%% of kernel time",
			    100.0 * (double)shown_ns / (double)k->total_ns);
}

static void add_notes(struct memtable *m, const struct drawing *d, const struct buf *left)
{
	const bool *split = d->query->split;
	const char *note = split[KERNEL_BY_RANK] || split[KERNEL_BY_PROFILE]
				   ? NULL
				   : top_scope_note(d->scope, &m->arena);

	if (note)
		memtable_add_note(m, "%s", note);
	if (left->n)
		memtable_add_note(m,
				  "no room for " STR_FMT "; 'ptool kernels | less -S' "
				  "shows all",
				  STR_ARG(buf_str(left)));
}

static struct table *draw(struct drawing *d)
{
	struct fit_column columns[NMACHINE > NPEOPLE ? NMACHINE : NPEOPLE];
	struct cell cells[NCOLUMNS];
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
			cells[i] = cell_of(d, &d->k->groups[d->k->order[row]],
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
		*out = draw(&(struct drawing){ .k = &k, .scope = scope, .query = query });
	kernels_release(&k);
	return rc;
}
