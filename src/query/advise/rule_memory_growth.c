/* Memory that is larger at the end of every step. */
#include "base/sum.h"
#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"
#include "query/advise/rule_parts.h"
#include "query/memory/memory.h"
#include "trace/fact.h"

enum { MIN_PCT };

/* The first step makes what stays: gradients, the optimizer's state. */
#define STEPS_LEAST 4

/* The steps of one device, which come one after the other. */
struct growth {
	struct cell device; /* its name; the text is in the arena */
	int64_t steps, first_bytes, last_bytes;
	bool grows; /* in every step behind the second */
};

static void judge(const struct rule_run *run, const struct growth *g)
{
	int64_t rise = sum_sub(g->last_bytes, g->first_bytes), rises = g->steps - 2;
	double pct = facts_pct(rise, g->first_bytes);

	if (g->steps < STEPS_LEAST || !g->grows ||
	    (g->first_bytes > 0 && pct <= run->values[MIN_PCT]))
		return;
	struct advice *a = advice_add(
		run, rule_memory_device(g->device.as.text, &run->out->arena),
		"look for tensors that are kept from step to step: losses summed up "
		"without .item() or .detach(), lists of outputs; 'ptool memory "
		"--leaks' names the operators",
		"each step leaves more memory allocated than the one before");
	a->severity = ADVICE_MEDIUM;
	advice_evidence(run, "steps_after_first", UNIT_COUNT, cell_int(g->steps - 1));
	advice_evidence(run, "first_end_bytes", UNIT_BYTES, cell_int(g->first_bytes));
	advice_evidence(run, "last_end_bytes", UNIT_BYTES, cell_int(g->last_bytes));
	advice_evidence(run, "growth_per_step_bytes", UNIT_BYTES, cell_int(rise / rises));
}

static void add_step(struct growth *g, int64_t end_bytes)
{
	if (g->steps == 1) {
		g->first_bytes = end_bytes;
		g->grows = true;
	} else if (g->steps > 1) {
		g->grows &= end_bytes > g->last_bytes;
	}
	g->last_bytes = end_bytes;
	g->steps++;
}

/* The most steps of a device, or -1 with err set. */
static int64_t judge_rows(const struct rule_run *run, struct table *t, struct err *err)
{
	struct cell *cells = arena_alloc(&run->out->arena, t->ncolumns * sizeof(*cells));
	struct growth g = { .steps = 0 };
	int64_t most = 0;
	int rc;

	while ((rc = t->next(t, cells, err)) > 0) {
		struct str device = rule_text(t, cells, "device");
		int64_t end_bytes = rule_number(t, cells, "end_bytes");
		if (g.steps && !str_equal(device, g.device.as.text)) {
			judge(run, &g);
			g.steps = 0;
		}
		if (g.steps == 0)
			g.device = cell_text(arena_copy(&run->out->arena, device));
		if (end_bytes == NUMBER_NONE)
			continue;
		add_step(&g, end_bytes);
		if (g.steps > most)
			most = g.steps;
	}
	judge(run, &g);
	return rc < 0 ? -1 : most;
}

static int check(const struct rule_run *run, struct err *err)
{
	const struct filter all = { .focus = NULL };
	const struct memory_request request = { .view = MEMORY_VIEW_GROWTH,
						.filter = &all };
	struct table *table = NULL;
	int64_t steps = 0;

	if (!run->facts->profile->has_memory)
		return advice_lacks(run, "no memory events were recorded",
				    "record with profile_memory=True");
	if (memory_open(run->facts->store, &run->facts->own, &request, &table, err) ==
	    0) {
		steps = judge_rows(run, table, err);
	} else {
		if (err->kind != ERR_EMPTY)
			return -1;
		*err = (struct err)ERR_INIT;
	}
	table_free(table);
	if (steps < 0)
		return -1;
	return steps < STEPS_LEAST
		       ? advice_lacks(
				 run, "memory of fewer than 4 steps was recorded",
				 "record more, and call the profiler's step() in each")
		       : 0;
}

const struct rule rule_memory_growth = {
	.name = "memory-growth",
	.title = "Growing memory",
	.looks = "end_bytes of each step (ptool-memory(1), --growth) but the first: "
		 "whether each is above the one before.",
	.source =
		"ptool's own: a rise of more than 1 % from the second step to the last.",
	.parameters = { [MIN_PCT] = { "min_pct", 1, "rise that is fine" } },
	.check = check,
};
