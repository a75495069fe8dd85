/* A gate, from its file to its verdicts: see gate.h. */
#include "cli/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intern.h"
#include "base/sort.h"
#include "cli/baseline.h"
#include "cli/gate_values.h"
#include "query/diff/diff_test.h"
#include "query/stats/signed_rank.h"

/* Values of two sides go together from here: a pair then shares more than it differs in. */
#define PAIRED_CORRELATION 0.7

/* What a budget is made of. */
struct making {
	struct gate *gate;
	const struct budget *budget;
	const struct diff_run *runs[NDIFF_SIDES];
	size_t nruns[NDIFF_SIDES];
	struct gate_runs rows[NDIFF_SIDES];
};

/* Numbers with what tells them apart. */
struct numbers {
	double *values;     /* owned */
	const char **names; /* owned; texts in the arena */
	size_t n;
};

static void numbers_release(struct numbers *of)
{
	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		free(of[i].values);
		free(of[i].names);
	}
}

/* As many as there may be. */
static struct numbers numbers_of(size_t n)
{
	return (struct numbers){ xcalloc(n, sizeof(double)), xcalloc(n, sizeof(char *)),
				 n };
}

static double stat_of(const struct budget *b, const struct gate_run *run)
{
	double *values = xcalloc(run->n, sizeof(*values)), value;

	for (size_t i = 0; i < run->n; i++)
		values[i] = run->rows[i].value;
	value = b->stat->of(values, run->n);
	free(values);
	return value;
}

static void numbers_of_runs(const struct making *m, int side, struct numbers *out)
{
	*out = numbers_of(m->nruns[side]);
	for (size_t i = 0; i < out->n; i++) {
		out->values[i] = stat_of(m->budget, &m->rows[side].items[i]);
		out->names[i] = baseline_run_name(m->runs[side][i].name, &m->gate->arena);
	}
}

/* Numbers the steps of the rows from 0, as they come; UINT32_MAX: it has none. */
static uint32_t *number_steps(const struct gate_run *run, struct intern *steps)
{
	uint32_t *numbers = xcalloc(run->n, sizeof(*numbers));

	for (size_t i = 0; i < run->n; i++) {
		const char *step = run->rows[i].step;
		numbers[i] = step ? intern_add(steps, str_of(step)) : UINT32_MAX;
	}
	return numbers;
}

static bool step_before(const void *context, uint32_t a, uint32_t b)
{
	const uint32_t *steps = context;

	return steps[a] == steps[b] ? a < b : steps[a] < steps[b];
}

/* Steps of one run; ranks wait for each other, so that those of one number are one. */
static void numbers_of_steps(const struct making *m, int side, struct numbers *out)
{
	const struct gate_run *run = &m->rows[side].items[0];
	struct intern steps;

	intern_init(&steps);
	uint32_t *number = number_steps(run, &steps);
	uint32_t *order = sorted_places(run->n, step_before, number);
	double *values = xcalloc(run->n, sizeof(*values));
	*out = numbers_of(steps.n);
	for (size_t i = 0, k = 0; k < steps.n; k++) {
		size_t n = 0;
		out->names[k] = arena_strdup(&m->gate->arena, run->rows[order[i]].step);
		for (; i < run->n && number[order[i]] == k; i++)
			values[n++] = run->rows[order[i]].value;
		out->values[k] = m->budget->stat->of(values, n);
	}
	free(values);
	free(order);
	free(number);
	intern_release(&steps);
}

static double correlation(const double *a, const double *b, size_t n)
{
	double of[2] = { 0, 0 }, aa = 0, bb = 0, ab = 0;

	for (size_t i = 0; i < n; i++) {
		of[0] += a[i] / (double)n;
		of[1] += b[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		aa += (a[i] - of[0]) * (a[i] - of[0]);
		bb += (b[i] - of[1]) * (b[i] - of[1]);
		ab += (a[i] - of[0]) * (b[i] - of[1]);
	}
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

/* Do both sides have the same names, each once?  moved: new values as base has them. */
static bool move_pairs(const struct numbers of[NDIFF_SIDES], double *moved)
{
	const struct numbers *base = &of[DIFF_BASE], *new_side = &of[DIFF_NEW];
	bool *taken = xcalloc(base->n, sizeof(*taken)), is_pair = true;
	struct intern names;

	intern_init(&names);
	for (size_t i = 0; i < base->n && is_pair; i++)
		is_pair = intern_add(&names, str_of(base->names[i])) == i;
	for (size_t i = 0; i < base->n && is_pair; i++) {
		size_t at = intern_add(&names, str_of(new_side->names[i]));
		is_pair = at < base->n && !taken[at];
		if (!is_pair)
			break;
		taken[at] = true;
		moved[at] = new_side->values[i];
	}
	intern_release(&names);
	free(taken);
	return is_pair;
}

/* Brings new values to the places of base's of the same names; false: they do not pair. */
static bool pair(struct numbers of[NDIFF_SIDES], double alpha)
{
	const struct numbers *base = &of[DIFF_BASE];
	struct numbers *new_side = &of[DIFF_NEW];
	size_t n = base->n;
	double *moved = xcalloc(n, sizeof(*moved));
	bool is_pair = n == new_side->n && signed_rank_least_p(n) < alpha &&
		       move_pairs(of, moved) &&
		       correlation(base->values, moved, n) > PAIRED_CORRELATION;

	if (is_pair)
		memcpy(new_side->values, moved, n * sizeof(*moved));
	free(moved);
	return is_pair;
}

static struct gate_line *add_line(const struct making *m, const char *row)
{
	struct gate *g = m->gate;
	struct gate_line *line = ARRAY_PUSH(g->lines, g->n, g->cap);

	*line = (struct gate_line){
		.budget = m->budget,
		.row = row,
		.is_shown = !row,
		.column = m->rows[DIFF_NEW].column ? m->rows[DIFF_NEW].column
						   : m->rows[DIFF_BASE].column,
		.unit = m->rows[DIFF_NEW].column ? m->rows[DIFF_NEW].unit
						 : m->rows[DIFF_BASE].unit,
	};
	line->result.base = (double)NAN;
	line->result.p = (double)NAN;
	if (line->column)
		line->column = arena_strdup(&g->arena, line->column);
	return line;
}

/* A line that nothing can be said of. */
static void add_open_line(const struct making *m, const char *why)
{
	struct gate_line *line = add_line(m, NULL);

	line->is_whole = true;
	line->verdict = GATE_INCONCLUSIVE;
	line->why = why;
}

/* Takes the numbers. */
static int judge(const struct making *m, struct gate_line *line,
		 struct numbers of[NDIFF_SIDES], struct err *err)
{
	const struct budget *b = m->budget;
	const struct budget_amount *limit = b->max.line ? &b->max : &b->min;
	double alpha = m->gate->plan->alpha;
	bool is_paired = b->against && of[DIFF_NEW].n && pair(of, alpha);

	line->trial = (struct gate_trial){
		.base = { of[DIFF_BASE].values, of[DIFF_BASE].n },
		.new_side = { of[DIFF_NEW].values, of[DIFF_NEW].n },
		.is_paired = is_paired,
		.is_row = line->row,
		.higher_is_better = b->higher_is_better,
		.tolerance = b->tolerance,
		.is_in_noise = b->is_in_noise,
		.exact = &m->gate->exact,
	};
	for (size_t i = 0; i < NDIFF_SIDES; i++) {
		line->values[i] = of[i].values;
		of[i].values = NULL;
	}
	if (!b->against &&
	    budget_limit(limit, line->column, line->unit, &line->trial.limit, err) < 0) {
		m->gate->budgets.line = limit->line;
		return -1;
	}
	if (m->gate->plan->is_power)
		return 0;
	gate_judge(&line->trial, alpha, &line->result);
	line->verdict = line->result.verdict;
	return 0;
}

static const char *why_no_steps(const struct making *m)
{
	for (int side = 0; side < NDIFF_SIDES; side++)
		if (!m->rows[side].items[0].n)
			return "a side has no rows, and so no steps, which --within-run compares";
	return "its rows do not belong to steps, which --within-run needs";
}

static struct gate_line *add_number_line(const struct making *m, bool by_steps)
{
	struct gate_line *line = add_line(m, NULL);

	line->is_by_steps = by_steps;
	return line;
}

static int add_number(const struct making *m, struct err *err)
{
	struct numbers of[NDIFF_SIDES] = { { .n = 0 } };
	bool by_steps = m->gate->plan->within_run && m->budget->against &&
			m->nruns[DIFF_BASE] == 1 && m->nruns[DIFF_NEW] == 1;

	for (int side = 0; side < NDIFF_SIDES; side++) {
		if (by_steps)
			numbers_of_steps(m, side, &of[side]);
		else
			numbers_of_runs(m, side, &of[side]);
	}
	int rc = 0;
	if (by_steps && (!of[DIFF_BASE].n || !of[DIFF_NEW].n))
		add_open_line(m, why_no_steps(m));
	else
		rc = judge(m, add_number_line(m, by_steps), of, err);
	numbers_release(of);
	return rc;
}

/* The numbers of one row in all runs; false: some run has none. */
static bool numbers_of_row(const struct making *m, int side, const char *key,
			   struct numbers *out)
{
	*out = numbers_of(m->nruns[side]);
	for (size_t i = 0; i < out->n; i++) {
		const struct gate_row *row = gate_run_find(&m->rows[side].items[i], key);
		if (!row)
			return false;
		out->values[i] = row->value;
		out->names[i] = baseline_run_name(m->runs[side][i].name, &m->gate->arena);
	}
	return true;
}

/* What the rows of all runs add up to. */
static double total_of(const struct gate_runs *runs)
{
	double all = 0;

	for (size_t i = 0; i < runs->n; i++)
		for (size_t k = 0; k < runs->items[i].n; k++)
			all += fabs(runs->items[i].rows[k].value);
	return all;
}

static int add_row(const struct making *m, const char *key, double total, struct err *err)
{
	struct numbers of[NDIFF_SIDES] = { { .n = 0 } };
	double share = 0;
	int rc = 0;
	bool is_there = numbers_of_row(m, DIFF_BASE, key, &of[DIFF_BASE]) &&
			(m->gate->plan->is_power ||
			 numbers_of_row(m, DIFF_NEW, key, &of[DIFF_NEW]));

	for (size_t i = 0; i < of[DIFF_BASE].n; i++)
		share += fabs(of[DIFF_BASE].values[i]);
	if (is_there && share >= total * DIFF_TESTED_PCT / 100)
		rc = judge(m, add_line(m, arena_strdup(&m->gate->arena, key)), of, err);
	numbers_release(of);
	return rc;
}

/* A line for the budget, and one for each row that all runs of both sides have. */
static int add_rows(struct making *m, struct err *err)
{
	const struct gate_run *first = &m->rows[DIFF_BASE].items[0];
	double total = total_of(&m->rows[DIFF_BASE]);
	const char *twin = gate_runs_index(m->rows, NDIFF_SIDES);
	int rc = 0;

	if (twin) {
		add_open_line(m, arena_printf(&m->gate->arena,
					      "several rows of a run are '%s'", twin));
		return 0;
	}
	add_line(m, NULL)->is_whole = true;
	for (size_t i = 0; i < first->n && rc == 0; i++)
		rc = add_row(m, first->rows[i].key, total, err);
	return rc;
}

/* Why a run has no number; NULL: all have. */
static const char *find_lack(const struct making *m)
{
	for (size_t side = 0; side < NDIFF_SIDES; side++)
		for (size_t i = 0; i < m->nruns[side]; i++)
			if (m->rows[side].items[i].lacks)
				return arena_printf(&m->gate->arena, "%s: %s",
						    m->runs[side][i].name,
						    m->rows[side].items[i].lacks);
	return NULL;
}

static int add_budget(struct making *m, struct err *err)
{
	const char *culprit = NULL;
	int rc = 0;

	for (size_t side = 0; side < NDIFF_SIDES && rc == 0; side++)
		rc = gate_runs_load(m->budget, m->runs[side], m->nruns[side],
				    &m->rows[side], &culprit, err);
	if (rc < 0) {
		m->gate->culprit =
			culprit ? arena_strdup(&m->gate->arena, culprit) : NULL;
		if (err->kind == ERR_USAGE)
			m->gate->budgets.line = m->budget->column_line;
	} else if (find_lack(m)) {
		add_open_line(m, find_lack(m));
	} else {
		rc = m->budget->stat ? add_number(m, err) : add_rows(m, err);
	}
	for (size_t side = 0; side < NDIFF_SIDES; side++)
		gate_runs_release(&m->rows[side]);
	return rc;
}

/* Opens the runs of a name once. */
static int open_base(struct gate *g, const char *name, const struct gate_base **out,
		     struct err *err)
{
	const struct gate_plan *plan = g->plan;
	const char *culprit = NULL;

	for (size_t i = 0; i < g->nbases; i++) {
		*out = &g->bases[i];
		if (strcmp(g->bases[i].name, name) == 0)
			return 0;
	}
	struct gate_base *base = &g->bases[g->nbases++];
	*base = (struct gate_base){ .name = name };
	*out = base;
	struct diff_side_opts opts = { .aa = true,
				       .is_quiet = plan->is_quiet,
				       .baselines = plan->directory };
	const char *operand = baseline_operand(plan->directory, name, &g->arena);
	opts.base.items[opts.base.n++] = operand;
	if (diff_sides_open(plan->command, &opts, &base->sides, &culprit, err) == 0)
		return 0;
	diff_sides_explain(&base->sides, err);
	g->culprit = culprit ? arena_strdup(&g->arena, culprit) : NULL;
	return -1;
}

static int add_all(struct gate *g, struct err *err)
{
	for (size_t i = 0; i < g->budgets.n; i++) {
		struct making m = { .gate = g, .budget = &g->budgets.items[i] };
		const struct gate_base *base;
		if (g->plan->is_power && !m.budget->against)
			continue;
		if (m.budget->against) {
			if (open_base(g, m.budget->against, &base, err) < 0)
				return -1;
			m.runs[DIFF_BASE] = base->sides.runs[DIFF_BASE];
			m.nruns[DIFF_BASE] = base->sides.n[DIFF_BASE];
		}
		if (!g->plan->is_power) {
			m.runs[DIFF_NEW] = g->plan->new_side->runs[DIFF_BASE];
			m.nruns[DIFF_NEW] = g->plan->new_side->n[DIFF_BASE];
		}
		if (add_budget(&m, err) < 0)
			return -1;
	}
	return 0;
}

/* The line of a budget of each row: the worst of them. */
static void sum_up_rows(struct gate *g, size_t whole)
{
	struct gate_line *line = &g->lines[whole];
	size_t failed = 0, open = 0, lost = 0, n = 0;

	for (size_t i = whole + 1; i < g->n && g->lines[i].row; i++, n++) {
		struct gate_line *row = &g->lines[i];
		failed += row->verdict == GATE_FAIL;
		bool is_open = gate_row_is_open(&row->result);
		open += is_open;
		lost += row->result.is_lost;
		row->is_shown = row->verdict == GATE_FAIL || row->result.is_lost;
		if (is_open && row->runs_needed > line->runs_needed)
			line->runs_needed = row->runs_needed;
	}
	line->verdict = failed           ? GATE_FAIL
			: open || n == 0 ? GATE_INCONCLUSIVE
					 : GATE_PASS;
	line->why = n == 0 ? "no row is in all runs of both sides"
			   : arena_printf(&g->arena, "%zu of %zu rows %s worse", failed,
					  n, failed == 1 ? "is" : "are");
	if (lost)
		line->why = arena_printf(&g->arena, "%s, and %zu seem%s to be", line->why,
					 lost, lost == 1 ? "s" : "");
}

static enum gate_verdict worst(enum gate_verdict a, enum gate_verdict b)
{
	return a == GATE_FAIL || b == GATE_FAIL ? GATE_FAIL : a == GATE_PASS ? b : a;
}

static void decide(struct gate *g)
{
	struct gate_result *results = xcalloc(g->n, sizeof(*results));

	for (size_t i = 0; i < g->n; i++)
		results[i] = g->lines[i].result;
	gate_decide(results, g->n, g->plan->alpha);
	for (size_t i = 0; i < g->n; i++) {
		struct gate_line *line = &g->lines[i];
		line->result = results[i];
		if (!line->is_whole && line->trial.base.n)
			line->verdict = results[i].verdict;
		bool is_open = line->verdict == GATE_INCONCLUSIVE ||
			       (line->row && gate_row_is_open(&line->result));
		if (is_open && !line->is_whole)
			line->runs_needed = gate_runs_needed(&line->trial, &results[i],
							     g->plan->alpha);
	}
	free(results);
	for (size_t i = 0; i < g->n; i++)
		if (g->lines[i].is_whole && !g->lines[i].why)
			sum_up_rows(g, i);
	for (size_t i = 0; i < g->n; i++)
		if (gate_line_counts(&g->lines[i]) && !g->lines[i].row)
			g->verdict = worst(g->verdict, g->lines[i].verdict);
}

int gate_load(struct gate *g, const char *path, const struct gate_plan *plan,
	      struct err *err)
{
	*g = (struct gate){ .plan = plan };
	if (budgets_read(path, &g->budgets, err) < 0)
		return -1;
	g->bases = xcalloc(g->budgets.n, sizeof(*g->bases));
	if (add_all(g, err) < 0)
		return -1;
	if (!plan->is_power)
		decide(g);
	return 0;
}

void gate_release(struct gate *g)
{
	for (size_t i = 0; i < g->nbases; i++)
		diff_sides_close(&g->bases[i].sides);
	free(g->bases);
	for (size_t i = 0; i < g->n; i++)
		for (size_t side = 0; side < NDIFF_SIDES; side++)
			free(g->lines[i].values[side]);
	free(g->lines);
	u_distribution_release(&g->exact);
	budgets_release(&g->budgets);
	arena_release(&g->arena);
	*g = (struct gate){ .plan = NULL };
}
