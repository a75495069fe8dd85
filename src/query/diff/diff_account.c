/* Where the time went: see diff_account.h. */
#include "query/diff/diff_account.h"

#include <sqlite3.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/diff/diff_rows.h"
#include "query/query.h"
#include "query/steps/step_cover.h"
#include "query/steps/step_parts.h"

ASSET(asset_query_views_diff_devices_sql);

/* On a device; what is left is idle. */
static const char *const device_names[] = {
	[VIEW_COMPUTE] = "compute",
	[VIEW_EXPOSED_COMM] = "exposed communication",
	[VIEW_EXPOSED_COPY] = "exposed copies",
	[NDEVICE_VIEWS] = "idle",
};

/* On the host; what is left is other. */
static const struct {
	enum step_category category;
	const char *name;
} host_parts[] = {
	{ STEP_COMMUNICATION, "communication" },
	{ STEP_RUNTIME, "runtime" },
	{ STEP_DATA_LOADING, "data loading" },
	{ STEP_OPERATORS, "operators" },
	{ STEP_OTHER, "other" },
};

#define NHOST_NAMES   (sizeof(host_parts) / sizeof(*host_parts))
#define NDEVICE_NAMES (sizeof(device_names) / sizeof(*device_names))

/* A profile's time that is accounted for: some steps, or all of it. */
struct accounting {
	const struct diff *d;
	const struct diff_run *run;
	const struct scope_profile *profile;
	const struct diff_steps *steps;
	struct device_work work;
	struct summary_reader
		reader; /* of the run; opened once a profile has no slices */
	int64_t sums[DIFF_PARTS_MAX]; /* of the side */
};

size_t diff_account_range(const struct diff_steps *s, int64_t profile_id)
{
	size_t low = 0, high = s->nranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->ranges[middle].profile_id < profile_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_range(struct step_bounds *to, int64_t start_ns, int64_t end_ns)
{
	to->items = xgrow(to->items, &to->cap, to->n + 1, sizeof(*to->items));
	to->items[to->n++] =
		(struct step_bound){ .start_ns = start_ns, .end_ns = end_ns };
}

/* What of the profile's time is accounted for; step_bounds_release() frees. */
static void find_ranges(const struct accounting *a, struct step_bounds *out)
{
	const struct diff_steps *s = a->steps;

	*out = (struct step_bounds){ .n = 0 };
	if (a->d->subject == DIFF_OF_RECORDINGS) {
		add_range(out, 0, a->profile->dur_ns);
		return;
	}
	for (size_t i = diff_account_range(s, a->profile->id);
	     i < s->nranges && s->ranges[i].profile_id == a->profile->id; i++)
		add_range(out, s->ranges[i].start_ns,
			  s->ranges[i].start_ns + s->ranges[i].dur_ns);
}

/* Adds the parts of `all_ns`, and as the last what is left of it. */
static void add_parts(int64_t *sums, const int64_t *ns, size_t n, int64_t all_ns)
{
	int64_t left = all_ns;

	for (size_t i = 0; i + 1 < n; i++) {
		sums[i] = sum_add(sums[i], ns[i]);
		left = sum_sub(left, ns[i]);
	}
	sums[n - 1] = sum_add(sums[n - 1], left);
}

static int64_t length_of(const struct step_bounds *ranges)
{
	int64_t all_ns = 0;

	for (size_t i = 0; i < ranges->n; i++)
		all_ns = sum_add(all_ns, sum_sub(ranges->items[i].end_ns,
						 ranges->items[i].start_ns));
	return all_ns;
}

static void add_device(const struct device_parts *parts, const struct step_cover *cover,
		       int64_t all_ns, int64_t *sums)
{
	int64_t ns[NDEVICE_VIEWS];

	for (int i = 0; i < NDEVICE_VIEWS; i++)
		ns[i] = step_cover_length(cover, &parts->parts[i]);
	add_parts(sums, ns, NDEVICE_NAMES, all_ns);
}

/* The mean of the profile's devices; one without device work was idle. */
static void add_devices(struct accounting *a)
{
	int64_t sums[DIFF_PARTS_MAX] = { 0 };
	struct device_parts parts = { .parts = { { .n = 0 } } };
	struct step_bounds ranges;
	struct step_cover cover;

	find_ranges(a, &ranges);
	step_cover_make(&ranges, NULL, &cover);
	int64_t all_ns = length_of(&ranges);
	if (a->work.ndevices == 0)
		add_device(&parts, &cover, all_ns, sums);
	for (size_t i = 0; i < a->work.ndevices; i++) {
		device_parts_make(&a->work, &a->work.devices[i], &parts);
		add_device(&parts, &cover, all_ns, sums);
		device_parts_release(&parts);
	}
	step_cover_release(&cover);
	step_bounds_release(&ranges);
	if (a->work.ndevices > 1)
		diff_account_divide(sums, NDEVICE_NAMES, (int64_t)a->work.ndevices);
	for (size_t i = 0; i < NDEVICE_NAMES; i++)
		a->sums[i] = sum_add(a->sums[i], sums[i]);
}

static void add_host_parts(struct accounting *a, const struct step_parts *parts)
{
	int64_t all[NSTEP_CATEGORIES], ns[NHOST_NAMES];
	struct step_bounds ranges;

	find_ranges(a, &ranges);
	for (size_t i = 0; i < ranges.n; i++) {
		const struct step_bound *range = &ranges.items[i];
		step_parts_of(parts, range, all);
		for (size_t k = 0; k < NHOST_NAMES; k++)
			ns[k] = all[host_parts[k].category];
		add_parts(a->sums, ns, NHOST_NAMES,
			  sum_sub(range->end_ns, range->start_ns));
	}
	step_bounds_release(&ranges);
}

static int add_host(struct accounting *a, struct text_pool *texts, struct err *err)
{
	struct step_bounds bounds = { .n = 0 };
	struct step_host host = { .has_engine = false };
	const struct step_source source = { a->run->store, texts, a->profile };
	int rc = step_bounds_load(a->run->store, a->profile, &a->work, BOUNDS_HOST,
				  &bounds, err);

	if (rc == 0)
		rc = step_host_load(&source, &a->work, &bounds, &host, err);
	if (rc == 0) {
		struct step_parts parts = { .parts = { { .n = 0 } } };
		step_parts_make(&bounds, &a->work, &host, &parts);
		add_host_parts(a, &parts);
		step_parts_release(&parts);
	}
	step_host_release(&host);
	step_bounds_release(&bounds);
	return rc;
}

/* Do summaries suffice?  Rows of steps do not cover the time between steps. */
static bool has_stored(struct accounting *a, bool of_device)
{
	return a->d->subject == DIFF_OF_STEPS ||
	       (of_device && summary_has(&a->reader, a->profile, &summary_devices));
}

static int add_stored(struct accounting *a, bool of_device, struct err *err)
{
	bool is_whole = a->d->subject == DIFF_OF_RECORDINGS;
	const struct diff_account_of stored = { &a->reader, a->profile,
						is_whole ? NULL : a->steps };

	return diff_account_stored(&stored, of_device, a->sums, err);
}

static int add_profile(struct accounting *a, struct text_pool *texts, bool of_device,
		       struct err *err)
{
	if (!a->profile->has_slices && !a->reader.store &&
	    summary_reader_open(a->run->store, texts, &a->reader, err) < 0)
		return -1;
	if (!a->profile->has_slices && has_stored(a, of_device))
		return add_stored(a, of_device, err);
	int rc = device_work_load(a->run->store, texts, a->profile, false, &a->work, err);

	if (rc == 0 && of_device)
		add_devices(a);
	else if (rc == 0)
		rc = add_host(a, texts, err);
	device_work_release(&a->work);
	return rc;
}

static int add_run(struct accounting *a, bool of_device, struct err *err)
{
	struct text_pool texts;
	int rc = text_pool_open(a->run->store, &texts, err);

	for (size_t i = 0; i < a->run->scope->n && rc == 0; i++) {
		a->profile = &a->run->scope->profiles[i];
		rc = add_profile(a, &texts, of_device, err);
	}
	summary_reader_close(&a->reader);
	text_pool_close(&texts);
	return rc;
}

void diff_account_divide(int64_t *parts, size_t n, int64_t units)
{
	int64_t sum = 0, before = 0;

	for (size_t i = 0; i < n; i++) {
		sum = sum_add(sum, parts[i]);
		int64_t reached = diff_divide(sum, units);
		parts[i] = sum_sub(reached, before);
		before = reached;
	}
}

static int account_side(const struct diff *d, enum diff_which which,
			struct diff_account *out, struct err *err)
{
	const struct diff_side *side = &d->sides[which];
	struct accounting a = { .d = d };
	int64_t units = 0;

	for (size_t i = 0; i < side->nruns; i++) {
		a.run = &d->request->runs[which][i];
		a.steps = &side->steps[i];
		units += d->subject_per_step ? (int64_t)side->steps[i].nranges : 1;
		if (add_run(&a, out->of_device, err) < 0)
			return -1;
	}
	diff_account_divide(a.sums, out->n, units > 0 ? units : 1);
	for (size_t i = 0; i < out->n; i++)
		out->ns[which][i] = a.sums[i];
	return 0;
}

/* Does any run have device work? */
static int find_device(const struct diff *d, bool *has, struct err *err)
{
	*has = false;
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++) {
		for (size_t i = 0; i < d->sides[which].nruns && !*has; i++) {
			const struct diff_run *run = &d->request->runs[which][i];
			struct query q = query_of_scope(
				run->store, asset_query_views_diff_devices_sql,
				run->scope->ids, err);

			*has = query_next(&q, err) && sqlite3_column_int(q.stmt, 0) != 0;
			if (query_end(&q) < 0)
				return -1;
		}
	}
	return 0;
}

/* A printed table has sums of operators, and not when they ran. */
static bool has_printed(const struct diff *d)
{
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns; i++)
			if (scope_is_printed(d->request->runs[which][i].scope))
				return true;
	return false;
}

int64_t diff_account_delta(const struct diff_account *a, bool is_idle)
{
	int64_t all = 0;

	if (!a || !a->of_device || a->n == 0)
		return 0;
	for (size_t i = is_idle ? a->n - 1 : 0; i < a->n - !is_idle; i++)
		all = sum_add(all, sum_sub(a->ns[DIFF_NEW][i], a->ns[DIFF_BASE][i]));
	return all;
}

int diff_account_make(const struct diff *d, struct diff_account *out, struct err *err)
{
	*out = (struct diff_account){ .n = 0 };
	if (d->subject == DIFF_OF_ROWS || d->is_call_graph || has_printed(d))
		return 0;
	if (find_device(d, &out->of_device, err) < 0)
		return -1;
	out->n = out->of_device ? NDEVICE_NAMES : NHOST_NAMES;
	for (size_t i = 0; i < out->n; i++)
		out->names[i] = out->of_device ? device_names[i] : host_parts[i].name;
	int rc = account_side(d, DIFF_BASE, out, err);
	if (rc == 0)
		rc = account_side(d, DIFF_NEW, out, err);
	if (rc == 0 || err->kind != ERR_EMPTY)
		return rc;
	*err = (struct err)ERR_INIT;
	out->n = 0;
	out->is_left_out = true;
	return 0;
}
