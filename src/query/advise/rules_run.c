/* Rules of several devices and ranks. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/sum.h"
#include "query/advise/rule_parts.h"
#include "query/comm/comm.h"
#include "query/devices/device_properties.h"
#include "query/query.h"
#include "trace/fact.h"

ASSET(asset_query_views_advise_backend_sql);
ASSET(asset_query_views_advise_steps_sql);

/* Those of the profile. */
static int count_steps(const struct rule_run *run, const struct scope_profile *profile,
		       int64_t *steps, struct err *err)
{
	struct query q = query_of_profile(
		run->facts->store, asset_query_views_advise_steps_sql, profile, err);

	*steps = query_next(&q, err) ? sqlite3_column_int64(q.stmt, 0) : 0;
	return query_end(&q);
}

static int judge_straggler(const struct rule_run *run, const struct comm_rank *s,
			   struct err *err)
{
	double pct = percent_of(s->blocking_ns, s->profile->dur_ns);
	int64_t steps;

	if (pct <= rule_value(run, "min_pct") ||
	    (s->error_ns != NUMBER_NONE && s->late_calls > 0 &&
	     s->blocking_ns / s->late_calls <= s->error_ns))
		return 0;
	if (count_steps(run, s->profile, &steps, err) < 0)
		return -1;
	struct advice *a = advice_add(
		run, cell_null(),
		"'ptool ranks' shows what that rank did longer than the others: its "
		"kernels, its host, its data",
		"rank %lld comes last to %s of %s collectives, and keeps another "
		"waiting %.1f%% of the recording",
		(long long)s->profile->rank, rule_count_text(run, s->late_calls),
		rule_count_text(run, s->calls), pct);
	a->profile = s->profile;
	advice_evidence(run, "collectives", UNIT_COUNT, cell_int(s->calls));
	advice_evidence(run, "late_collectives", UNIT_COUNT, cell_int(s->late_calls));
	advice_evidence(run, "late_ns", UNIT_NS, cell_int(s->late_ns));
	advice_evidence(run, "blocking_ns", UNIT_NS, cell_int(s->blocking_ns));
	if (s->error_ns != NUMBER_NONE)
		advice_evidence(run, "clock_error_ns", UNIT_NS, cell_int(s->error_ns));
	int64_t parts = steps > 0 ? steps : 1;
	advice_save(run, s->blocking_ns / parts, s->profile->dur_ns / parts,
		    "blocking_ns of the rank (ptool comm --ranks --by rank) / its steps");
	a->is_whole = steps < 1;
	return 0;
}

/* The clock that the others are aligned with has no error, and is off by theirs. */
static void find_errors(struct comm_rank *all, size_t n)
{
	int64_t largest = NUMBER_NONE;

	for (size_t i = 0; i < n; i++)
		if (all[i].error_ns > largest)
			largest = all[i].error_ns;
	for (size_t i = 0; i < n; i++)
		if (all[i].error_ns == NUMBER_NONE)
			all[i].error_ns = largest;
}

static int check_stragglers(const struct rule_run *run, struct err *err)
{
	const struct filter everything = { .focus = NULL };
	struct comm_rank *ranks;
	size_t n;

	if (run->facts->scope->nranks < 2)
		return advice_lacks(run, "there is only one rank",
				    "ingest the traces of several ranks together");
	int rc = comm_ranks_load(run->facts->store, run->facts->scope, &everything,
				 &ranks, &n, err);
	if (rc < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return advice_lacks(run, "no collective of two ranks was recorded",
				    "record the same steps on all ranks");
	}
	find_errors(ranks, n);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = judge_straggler(run, &ranks[i], err);
	free(ranks);
	return rc;
}

const struct rule rule_stragglers = {
	.name = "stragglers",
	.title = "Straggler",
	.looks =
		"blocking_ns of ptool-comm(1), --ranks: how long another rank waits in "
		"collectives for one rank, from the start of the second-last rank to the "
		"start of the last, on aligned clocks, and only while the waiting rank "
		"computes nothing. A rank whose mean wait is within the clock error is "
		"not reported.",
	.source = "ptool's own: 2 % of the recording.",
	.parameters = { { "min_pct", 2, "share of the recording that is acceptable" } },
	.of_summaries = true,
	.is_of_run = true,
	.check = check_stragglers,
};

static void judge_data_parallel(const struct rule_run *run)
{
	size_t devices = run->facts->work.work.ndevices;
	int64_t calls = rule_calls(run->facts, "DataParallel.forward");

	if (calls == 0 || devices < 2)
		return;
	struct advice *a = advice_add(
		run, cell_null(),
		"use DistributedDataParallel, one process a device: DataParallel "
		"copies the model in every step, and one Python feeds all devices",
		"DataParallel drives %zu devices", devices);
	a->severity = ADVICE_MEDIUM;
	advice_evidence(run, "data_parallel_calls", UNIT_COUNT, cell_int(calls));
	advice_evidence(run, "devices", UNIT_COUNT, cell_int((int64_t)devices));
}

const struct rule rule_data_parallel = {
	.name = "data-parallel",
	.title = "DataParallel",
	.looks = "Whether DataParallel.forward ran, and several devices of the profile "
		 "worked.",
	.source = "The TensorBoard plugin's.",
	.needs = NEED_NAMES | NEED_WORK,
	.of_summaries = true,
	.judge = judge_data_parallel,
};

/* The highest that the recording tells; negative: none. */
static double best_capability(const struct device_properties_list *list)
{
	double best = -1;

	for (size_t i = 0; i < list->n; i++) {
		const char *text = list->items[i].capability;
		double value = text ? strtod(text, NULL) : -1;
		if (value > best)
			best = value;
	}
	return best;
}

/* As views/advise_backend.sql numbers them. */
enum backend { BACKEND_NOT_TOLD, BACKEND_NCCL, BACKEND_OTHER };

/* By what the recording calls it, else by its calls. */
static int find_backend(const struct rule_run *run, enum backend *out, struct err *err)
{
	struct query q =
		query_of_profile(run->facts->store, asset_query_views_advise_backend_sql,
				 run->facts->profile, err);

	*out = rule_calls(run->facts, "gloo:") || rule_calls(run->facts, "mpi:")
		       ? BACKEND_OTHER
		       : BACKEND_NOT_TOLD;
	while (query_next(&q, err))
		if (sqlite3_column_int(q.stmt, 0))
			*out = (enum backend)sqlite3_column_int(q.stmt, 0);
	return query_end(&q);
}

static int judge_ddp_backend(const struct rule_run *run, struct err *err)
{
	const struct device_properties_list *list = facts_properties(run->facts, err);
	int64_t calls = rule_calls(run->facts, "DistributedDataParallel.forward");
	enum backend backend;

	if (!list || find_backend(run, &backend, err) < 0)
		return -1;
	if (backend == BACKEND_NCCL)
		return 0;
	double best = best_capability(list);
	if (best < 0)
		return advice_lacks(
			run,
			"the recording does not say the compute capability of its devices",
			NULL);
	if (best < rule_value(run, "min_capability"))
		return 0;
	if (backend == BACKEND_NOT_TOLD)
		return advice_lacks(run, "no collective was recorded",
				    "record whole steps, with the backward pass");
	struct advice *a = advice_add(
		run, cell_null(), "initialise torch.distributed with the backend nccl",
		"DistributedDataParallel ran without NCCL");
	a->severity = ADVICE_MEDIUM;
	advice_evidence(run, "ddp_calls", UNIT_COUNT, cell_int(calls));
	advice_evidence(run, "gloo_calls", UNIT_COUNT,
			cell_int(rule_calls(run->facts, "gloo:")));
	advice_evidence(run, "compute_capability", UNIT_RATIO, cell_real(best));
	return 0;
}

/* NCCL's kernels are there where operators nccl: are not: torch does not always tell. */
static bool has_kernels(const struct advise_facts *f)
{
	const struct device_work *work = &f->work.work;

	for (size_t i = 0; i < work->n; i++)
		if (work->items[i].kind == WORK_COMMUNICATION)
			return true;
	return f->has_collectives;
}

static int check_ddp_backend(const struct rule_run *run, struct err *err)
{
	if (rule_calls(run->facts, "DistributedDataParallel.forward") == 0 ||
	    rule_calls(run->facts, "nccl:") > 0 || has_kernels(run->facts))
		return 0;
	return judge_ddp_backend(run, err);
}

const struct rule rule_ddp_backend = {
	.name = "ddp-backend",
	.title = "Backend of DistributedDataParallel",
	.looks =
		"Whether DistributedDataParallel.forward ran with the backend gloo or mpi, "
		"by the recording's facts or operators, and without an nccl: operator "
		"and a collective on a device, on a machine with a device that NCCL "
		"supports.",
	.source = "The TensorBoard plugin's: a compute capability of 3.5.",
	.parameters = { { "min_capability", 3.5, "compute capability that NCCL needs" } },
	.needs = NEED_NAMES,
	.of_summaries = true,
	.check = check_ddp_backend,
};

#define KEEP_BUFFERS                                                                   \
	"DistributedDataParallel(..., broadcast_buffers=False), where every rank may " \
	"keep its own running means (BatchNorm)"

static void add_buffers(const struct rule_run *run, struct cell device, int64_t ns,
			const char *what)
{
	const struct fact_buffers *buffers = &run->facts->buffers;

	advice_add(
		run, device, KEEP_BUFFERS,
		"%.1f%% of %s %sDistributedDataParallel broadcasts the model's buffers "
		"before the forward pass",
		percent_of(ns, run->facts->window.ns), rule_whole(run), what);
	rule_add_window(run);
	advice_evidence(run, "broadcasts", UNIT_COUNT, cell_int(buffers->n));
	rule_add_ns(run, "host_ns",
		    intervals_overlap(&buffers->when, &run->facts->window.when));
	rule_add_share(
		run, "broadcast_buffers_ns", ns, "broadcast_buffers_pct",
		"time of flatten, broadcast, unflatten and copy_ in "
		"DistributedDataParallel.forward, while the device is idle / steps");
}

static void judge_ddp_buffers(const struct rule_run *run)
{
	const struct fact_buffers *buffers = &run->facts->buffers;
	const struct device_work *work = &run->facts->work.work;
	for (size_t i = 0; i < work->ndevices; i++)
		if (percent_of(buffers->idle_ns[i], run->facts->window.ns) > BUFFERS_PCT)
			add_buffers(run, work_device_cell(&work->devices[i]),
				    buffers->idle_ns[i],
				    arena_printf(&run->out->arena,
						 "the %s is idle while ",
						 rule_device_word(run)));
	int64_t host_ns = intervals_overlap(&buffers->when, &run->facts->window.when);
	if (work->ndevices == 0 &&
	    percent_of(host_ns, run->facts->window.ns) > BUFFERS_PCT)
		add_buffers(run, cell_null(), host_ns, "");
}

const struct rule rule_ddp_buffers = {
	.name = "ddp-buffers",
	.title = "Broadcast of buffers",
	.looks = "Idle time while DistributedDataParallel.forward broadcasts the buffers "
		 "of the model on the host (flatten_dense_tensors, broadcast, unflatten, "
		 "copy_), before the model runs. The other rules of idle time do not "
		 "count it.",
	.source = "ptool's own: 2 % of the time of the steps.",
	.needs = NEED_NAMES,
	.facts = FACT_BUFFERS,
	.judge = judge_ddp_buffers,
};
