/*
 * Steps by an axis of ranks: see steps_by_axis.h.  The values are sums of those that
 * `ptool steps` shows of single steps, without the steps that its means leave out.
 */
#include "query/steps/steps_by_axis.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intern.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/axis_fields.h"
#include "query/query.h"

/* Of percentiles. */
#define MEDIAN 50
#define HIGH   95

/* Nanoseconds are sums over steps; those of devices over the steps of each device. */
struct place_row {
	int64_t axes[NAXES]; /* NUMBER_NONE but the one that is asked for */
	int64_t ranks, steps, device_steps;
	int64_t min_ns, max_ns, p50_ns, p95_ns;
	int64_t values[NSTEP_VALUES];
	int64_t device_ns; /* the length of steps, once for each device */
};

struct length {
	int64_t ns;
	uint32_t row;
};

struct by_axis {
	const struct steps *steps;
	enum axis axis;
	struct place_row *rows; /* owned, as the next; by place, NUMBER_NONE last */
	size_t nrows;
	struct intern ranks; /* of the places */
	struct length *lengths;
	size_t nlengths, lengths_cap;
	int64_t ndropped;
};

static int64_t place_of(const struct by_axis *b, const struct steps_profile *p)
{
	return p->profile->axes.at[b->axis];
}

/* Numbers, and then what has none. */
static int by_place(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return ((uint64_t)*a > (uint64_t)*b) - ((uint64_t)*a < (uint64_t)*b);
}

static void make_rows(struct by_axis *b)
{
	size_t n = b->steps->nprofiles;
	int64_t *places = xrealloc_array(NULL, n + 1, sizeof(*places));

	for (size_t i = 0; i < n; i++)
		places[i] = place_of(b, &b->steps->profiles[i]);
	qsort(places, n, sizeof(*places), by_place);
	b->rows = xcalloc(n + 1, sizeof(*b->rows));
	for (size_t i = 0; i < n; i++) {
		if (i && places[i] == places[i - 1])
			continue;
		struct place_row *row = &b->rows[b->nrows++];
		for (int a = 0; a < NAXES; a++)
			row->axes[a] = NUMBER_NONE;
		row->axes[b->axis] = places[i];
	}
	free(places);
}

static struct place_row *row_of(const struct by_axis *b, int64_t place)
{
	size_t at;

	SEARCH(at, 0, b->nrows, by_place(&b->rows[at].axes[b->axis], &place) < 0);
	return &b->rows[at];
}

static void add_value(struct place_row *row, const struct step_row *step, int value)
{
	row->values[value] = sum_add(row->values[value], step->values[value]);
}

static void add_length(struct by_axis *b, struct place_row *row, int64_t ns)
{
	if (row->steps == 0 || ns < row->min_ns)
		row->min_ns = ns;
	if (row->steps == 0 || ns > row->max_ns)
		row->max_ns = ns;
	row->steps++;
	*ARRAY_PUSH(b->lengths, b->nlengths, b->lengths_cap) =
		(struct length){ ns, (uint32_t)(row - b->rows) };
}

static void add_step(struct by_axis *b, struct place_row *row,
		     const struct step_row *step)
{
	if (step->is_first) {
		add_length(b, row, step->values[VALUE_TOTAL]);
		add_value(row, step, VALUE_TOTAL);
		for (int v = 0; v < NSTEP_CATEGORIES; v++)
			add_value(row, step, VALUE_CATEGORY + v);
	}
	if (!step->has_device)
		return;
	row->device_steps++;
	row->device_ns = sum_add(row->device_ns, step->values[VALUE_TOTAL]);
	for (int v = VALUE_DEVICE_VIEW; v <= VALUE_IDLE; v++)
		add_value(row, step, v);
}

static void add_profile(struct by_axis *b, const struct steps_profile *p)
{
	const struct steps *s = b->steps;
	struct place_row *row = row_of(b, place_of(b, p));
	struct step_row step;

	row->ranks += scope_is_new_rank(&b->ranks, p->profile, place_of(b, p));
	for (size_t i = p->first_series;
	     i < s->nseries && &s->profiles[s->series[i].profile] == p; i++) {
		for (size_t k = 0; k < p->nshown; k++) {
			steps_make_row(s, &s->series[i], p->shown[k], &step);
			if (!step.is_dropped)
				add_step(b, row, &step);
			else if (step.is_first)
				b->ndropped++;
		}
	}
}

static bool is_before(const void *context, uint32_t left, uint32_t right)
{
	const struct length *lengths = context;
	const struct length *a = &lengths[left], *b = &lengths[right];

	return a->row != b->row ? a->row < b->row : a->ns < b->ns;
}

/* Nearest rank, as those of `ptool kernels`. */
static size_t nearest(int64_t n, int64_t percent)
{
	return (size_t)((n * percent + 99) / 100 - 1);
}

static void set_percentiles(struct by_axis *b)
{
	uint32_t *order = sorted_places(b->nlengths, is_before, b->lengths);
	size_t first = 0;

	for (size_t i = 0; i < b->nrows; i++) {
		struct place_row *row = &b->rows[i];
		if (!row->steps)
			continue;
		row->p50_ns = b->lengths[order[first + nearest(row->steps, MEDIAN)]].ns;
		row->p95_ns = b->lengths[order[first + nearest(row->steps, HIGH)]].ns;
		first += (size_t)row->steps;
	}
	free(order);
}

/* Those whose steps the filter does not want leave. */
static void keep_rows(struct by_axis *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->nrows; i++)
		if (b->rows[i].steps)
			b->rows[n++] = b->rows[i];
	b->nrows = n;
}

static struct cell get_mean(const void *from, const void *row, int arg)
{
	const struct place_row *r = row;

	(void)from, (void)arg;
	return mean_cell(r->values[VALUE_TOTAL], r->steps);
}

static struct cell get_share(const void *from, const void *row, int value)
{
	const struct place_row *r = row;

	(void)from;
	return share_cell(r->values[value], r->values[VALUE_TOTAL]);
}

static struct cell get_of_device(const void *from, const void *row, int value)
{
	const struct place_row *r = row;

	(void)from;
	return r->device_steps ? cell_int(r->values[value]) : cell_null();
}

static struct cell get_device_mean(const void *from, const void *row, int value)
{
	const struct place_row *r = row;

	(void)from;
	return mean_cell(r->values[value], r->device_steps);
}

static struct cell get_busy(const void *from, const void *row, int arg)
{
	const struct place_row *r = row;

	(void)from, (void)arg;
	return r->device_steps ? cell_int(sum_sub(r->device_ns, r->values[VALUE_IDLE]))
			       : cell_null();
}

static struct cell get_busy_mean(const void *from, const void *row, int arg)
{
	const struct place_row *r = row;

	(void)from, (void)arg;
	return mean_cell(sum_sub(r->device_ns, r->values[VALUE_IDLE]), r->device_steps);
}

static struct cell get_utilization(const void *from, const void *row, int arg)
{
	const struct place_row *r = row;

	(void)from, (void)arg;
	return share_cell(sum_sub(r->device_ns, r->values[VALUE_IDLE]), r->device_ns);
}

#define ROW(member)     .get = view_int64, .arg = offsetof(struct place_row, member)
#define VALUE(value)    ROW(values) + (int)((value) * sizeof(int64_t))
#define GET(how, what)  .get = (how), .arg = (int)(what)
#define CATEGORY(of)    (VALUE_CATEGORY + (of))
#define ON_DEVICE(view) (VALUE_DEVICE_VIEW + (view))
#define AXIS(axis)                                                                 \
	.get = view_number,                                                        \
	.arg = (int)(offsetof(struct place_row, axes) + (axis) * sizeof(int64_t)), \
	.needs = 1u << (axis), .flags = FIELD_KEY
#define PEOPLE .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	AXIS_FIELDS(AXIS),
	{ "ranks", "Ranks", "number of ranks", NULL, UNIT_COUNT, ROW(ranks) },
	{ "steps", "Steps", "number of their steps, without those that the mean leaves out", "count", UNIT_COUNT, ROW(steps) },
	{ "total_ns", "Total", "length of these steps", "total time duration", UNIT_NS, VALUE(VALUE_TOTAL), .leaves = 3 },
	{ "mean_ns", "Mean", "length of a step", "mean", UNIT_NS, .get = get_mean },
	{ "min_ns", "Min", "length of the shortest", "min", UNIT_NS, ROW(min_ns), .leaves = 2 },
	{ "p50_ns", "p50", "median of the lengths, exact (nearest rank)", "p50 median", UNIT_NS, ROW(p50_ns) },
	{ "p95_ns", "p95", "95th percentile of the lengths, likewise", "p95", UNIT_NS, ROW(p95_ns), .leaves = 1 },
	{ "max_ns", "Max", "length of the longest", "max", UNIT_NS, ROW(max_ns) },
	{ "kernel_ns", NULL, "kernels, and work of other accelerators, that are not of the next three", NULL, UNIT_NS, VALUE(CATEGORY(STEP_KERNEL)) },
	{ "kernel_pct", "Kernel%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_KERNEL)), PEOPLE },
	{ "memcpy_ns", NULL, "copies", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMCPY)) },
	{ "memcpy_pct", "Memcpy%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMCPY)), PEOPLE },
	{ "memset_ns", NULL, "sets of memory", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMSET)) },
	{ "memset_pct", "Memset%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMSET)), PEOPLE, .leaves = 1 },
	{ "communication_ns", NULL, "collectives", NULL, UNIT_NS, VALUE(CATEGORY(STEP_COMMUNICATION)) },
	{ "communication_pct", "Comm%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_COMMUNICATION)), PEOPLE },
	{ "runtime_ns", NULL, "calls of the device's runtime and driver", NULL, UNIT_NS, VALUE(CATEGORY(STEP_RUNTIME)) },
	{ "runtime_pct", "Runtime%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_RUNTIME)), PEOPLE },
	{ "dataloader_ns", NULL, "loading of data", NULL, UNIT_NS, VALUE(CATEGORY(STEP_DATA_LOADING)) },
	{ "dataloader_pct", "Data%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_DATA_LOADING)), PEOPLE },
	{ "cpu_exec_ns", NULL, "all other operators and labels of the host", NULL, UNIT_NS, VALUE(CATEGORY(STEP_OPERATORS)) },
	{ "cpu_exec_pct", "CPU%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OPERATORS)), PEOPLE },
	{ "other_ns", NULL, "the rest of the steps", NULL, UNIT_NS, VALUE(CATEGORY(STEP_OTHER)) },
	{ "other_pct", "Other%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OTHER)), PEOPLE },
	{ "device_steps", NULL, "number of steps, once for each device of a rank", NULL, UNIT_COUNT, ROW(device_steps) },
	{ "gpu_busy_ns", NULL, "time in which devices ran work, all devices added up", "busy", UNIT_NS, .get = get_busy },
	{ "gpu_idle_ns", NULL, "the rest of the steps of each device", "idle", UNIT_NS, GET(get_of_device, VALUE_IDLE) },
	{ "gpu_compute_ns", NULL, "time in which kernels ran that are neither collectives nor copies", "compute", UNIT_NS, GET(get_of_device, ON_DEVICE(VIEW_COMPUTE)) },
	{ "exposed_comm_ns", NULL, "time in which collectives ran and nothing computed", NULL, UNIT_NS, GET(get_of_device, ON_DEVICE(VIEW_EXPOSED_COMM)) },
	{ "exposed_copy_ns", NULL, "time in which only copies and sets ran", NULL, UNIT_NS, GET(get_of_device, ON_DEVICE(VIEW_EXPOSED_COPY)) },
	{ "utilization_pct", "Util%", "share of the steps in which a device is busy, mean of devices", "utilization", UNIT_PERCENT, .get = get_utilization },
	{ "mean_busy", "Busy", NULL, NULL, UNIT_NS, .get = get_busy_mean, PEOPLE },
	{ "mean_idle", "Idle", NULL, NULL, UNIT_NS, GET(get_device_mean, VALUE_IDLE), PEOPLE },
	{ "mean_compute", "Compute", NULL, NULL, UNIT_NS, GET(get_device_mean, ON_DEVICE(VIEW_COMPUTE)), PEOPLE },
	{ "mean_comm", "Comm", NULL, NULL, UNIT_NS, GET(get_device_mean, ON_DEVICE(VIEW_EXPOSED_COMM)), PEOPLE },
	{ "mean_copies", "Copies", NULL, NULL, UNIT_NS, GET(get_device_mean, ON_DEVICE(VIEW_EXPOSED_COPY)), PEOPLE },
	{ .name = NULL },
};
/* clang-format on */

#define WHERE "tp! dp! pp! ep! cp! "
#define OF_STEPS                                                                         \
	{ NULL, WHERE "ranks! steps! total_ns mean_ns! min_ns p50_ns! p95_ns max_ns!" }, \
	{                                                                                \
		"Share of the steps",                                                    \
			WHERE "kernel_pct memcpy_pct memset_pct communication_pct "      \
			      "runtime_pct dataloader_pct cpu_exec_pct other_pct"        \
	}

static const struct view_part people[] = {
	OF_STEPS,
	{ "Device time of a step, mean (Comm and Copies: only while nothing computes)",
	  WHERE
	  "utilization_pct mean_busy mean_idle mean_compute mean_comm mean_copies" },
	{ .fields = NULL },
};

/* Where no device did anything. */
static const struct view_part people_of_host[] = {
	OF_STEPS,
	{ .fields = NULL },
};

const struct view steps_by_axis_view = {
	.name = "steps --by tp",
	.fields = fields,
	.people = people,
	.is_form = true,
};

static bool has_devices(const struct by_axis *b)
{
	for (size_t i = 0; i < b->nrows; i++)
		if (b->rows[i].device_steps)
			return true;
	return false;
}

static void add_notes(const struct by_axis *b, struct memtable *m)
{
	if (b->steps->has_single)
		memtable_add_note(m, "a recording without steps is one step, all of it");
	if (b->ndropped)
		memtable_add_note(m,
				  "%" PRId64 " steps left out, as in means: last ones "
				  "without device work, or with less than 80%% of that "
				  "of the step before",
				  b->ndropped);
}

int steps_by_axis_table(const struct scope *scope, struct steps *s,
			const struct steps_request *request, struct table **out,
			struct err *err)
{
	struct by_axis b = { .steps = s, .axis = request->axis };
	int rc = scope_needs_axis(scope, b.axis, err);

	intern_init(&b.ranks);
	if (rc == 0) {
		make_rows(&b);
		for (size_t i = 0; i < s->nprofiles; i++)
			add_profile(&b, &s->profiles[i]);
		set_percentiles(&b);
		keep_rows(&b);
		const struct view_rows rows = { NULL, b.rows, b.nrows, sizeof(*b.rows) };
		struct view_request show = request->show;
		show.asked = 1u << b.axis;
		show.people = has_devices(&b) ? people : people_of_host;
		struct memtable *m = view_table(&steps_by_axis_view, &rows, scope, &show);
		add_notes(&b, view_last_part(m));
		*out = &m->table;
	}
	intern_release(&b.ranks);
	free(b.rows);
	free(b.lengths);
	steps_release(s);
	return rc;
}
