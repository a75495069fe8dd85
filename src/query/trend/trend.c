/* Runs in time: see trend.h. */
#include "query/trend/trend.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/bars.h"
#include "base/buf.h"
#include "base/sort.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/memory/memory_peak.h"
#include "query/query.h"
#include "query/stats/change_points.h"
#include "query/steps/step_outliers.h"
#include "query/steps/steps.h"

#define CURVE_CELLS 60
#define NS_PER_S    INT64_C(1000000000)
#define SHOWN_MOST  8 /* changes that are told in words */

const char *const trend_column_names[] = {
	[TREND_STEP] = "step", [TREND_BUSY] = "busy",   [TREND_IDLE] = "idle",
	[TREND_PEAK] = "peak", [NTREND_COLUMNS] = NULL,
};

static const struct {
	const char *what; /* begins a sentence */
	enum unit unit;
} columns[NTREND_COLUMNS] = {
	[TREND_STEP] = { "Median step", UNIT_NS },
	[TREND_BUSY] = { "Busy time of a device in a step", UNIT_NS },
	[TREND_IDLE] = { "Idle time of a device in a step", UNIT_NS },
	[TREND_PEAK] = { "Peak of memory", UNIT_BYTES },
};

struct trend_run {
	const char *name; /* the scope's */
	char when[40];    /* "2026-11-23 12:16:01"; empty: not known */
	int64_t time_ns;  /* since 1970, of its first event; NUMBER_NONE: not known */
	int64_t profiles, steps;
	int64_t values[NTREND_COLUMNS]; /* NUMBER_NONE: not recorded */
	double change_pct;              /* when has_change, as p; not finite from 0 */
	double p;
	bool has_change;
};

struct trend {
	struct trend_run *runs; /* owned */
	size_t n, cap;
};

/* Sums of one run over its profiles, devices and steps. */
struct summing {
	struct trend_run *run;
	int64_t *steps_ns; /* owned; of all ranks */
	size_t nsteps, cap;
	int64_t busy_ns, idle_ns, ndevice_steps;
};

static void set_time(struct trend_run *run)
{
	int64_t is_within = run->time_ns % NS_PER_S < 0; /* a second before 1970 */
	time_t seconds = (time_t)(run->time_ns / NS_PER_S - is_within);
	struct tm tm;

	if (run->time_ns == NUMBER_NONE || !gmtime_r(&seconds, &tm))
		return;
	strftime(run->when, sizeof(run->when), "%Y-%m-%d %H:%M:%S", &tm);
}

/* The first event, where the recording has an absolute clock; else the file's time. */
static int64_t time_of(const struct scope_profile *p)
{
	if (p->has_base && p->base_ns > 0)
		return sum_add(p->base_ns, p->start_ns);
	if (p->start_ns > 0 &&
	    p->start_ns / NS_PER_S > 1000000000) /* since 1970 itself */
		return p->start_ns;
	return p->has_mtime ? p->mtime_ns : NUMBER_NONE;
}

static void add_devices(struct summing *s, const struct steps *steps,
			const struct steps_profile *p)
{
	bool *counts = xcalloc(p->bounds.n + 1, sizeof(*counts));

	for (size_t i = 0; i < p->nshown; i++)
		counts[p->shown[i]] = true;
	const struct steps_times times = steps_add_devices(steps, p, counts);
	s->ndevice_steps += times.n;
	s->busy_ns = sum_add(s->busy_ns, times.busy_ns);
	s->idle_ns = sum_add(s->idle_ns, sum_sub(times.total_ns, times.busy_ns));
	free(counts);
}

static void add_steps(struct summing *s, const struct steps *steps)
{
	for (size_t i = 0; i < steps->nprofiles; i++) {
		const struct steps_profile *p = &steps->profiles[i];
		if (p->bounds.is_single)
			continue;
		for (size_t k = 0; k < p->nshown; k++)
			*ARRAY_PUSH(s->steps_ns, s->nsteps, s->cap) =
				steps_value(p, p->shown[k], VALUE_HOST);
		if (p->has_work)
			add_devices(s, steps, p);
	}
}

static int add_peak(void *to, const struct memory_device *device,
		    const struct memory_peak *peak, struct err *err)
{
	struct trend_run *run = to;

	(void)err;
	if (device->has_totals &&
	    peak->allocated.bytes >
		    run->values[TREND_PEAK]) /* NUMBER_NONE is the least */
		run->values[TREND_PEAK] = peak->allocated.bytes;
	return 0;
}

static int add_peaks(struct summary_reader *reader, const struct scope *scope,
		     struct trend_run *run, struct err *err)
{
	static const struct filter everything = { .focus = NULL };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		if (scope->profiles[i].has_memory)
			rc = memory_peak_each(reader, &scope->profiles[i], &everything,
					      add_peak, run, err);
	return rc;
}

static int sum_up(struct summary_reader *reader, const struct scope *scope,
		  struct summing *s, struct err *err)
{
	static const struct filter everything = { .focus = NULL };
	const struct steps_request request = { .filter = &everything };
	struct steps steps;
	int rc = steps_load_from(reader, scope, &request, &steps, err);

	if (rc == 0)
		add_steps(s, &steps);
	steps_release(&steps);
	return rc < 0 ? -1 : add_peaks(reader, scope, s->run, err);
}

/* The profiles of one run, which stand together; texts are the larger scope's. */
static int add_run(struct trend *t, struct summary_reader *reader,
		   const struct scope *scope, size_t first, size_t n, struct err *err)
{
	struct scope of_run = { .profiles = scope->profiles + first, .n = n };
	struct trend_run *run = ARRAY_PUSH(t->runs, t->n, t->cap);
	struct summing s = { .run = run };

	*run = (struct trend_run){ .name = scope->profiles[first].run,
				   .time_ns = NUMBER_NONE,
				   .profiles = (int64_t)n };
	for (int i = 0; i < NTREND_COLUMNS; i++)
		run->values[i] = NUMBER_NONE;
	for (size_t i = 0; i < n; i++) {
		int64_t ns = time_of(&of_run.profiles[i]);
		if (ns != NUMBER_NONE &&
		    (run->time_ns == NUMBER_NONE || ns < run->time_ns))
			run->time_ns = ns;
	}
	set_time(run);
	int rc = sum_up(reader, &of_run, &s, err);
	run->steps = (int64_t)s.nsteps;
	if (s.nsteps)
		run->values[TREND_STEP] = step_median(s.steps_ns, s.nsteps);
	if (s.ndevice_steps) {
		run->values[TREND_BUSY] = s.busy_ns / s.ndevice_steps;
		run->values[TREND_IDLE] = s.idle_ns / s.ndevice_steps;
	}
	free(s.steps_ns);
	return rc;
}

/* What has no time comes first, in the order of ingest. */
static bool is_earlier(const void *context, uint32_t a, uint32_t b)
{
	const struct trend_run *runs = context;

	return runs[a].time_ns < runs[b].time_ns;
}

static void sort_runs(struct trend *t)
{
	uint32_t *order = sorted_places(t->n, is_earlier, t->runs);
	struct trend_run *runs = xrealloc_array(NULL, t->n + 1, sizeof(*runs));

	for (size_t i = 0; i < t->n; i++)
		runs[i] = t->runs[order[i]];
	free(order);
	free(t->runs);
	t->runs = runs;
}

/* The runs that have the column: their places and values. */
struct series {
	size_t *at; /* owned, as the others */
	int64_t *values;
	double *sizes; /* the values, for statistics */
	size_t n;
};

static struct series series_of(const struct trend *t, enum trend_column column)
{
	struct series s = { .at = xcalloc(t->n + 1, sizeof(*s.at)),
			    .values = xcalloc(t->n + 1, sizeof(*s.values)),
			    .sizes = xcalloc(t->n + 1, sizeof(*s.sizes)) };

	for (size_t i = 0; i < t->n; i++) {
		if (t->runs[i].values[column] == NUMBER_NONE)
			continue;
		s.at[s.n] = i;
		s.values[s.n] = t->runs[i].values[column];
		s.sizes[s.n] = (double)s.values[s.n];
		s.n++;
	}
	return s;
}

static void series_release(struct series *s)
{
	free(s->at);
	free(s->values);
	free(s->sizes);
}

/* The last ones, of which changes are looked for. */
static size_t looked_at(const struct series *s)
{
	return s->n < CHANGE_MOST ? s->n : CHANGE_MOST;
}

static int64_t median_of(const struct series *s, size_t first, size_t end)
{
	int64_t *values = xcalloc(end - first + 1, sizeof(*values));

	for (size_t i = first; i < end; i++)
		values[i - first] = s->values[i];
	int64_t median = end > first ? step_median(values, end - first) : 0;
	free(values);
	return median;
}

static void mark_changes(struct trend *t, const struct series *s, enum unit unit,
			 struct memtable *to, const char *what)
{
	struct change_point *changes = xcalloc(s->n + 1, sizeof(*changes));
	size_t n = change_points_find(s->sizes, s->n, changes);
	const char **notes = xcalloc(n + 1, sizeof(*notes));

	for (size_t i = 0; i < n; i++) {
		size_t first = i ? changes[i - 1].at : s->n - looked_at(s);
		size_t end = i + 1 < n ? changes[i + 1].at : s->n;
		int64_t before = median_of(s, first, changes[i].at);
		int64_t after = median_of(s, changes[i].at, end);
		struct trend_run *run = &t->runs[s->at[changes[i].at]];
		char was[UNITS_TEXT_MAX], is[UNITS_TEXT_MAX];
		run->has_change = true;
		run->p = changes[i].p;
		run->change_pct = 100.0 * (double)sum_sub(after, before) / (double)before;
		const char *by =
			before ? arena_printf(&to->arena, "%+.1f%%, ", run->change_pct)
			       : "";
		struct str old = units_text(unit, cell_int(before), was);
		struct str new = units_text(unit, cell_int(after), is);
		notes[i] = arena_printf(
			&to->arena,
			"%s goes from " STR_FMT " to " STR_FMT " (%sp = %.3f) at run %s",
			what, STR_ARG(old), STR_ARG(new), by, run->p, run->name);
	}
	for (size_t i = n > SHOWN_MOST ? n - SHOWN_MOST : 0; i < n; i++)
		memtable_add_note(to, "%s", notes[i]);
	free(notes);
	free(changes);
}

static void add_curve(const struct series *s, enum unit unit, const char *what,
		      struct memtable *to)
{
	int64_t low = s->values[0], high = low;
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	double *values = xcalloc(s->n + 1, sizeof(*values));
	struct buf line;

	for (size_t i = 0; i < s->n; i++) {
		values[i] = s->sizes[i];
		low = s->values[i] < low ? s->values[i] : low;
		high = s->values[i] > high ? s->values[i] : high;
	}
	struct str from = units_text(unit, cell_int(low), least);
	struct str until = units_text(unit, cell_int(high), most);
	buf_init(&line, SIZE_MAX);
	buf_addf(&line, "%s: " STR_FMT " to " STR_FMT, what, STR_ARG(from),
		 STR_ARG(until));
	to->table.caption = arena_copy(&to->arena, buf_str(&line)).p;
	buf_clear(&line);
	size_t n = bars_squeeze(values, s->n, CURVE_CELLS);
	bars_add_curve(&line, values, n, (double)low, (double)high);
	const char **under = arena_alloc(&to->arena, 2 * sizeof(*under));
	under[0] = arena_copy(&to->arena, buf_str(&line)).p;
	under[1] = NULL;
	to->table.under = under;
	buf_release(&line);
	free(values);
}

static struct cell get_name(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(((const struct trend_run *)row)->name);
}

static struct cell get_when(const void *from, const void *row, int arg)
{
	const char *when = ((const struct trend_run *)row)->when;

	(void)from, (void)arg;
	return *when ? cell_text(str_of(when)) : cell_null();
}

/* Without seconds. */
static struct cell get_minute(const void *from, const void *row, int arg)
{
	struct cell when = get_when(from, row, arg);

	if (when.type == CELL_TEXT && when.as.text.n > 3)
		when.as.text.n -= 3;
	return when;
}

static struct cell get_value(const void *from, const void *row, int column)
{
	(void)from;
	return number_cell(((const struct trend_run *)row)->values[column]);
}

static struct cell get_change(const void *from, const void *row, int of_p)
{
	const struct trend_run *run = row;

	(void)from;
	if (!run->has_change || (!of_p && !isfinite(run->change_pct)))
		return cell_null();
	return cell_real(of_p ? run->p : run->change_pct);
}

#define ROW(member) .get = view_number, .arg = (int)offsetof(struct trend_run, member)

/* clang-format off */
static const struct field fields[] = {
	{ "run", "Run", "name of the run", NULL, UNIT_TEXT, .get = get_name, .flags = FIELD_KEY },
	{ "recorded_minute", "Recorded (UTC)", NULL, NULL, UNIT_TEXT, .get = get_minute, .flags = FIELD_PEOPLE, .leaves = 1 },
	{ "recorded", "Recorded (UTC)", "when its first event was; where the recording does not say, when its file was changed last", NULL, UNIT_TEXT, .get = get_when },
	{ "recorded_ns", "Recorded", "the same, since 1970", "time", UNIT_ID, ROW(time_ns) },
	{ "profiles", "Profiles", "number of profiles, such as ranks", NULL, UNIT_COUNT, ROW(profiles), .leaves = 4 },
	{ "steps", "Steps", "number of steps of all of them", NULL, UNIT_COUNT, ROW(steps), .leaves = 3 },
	{ "step_ns", "Step", "median of the steps", "step", UNIT_NS, .get = get_value, .arg = TREND_STEP },
	{ "busy_ns", "Busy", "mean time in a step in which a device ran something", "busy", UNIT_NS, .get = get_value, .arg = TREND_BUSY },
	{ "idle_ns", "Idle", "mean time in a step in which a device ran nothing", "idle", UNIT_NS, .get = get_value, .arg = TREND_IDLE },
	{ "peak_bytes", "Peak", "largest peak of allocated memory of any device", "peak", UNIT_BYTES, .get = get_value, .arg = TREND_PEAK, .leaves = 2 },
	{ "change_pct", "Change", "where what --column follows changes for good: its new median, against the one before the change; null from 0", "change", UNIT_PERCENT, .get = get_change },
	{ "change_p", "p", "how likely such a change is in these runs in any order", NULL, UNIT_RATIO, .get = get_change, .arg = 1, .leaves = 5 },
	{ .name = NULL },
};
/* clang-format on */

static const struct view_part people[] = {
	{ "Step: the median; Busy and Idle: means of all steps",
	  "run recorded_minute profiles? steps step_ns! busy_ns idle_ns peak_bytes "
	  "change_pct change_p" },
	{ .fields = NULL },
};

const struct view trend_view = { .name = "trend", .fields = fields, .people = people };

static bool has_any(const struct trend *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (int k = 0; k < NTREND_COLUMNS; k++)
			if (t->runs[i].values[k] != NUMBER_NONE)
				return true;
	return false;
}

static struct table *make_table(struct trend *t, const struct scope *scope,
				const struct trend_request *request)
{
	struct series s = series_of(t, request->column);
	struct memtable *notes = memtable_new(NULL, 0); /* changes are rows, too */
	const char *what = columns[request->column].what;
	enum unit unit = columns[request->column].unit;

	mark_changes(t, &s, unit, notes, what);
	const struct view_rows rows = { NULL, t->runs, t->n, sizeof(*t->runs) };
	struct memtable *m = view_table(&trend_view, &rows, scope, &request->show);
	if (s.n > 1 && request->show.for_people)
		add_curve(&s, unit, what, m);
	for (size_t i = 0; i < notes->nnotes; i++)
		memtable_add_note(m, "%s", notes->notes[i]);
	if (s.n < CHANGE_RUNS)
		memtable_add_note(
			m,
			"changes are found in %d runs or more that have this column; there are %zu",
			CHANGE_RUNS, s.n);
	else if (!notes->nnotes)
		memtable_add_note(m, "no change in %s%zu runs (p > %.2f)",
				  looked_at(&s) < s.n ? "the last " : "", looked_at(&s),
				  CHANGE_P);
	table_free(&notes->table);
	series_release(&s);
	return &m->table;
}

/* One reader for all: it lists what all profiles of the store have. */
static int add_runs(struct trend *t, struct store *store, const struct scope *scope,
		    struct err *err)
{
	struct summary_reader reader = { .n = 0 };
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = summary_reader_open(store, &texts, &reader, err);
	for (size_t i = 0, end; rc == 0 && i < scope->n; i = end) {
		for (end = i; end < scope->n &&
			      scope->profiles[end].run_id == scope->profiles[i].run_id;
		     end++)
			;
		rc = add_run(t, &reader, scope, i, end - i, err);
	}
	summary_reader_close(&reader);
	text_pool_close(&texts);
	return rc;
}

int trend_open(struct store *store, const struct scope *scope,
	       const struct trend_request *request, struct table **out, struct err *err)
{
	struct trend t = { .n = 0 };
	int rc = add_runs(&t, store, scope, err);

	if (rc == 0 && !has_any(&t))
		rc = err_set(err, ERR_EMPTY,
			     "no run has steps or memory; record with torch.profiler and "
			     "call its step()");
	if (rc == 0) {
		sort_runs(&t);
		*out = make_table(&t, scope, request);
	}
	free(t.runs);
	return rc;
}
