/* A gate in words: what a line of it says, and all of it in one. */
#include "cli/gate_words.h"

#include <math.h>

#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"

const char *gate_verdict_name(enum gate_verdict verdict)
{
	static const char *const names[] = {
		[GATE_PASS] = "pass",
		[GATE_FAIL] = "fail",
		[GATE_INCONCLUSIVE] = "inconclusive",
	};

	return names[verdict];
}

bool gate_line_counts(const struct gate_line *line)
{
	return !line->budget->reason || line->budget->is_expired;
}

struct cell gate_amount_cell(const struct gate_line *line, double value)
{
	bool is_whole = value == floor(value) && fabs(value) < 9e15;

	if (isnan(value))
		return cell_null();
	if (is_whole || line->unit == UNIT_NS || line->unit == UNIT_BYTES)
		return cell_int(sum_of_double(round(value)));
	return cell_real(value);
}

const char *gate_amount_text(const struct gate_line *line, double value,
			     struct arena *arena)
{
	char number[UNITS_TEXT_MAX];

	return isnan(value) ? "-"
			    : arena_copy(arena, units_text(line->unit,
							   gate_amount_cell(line, value),
							   number))
				      .p;
}

const char *gate_change_text(double pct, struct arena *arena)
{
	return isnan(pct) ? "" : arena_printf(arena, "%+.1f%%", pct);
}

double gate_limit_of(const struct gate_line *line)
{
	return line->is_whole || line->budget->against ? (double)NAN : line->trial.limit;
}

const char *gate_allowed_text(const struct gate_line *line, struct arena *arena)
{
	const struct budget *b = line->budget;

	if (!b->against)
		return line->is_whole
			       ? NULL
			       : gate_amount_text(line, gate_limit_of(line), arena);
	if (b->is_in_noise && (line->is_whole || isnan(line->result.tolerance_pct)))
		return arena_printf(arena, "%g sigma", b->tolerance);
	double pct = b->is_in_noise ? line->result.tolerance_pct : b->tolerance;
	return arena_printf(arena, pct < 999.5 ? "%.3g%%" : "%.0f%%", pct);
}

/* "8 v 8", "8 pairs". */
const char *gate_sizes_text(const struct gate_line *line, struct arena *arena)
{
	const struct gate_trial *t = &line->trial;
	const char *steps = line->is_by_steps ? " steps" : "";

	if (line->is_whole)
		return NULL;
	if (!t->base.n)
		return arena_printf(arena, "%zu", t->new_side.n);
	if (t->is_paired)
		return arena_printf(arena, "%zu pairs%s%s", t->base.n,
				    *steps ? " of" : "", steps);
	return arena_printf(arena, "%zu v %zu%s", t->base.n, t->new_side.n, steps);
}

/* "8 runs a side are likely to decide: 4 more of the baseline, 7 more new ones". */
static const char *needed_text(const struct gate_line *line, struct arena *arena)
{
	size_t n = line->runs_needed;
	size_t base = line->trial.base.n, new_side = line->trial.new_side.n;
	const char *of_base = "", *of_new = "";
	const char *what = line->is_by_steps ? "steps" : "runs";

	if (!n)
		return line->is_whole ? NULL
				      : arena_printf(arena,
						     "up to %d %s a side are unlikely to "
						     "decide",
						     GATE_RUNS_MAX, what);
	if (!line->budget->against)
		return arena_printf(arena, "%zu more runs are likely to decide",
				    n - new_side);
	if (n > base && !line->is_whole)
		of_base = arena_printf(arena, "%zu more of the baseline", n - base);
	if (n > new_side && !line->is_whole)
		of_new = arena_printf(arena, "%s%zu more new ones", *of_base ? ", " : "",
				      n - new_side);
	return arena_printf(arena, "%zu %s a side are likely to decide%s%s%s", n, what,
			    *of_base || *of_new ? ": " : "", of_base, of_new);
}

static const char *interval_text(const struct gate_result *r, struct arena *arena)
{
	if (isnan(r->low_pct) || isnan(r->high_pct))
		return "";
	return arena_printf(arena, " (%d%% CI %+.1f%% to %+.1f%%)", GATE_INTERVAL_PCT,
			    r->low_pct, r->high_pct);
}

static const char *outliers_text(const struct gate_result *r, struct arena *arena)
{
	const size_t *n = r->outliers;
	const char *plural = n[0] + n[1] == 1 ? "" : "s";

	if (n[0] + n[1] == 0)
		return "";
	return arena_printf(arena, ", without %zu outlier%s (%zu of base, %zu new)",
			    n[0] + n[1], plural, n[0], n[1]);
}

static const char *number_text(const struct gate_line *line, struct arena *arena)
{
	const struct gate_result *r = &line->result;
	const char *value = gate_amount_text(line, r->value, arena);

	if (!line->budget->against)
		return arena_printf(arena, "%s, limit %s, %s run%s", value,
				    gate_allowed_text(line, arena),
				    gate_sizes_text(line, arena),
				    line->trial.new_side.n == 1 ? "" : "s");
	return arena_printf(arena, "%s -> %s, %s%s, allowed %s%s, %s%s",
			    gate_amount_text(line, r->base, arena), value,
			    isnan(r->change_pct) ? "from 0"
						 : gate_change_text(r->change_pct, arena),
			    interval_text(r, arena), gate_allowed_text(line, arena),
			    isnan(r->p)     ? ""
			    : r->p < 0.0001 ? ", p < 0.0001"
					    : arena_printf(arena, ", p = %.2g", r->p),
			    gate_sizes_text(line, arena), outliers_text(r, arena));
}

const char *gate_line_text(const struct gate_line *line, struct arena *arena)
{
	const struct budget *b = line->budget;
	const char *text = line->is_whole ? line->why : number_text(line, arena);
	const char *needed =
		line->verdict == GATE_INCONCLUSIVE ? needed_text(line, arena) : NULL;

	if (needed)
		text = arena_printf(arena, "%s; %s", text, needed);
	if (b->reason && line->verdict != GATE_PASS)
		text = arena_printf(arena, "%s; %s %s: %s", text,
				    b->is_expired ? "its acknowledgement expired after"
						  : "acknowledged until",
				    b->until, b->reason);
	return text;
}

static void add_names(const struct gate *g, enum gate_verdict verdict, struct buf *to)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct gate_line *line = &g->lines[i];
		if (!line->row && line->verdict == verdict && gate_line_counts(line))
			buf_addf(to, "%s%s", to->n ? ", " : "", line->budget->name);
	}
}

/* Those that fail, and do not count. */
static size_t count_excused(const struct gate *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += !g->lines[i].row && g->lines[i].verdict == GATE_FAIL &&
		     !gate_line_counts(&g->lines[i]);
	return n;
}

const char *gate_headline(const struct gate *g, struct arena *arena)
{
	static const char *const words[] = {
		[GATE_PASS] = "gate passed",
		[GATE_FAIL] = "gate failed",
		[GATE_INCONCLUSIVE] = "gate inconclusive",
	};
	struct buf names;
	const char *text;

	buf_init(&names, SIZE_MAX);
	if (g->verdict != GATE_PASS)
		add_names(g, g->verdict, &names);
	size_t excused = count_excused(g);
	if (names.n)
		text = arena_printf(arena, "%s: " STR_FMT, words[g->verdict],
				    STR_ARG(buf_str(&names)));
	else
		text = arena_printf(arena, "%s: %zu budget%s", words[g->verdict],
				    g->budgets.n, g->budgets.n == 1 ? "" : "s");
	if (!names.n && excused)
		text = arena_printf(arena, "%s, %zu acknowledged", text, excused);
	buf_release(&names);
	return text;
}
