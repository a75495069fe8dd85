/* What recordings hold: see advise_needs.h. */
#include "query/advise/advise_needs.h"

#include <string.h>

#include "base/buf.h"
#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/short_name.h"

/*
 * Fewer pieces of device work that keep it busy for less than that share say how the
 * recording was cut, not how a program uses its device: samples of a few kernels.
 */
#define PIECES_LEAST 64
#define MUCH_PART    10 /* 1 / 10 of the operators' time */
#define NAME_CELLS   40 /* of an operator's name */
#define BUSY_LEAST   20 /* 1 / 20 of the window */

/* How JAX and TensorFlow record it; NULL: nothing is known to help. */
#define XPROF_HOST "record the host too (host_tracer_level=2)"

static const struct {
	enum rule_need need;
	const char *why, *record, *xprof;
} lacks[] = {
	{ NEED_STEPS, "no steps, operators or device work were recorded",
	  "record with torch.profiler and call its step()", XPROF_HOST },
	{ NEED_NAMES, "no operators were recorded", "record the activity CPU too",
	  XPROF_HOST },
	{ NEED_WORK, "no device work was recorded",
	  "nothing, if the program runs on the CPU alone; else record the activity of "
	  "its device too",
	  "nothing, if the program runs on the CPU alone; else record with "
	  "device_tracer_level=1" },
	{ NEED_RUN, "a graph was captured: its kernels were recorded, not run",
	  "record a replay of the graph", NULL },
	{ NEED_ENOUGH, "too little was recorded to judge it",
	  "record whole steps, after warm-up", "record whole steps, after warm-up" },
	{ NEED_LAUNCHES, "no calls that launch device work were recorded",
	  "record the activity CPU too", XPROF_HOST },
	{ NEED_HOST_ONLY, "no operators were recorded", "record the activity CPU too",
	  XPROF_HOST },
	{ NEED_SHAPES, "no shapes were recorded", "record with record_shapes=True",
	  NULL },
	{ NEED_MEMORY, "no memory events were recorded",
	  "record with profile_memory=True", NULL },
};

#define NOT_TORCH "CPU rules apply to PyTorch recordings only"

#define CUT "there was a device, and its work was not recorded"

#define NLACKS (sizeof(lacks) / sizeof(lacks[0]))

/* Are graphs captured, and replayed no more often than that? */
static bool captures_graph(const struct advise_facts *f)
{
	int64_t begins = 0, makes = 0, launches = 0;

	for (size_t i = 0; i < f->nnames; i++) {
		struct str name = str_of(f->names[i].name);
		if (str_contains(name, STR_LIT("StreamBeginCapture")))
			begins = sum_add(begins, f->names[i].calls);
		if (str_contains(name, STR_LIT("GraphInstantiate")))
			makes = sum_add(makes, f->names[i].calls);
		if (str_contains(name, STR_LIT("GraphLaunch")))
			launches = sum_add(launches, f->names[i].calls);
	}
	int64_t captures = begins ? begins : makes;
	return captures > 0 && launches <= captures;
}

bool advise_needs_capture_only(const struct advise_facts *f)
{
	return f->launches.all > 0 && f->launches.run == 0;
}

/* Shorter recordings of the host hold a call or two. */
#define HOST_LEAST_NS 1000000

bool advise_needs_enough(const struct advise_facts *f, size_t device)
{
	return f->uses[device].pieces >= PIECES_LEAST ||
	       f->uses[device].busy_ns >= f->window.ns / BUSY_LEAST;
}

static bool is_enough(const struct advise_facts *f)
{
	for (size_t i = 0; i < f->work.work.ndevices; i++)
		if (advise_needs_enough(f, i))
			return true;
	return false;
}

/* While a graph is captured the device hardly runs anything. */
static bool is_run(const struct advise_facts *f)
{
	if (!captures_graph(f))
		return true;
	for (size_t i = 0; i < f->work.work.ndevices; i++)
		if (f->uses[i].busy_ns >= f->window.ns / BUSY_LEAST)
			return true;
	return false;
}

/* What rules of the CPU know, and what they say to try, is PyTorch's. */
static bool is_torch(const struct advise_facts *f)
{
	return strcmp(f->profile->format, "pytorch") == 0;
}

/* cudaMalloc, cuMemAlloc_v2, hipMalloc, urQueueFinish, ...; no label "cuBLAS warm-up" */
static bool is_runtime_call(struct str name)
{
	static const char *const heads[] = { "cuda", "cu", "hip", "ur", "ze" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t n = strlen(heads[i]);
		if (str_starts_with(name, str_of(heads[i])) && name.n > n + 1 &&
		    name.p[n] >= 'A' && name.p[n] <= 'Z' && name.p[n + 1] >= 'a' &&
		    name.p[n + 1] <= 'z')
			return true;
	}
	return false;
}

/*
 * A call of a device's runtime, or an operator that computes or communicates with its
 * library (..._overrideable: on devices other than a GPU).  What asks whether that could
 * (aten::cudnn_is_acceptable) runs on any machine.
 */
static bool is_of_device(struct str name)
{
	static const char *const heads[] = { "aten::cudnn_",
					     "aten::_cudnn_",
					     "aten::miopen_",
					     "aten::_miopen_",
					     "aten::mps_",
					     "aten::convolution_overrideable",
					     "aten::convolution_backward_overrideable",
					     "nccl:",
					     "rccl:",
					     "hccl:",
					     "xccl:" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (str_starts_with(name, str_of(heads[i])))
			return !str_is(name, "aten::cudnn_is_acceptable");
	/* aten::_mps_convolution, _lstm_mps, ..._math_for_mps */
	return is_runtime_call(name) || (str_starts_with(name, STR_LIT("aten::")) &&
					 str_contains(name, STR_LIT("_mps")));
}

/*
 * No device work, but signs of a device, for which the host's operators may wait: what
 * calls it, or what the recording says of it.
 */
static int find_cut(struct advise_facts *f, struct err *err)
{
	const struct device_properties_list *devices = facts_properties(f, err);

	if (!devices)
		return -1;
	f->is_cut = devices->n > 0;
	for (size_t i = 0; i < f->nnames; i++)
		f->is_cut |= is_of_device(str_of(f->names[i].name));
	return 0;
}

/* Without device work. */
static int add_host_needs(struct advise_facts *f, unsigned *met, struct err *err)
{
	if (find_cut(f, err) < 0 || (!f->stored && facts_find_beside(f, err) < 0))
		return -1;
	if (f->nnames && f->launches.all == 0 && is_torch(f) && !f->is_cut)
		*met |= NEED_HOST_ONLY;
	*met |= f->window.ns >= HOST_LEAST_NS ? NEED_ENOUGH : 0U;
	return 0;
}

int advise_needs_met(struct advise_facts *f, unsigned *met, struct err *err)
{
	size_t n;
	const struct device_work *work = facts_work(f, err);
	const struct fact_use *uses = work ? facts_uses(f, err) : NULL;
	const struct fact_name *names = uses ? facts_names(f, &n, err) : NULL;

	if (!names || facts_launches(f, err) < 0)
		return -1;
	*met = (f->window.steps.n ? NEED_STEPS : 0U) | (n ? NEED_NAMES : 0U) |
	       (f->profile->has_shapes ? NEED_SHAPES : 0U) |
	       (f->profile->has_memory ? NEED_MEMORY : 0U);
	if (!facts_has_work(f))
		return add_host_needs(f, met, err);
	*met |= NEED_WORK;
	*met |= is_enough(f) ? NEED_ENOUGH : 0U;
	*met |= is_run(f) ? NEED_RUN : 0U;
	/* no rule of summaries asks for them */
	*met |= f->stored || facts_has_launches(work) ? NEED_LAUNCHES : 0U;
	return 0;
}

int advise_needs_lack_work(const struct rule_run *run)
{
	return advice_lacks(run, CUT,
			    "record the activity of the device too (if the program uses "
			    "it)");
}

bool advise_needs_allow(const struct rule_run *run, unsigned met)
{
	unsigned missing = run->rule->needs & ~met;

	if (missing & NEED_HOST_ONLY && (met & NEED_WORK || run->facts->launches.all))
		return false;
	run->out->asked++;
	if (missing & NEED_HOST_ONLY && !is_torch(run->facts))
		return advice_lacks(run, NOT_TORCH, NULL) != 0;
	if (missing & NEED_HOST_ONLY && run->facts->is_cut)
		return advise_needs_lack_work(run) != 0;
	for (size_t i = 0; i < NLACKS; i++) {
		if (!(missing & lacks[i].need))
			continue;
		advice_lacks(run, lacks[i].why,
			     rule_try(run, lacks[i].record, lacks[i].xprof));
		return false;
	}
	bool has_rows = run->rule->is_of_run || run->facts->has_rows;
	if (run->facts->stored && !(run->rule->of_summaries && has_rows))
		return advice_lacks_slices(run) != 0;
	return true;
}

static const char *unfit(unsigned met, struct fact_use use, struct arena *arena)
{
	if (met & NEED_WORK && !(met & NEED_RUN))
		return "a graph was captured: its kernels were recorded, not run";
	if (!(met & NEED_WORK))
		return met & NEED_ENOUGH ? NULL : "too short to judge";
	if (!(met & NEED_ENOUGH))
		return arena_printf(arena, "too little to judge (kernels, copies: %s%zu)",
				    use.is_at_most ? "at most " : "", use.pieces);
	return NULL;
}

/*
 * The operator with most self time: "aten::mm (36.4% of that)".  NULL: there is none, or
 * most of busy_ns is of other ranges, such as torch.compile's, or operators beyond it
 * run, perhaps in others_ns.
 */
static const char *longest(const struct fact_name *names, size_t n, int64_t busy_ns,
			   int64_t others_ns, struct arena *arena)
{
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	struct buf text;

	int64_t much_ns = busy_ns / MUCH_PART;

	if (!all.most || all.all_ns <= 0 || all.all_ns < busy_ns / 2 ||
	    (others_ns > much_ns && all.all_ns - much_ns > busy_ns))
		return NULL;
	struct str name = str_of(all.most->name);
	buf_init(&text, name.n + NAME_CELLS);
	short_name_add(&text, name, NAME_CELLS);
	const char *said = arena_printf(
		arena, STR_FMT " (%.1f%% of that)", STR_ARG(buf_str(&text)),
		percent_of(all.most->self_ns - all.most->beside_ns, all.all_ns));
	buf_release(&text);
	return said;
}

/*
 * Operators of all steps together: where it is known when they run, whenever their thread
 * loads no data, else what counts for no other category; and then the time of these in
 * which operators may run too, data loading and communication.
 */
static int host_busy_ns(struct advise_facts *f, int64_t *ns, int64_t *others_ns,
			struct err *err)
{
	const struct steps *steps = facts_steps(f, err);
	const struct step_row *mean = steps ? facts_mean(steps) : NULL;

	*ns = f->beside.outside_ns;
	*others_ns = 0;
	if (f->beside.is_known)
		return 0;
	if (!mean)
		return steps ? 0 : -1;
	const int64_t *of = &mean->values[VALUE_CATEGORY];
	*ns = sum_times(of[STEP_OPERATORS], f->window.nsteps);
	*others_ns = sum_times(sum_add(of[STEP_DATA_LOADING], of[STEP_COMMUNICATION]),
			       f->window.nsteps);
	return 0;
}

int advise_views_add(struct advise_facts *f, unsigned met, struct advice_list *out,
		     struct err *err)
{
	struct advice_view view = {
		.profile = f->profile,
		.steps = f->window.is_single ? 0 : f->window.nsteps,
		.window_ns = f->window.ns,
		.is_gpu = f->is_gpu,
	};

	if (f->stored && !f->has_rows)
		return 0;
	for (size_t i = 0; i < f->work.work.ndevices; i++) {
		view.device = work_device_cell(&f->work.work.devices[i]);
		view.busy_ns = f->uses[i].busy_ns;
		view.unfit = unfit(
			advise_needs_enough(f, i) ? met : met & ~(unsigned)NEED_ENOUGH,
			f->uses[i], &out->arena);
		advice_add_view(out, &view);
	}
	if (met & NEED_WORK || f->nnames == 0)
		return 0;
	int64_t others_ns;
	if (host_busy_ns(f, &view.busy_ns, &others_ns, err) < 0)
		return -1;
	view.unfit =
		f->launches.all ? advise_needs_capture_only(f) ? DEVICE_CAPTURED
							       : "its kernels are missing"
		: !is_torch(f)  ? NOT_TORCH
		: f->is_cut     ? CUT
			    : unfit(met, (struct fact_use){ .pieces = 0 }, &out->arena);
	view.longest = f->launches.all ? NULL
				       : longest(f->names, f->nnames, view.busy_ns,
						 others_ns, &out->arena);
	advice_add_view(out, &view);
	return 0;
}
