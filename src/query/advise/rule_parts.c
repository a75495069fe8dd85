/* What rules have in common: see rule_parts.h. */
#include "query/advise/rule_parts.h"

#include <string.h>

#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/gaps/gap_cause.h"
#include "query/short_name.h"
#include "trace/fact.h"

#define CULPRIT_CELLS ((size_t)48) /* of a name in a sentence */

double rule_value(const struct rule_run *run, const char *parameter)
{
	return run->values[rule_parameter_find(run->rule, parameter, strlen(parameter))];
}

const char *rule_whole(const struct rule_run *run)
{
	const struct fact_window *w = &run->facts->window;

	return w->is_single ? "the recording" : w->nsteps == 1 ? "the step" : "each step";
}

const char *rule_device_word(const struct rule_run *run)
{
	return run->facts->is_gpu ? "GPU" : "device";
}

int64_t rule_per_step(const struct rule_run *run, int64_t ns)
{
	return ns / run->facts->window.nsteps;
}

const char *rule_try(const struct rule_run *run, const char *torch, const char *xprof)
{
	return scope_is_xprof(run->facts->profile) ? xprof : torch;
}

const char *rule_try_serving(const struct rule_run *run, const char *serving,
			     const char *torch, const char *xprof)
{
	return run->facts->window.is_serving ? serving : rule_try(run, torch, xprof);
}

int64_t rule_step_ns(const struct rule_run *run)
{
	return rule_per_step(run, run->facts->window.ns);
}

void rule_add_window(const struct rule_run *run)
{
	const struct fact_window *w = &run->facts->window;

	if (!w->is_single)
		advice_evidence(run, "steps", UNIT_COUNT, cell_int(w->nsteps));
	advice_evidence(run, w->is_single ? "recording_ns" : "mean_step_ns", UNIT_NS,
			cell_int(rule_step_ns(run)));
}

void rule_add_ns(const struct rule_run *run, const char *item, int64_t ns)
{
	advice_evidence(run, item, UNIT_NS, cell_int(rule_per_step(run, ns)));
}

void rule_add_share(const struct rule_run *run, const char *item, int64_t ns,
		    const char *pct_item, const char *formula)
{
	rule_add_ns(run, item, ns);
	advice_evidence(run, pct_item, UNIT_PERCENT,
			cell_real(percent_of(ns, run->facts->window.ns)));
	advice_save(run, rule_per_step(run, ns), rule_step_ns(run), formula);
}

void rule_judge_share(const struct rule_run *run, const struct rule_share *share)
{
	const struct step_row *mean = facts_mean(&run->facts->steps);

	if (!mean)
		return;
	int64_t ns = mean->values[VALUE_CATEGORY + share->category];
	ns = ns > share->less_ns ? ns - share->less_ns : 0;
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = percent_of(ns, total_ns);
	if (pct <= rule_value(run, "min_pct"))
		return;
	advice_add(run, cell_null(), share->suggestion, "%.1f%% of %s%s", pct,
		   rule_whole(run), share->finding);
	if (!mean->is_single)
		advice_evidence(run, "steps", UNIT_COUNT, cell_int(mean->nmean));
	advice_evidence(run, mean->is_single ? "recording_ns" : "mean_step_ns", UNIT_NS,
			cell_int(total_ns));
	advice_evidence(run, share->ns_item, UNIT_NS, cell_int(ns));
	advice_evidence(run, share->pct_item, UNIT_PERCENT, cell_real(pct));
	if (share->formula)
		advice_save(run, ns, total_ns, share->formula);
}

const char *rule_name(const struct rule_run *run, struct str name)
{
	struct buf text;

	buf_init(&text, name.n + CULPRIT_CELLS);
	short_name_add(&text, name, CULPRIT_CELLS);
	const char *copy = arena_copy(&run->out->arena, buf_str(&text)).p;
	buf_release(&text);
	return copy;
}

const char *rule_culprit(const struct rule_run *run, struct str name)
{
	if (!name.n)
		return "";
	return arena_printf(&run->out->arena, " (mostly %s)", rule_name(run, name));
}

static const char *text_of(const struct rule_run *run, enum unit unit, int64_t n)
{
	char text[UNITS_TEXT_MAX];

	return arena_copy(&run->out->arena, units_text(unit, cell_int(n), text)).p;
}

const char *rule_ns_text(const struct rule_run *run, int64_t ns)
{
	return text_of(run, UNIT_NS, ns);
}

const char *rule_count_text(const struct rule_run *run, int64_t n)
{
	return text_of(run, UNIT_COUNT, n);
}

const char *rule_in_steps(const struct rule_run *run, int64_t n)
{
	const char *count = rule_count_text(run, n);
	int64_t steps = run->facts->window.nsteps;

	return steps == 1 ? count
			  : arena_printf(&run->out->arena, "%s in %s steps", count,
					 rule_count_text(run, steps));
}

struct rule_operators rule_operators(const struct fact_name *names, size_t n,
				     bool (*is_wanted)(const struct fact_name *name))
{
	struct rule_operators sum = { .ns = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct fact_name *name = &names[i];
		if (!name->is_operator || name->self_ns < 0)
			continue;
		int64_t ns = name->self_ns - name->beside_ns;
		sum.all_ns = sum_add(sum.all_ns, ns);
		sum.all_calls = sum_add(sum.all_calls, name->step_calls);
		if (!is_wanted(name))
			continue;
		sum.ns = sum_add(sum.ns, ns);
		sum.calls = sum_add(sum.calls, name->step_calls);
		if (!sum.most || ns > sum.most->self_ns - sum.most->beside_ns)
			sum.most = name;
	}
	return sum;
}

bool rule_any_operator(const struct fact_name *name)
{
	(void)name;
	return true;
}

void rule_add_operators(const struct rule_run *run, const char *item, int64_t ns,
			const char *formula)
{
	struct arena *arena = &run->out->arena;
	int64_t step_ns = rule_step_ns(run);

	advice_evidence(run, arena_printf(arena, "%s_ns", item), UNIT_NS, cell_int(ns));
	advice_evidence(run, arena_printf(arena, "%s_pct", item), UNIT_PERCENT,
			cell_real(percent_of(ns, step_ns)));
	advice_save(run, ns, step_ns, formula);
}

bool rule_has_fused_optimizer(const struct advise_facts *f)
{
	return rule_calls(f, "aten::_fused_ad") > 0 ||
	       rule_calls(f, "aten::_fused_sgd") > 0;
}

int64_t rule_calls(const struct advise_facts *f, const char *prefix)
{
	int64_t calls = 0;

	for (size_t i = 0; i < f->nnames; i++)
		if (str_starts_with(str_of(f->names[i].name), str_of(prefix)))
			calls = sum_add(calls, f->names[i].calls);
	return calls;
}
