/* What rules have in common: see rule_parts.h. */
#include "query/advise/rule_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "ingest/sink.h"

int rule_lacks_steps(const struct rule_run *run)
{
	return advice_lacks(run, "no steps, operators or device work were recorded",
			    "record with torch.profiler and call its step()");
}

int rule_lacks_work(const struct rule_run *run)
{
	return advice_lacks(run, "no device work was recorded",
			    "profile with activities=[ProfilerActivity.CPU, "
			    "ProfilerActivity.CUDA]");
}

int rule_lacks_launches(const struct rule_run *run)
{
	return advice_lacks(run, "no calls that launch device work were recorded",
			    "record the activity CPU too");
}

int rule_lacks_names(const struct rule_run *run)
{
	return advice_lacks(run, "no operators were recorded",
			    "record the activity CPU too");
}

const char *rule_step_word(const struct step_row *mean)
{
	return mean->is_single ? "the recording" : "the step";
}

const char *rule_steps_word(const struct rule_run *run)
{
	return run->facts->work.bounds.is_single ? "the recording" : "the steps";
}

void rule_add_step(const struct rule_run *run, const struct step_row *mean)
{
	if (!mean->is_single)
		advice_evidence(run, "steps", UNIT_COUNT, cell_int(mean->nmean));
	advice_evidence(run, mean->is_single ? "recording_ns" : "mean_step_ns", UNIT_NS,
			cell_int(mean->values[VALUE_TOTAL]));
}

void rule_add_steps(const struct rule_run *run, const struct fact_idles *idles)
{
	if (!run->facts->work.bounds.is_single)
		advice_evidence(run, "steps", UNIT_COUNT, cell_int(idles->steps));
	advice_evidence(run,
			run->facts->work.bounds.is_single ? "recording_ns"
							  : "steps_total_ns",
			UNIT_NS, cell_int(idles->steps_ns));
}

int rule_judge_share(const struct rule_run *run, const struct rule_share *share,
		     double min_pct, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;

	if (!mean)
		return steps ? rule_lacks_steps(run) : -1;
	int64_t ns = mean->values[VALUE_CATEGORY + share->category];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = facts_pct(ns, total_ns);
	if (pct <= min_pct)
		return 0;
	advice_add(run, cell_null(), share->suggestion, "%.1f%% of %s is %s", pct,
		   rule_step_word(mean), share->what);
	rule_add_step(run, mean);
	advice_evidence(run, share->ns_item, UNIT_NS, cell_int(ns));
	advice_evidence(run, share->pct_item, UNIT_PERCENT, cell_real(pct));
	advice_save(run, ns, total_ns, share->formula);
	return 0;
}

const struct fact_idles *rule_idles(const struct rule_run *run, int64_t burst_below_ns,
				    struct err *err)
{
	const struct device_work *work = facts_work(run->facts, err);

	if (!work)
		return NULL;
	if (work->n && facts_has_launches(work))
		return facts_idles(run->facts, burst_below_ns, err);
	if (work->n)
		rule_lacks_launches(run);
	else
		rule_lacks_work(run);
	return NULL;
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
