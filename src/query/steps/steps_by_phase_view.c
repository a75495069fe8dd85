/* Steps by phase as a view: see steps_by_phase.h. */
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/steps_by_phase.h"

static struct cell ratio_cell(int64_t part, int64_t whole, double times)
{
	return whole > 0 && part >= 0 && !sum_is_stuck(part) && !sum_is_stuck(whole)
		       ? cell_real(times * (double)part / (double)whole)
		       : cell_null();
}

static struct cell get_profile(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_int(((const struct phase_row *)row)->profile->id);
}

static struct cell get_rank(const void *from, const void *row, int arg)
{
	const struct scope_profile *profile = ((const struct phase_row *)row)->profile;

	(void)from, (void)arg;
	return profile->has_rank ? cell_int(profile->rank) : cell_null();
}

static struct cell get_phase(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text_or_null(
		engine_phase_name(((const struct phase_row *)row)->phase));
}

static struct cell get_batch(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;

	(void)from, (void)arg;
	return ratio_cell(r->requests, r->request_steps, 1);
}

static struct cell get_mean(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;

	(void)from, (void)arg;
	return ratio_cell(r->total_ns, r->steps, 1);
}

static struct cell get_tpot(const void *from, const void *row, int arg)
{
	return ((const struct phase_row *)row)->phase == ENGINE_DECODE
		       ? get_mean(from, row, arg)
		       : cell_null();
}

static struct cell get_token(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;

	(void)from, (void)arg;
	return ratio_cell(r->made_ns, r->made, 1);
}

static struct cell get_utilization(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;

	(void)from, (void)arg;
	return ratio_cell(r->busy_ns, r->possible_ns, 100);
}

static struct cell get_work(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;

	(void)from, (void)arg;
	return r->work_ns ? cell_int(r->work_ns) : cell_null();
}

static struct cell get_share(const void *from, const void *row, int family)
{
	const struct phase_row *r = row;

	(void)from;
	return ratio_cell(r->family_ns[family], r->work_ns, 100);
}

/* Those that have a column of their own. */
static const enum kernel_family shown[] = {
	FAMILY_ATTENTION, FAMILY_LINEAR,        FAMILY_MOE,     FAMILY_NORM,
	FAMILY_SAMPLING,  FAMILY_COMMUNICATION, FAMILY_UNKNOWN,
};

static struct cell get_others(const void *from, const void *row, int arg)
{
	const struct phase_row *r = row;
	int64_t ns = r->work_ns;

	(void)from, (void)arg;
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		ns = sum_sub(ns, r->family_ns[shown[i]]);
	return ratio_cell(ns, r->work_ns, 100);
}

#define ROW(how, member) .get = (how), .arg = offsetof(struct phase_row, member)
#define SHARE(family)    .get = get_share, .arg = (family)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, .get = get_profile, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank of the file", NULL, UNIT_ID, .get = get_rank },
	{ "phase", "Phase", "prefill, decode, mixed or other, by the annotations; null if they do not say", NULL, UNIT_TEXT, .get = get_phase, .flags = FIELD_KEY },
	{ "steps", "Steps", "number of steps", "count", UNIT_COUNT, ROW(view_int64, steps) },
	{ "requests", NULL, "requests of its steps, counted in each", NULL, UNIT_COUNT, ROW(view_number, requests) },
	{ "mean_requests", "Batch", "requests in a step, mean", "batch", UNIT_RATIO, .get = get_batch },
	{ "tokens", "Tokens", "tokens that the model processed in its steps", NULL, UNIT_COUNT, ROW(view_number, tokens), .leaves = 4 },
	{ "total_ns", "Total", "length of its steps", "total time", UNIT_NS, ROW(view_int64, total_ns), .leaves = 3 },
	{ "mean_ns", "Mean", "length of a step", "mean", UNIT_NS, .get = get_mean },
	{ "tpot_ns", "TPOT", "of decode: length of a step, in which each request gets a token, or more where drafts are checked", "tpot", UNIT_NS, .get = get_tpot },
	{ "token_ns", "Token", "time per token: of decode, time of its steps by their requests; else by their tokens", "token", UNIT_NS, .get = get_token },
	{ "gpu_busy_ns", "Busy", "time in which devices ran work, all devices added up", "busy", UNIT_NS, ROW(view_number, busy_ns), .leaves = 5 },
	{ "utilization_pct", "Util%", "share of its steps in which the device is busy, mean of devices", "utilization", UNIT_PERCENT, .get = get_utilization },
	{ "device_work_ns", "Device time", "device work that its steps launched, added up", "device_time", UNIT_NS, .get = get_work },
	{ "attention_pct", "Attn%", "share of attention in that, by the kernels' names", NULL, UNIT_PERCENT, SHARE(FAMILY_ATTENTION) },
	{ "linear_pct", "Linear%", "share of matrix products", NULL, UNIT_PERCENT, SHARE(FAMILY_LINEAR) },
	{ "moe_pct", "MoE%", "share of experts (MoE): matrix products, routing, permutation", NULL, UNIT_PERCENT, SHARE(FAMILY_MOE) },
	{ "norm_pct", "Norm%", "share of normalization", NULL, UNIT_PERCENT, SHARE(FAMILY_NORM) },
	{ "sampling_pct", "Sampl%", "share of sampling", NULL, UNIT_PERCENT, SHARE(FAMILY_SAMPLING) },
	{ "communication_pct", "Comm%", "share of collectives and point to point", NULL, UNIT_PERCENT, SHARE(FAMILY_COMMUNICATION) },
	{ "other_pct", "Other%", "share of all other families, and of copies", NULL, UNIT_PERCENT, .get = get_others },
	{ "unknown_pct", "Unknown%", "share of kernels whose names fit no family", NULL, UNIT_PERCENT, SHARE(FAMILY_UNKNOWN) },
	{ .name = NULL },
};
/* clang-format on */

#define WHERE "profile? rank? phase! "
#define TIMES                                                              \
	{                                                                  \
		NULL, WHERE "steps mean_requests tokens total_ns mean_ns " \
			    "tpot_ns token_ns utilization_pct gpu_busy_ns" \
	}

static const struct view_part people[] = {
	TIMES,
	{ "Device time that the steps launched, by families of kernels",
	  WHERE "device_work_ns attention_pct linear_pct moe_pct norm_pct sampling_pct "
		"communication_pct other_pct unknown_pct" },
	{ .fields = NULL },
};

/* Where nothing is known of what the steps launched. */
static const struct view_part times[] = { TIMES, { .fields = NULL } };

const struct view steps_by_phase_view = {
	.name = "steps --by phase",
	.fields = fields,
	.people = people,
	.is_form = true,
};

static bool has_work(const struct by_phase *b)
{
	for (size_t i = 0; i < b->nrows; i++)
		if (b->rows[i].work_ns)
			return true;
	return false;
}

/* A request that has its drafts checked gets one token in a step, or more. */
static void note_drafts(struct memtable *m, const struct by_phase *b)
{
	int64_t requests = 0, tokens = 0;
	bool is_unknown = false;

	for (size_t i = 0; i < b->nrows; i++) {
		const struct phase_row *r = &b->rows[i];
		if (r->phase != ENGINE_DECODE || r->requests == NUMBER_NONE)
			continue;
		is_unknown |= r->tokens == NUMBER_NONE;
		if (r->tokens != NUMBER_NONE && r->tokens > r->requests) {
			requests = sum_add(requests, r->requests);
			tokens = sum_add(tokens, r->tokens);
		}
	}
	if (requests)
		memtable_add_note(
			m,
			"speculative decoding: decode steps check %.2f tokens per request and keep one or more; TPOT is the time of a step, not of a token",
			(double)tokens / (double)requests);
	else if (is_unknown)
		memtable_add_note(
			m,
			"the recording does not say how many tokens a decode step makes; with speculative decoding, TPOT is the time of a step, not of a token");
}

/* The same rows as the mean of the steps: a question that the recording does not answer. */
static int needs_phases(const struct scope *scope, const struct by_phase *b,
			struct err *err)
{
	bool is_told = false;

	for (size_t i = 0; i < b->nrows; i++)
		is_told |= b->rows[i].phase != ENGINE_UNTOLD;
	if (is_told || !b->nrows)
		return 0;
	return err_set(
		err, ERR_EMPTY,
		"--by phase: no annotation of an inference engine says which phase "
		"a step is%s",
		scope_in_torch(scope, "; 'ptool steps --phases' splits steps of "
				      "training into forward, backward and others"));
}

static void add_notes(struct memtable *m, const struct by_phase *b)
{
	note_drafts(m, b);
	if (b->lacks_work)
		memtable_add_note(m, "a baseline's store does not hold the kernels of "
				     "each step");
}

int steps_by_phase_table(struct store *store, const struct scope *scope, struct steps *s,
			 const struct steps_request *request, struct table **out,
			 struct err *err)
{
	struct by_phase b;
	int rc = by_phase_load(store, s, &b, err);

	if (rc == 0)
		rc = needs_phases(scope, &b, err);
	if (rc == 0) {
		const struct view_rows rows = { NULL, b.rows, b.nrows, sizeof(*b.rows) };
		struct view_request show = request->show;
		if (!has_work(&b))
			show.people = times;
		struct memtable *m =
			view_table(&steps_by_phase_view, &rows, scope, &show);
		add_notes(view_last_part(m), &b);
		*out = &m->table;
	}
	by_phase_release(&b);
	steps_release(s);
	return rc;
}
