/* Steps against the device's peak: see step_mfu.h. */
#include "query/roofline/step_mfu.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/roofline/roofline.h"
#include "query/steps/step_numbers.h"

/* What ran on a device in a step. */
struct step_work {
	int64_t flops; /* known ones */
	int64_t all_ns, known_ns;
	double peak_ns[NPEAKS]; /* of its operations by type, at the peak */
	double of[NPEAKS];      /* the operations */
};

struct mfu_row {
	struct step_row step;
	int64_t flops;  /* known ones, or those of the model */
	double peak_ns; /* that they take at the peak; negative: not known */
	int64_t all_ns, known_ns;
	enum peak type; /* of most of them, or PEAK_NONE */
};

/* Compared as bytes. */
struct work_key {
	int64_t profile, start_ns, number, device;
};

struct mfu {
	const struct mfu_request *request;
	struct device_peaks given; /* by --peak */
	struct device_peaks peaks; /* that of the model's operations */
	struct roofline roof;
	struct step_numbers steps;
	struct intern keys;
	struct step_work *works; /* owned; by key */
	size_t nworks, works_cap;
	struct mfu_row *rows; /* owned */
	size_t n, cap;
	/* Operations of rows that have an MFU, and those of them that have no peak. */
	double counted, left_out;
	unsigned left_types; /* bits of enum peak */
	struct arena *arena; /* of texts that are made here */
};

static struct step_work *work_of(struct mfu *m, const struct work_key *key)
{
	size_t known = m->keys.n;
	uint32_t at = intern_add(&m->keys, str_bytes(key, sizeof(*key)));

	if (m->keys.n > known)
		*ARRAY_PUSH(m->works, m->nworks, m->works_cap) =
			(struct step_work){ .flops = 0 };
	return &m->works[at];
}

static void add_call(struct mfu *m, const struct work_key *key,
		     const struct roof_call *call)
{
	struct step_work *w = work_of(m, key);
	double tera = call->peak == PEAK_NONE
			      ? 0
			      : m->roof.devices.items[call->on].peaks.tera[call->peak];

	if (call->is_comm) /* it has no operations, as is known */
		return;
	w->all_ns = sum_add(w->all_ns, call->time_ns);
	if (call->flops == NUMBER_NONE)
		return;
	w->known_ns = sum_add(w->known_ns, call->time_ns);
	w->flops = sum_add(w->flops, call->flops);
	if (call->peak == PEAK_NONE)
		return;
	w->of[call->peak] += (double)call->flops;
	if (tera > 0)
		w->peak_ns[call->peak] += (double)call->flops / tera / 1e3;
}

/* A step's number and start tell it apart; all of a profile has the number NUMBER_NONE. */
static int tell_call(void *context, const struct roof_call *call, struct err *err)
{
	struct mfu *m = context;
	struct work_key key = { .profile = call->profile->id,
				.number = NUMBER_NONE,
				.device = call->device };
	const struct step_number *step = NULL;

	(void)err;
	add_call(m, &key, call);
	for (size_t low = 0, high = m->steps.n; call->step_id && low < high && !step;) {
		size_t at = low + (high - low) / 2;
		if (m->steps.items[at].id == call->step_id)
			step = &m->steps.items[at];
		else if (m->steps.items[at].id < call->step_id)
			low = at + 1;
		else
			high = at;
	}
	if (!step)
		return 0;
	key.number = step->number;
	key.start_ns = step->start_ns;
	add_call(m, &key, call);
	return 0;
}

/* The type of most operations. */
static enum peak type_of(const double of[NPEAKS])
{
	enum peak most = PEAK_NONE;

	for (int i = 0; i < NPEAKS; i++)
		if (of[i] > 0 && (most == PEAK_NONE || of[i] > of[most]))
			most = (enum peak)i;
	return most;
}

/* The only type that --peak has, or PEAK_NONE. */
static enum peak given_type(const struct mfu *m)
{
	enum peak only = PEAK_NONE;
	int n = 0;

	for (int i = 0; i < NPEAKS; i++)
		if (m->given.tera[i] > 0) {
			only = (enum peak)i;
			n++;
		}
	return n == 1 ? only : PEAK_NONE;
}

/* What the model's operations are measured by: --peak, or the first device that knows. */
static void find_peaks(struct mfu *m)
{
	m->peaks = m->given;
	for (size_t i = 0; i < m->roof.devices.n; i++)
		for (int type = 0; type < NPEAKS; type++)
			if (!(m->peaks.tera[type] > 0))
				m->peaks.tera[type] =
					m->roof.devices.items[i].peaks.tera[type];
}

/* Of the model's operations, in ns; negative: there is no peak of that type. */
static double model_time(const struct mfu *m, enum peak type)
{
	double tera = type == PEAK_NONE ? 0 : m->peaks.tera[type];

	return tera > 0 ? (double)m->request->model_flops / tera / 1e3 : -1;
}

static void count_left_out(struct mfu *m, const struct step_work *w)
{
	for (int i = 0; i < NPEAKS; i++) {
		m->counted += w->of[i];
		if (w->of[i] > 0 && !(w->peak_ns[i] > 0)) {
			m->left_out += w->of[i];
			m->left_types |= 1U << i;
		}
	}
}

static void set_work(struct mfu *m, const struct step_work *w, struct mfu_row *row)
{
	row->type = type_of(w->of);
	row->flops = w->known_ns > 0 ? w->flops : NUMBER_NONE;
	row->all_ns = w->all_ns;
	row->known_ns = w->known_ns;
	row->peak_ns = row->type == PEAK_NONE || !(w->peak_ns[row->type] > 0) ? -1 : 0;
	for (int i = 0; i < NPEAKS && row->peak_ns >= 0; i++)
		row->peak_ns += w->peak_ns[i];
	if (m->request->model_flops == 0) {
		if (row->peak_ns >= 0)
			count_left_out(m, w);
		return;
	}
	row->flops = m->request->model_flops;
	if (given_type(m) != PEAK_NONE)
		row->type = given_type(m);
	row->peak_ns = model_time(m, row->type);
}

/* The sums of the steps that a mean is of. */
struct mean_work {
	struct step_work sum;
	int64_t n;
};

static void add_work(struct mean_work *mean, const struct step_work *w)
{
	mean->n++;
	mean->sum.flops = sum_add(mean->sum.flops, w->flops);
	mean->sum.all_ns = sum_add(mean->sum.all_ns, w->all_ns);
	mean->sum.known_ns = sum_add(mean->sum.known_ns, w->known_ns);
	for (int i = 0; i < NPEAKS; i++) {
		mean->sum.peak_ns[i] += w->peak_ns[i];
		mean->sum.of[i] += w->of[i];
	}
}

static struct step_work mean_of(const struct mean_work *mean)
{
	struct step_work w = mean->sum;
	int64_t n = mean->n > 0 ? mean->n : 1;

	w.flops /= n;
	for (int i = 0; i < NPEAKS; i++) {
		w.peak_ns[i] /= (double)n;
		w.of[i] /= (double)n;
	}
	return w;
}

/* All of a recording without steps, or of a file that is one, has no number. */
static struct work_key key_of(const struct step_row *s)
{
	bool is_whole = s->is_single || s->is_file;
	int64_t first = s->start_ns < s->host_start_ns ? s->start_ns : s->host_start_ns;

	return (struct work_key){ .profile = s->profile->id,
				  .start_ns = is_whole ? 0 : first,
				  .number = is_whole ? NUMBER_NONE : s->number,
				  .device = s->has_device ? s->device : NUMBER_NONE };
}

static void add_rows(struct mfu *m, const struct steps *steps, bool for_people)
{
	struct steps_at at = { 0 };
	struct mean_work mean = { .n = 0 };
	size_t series = 0;

	while (steps_next(steps, &at)) {
		struct mfu_row row = { .type = PEAK_NONE };
		struct step_work w;
		steps_row(steps, &at, &row.step);
		const struct step_row *s = &row.step;
		if (at.of_files) /* means of files that are a step each: of none here */
			break;
		if (at.series != series)
			mean = (struct mean_work){ .n = 0 };
		series = at.series;
		if (s->is_mean && mean.n < 2 && for_people)
			continue; /* of one step it says nothing more */
		if (s->is_mean) {
			w = mean_of(&mean);
		} else {
			const struct work_key key = key_of(s);
			w = *work_of(m, &key);
			add_work(&mean, &w);
		}
		set_work(m, &w, &row);
		*ARRAY_PUSH(m->rows, m->n, m->cap) = row;
	}
}

static const struct step_row *step_at(const void *row)
{
	return &((const struct mfu_row *)row)->step;
}

static struct cell get_profile(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return step_at(row)->profile ? cell_int(step_at(row)->profile->id) : cell_null();
}

static struct cell get_rank(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return step_at(row)->has_rank ? cell_int(step_at(row)->rank) : cell_null();
}

static struct cell get_device(const void *from, const void *row, int arg)
{
	const struct step_row *s = step_at(row);

	(void)from, (void)arg;
	if (!s->has_device)
		return cell_null();
	return s->device != NUMBER_NONE ? cell_int(s->device)
					: cell_text_or_null(s->device_name);
}

static struct cell get_step(const void *from, const void *row, int arg)
{
	const struct mfu *m = from;

	(void)arg;
	if (step_at(row)->is_mean)
		return cell_text(STR_LIT("mean"));
	return cell_text(
		str_of(arena_printf(m->arena, "%" PRId64, step_at(row)->number)));
}

static int64_t total_ns(const void *row)
{
	return step_at(row)->values[VALUE_TOTAL];
}

static struct cell get_total(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_int(total_ns(row));
}

static struct cell get_tflops(const void *from, const void *row, int arg)
{
	int64_t flops = ((const struct mfu_row *)row)->flops;

	(void)from, (void)arg;
	return flops != NUMBER_NONE && total_ns(row) > 0
		       ? cell_real((double)flops / (double)total_ns(row) / 1e3)
		       : cell_null();
}

static struct cell get_mfu(const void *from, const void *row, int arg)
{
	double peak_ns = ((const struct mfu_row *)row)->peak_ns;

	(void)from, (void)arg;
	return peak_ns >= 0 && total_ns(row) > 0
		       ? cell_real(100 * peak_ns / (double)total_ns(row))
		       : cell_null();
}

static struct cell get_known(const void *from, const void *row, int arg)
{
	const struct mfu_row *r = row;

	(void)from, (void)arg;
	return share_cell(r->known_ns, r->all_ns);
}

static struct cell get_type(const void *from, const void *row, int arg)
{
	enum peak type = ((const struct mfu_row *)row)->type;

	(void)from, (void)arg;
	return type == PEAK_NONE ? cell_null() : cell_text(str_of(peak_name(type)));
}

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, .get = get_profile, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank of the file", NULL, UNIT_ID, .get = get_rank },
	{ "device", "Device", "device by number, or its name", NULL, UNIT_ID, .get = get_device },
	{ "step", "Step", "number of the step, or 'mean'", NULL, UNIT_TEXT, .get = get_step, .flags = FIELD_NO_SORT },
	{ "total_ns", "Total", "length of the step", "time duration", UNIT_NS, .get = get_total },
	{ "flops", "FLOPs", "operations of the step: --model-flops, or the sum of known operators", NULL, UNIT_FLOPS, .get = view_number, .arg = offsetof(struct mfu_row, flops) },
	{ "tflops", "TFLOP/s", "the same per second", NULL, UNIT_RATIO, .get = get_tflops },
	{ "type", "Type", "element type of most of them, whose peak is used", "dtype", UNIT_TEXT, .get = get_type },
	{ "mfu_pct", "MFU %", "share of the step that they take at the device's peak", "mfu", UNIT_PERCENT, .get = get_mfu },
	{ "known_pct", "Known %", "share of the step's device time without collectives (where no device did work of its operators' time) of which FLOPs are known", "known", UNIT_PERCENT, .get = get_known },
	{ .name = NULL },
};
/* clang-format on */

const struct view step_mfu_view = {
	.name = "steps --mfu",
	.fields = fields,
	.people = VIEW_PART("profile? rank? device? step! total_ns flops tflops type "
			    "mfu_pct! known_pct"),
};

/* Below this share, in percent, the sum of known operators says little. */
#define KNOWN_LEAST 90

/* Names one of the types: with its peak, the note names the next. */
static void note_left_out(struct memtable *t, const struct mfu *m)
{
	int type = 0;

	if (!m->left_types || m->left_out < m->counted / 2000) /* 0.0% */
		return;
	while (!(m->left_types & 1U << type))
		type++;
	memtable_add_note(
		t,
		"MFU leaves out %.1f%% of the FLOPs: no peak of %s is known; add "
		"%s=TFLOP/s to --peak",
		100 * m->left_out / m->counted, peak_name((enum peak)type),
		peak_name((enum peak)type));
}

static void add_notes(struct memtable *t, const struct mfu *m)
{
	int64_t all_ns = 0, known_ns = 0;
	unsigned used = 0;

	for (size_t i = 0; i < m->n; i++) {
		all_ns = sum_add(all_ns, m->rows[i].all_ns);
		known_ns = sum_add(known_ns, m->rows[i].known_ns);
		if (m->rows[i].peak_ns >= 0)
			used |= 1U << m->rows[i].type;
	}
	double known_pct = percent_of(known_ns, all_ns);
	if (m->request->model_flops)
		memtable_add_note(t, "FLOPs come from --model-flops");
	else if (known_pct < KNOWN_LEAST)
		memtable_add_note(t,
				  "FLOPs are known for %.1f%% of %s time: a step needs "
				  "more; --model-flops N sets how many",
				  known_pct,
				  m->roof.is_host ? "operators'" : "computing");
	else
		memtable_add_note(t, "FLOPs are the sum of known operators, recomputed "
				     "ones included");
	note_left_out(t, m);
	roofline_note_peaks(t, &m->roof, used, false);
}

static bool has_shapes(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].has_shapes)
			return true;
	return false;
}

static int load(struct mfu *m, struct store *store, const struct scope *scope,
		const struct steps_request *request, struct err *err)
{
	/* Steps are chosen below; devices by the rows. */
	const struct filter all = { .focus = NULL };
	const struct roofline_query query = { .filter = &all,
					      .peaks = m->request->peaks,
					      .each = tell_call,
					      .context = m };
	struct steps steps;

	if (!m->request->model_flops && !has_shapes(scope))
		return err_set(
			err, ERR_EMPTY,
			"no shapes were recorded%s: --model-flops N sets what a step needs",
			scope_in_torch(scope, " (record_shapes=True)"));
	if (m->request->peaks && device_peaks_set(m->request->peaks, &m->given, err) < 0)
		return -1;
	int rc = step_numbers_load(store, scope, &m->steps, err);

	if (rc == 0)
		rc = roofline_load(store, scope, &query, &m->roof, err);
	if (rc < 0)
		return -1;
	find_peaks(m);
	rc = steps_load(store, scope, request, &steps, err);
	if (rc == 0)
		rc = steps_check_rows(&steps, steps_count_rows(&steps), err);
	if (rc == 0)
		add_rows(m, &steps, request->show.for_people);
	steps_release(&steps);
	if (rc == 0 && m->n == 0)
		rc = err_set(err, ERR_EMPTY, "no step matches");
	return rc;
}

int step_mfu_open(struct store *store, const struct scope *scope,
		  const struct steps_request *request, const struct mfu_request *mfu,
		  struct table **out, struct err *err)
{
	struct arena arena = { 0 };
	struct mfu m = { .request = mfu, .arena = &arena };

	intern_init(&m.keys);
	int rc = load(&m, store, scope, request, err);
	if (rc == 0) {
		const struct view_rows rows = { &m, m.rows, m.n, sizeof(*m.rows) };
		struct memtable *table =
			view_table(&step_mfu_view, &rows, scope, &request->show);
		add_notes(table, &m);
		*out = &table->table;
	}
	roofline_release(&m.roof);
	step_numbers_release(&m.steps);
	intern_release(&m.keys);
	arena_release(&arena);
	free(m.works);
	free(m.rows);
	return rc;
}
