/* The rule of torch.compile. */
#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/compile/compile.h"
#include "query/compile/compile_name.h"

/* What compiling cost after the first step; without steps, in all of the recording. */
struct compiling {
	int64_t n, again;   /* again: of frames that were compiled before */
	int64_t recompiles; /* of these, as torch counts them: those of forward passes */
	int64_t ns;         /* in which no device worked, or without one of all */
};

static void add(struct compiling *sum, const struct compiling *more, int64_t ns)
{
	sum->n += more->n;
	sum->again += more->again;
	sum->recompiles += more->recompiles;
	sum->ns = sum_add(sum->ns, ns);
}

/* Steps in which nothing compiled are not among those of `c`. */
static struct compiling sum_up(const struct compile *c, const struct fact_window *window)
{
	const struct step_windows *steps = &window->steps;
	struct compiling sum = { .n = 0 };

	for (size_t i = 0; i < c->nsteps; i++) {
		const struct compile_step *step = &c->steps[i];
		if (steps->n && step->number == steps->items[0].number)
			continue;
		const struct compiling of = { .n = step->compilations,
					      .again = step->again,
					      .recompiles = step->recompilations };
		add(&sum, &of, c->has_device ? step->idle_ns : step->compile_ns);
	}
	for (size_t i = 0; i < c->n && window->is_single; i++) {
		const struct compile_region *region = &c->regions[i];
		const struct compiling of = { .n = region->compilations,
					      .again = region->again,
					      .recompiles = region->recompilations };
		add(&sum, &of, c->has_device ? region->idle_ns : region->compile_ns);
	}
	return sum;
}

static void judge(const struct rule_run *run, const struct compile *c)
{
	const struct compiling sum = sum_up(c, &run->facts->window);
	double pct = percent_of(sum.ns, run->facts->window.ns);

	if (sum.n == 0 || pct <= rule_value(run, "min_pct"))
		return;
	advice_add(run, cell_null(),
		   sum.again
			   ? "TORCH_LOGS=recompiles says why torch compiles again: mark "
			     "sizes that change (torch._dynamo.mark_dynamic, "
			     "dynamic=True) or pad them to a few; 'ptool compile' shows "
			     "which frames"
			   : "run all that is compiled before the steps that count; "
			     "'ptool compile' shows which frames",
		   "%.1f%% of %s %s while torch.compile compiles%s", pct, rule_whole(run),
		   c->has_device ? "no device works" : "passes",
		   sum.again * 2 > sum.n ? ", mostly again" : "");
	rule_add_window(run);
	advice_evidence(run, "compilations", UNIT_COUNT, cell_int(sum.n));
	advice_evidence(run, "recompilations", UNIT_COUNT, cell_int(sum.recompiles));
	rule_add_share(run, c->has_device ? "compile_idle_ns" : "compile_ns", sum.ns,
		       "compiling_pct",
		       "time of compiling after the first step (ptool compile --by "
		       "step) / steps");
}

static bool compiles(const struct advise_facts *f)
{
	struct str unused;

	for (size_t i = 0; i < f->nnames; i++)
		if (compile_word_of(str_of(f->names[i].name), &unused) ==
		    COMPILE_WORD_COMPILING)
			return true;
	return false;
}

static int check_compiling(const struct rule_run *run, struct err *err)
{
	const struct compile_query query = { .by = COMPILE_BY_STEP };
	struct compile c;

	if (!compiles(run->facts))
		return 0;
	int rc = compile_load(run->facts->store, &run->facts->own, &query, &c, err);

	if (rc == 0)
		judge(run, &c);
	compile_release(&c);
	if (rc == 0 || err->kind != ERR_EMPTY)
		return rc;
	*err = (struct err)ERR_INIT; /* nothing is compiled */
	return 0;
}

const struct rule rule_compiling = {
	.name = "compiling",
	.title = "Compiling",
	.looks =
		"The time in which torch.compile compiles in steps after the first (in "
		"the whole recording, if it has no steps) while no device works; without "
		"device work, all of the time that it compiles.",
	.source =
		"ptool's own: 1 % of the time of the steps; code that is compiled once, "
		"before them, costs nothing.",
	.parameters = { { "min_pct", 1, "share of the steps that is acceptable" } },
	.needs = NEED_STEPS,
	.causes = RULE_CAUSE(GAP_COMPILE),
	.check = check_compiling,
};
