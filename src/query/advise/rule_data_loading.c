/* Time that a step spends on nothing but waiting for its data. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

static const struct rule_share share = {
	.category = STEP_DATA_LOADING,
	.finding = " goes to data loading, while no device works",
	.ns_item = "data_loading_ns",
	.pct_item = "data_loading_pct",
	.formula = "mean data_loading_ns of a step (ptool steps)",
	.suggestion = "give the DataLoader workers (num_workers), pin_memory=True and "
		      "persistent_workers=True, or prepare the data beforehand",
};

/* Torch names the iterator by whether the DataLoader has workers. */
static bool has_workers(const struct fact_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_contains(str_of(names[i].name),
				 STR_LIT("_MultiProcessingDataLoaderIter")))
			return true;
	return false;
}

static int check(const struct rule_run *run, struct err *err)
{
	struct rule_share judged = share;
	size_t n;
	const struct fact_name *names = facts_names(run->facts, &n, err);

	if (!names)
		return -1;
	if (has_workers(names, n))
		judged.suggestion =
			"the DataLoader's workers are too slow: more of them (num_workers), "
			"a larger prefetch_factor, less work for each sample, or data "
			"prepared beforehand";
	return rule_judge_share(run, &judged, run->values[MIN_PCT], err);
}

const struct rule rule_data_loading = {
	.name = "data-loading",
	.title = "Data loading",
	.looks = "The part of the mean step in which the DataLoader gives the next batch "
		 "and no device work or runtime call runs.",
	.source = "The TensorBoard plugin's: more than 5 % of the step.",
	.parameters = { [MIN_PCT] = { "min_pct", 5, "share of the step that is fine" } },
	.needs = NEED_STEPS,
	.causes = RULE_CAUSE(GAP_LOADER),
	.check = check,
};
