/* Time that a step spends on nothing but waiting for its data. */
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static const struct rule_share share = {
	.category = STEP_DATA_LOADING,
	.what = "data loading, while no device works",
	.ns_item = "data_loading_ns",
	.pct_item = "data_loading_pct",
	.formula = "mean data_loading_ns of a step (ptool steps)",
	.suggestion = "give the DataLoader workers (num_workers), pin_memory=True and "
		      "persistent_workers=True, or prepare the data beforehand",
};

static int check(const struct rule_run *run, struct err *err)
{
	return rule_judge_share(run, &share, run->values[MIN_PCT], err);
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
