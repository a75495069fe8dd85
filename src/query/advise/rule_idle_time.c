/* Idle time by every cause that no other rule looks at. */
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_cause.h"

enum { MIN_PCT };

static uint64_t causes_of_others(const struct rule *self)
{
	uint64_t causes = 0;

	for (size_t i = 0; rules[i]; i++)
		if (rules[i] != self)
			causes |= rules[i]->causes;
	return causes;
}

/*
 * What the device waited for was not recorded: the advice is how to see it.  In a long
 * gap of a graph it may even have run kernels that were not.
 */
static bool is_of_recording(enum gap_cause cause, const struct gap_loss *loss)
{
	if (cause == GAP_GRAPH_START || cause == GAP_GRAPH_NODES)
		return loss->long_ns > loss->ns / 2;
	return cause == GAP_UNTRACED || cause == GAP_EARLIER || cause == GAP_UNKNOWN;
}

static void judge(const struct rule_run *run, size_t device, enum gap_cause cause)
{
	const struct fact_share share =
		facts_share(run->facts, device, RULE_CAUSE(cause), 0, INT64_MAX);
	const struct gap_cause_row *row = &gap_causes[cause];
	const struct gap_loss loss = { share.ns, share.long_ns, share.culprit,
				       run->facts->idles[device].ns };

	if (share.gaps == 0)
		return;
	struct advice *a = advice_add(
		run, work_device_cell(&run->facts->work.work.devices[device]),
		gap_cause_remedy(cause, &loss), "%.1f%% of %s the %s is idle: %s%s",
		facts_pct(share.ns, run->facts->window.ns), rule_whole(run),
		rule_device_word(run), row->title, rule_culprit(run, share.culprit));
	a->about = (int)cause;
	a->is_of_recording = is_of_recording(cause, &loss);
	rule_add_window(run);
	advice_evidence(run, "cause", UNIT_TEXT, cell_text(str_of(row->code)));
	advice_evidence(run, "idle_gaps", UNIT_COUNT, cell_int(share.gaps));
	rule_add_share(run, "idle_ns", share.ns, "idle_pct",
		       "idle_ns of that cause (ptool gaps --root) / steps");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct fact_idle *idles = facts_idles(run->facts, err);
	uint64_t others = causes_of_others(run->rule);

	if (!idles)
		return -1;
	for (size_t i = 0; i < run->facts->work.work.ndevices; i++)
		for (int cause = GAP_NONE + 1; cause < NGAP_CAUSES; cause++)
			if (!(others & RULE_CAUSE(cause)) &&
			    facts_pct(idles[i].ns[cause], run->facts->window.ns) >
				    run->values[MIN_PCT])
				judge(run, i, (enum gap_cause)cause);
	return 0;
}

const struct rule rule_idle_time = {
	.name = "idle-time",
	.title = "Idle time",
	.looks = "Idle time by each cause of ptool-gaps(1) that no other rule looks at "
		 "(waits for events and for earlier work, compilation, garbage "
		 "collection, back-to-back kernels, what was not recorded, and "
		 "so on), with --root.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.parameters = { [MIN_PCT] = { "min_pct", 2, "share of the steps that is fine" } },
	.needs = NEED_WORK | NEED_RUN | NEED_ENOUGH,
	.check = check,
};
