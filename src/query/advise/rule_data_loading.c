/* Time that a step spends on nothing but waiting for its data. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct step_row *mean = steps ? facts_mean(steps, 0) : NULL;

	if (!mean)
		return steps ? rule_lacks_steps(run) : -1;
	int64_t ns = mean->values[VALUE_CATEGORY + STEP_DATA_LOADING];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = facts_pct(ns, total_ns);
	if (pct <= run->values[MIN_PCT])
		return 0;
	advice_add(run, cell_null(),
		   "give the DataLoader workers (num_workers), pin_memory=True and "
		   "persistent_workers=True, or prepare the data beforehand",
		   "%.1f%% of %s is data loading, while no device works", pct,
		   rule_step_word(mean));
	rule_add_step(run, mean);
	advice_evidence(run, "data_loading_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "data_loading_pct", UNIT_PERCENT, cell_real(pct));
	advice_save(run, ns, total_ns, "mean data_loading_ns of a step (ptool steps)");
	return 0;
}

const struct rule rule_data_loading = {
	.name = "data-loading",
	.title = "Data loading",
	.looks = "The part of the mean step in which the DataLoader gives the next batch "
		 "and no device work or runtime call runs.",
	.source = "The TensorBoard plugin's: more than 5 % of the step.",
	.parameters = { [MIN_PCT] = { "min_pct", 5, "share of the step that is fine" } },
	.check = check,
};
