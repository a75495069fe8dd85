/* What rules have in common: see rule_parts.h. */
#include "query/advise/rule_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/gaps/gap_cause.h"
#include "query/short_name.h"
#include "trace/fact.h"

#define CULPRIT_CELLS ((size_t)48) /* of a name in a sentence */

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

int64_t rule_step_ns(const struct rule_run *run)
{
	return rule_per_step(run, run->facts->window.ns);
}

int rule_each_device(const struct rule_run *run,
		     void (*judge)(const struct rule_run *run,
				   const struct work_device *device,
				   const struct fact_use *use),
		     struct err *err)
{
	const struct fact_use *uses = facts_uses(run->facts, err);
	const struct device_work *work = &run->facts->work.work;

	if (!uses)
		return -1;
	for (size_t i = 0; i < work->ndevices; i++)
		judge(run, &work->devices[i], &uses[i]);
	return 0;
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
			cell_real(facts_pct(ns, run->facts->window.ns)));
	advice_save(run, rule_per_step(run, ns), rule_step_ns(run), formula);
}

int rule_judge_share(const struct rule_run *run, const struct rule_share *share,
		     double min_pct, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;

	if (!mean)
		return steps ? 0 : -1;
	int64_t ns = mean->values[VALUE_CATEGORY + share->category];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = facts_pct(ns, total_ns);
	if (pct <= min_pct)
		return 0;
	advice_add(run, cell_null(), share->suggestion, "%.1f%% of %s%s", pct,
		   rule_whole(run), share->finding);
	if (!mean->is_single)
		advice_evidence(run, "steps", UNIT_COUNT, cell_int(mean->nmean));
	advice_evidence(run, mean->is_single ? "recording_ns" : "mean_step_ns", UNIT_NS,
			cell_int(total_ns));
	advice_evidence(run, share->ns_item, UNIT_NS, cell_int(ns));
	advice_evidence(run, share->pct_item, UNIT_PERCENT, cell_real(pct));
	advice_save(run, ns, total_ns, share->formula);
	return 0;
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

const char *rule_ns_text(const struct rule_run *run, int64_t ns)
{
	char text[UNITS_TEXT_MAX];

	return arena_copy(&run->out->arena, units_text(UNIT_NS, cell_int(ns), text)).p;
}

struct rule_operators rule_operators(const struct fact_name *names, size_t n,
				     bool (*is_wanted)(const struct fact_name *name))
{
	struct rule_operators sum = { .ns = 0 };

	for (size_t i = 0; i < n; i++) {
		const struct fact_name *name = &names[i];
		if (!name->is_operator || name->self_ns < 0)
			continue;
		sum.all_ns = sum_add(sum.all_ns, name->self_ns);
		sum.all_calls = sum_add(sum.all_calls, name->step_calls);
		if (!is_wanted(name))
			continue;
		sum.ns = sum_add(sum.ns, name->self_ns);
		sum.calls = sum_add(sum.calls, name->step_calls);
		if (!sum.most || name->self_ns > sum.most->self_ns)
			sum.most = name;
	}
	return sum;
}

int64_t rule_operators_ns(const struct rule_run *run, const struct rule_operators *of,
			  struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;

	if (!mean)
		return steps ? 0 : -1;
	if (of->all_ns <= 0)
		return 0;
	double share = (double)of->ns / (double)of->all_ns;
	return sum_of_double(share *
			     (double)mean->values[VALUE_CATEGORY + STEP_OPERATORS]);
}

bool rule_any_operator(const struct fact_name *name)
{
	(void)name;
	return true;
}

bool rule_is_copy(const struct fact_name *name)
{
	static const char *const copies[] = {
		"aten::copy_", "aten::to",      "aten::_to_copy",      "aten::contiguous",
		"aten::clone", "aten::type_as", "aten::_reshape_copy", NULL,
	};

	for (size_t i = 0; copies[i]; i++)
		if (str_is(str_of(name->name), copies[i]))
			return true;
	return false;
}

bool rule_is_read(const struct fact_name *name)
{
	return gap_cause_of(CLASS_OP, str_of(name->name)) == GAP_READ;
}

void rule_add_operators(const struct rule_run *run, const char *item, int64_t ns,
			const char *formula)
{
	struct arena *arena = &run->out->arena;
	int64_t step_ns = rule_step_ns(run);

	advice_evidence(run, arena_printf(arena, "%s_ns", item), UNIT_NS, cell_int(ns));
	advice_evidence(run, arena_printf(arena, "%s_pct", item), UNIT_PERCENT,
			cell_real(facts_pct(ns, step_ns)));
	advice_save(run, ns, step_ns, formula);
}

int rule_judge_operators(const struct rule_run *run,
			 const struct rule_operator_share *share, double min_pct,
			 struct err *err)
{
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);

	if (!names)
		return -1;
	struct rule_operators sum = rule_operators(names, n, share->is_wanted);
	int64_t ns = rule_operators_ns(run, &sum, err), step_ns = rule_step_ns(run);
	if (ns < 0)
		return -1;
	if (!sum.most || facts_pct(ns, step_ns) <= min_pct)
		return 0;
	advice_add(run, cell_null(), share->suggestion, "%.1f%% of %s goes to %s%s",
		   facts_pct(ns, step_ns), rule_whole(run), share->finding,
		   rule_culprit(run, str_of(sum.most->name)));
	rule_add_window(run);
	advice_evidence(run, "calls", UNIT_COUNT,
			cell_int(rule_per_step(run, sum.calls)));
	rule_add_operators(run, share->item, ns,
			   "time of operators of a step * share of their self time");
	return 0;
}

struct cell rule_memory_device(struct str name, struct arena *arena)
{
	const char *text = arena_copy(arena, name).p, *colon = strchr(text, ':');
	char *end = NULL;
	long number = colon ? strtol(colon + 1, &end, 10) : -1;

	if (number < 0 || end == colon + 1 || *end ||
	    str_starts_with(name, STR_LIT("cpu")))
		return cell_text(str_of(text));
	return cell_int(number);
}

int64_t rule_calls(const struct fact_name *names, size_t n, const char *prefix)
{
	int64_t calls = 0;

	for (size_t i = 0; i < n; i++)
		if (str_starts_with(str_of(names[i].name), str_of(prefix)))
			calls = sum_add(calls, names[i].calls);
	return calls;
}

static const struct cell *cell_at(const struct table *t, const struct cell *cells,
				  const char *column)
{
	for (size_t i = 0; i < t->ncolumns; i++)
		if (strcmp(t->columns[i].name, column) == 0)
			return &cells[i];
	return NULL;
}

int64_t rule_number(const struct table *t, const struct cell *cells, const char *column)
{
	const struct cell *cell = cell_at(t, cells, column);

	return cell && cell->type == CELL_INT ? cell->as.integer : NUMBER_NONE;
}

struct str rule_text(const struct table *t, const struct cell *cells, const char *column)
{
	const struct cell *cell = cell_at(t, cells, column);

	return cell && cell->type == CELL_TEXT ? cell->as.text : STR_LIT("");
}
