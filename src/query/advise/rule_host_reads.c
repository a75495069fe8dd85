/* Single values that Python reads out of tensors on the CPU. */
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

static const struct rule_operator_share share = {
	.is_wanted = rule_is_read,
	.finding = "reading single values out of tensors",
	.item = "reads",
	.suggestion =
		"do it for whole tensors: no .item(), float(t) or 'if t' in a loop; "
		".tolist() reads all values at once",
};

static int check(const struct rule_run *run, struct err *err)
{
	return rule_judge_operators(run, &share, run->values[MIN_PCT], err);
}

const struct rule rule_host_reads = {
	.name = "host-reads",
	.title = "Reads of single values",
	.looks = "In recordings without device work: the self time of aten::item and the "
		 "other operators by which Python reads a tensor (ptool-gaps(1), "
		 "device_read).",
	.source = "ptool's own: 2 % of the step.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the step that is fine" } },
	.needs = NEED_STEPS | NEED_HOST_ONLY | NEED_ENOUGH,
	.check = check,
};
