/* Copies and conversions of tensors on the CPU. */
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static const struct rule_operator_share share = {
	.is_wanted = rule_is_copy,
	.finding = "copying and converting tensors",
	.item = "copies",
	.suggestion =
		"keep one dtype and one memory format: convert the data once, before the "
		"loop or in the DataLoader; avoid .contiguous(), .float() and .clone() in it",
};

static int check(const struct rule_run *run, struct err *err)
{
	return rule_judge_operators(run, &share, run->values[MIN_PCT], err);
}

const struct rule rule_host_copies = {
	.name = "host-copies",
	.title = "Copies and conversions",
	.looks = "In recordings without device work: the self time of aten::copy_, to, "
		 "_to_copy, contiguous, clone, type_as and _reshape_copy.",
	.source = "ptool's own: 5 % of the step; a forward pass needs none.",
	.parameters = { [MIN_PCT] = { "min_pct", 5, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.yields_to = { "slow-calls" },
	.check = check,
};
