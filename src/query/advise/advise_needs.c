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

#define NLACKS (sizeof(lacks) / sizeof(lacks[0]))

/* Graphs are captured, and hardly replayed. */
static bool captures_graph(const struct fact_name *names, size_t n)
{
	int64_t captures = 0, launches = 0;

	for (size_t i = 0; i < n; i++) {
		struct str name = str_of(names[i].name);
		if (str_contains(name, STR_LIT("StreamBeginCapture")) ||
		    str_contains(name, STR_LIT("GraphInstantiate")))
			captures = sum_add(captures, names[i].calls);
		if (str_contains(name, STR_LIT("GraphLaunch")))
			launches = sum_add(launches, names[i].calls);
	}
	return captures > 0 && launches <= captures;
}

/* Shorter recordings of the host hold a call or two. */
#define HOST_LEAST_NS 1000000

static bool is_enough(const struct advise_facts *f)
{
	for (size_t i = 0; i < f->work.work.ndevices; i++)
		if (f->uses[i].pieces >= PIECES_LEAST ||
		    f->uses[i].busy_ns >= f->window.ns / BUSY_LEAST)
			return true;
	return false;
}

/* While a graph is captured the device hardly runs anything. */
static bool is_run(const struct advise_facts *f, const struct fact_name *names, size_t n)
{
	if (!captures_graph(names, n))
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

int advise_needs_met(struct advise_facts *f, unsigned *met, struct err *err)
{
	size_t n;
	const struct device_work *work = facts_work(f, err);
	const struct fact_use *uses = work ? facts_uses(f, err) : NULL;
	const struct fact_name *names = uses ? facts_names(f, &n, err) : NULL;
	int64_t launches;

	if (!names || facts_launches(f, &launches, err) < 0)
		return -1;
	*met = (f->window.steps.n ? NEED_STEPS : 0U) | (n ? NEED_NAMES : 0U) |
	       (f->profile->has_shapes ? NEED_SHAPES : 0U) |
	       (f->profile->has_memory ? NEED_MEMORY : 0U);
	if (!facts_has_work(f)) {
		*met |= n && launches == 0 && is_torch(f) ? NEED_HOST_ONLY : 0U;
		*met |= f->window.ns >= HOST_LEAST_NS ? NEED_ENOUGH : 0U;
		return 0;
	}
	*met |= NEED_WORK;
	*met |= is_enough(f) ? NEED_ENOUGH : 0U;
	*met |= is_run(f, names, n) ? NEED_RUN : 0U;
	/* no rule of summaries asks for them */
	*met |= f->stored || facts_has_launches(work) ? NEED_LAUNCHES : 0U;
	return 0;
}

bool advise_needs_allow(const struct rule_run *run, unsigned met)
{
	unsigned missing = run->rule->needs & ~met;

	if (missing & NEED_HOST_ONLY && (met & NEED_WORK || run->facts->launches))
		return false;
	run->out->asked++;
	if (missing & NEED_HOST_ONLY && !is_torch(run->facts))
		return advice_lacks(run, NOT_TORCH, NULL) != 0;
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

static const char *unfit(unsigned met, size_t pieces, struct arena *arena)
{
	if (met & NEED_WORK && !(met & NEED_RUN))
		return "a graph was captured: its kernels were recorded, not run";
	if (!(met & NEED_WORK))
		return met & NEED_ENOUGH ? NULL : "too short to judge";
	if (!(met & NEED_ENOUGH))
		return arena_printf(arena, "too little to judge (kernels, copies: %zu)",
				    pieces);
	return NULL;
}

/*
 * The operator with most self time: "aten::mm (36.4% of that)".  NULL: there is none, or
 * most of busy_ns is of other ranges, such as torch.compile's.
 */
static const char *longest(const struct fact_name *names, size_t n, int64_t busy_ns,
			   struct arena *arena)
{
	struct rule_operators all = rule_operators(names, n, rule_any_operator);
	struct buf text;

	if (!all.most || all.all_ns <= 0 || all.all_ns < busy_ns / 2)
		return NULL;
	struct str name = str_of(all.most->name);
	buf_init(&text, name.n + NAME_CELLS);
	short_name_add(&text, name, NAME_CELLS);
	const char *said =
		arena_printf(arena, STR_FMT " (%.1f%% of that)", STR_ARG(buf_str(&text)),
			     percent_of(all.most->self_ns, all.all_ns));
	buf_release(&text);
	return said;
}

/* Operators of all steps together: what of them counts for no other category. */
static int host_busy_ns(struct advise_facts *f, int64_t *ns, struct err *err)
{
	const struct steps *steps = facts_steps(f, err);
	const struct step_row *mean = steps ? facts_mean(steps) : NULL;

	*ns = mean ? sum_times(mean->values[VALUE_CATEGORY + STEP_OPERATORS],
			       f->window.nsteps)
		   : 0;
	return steps ? 0 : -1;
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
		view.unfit = unfit(met, f->uses[i].pieces, &out->arena);
		advice_add_view(out, &view);
	}
	if (met & NEED_WORK || f->nnames == 0)
		return 0;
	if (host_busy_ns(f, &view.busy_ns, err) < 0)
		return -1;
	view.unfit = f->launches   ? "its kernels are missing"
		     : is_torch(f) ? unfit(met, 0, &out->arena)
				   : NOT_TORCH;
	view.longest = f->launches
			       ? NULL
			       : longest(f->names, f->nnames, view.busy_ns, &out->arena);
	advice_add_view(out, &view);
	return 0;
}
