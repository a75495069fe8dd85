/* Rows of steps, made when they are asked for: see steps.h. */
#include <string.h>

#include "base/sum.h"
#include "query/steps/step_cover.h"
#include "query/steps/steps.h"

size_t steps_mark(const struct steps *s, const struct step_series *series, size_t step)
{
	const struct steps_profile *p = &s->profiles[series->profile];
	size_t place = (size_t)(series - s->series) - p->first_series;

	return p->first_mark + (p->is_file ? place : step);
}

int64_t steps_value(const struct steps_profile *p, size_t step, enum step_value value)
{
	const struct step_bound *bound = &p->bounds.items[step];

	if (value == VALUE_TOTAL)
		return sum_sub(bound->end_ns, bound->start_ns);
	if (value == VALUE_HOST)
		return sum_sub(bound->host_end_ns, bound->host_start_ns);
	return p->categories[step][value - VALUE_CATEGORY];
}

static void add_device(const struct step_series *series, const struct step_bounds *bounds,
		       size_t step, struct step_row *row)
{
	int64_t *view = &row->values[VALUE_DEVICE_VIEW];
	int64_t idle_ns = row->values[VALUE_TOTAL];

	row->has_device = true;
	row->device = series->device;
	row->device_name = series->device_name;
	if (series->views)
		memcpy(view, series->views[step], sizeof(series->views[step]));
	else
		device_parts_of(&series->parts, &bounds->items[step], view);
	for (int i = 0; i < NDEVICE_VIEWS; i++)
		idle_ns = sum_sub(idle_ns, view[i]);
	row->values[VALUE_IDLE] = idle_ns;
}

static void add_phases(const struct step_phases *phases, size_t step,
		       struct step_row *row)
{
	const struct phase_times *times = &phases->steps[step];

	memcpy(row->sources, phases->sources, sizeof(row->sources));
	memcpy(&row->values[VALUE_PHASE], times->host_ns, sizeof(times->host_ns));
	memcpy(&row->values[VALUE_DEVICE_PHASE], times->device_ns,
	       sizeof(times->device_ns));
}

void steps_make_row(const struct steps *s, const struct step_series *series, size_t step,
		    struct step_row *out)
{
	const struct steps_profile *p = &s->profiles[series->profile];
	const struct step_bound *bound = &p->bounds.items[step];

	*out = (struct step_row){
		.profile = p->profile,
		.rank = p->profile->rank,
		.has_rank = p->profile->has_rank,
		.number = bound->number,
		.start_ns = bound->start_ns,
		.host_start_ns = bound->host_start_ns,
		.host_end_ns = bound->host_end_ns,
		.told = bound->told,
		.nwork = (int64_t)bound->nwork,
		.mark = s->marks[steps_mark(s, series, step)],
		.bounds = s->bounds,
		.has_work = p->has_work,
		.is_first = series == &s->series[p->first_series],
		.is_file = p->is_file,
		.is_single = p->bounds.is_single,
		.is_dropped = bound->is_dropped,
		.is_windowed = s->bounds == BOUNDS_HOST &&
			       (bound->start_ns != bound->host_start_ns ||
				bound->end_ns != bound->host_end_ns),
	};
	for (int v = VALUE_TOTAL; v < VALUE_DEVICE_VIEW; v++)
		out->values[v] = steps_value(p, step, (enum step_value)v);
	if (s->has_phases)
		add_phases(&p->phases, step, out);
	if (series->has_device)
		add_device(series, &p->bounds, step, out);
}

static const struct steps_profile *profile_at(const struct steps *s,
					      const struct steps_at *at)
{
	return &s->profiles[s->series[at->series].profile];
}

bool steps_at_mean(const struct steps *s, const struct steps_at *at)
{
	return at->of_files || at->row > profile_at(s, at)->nshown;
}

/* Is a mean behind the steps of its series, or behind all? */
static bool has_mean(const struct step_series *series, bool of_files)
{
	return series->has_mean && !series->mean.profile == of_files;
}

bool steps_next(const struct steps *s, struct steps_at *at)
{
	for (; !at->of_files && at->series < s->nseries; at->series++, at->row = 0) {
		size_t n = profile_at(s, at)->nshown;
		at->row++;
		if (at->row <= n ||
		    (at->row == n + 1 && has_mean(&s->series[at->series], false)))
			return true;
	}
	at->series = at->of_files ? at->series + 1 : 0;
	at->of_files = true;
	while (at->series < s->nseries && !has_mean(&s->series[at->series], true))
		at->series++;
	return at->series < s->nseries;
}

void steps_row(const struct steps *s, const struct steps_at *at, struct step_row *out)
{
	const struct step_series *series = &s->series[at->series];

	if (steps_at_mean(s, at))
		*out = series->mean;
	else
		steps_make_row(s, series, profile_at(s, at)->shown[at->row - 1], out);
}

const struct step_row *steps_next_mean(const struct steps *s, size_t *at)
{
	while (*at < s->nseries && !s->series[*at].has_mean)
		++*at;
	return *at < s->nseries ? &s->series[(*at)++].mean : NULL;
}

int64_t steps_count_rows(const struct steps *s)
{
	int64_t n = 0;

	for (size_t i = 0; i < s->nseries; i++)
		n += (int64_t)s->profiles[s->series[i].profile].nshown +
		     s->series[i].has_mean;
	return n;
}

/* The place behind the last series of the profile. */
static size_t end_of(const struct steps *s, const struct steps_profile *p)
{
	size_t end = p->first_series;

	while (end < s->nseries && &s->profiles[s->series[end].profile] == p)
		end++;
	return end;
}

int steps_check_rows(const struct steps *s, int64_t nrows, struct err *err)
{
	for (size_t i = 0; nrows > STEPS_ROWS_MOST && i < s->nprofiles; i++) {
		const struct steps_profile *p = &s->profiles[i];
		size_t n = end_of(s, p) - p->first_series;
		if (n && p->nshown > STEPS_ROWS_MOST / n)
			return err_set(err, ERR_USAGE,
				       "%zu steps of %zu devices have more than %d rows; "
				       "--step or --device leaves fewer",
				       p->nshown, n, STEPS_ROWS_MOST);
	}
	return 0;
}

static int64_t busy_ns(const struct step_series *series, const struct step_cover *cover,
		       const bool *counts, size_t nsteps)
{
	int64_t sum = 0;

	for (int v = 0; !series->views && v < NDEVICE_VIEWS; v++)
		sum = sum_add(sum, step_cover_length(cover, &series->parts.parts[v]));
	for (size_t i = 0; series->views && i < nsteps; i++)
		for (int v = 0; counts[i] && v < NDEVICE_VIEWS; v++)
			sum = sum_add(sum, series->views[i][v]);
	return sum;
}

struct steps_times steps_add_devices(const struct steps *s, const struct steps_profile *p,
				     const bool *counts)
{
	struct steps_times times = { .n = 0 };
	struct step_cover cover;
	int64_t total_ns = 0;

	step_cover_make(&p->bounds, counts, &cover);
	for (size_t i = 0; i < p->bounds.n; i++)
		if (counts[i])
			total_ns = sum_add(total_ns, steps_value(p, i, VALUE_TOTAL));
	for (size_t i = p->first_series, end = end_of(s, p); i < end; i++) {
		if (!s->series[i].has_device)
			continue;
		times.n += cover.n;
		times.total_ns = sum_add(times.total_ns, total_ns);
		times.busy_ns = sum_add(times.busy_ns, busy_ns(&s->series[i], &cover,
							       counts, p->bounds.n));
	}
	step_cover_release(&cover);
	return times;
}
