/* Collectives of a device beside which it does not compute. */
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"

enum { MIN_PCT };

#define OVERLAP                                                             \
	"overlap it with the backward pass: DDP's buckets (bucket_cap_mb, " \
	"static_graph), FSDP's prefetching, or collectives with async_op=True"

static void judge(const struct rule_run *run, const struct step_row *mean)
{
	int64_t ns = mean->values[VALUE_DEVICE_VIEW + VIEW_EXPOSED_COMM];
	int64_t total_ns = mean->values[VALUE_TOTAL];
	double pct = facts_pct(ns, total_ns);

	if (pct <= run->values[MIN_PCT])
		return;
	advice_add(run, facts_device_cell(mean),
		   run->facts->scope->nranks > 1 ? OVERLAP
						 : OVERLAP
			   "; record all ranks: 'ptool comm --ranks FOLDER' "
			   "shows whether it waits for a late one",
		   "%.1f%% of %s the %s communicates and does not compute", pct,
		   rule_whole(run), rule_device_word(run));
	rule_add_window(run);
	advice_evidence(run, "exposed_comm_ns", UNIT_NS, cell_int(ns));
	advice_evidence(run, "exposed_comm_pct", UNIT_PERCENT, cell_real(pct));
	advice_evidence(run, "compute_ns", UNIT_NS,
			cell_int(mean->values[VALUE_DEVICE_VIEW + VIEW_COMPUTE]));
	advice_save(run, ns, total_ns, "mean exposed_comm_ns of a step (ptool steps)");
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct steps *steps = facts_steps(run->facts, err);
	const struct device_work *work = steps ? facts_work(run->facts, err) : NULL;

	if (!work)
		return -1;
	for (size_t i = 0; i < steps->n; i++)
		if (steps->rows[i].is_mean)
			judge(run, &steps->rows[i]);
	return 0;
}

const struct rule rule_exposed_communication = {
	.name = "exposed-communication",
	.title = "Exposed communication",
	.looks = "The part of the mean step in which a device runs collectives and "
		 "computes nothing beside them.",
	.source = "ptool's own: 5 % of the step; overlapped communication costs nothing.",
	.parameters = { [MIN_PCT] = { "min_pct", 5, "share of the step that is fine" } },
	.needs = NEED_WORK | NEED_RUN,
	.yields_to = { "stragglers" },
	.check = check,
};
