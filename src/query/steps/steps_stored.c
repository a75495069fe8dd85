/*
 * Steps as a summary (query/summary/summary.h): the rows of step_part from a profile's
 * slices, and what they say in place of the slices.
 */

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/steps.h"
#include "store/columns.h"

/* step_part.origin */
enum { ORIGIN_RECORDED, ORIGIN_FILE, ORIGIN_WHOLE };

/* Columns whose values stand side by side. */
static const struct {
	int column, count;
	enum step_value value;
} groups[] = {
	{ COL_STEP_PART_KERNEL_NS, NSTEP_CATEGORIES, VALUE_CATEGORY },
	{ COL_STEP_PART_DATA_LOADING_NS, NSTEP_PHASES, VALUE_PHASE },
	{ COL_STEP_PART_GPU_DATA_LOADING_NS, NSTEP_PHASES, VALUE_DEVICE_PHASE },
	{ COL_STEP_PART_COMPUTE_NS, NDEVICE_VIEWS, VALUE_DEVICE_VIEW },
};

/* Texts that tell the phases, all but the rest of a step. */
#define NSOURCES STEP_PHASE_OTHER
#define GROUPS   (sizeof(groups) / sizeof(*groups))

static void set_growth(const struct step_mark *mark, bool is_looked,
		       struct part_rows *out, struct cell *c)
{
	if (!mark->is_long || !is_looked)
		return;
	c[COL_STEP_PART_GREW_UNRECORDED_NS] = cell_int(mark->grew_unrecorded_ns);
	if (!mark->grew_slice)
		return;
	c[COL_STEP_PART_GREW_SLICE_ID] = part_rows_text(out, mark->grew_slice);
	c[COL_STEP_PART_GREW_SLICE_NS] = cell_int(mark->grew_slice_ns);
}

static bool add_row(const struct steps *s, const struct step_series *series, size_t step,
		    struct part_rows *out)
{
	const struct steps_profile *p = &s->profiles[series->profile];
	struct cell *c = part_rows_add(out);
	struct step_row row;

	if (!c)
		return false;
	steps_make_row(s, series, step, &row);
	if (row.has_device && row.device != NUMBER_NONE)
		c[COL_STEP_PART_DEVICE] = cell_int(row.device);
	else if (row.has_device)
		c[COL_STEP_PART_DEVICE_NAME_ID] =
			part_rows_text(out, row.device_name ? row.device_name : "");
	c[COL_STEP_PART_STEP] = cell_int(row.number);
	c[COL_STEP_PART_ORIGIN] = cell_int(row.is_single ? ORIGIN_WHOLE
					   : p->is_file  ? ORIGIN_FILE
							 : ORIGIN_RECORDED);
	c[COL_STEP_PART_TS] = cell_int(row.start_ns);
	c[COL_STEP_PART_DUR] = cell_int(row.values[VALUE_TOTAL]);
	c[COL_STEP_PART_HOST_TS] = cell_int(row.host_start_ns);
	c[COL_STEP_PART_HOST_DUR] = cell_int(row.values[VALUE_HOST]);
	c[COL_STEP_PART_DEVICE_EVENTS] = cell_int(row.nwork);
	c[COL_STEP_PART_LAUNCHES] = cell_int(p->launches);
	for (size_t g = 0; g < GROUPS; g++)
		for (int i = 0; i < groups[g].count; i++)
			c[groups[g].column + i] =
				cell_int(row.values[(int)groups[g].value + i]);
	for (int i = 0; i < NSOURCES; i++)
		c[COL_STEP_PART_DATA_LOADING_FROM_ID + i] =
			part_rows_text(out, row.sources[i]);
	/* what files of a step each have in common tell the files together */
	if (!p->is_file)
		set_growth(&row.mark, !s->has_unnamed, out, c);
	return true;
}

static void add_rows(const struct steps *s, struct part_rows *out)
{
	for (size_t i = 0; i < s->nseries; i++) {
		const struct step_series *series = &s->series[i];
		for (size_t k = 0; k < s->profiles[series->profile].bounds.n; k++)
			if (!add_row(s, series, k, out))
				return;
	}
}

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	static const struct filter all = { .has_steps = false };
	const struct steps_request request = { .filter = &all,
					       .bounds = BOUNDS_HOST,
					       .both = true };
	const struct step_source source = { from->store, from->texts, from->profile };
	const struct device_work *work = summary_work(from, err);
	struct steps steps = { .nprofiles = 0 };

	if (!work)
		return -1;
	int rc = steps_add_profile(&source, work, &request, 0, &steps, err);
	if (rc == 0 && work->n == 0 && steps.nprofiles)
		rc = step_launches(from->store, from->profile,
				   &steps.profiles[0].launches, err);
	if (rc == 0) {
		steps_sum_up(&steps);
		rc = step_growth_find(from->store, from->texts, &steps, err);
	}
	if (rc == 0)
		add_rows(&steps, out);
	steps_release(&steps);
	return rc;
}

const struct summary summary_steps = { PART_TABLE(STEP_PART, step_part), make };

/* The rows of one device, which are as many as the steps. */
struct stored {
	const struct part_rows *rows;
	size_t nsteps;
	const struct step_bounds *told; /* the steps of the store, which are the same */
	struct steps *steps;
};

static bool is_same_device(const struct cell *a, const struct cell *b)
{
	const struct cell *x = &a[COL_STEP_PART_DEVICE_NAME_ID];
	const struct cell *y = &b[COL_STEP_PART_DEVICE_NAME_ID];

	return part_int(a[COL_STEP_PART_DEVICE], NUMBER_NONE) ==
		       part_int(b[COL_STEP_PART_DEVICE], NUMBER_NONE) &&
	       x->type == y->type &&
	       (x->type != CELL_TEXT || str_equal(x->as.text, y->as.text));
}

static size_t count_steps(const struct part_rows *rows)
{
	size_t n = 0;

	while (n < rows->n &&
	       is_same_device(part_rows_at(rows, 0), part_rows_at(rows, n)))
		n++;
	return n;
}

/* Every column that is asked for its number has one. */
static bool is_whole(const struct part_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct cell *c = part_rows_at(rows, i);
		for (int k = COL_STEP_PART_STEP; k < COL_STEP_PART_DATA_LOADING_FROM_ID;
		     k++)
			if (c[k].type != CELL_INT)
				return false;
		if (!query_is_time(c[COL_STEP_PART_TS].as.integer,
				   c[COL_STEP_PART_DUR].as.integer) ||
		    !query_is_time(c[COL_STEP_PART_HOST_TS].as.integer,
				   c[COL_STEP_PART_HOST_DUR].as.integer) ||
		    c[COL_STEP_PART_DEVICE_EVENTS].as.integer < 0)
			return false;
	}
	return true;
}

static void read_group(const struct cell *c, enum step_value value, int64_t *out)
{
	size_t g = 0;

	while (groups[g].value != value)
		g++;
	for (int i = 0; i < groups[g].count; i++)
		out[i] = part_int(c[groups[g].column + i], 0);
}

static void read_steps(const struct stored *r, struct steps_profile *p)
{
	struct step_bounds *b = &p->bounds;

	p->categories = xrealloc_array(NULL, r->nsteps, sizeof(*p->categories));
	for (size_t i = 0; i < r->nsteps; i++) {
		const struct cell *c = part_rows_at(r->rows, i);
		int64_t start_ns = c[COL_STEP_PART_TS].as.integer;
		int64_t end_ns = start_ns + c[COL_STEP_PART_DUR].as.integer;
		int64_t host_ns = c[COL_STEP_PART_HOST_TS].as.integer;
		*ARRAY_PUSH(b->items, b->n, b->cap) = (struct step_bound){
			.number = c[COL_STEP_PART_STEP].as.integer,
			.host_start_ns = host_ns,
			.host_end_ns = host_ns + c[COL_STEP_PART_HOST_DUR].as.integer,
			.start_ns = start_ns,
			.end_ns = end_ns,
			.told = step_told_nothing(),
			.nwork = (size_t)c[COL_STEP_PART_DEVICE_EVENTS].as.integer,
		};
		read_group(c, VALUE_CATEGORY, p->categories[i]);
	}
}

static void tell_steps(struct steps_profile *p, const struct step_bounds *told)
{
	for (size_t i = 0; told->n == p->bounds.n && i < told->n; i++)
		p->bounds.items[i].told = told->items[i].told;
}

static void read_phases(const struct stored *r, struct steps_profile *p)
{
	const struct cell *sources =
		part_rows_at(r->rows, 0) + COL_STEP_PART_DATA_LOADING_FROM_ID;

	p->phases.steps = xrealloc_array(NULL, r->nsteps, sizeof(*p->phases.steps));
	for (size_t i = 0; i < r->nsteps; i++) {
		const struct cell *c = part_rows_at(r->rows, i);
		read_group(c, VALUE_PHASE, p->phases.steps[i].host_ns);
		read_group(c, VALUE_DEVICE_PHASE, p->phases.steps[i].device_ns);
	}
	for (int i = 0; i < NSOURCES; i++)
		p->phases.sources[i] = steps_keep_text(r->steps, sources[i]);
}

/* Of the device whose rows begin at `first`, the nth of the profile. */
static void add_series(const struct stored *r, const struct steps_profile *p,
		       size_t first, bool has_device)
{
	const struct cell *c = part_rows_at(r->rows, first);
	struct cell name = c[COL_STEP_PART_DEVICE_NAME_ID];
	struct step_series series = { .profile = r->steps->nprofiles,
				      .has_device = has_device };

	if (has_device) {
		series.device = part_int(c[COL_STEP_PART_DEVICE], NUMBER_NONE);
		if (name.type == CELL_TEXT && name.as.text.n)
			series.device_name = steps_keep_text(r->steps, name);
		series.place = p->is_file && series.device != NUMBER_NONE
				       ? (size_t)series.device
				       : first / r->nsteps;
		series.views = xrealloc_array(NULL, r->nsteps, sizeof(*series.views));
		for (size_t i = 0; i < r->nsteps; i++)
			read_group(part_rows_at(r->rows, first + i), VALUE_DEVICE_VIEW,
				   series.views[i]);
	}
	*ARRAY_PUSH(r->steps->series, r->steps->nseries, r->steps->series_cap) = series;
}

/* As of device work: one for each device, of phases one. */
static void add_all_series(const struct stored *r, const struct steps_profile *p,
			   const struct steps_request *request)
{
	const struct filter_numbers *devices = &request->filter->devices;

	if (request->phases || (!p->has_work && !devices->n)) {
		add_series(r, p, 0, false);
		return;
	}
	for (size_t i = 0; p->has_work && i < r->rows->n; i += r->nsteps) {
		const struct cell *c = part_rows_at(r->rows, i);
		if (filter_has_number(devices,
				      part_int(c[COL_STEP_PART_DEVICE], NUMBER_NONE)))
			add_series(r, p, i, true);
	}
}

/* What its slices told of long steps, into the marks of the profile that was kept last. */
static void read_growth(const struct stored *r)
{
	const struct steps_profile *p = &r->steps->profiles[r->steps->nprofiles - 1];

	for (size_t i = 0; !p->is_file && i < r->nsteps; i++) {
		const struct cell *c = part_rows_at(r->rows, i);
		struct step_mark *mark = &r->steps->marks[p->first_mark + i];
		struct cell slice = c[COL_STEP_PART_GREW_SLICE_ID];
		struct cell unrecorded = c[COL_STEP_PART_GREW_UNRECORDED_NS];
		mark->is_looked = unrecorded.type == CELL_INT;
		mark->grew_unrecorded_ns = part_int(unrecorded, 0);
		if (slice.type != CELL_TEXT)
			continue;
		mark->grew_slice = steps_keep_text(r->steps, slice);
		mark->grew_slice_ns = part_int(c[COL_STEP_PART_GREW_SLICE_NS], 0);
	}
}

static void add_stored(const struct stored *r, const struct steps_request *request,
		       struct steps_profile *p)
{
	const struct cell *c = part_rows_at(r->rows, 0);
	size_t before = r->steps->nprofiles;

	p->is_stored = true;
	p->is_file = c[COL_STEP_PART_ORIGIN].as.integer == ORIGIN_FILE && r->nsteps == 1;
	p->bounds.is_single = c[COL_STEP_PART_ORIGIN].as.integer == ORIGIN_WHOLE;
	p->has_work = c[COL_STEP_PART_DEVICE].type == CELL_INT ||
		      c[COL_STEP_PART_DEVICE_NAME_ID].type == CELL_TEXT;
	p->first_series = r->steps->nseries;
	read_steps(r, p);
	tell_steps(p, r->told);
	if (request->phases)
		step_bounds_set_host(&p->bounds);
	if (request->phases || request->both)
		read_phases(r, p);
	add_all_series(r, p, request);
	if (!p->has_work)
		p->launches = c[COL_STEP_PART_LAUNCHES].as.integer;
	steps_keep_profile(r->steps, p, request->filter);
	if (r->steps->nprofiles > before)
		read_growth(r);
}

int steps_add_stored(struct summary_reader *reader, const struct step_source *from,
		     const struct steps_request *request, size_t group, struct steps *out,
		     struct err *err)
{
	const struct scope_profile *profile = from->profile;
	struct steps_profile p = { .profile = profile, .group = group };
	struct step_bounds told;
	struct part_rows rows;

	if ((!request->phases && request->bounds != BOUNDS_HOST) ||
	    !summary_has(reader, profile, &summary_steps))
		return 0;
	int rc = summary_read(reader, profile, &summary_steps, &rows, err);
	const struct stored r = {
		.rows = &rows, .nsteps = count_steps(&rows), .told = &told, .steps = out
	};
	if (rc == 0 && rows.n && (rows.n % r.nsteps != 0 || !is_whole(&rows)))
		rc = summary_damaged(&summary_steps, err);
	/* what was launched in a profile without steps and operators, its slices tell */
	bool is_there = rc == 0 && rows.n > 0;
	if (is_there)
		rc = step_bounds_recorded(from->store, profile, &told, err);
	if (is_there && rc == 0) {
		out->bounds = BOUNDS_HOST;
		out->has_phases = request->phases || request->both;
		add_stored(&r, request, &p);
	}
	if (is_there)
		step_bounds_release(&told);
	steps_profile_release(&p);
	part_rows_release(&rows);
	return rc < 0 ? -1 : is_there;
}
