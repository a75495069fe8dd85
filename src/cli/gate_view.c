/* A gate as tables and in words: see gate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/units.h"
#include "cli/gate.h"

/* What getters need beside the line. */
struct showing {
	const struct gate *gate;
	struct arena *arena;
};

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

static struct cell amount_cell(const struct gate_line *line, double value)
{
	bool is_whole = value == floor(value) && fabs(value) < 9e15;

	if (isnan(value))
		return cell_null();
	if (is_whole || line->unit == UNIT_NS || line->unit == UNIT_BYTES)
		return cell_int((int64_t)round(value));
	return cell_real(value);
}

const char *gate_amount_text(const struct gate_line *line, double value,
			     struct arena *arena)
{
	char number[UNITS_TEXT_MAX];

	return isnan(value)
		       ? "-"
		       : arena_copy(arena, units_text(line->unit,
						      amount_cell(line, value), number))
				 .p;
}

static const char *change_text(double pct, struct arena *arena)
{
	return isnan(pct) ? "" : arena_printf(arena, "%+.1f%%", pct);
}

static double limit_of(const struct gate_line *line)
{
	return line->is_whole || line->budget->against ? (double)NAN : line->trial.limit;
}

static const char *allowed_text(const struct gate_line *line, struct arena *arena)
{
	const struct budget *b = line->budget;

	if (!b->against)
		return line->is_whole ? NULL
				      : gate_amount_text(line, limit_of(line), arena);
	if (b->is_in_noise && (line->is_whole || isnan(line->result.tolerance_pct)))
		return arena_printf(arena, "%g sigma", b->tolerance);
	return arena_printf(arena, "%.3g%%",
			    b->is_in_noise ? line->result.tolerance_pct : b->tolerance);
}

/* "8 v 8", "8 pairs". */
static const char *sizes_text(const struct gate *g, const struct gate_line *line,
			      struct arena *arena)
{
	const struct gate_trial *t = &line->trial;
	const char *steps = g->plan->within_run && t->base.n > 1 ? " steps" : "";

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

	if (!n)
		return line->is_whole
			       ? NULL
			       : arena_printf(arena,
					      "up to %d runs a side are unlikely to "
					      "decide",
					      GATE_RUNS_MAX);
	if (!line->budget->against)
		return arena_printf(arena, "%zu more runs are likely to decide",
				    n - new_side);
	if (n > base && !line->is_whole)
		of_base = arena_printf(arena, "%zu more of the baseline", n - base);
	if (n > new_side && !line->is_whole)
		of_new = arena_printf(arena, "%s%zu more new ones", *of_base ? ", " : "",
				      n - new_side);
	return arena_printf(arena, "%zu runs a side are likely to decide%s%s%s", n,
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

static const char *number_text(const struct gate *g, const struct gate_line *line,
			       struct arena *arena)
{
	const struct gate_result *r = &line->result;
	const char *value = gate_amount_text(line, r->value, arena);

	if (!line->budget->against)
		return arena_printf(arena, "%s, limit %s, %s run%s", value,
				    allowed_text(line, arena), sizes_text(g, line, arena),
				    line->trial.new_side.n == 1 ? "" : "s");
	return arena_printf(arena, "%s -> %s, %s%s, allowed %s%s, %s%s",
			    gate_amount_text(line, r->base, arena), value,
			    isnan(r->change_pct) ? "from 0"
						 : change_text(r->change_pct, arena),
			    interval_text(r, arena), allowed_text(line, arena),
			    isnan(r->p)     ? ""
			    : r->p < 0.0001 ? ", p < 0.0001"
					    : arena_printf(arena, ", p = %.2g", r->p),
			    sizes_text(g, line, arena), outliers_text(r, arena));
}

const char *gate_line_text(const struct gate *g, const struct gate_line *line,
			   struct arena *arena)
{
	const struct budget *b = line->budget;
	const char *text = line->is_whole ? line->why : number_text(g, line, arena);
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
	if (names.n)
		text = arena_printf(arena, "%s: " STR_FMT, words[g->verdict],
				    STR_ARG(buf_str(&names)));
	else
		text = arena_printf(arena, "%s: %zu budget%s", words[g->verdict],
				    g->budgets.n, g->budgets.n == 1 ? "" : "s");
	buf_release(&names);
	return text;
}

enum what {
	OF_BUDGET,
	OF_ROW,
	OF_VERDICT,
	OF_COUNTS,
	OF_VIEW,
	OF_COLUMN,
	OF_STAT,
	OF_UNIT,
	OF_NEEDED,
	OF_REASON,
	OF_UNTIL,
	OF_EXPIRED,
	OF_DETAIL,
	OF_NAME, /* people's: the budget, or its row */
	OF_BASE, /* likewise, with their units */
	OF_NEW,
	OF_CHANGE,
	OF_ALLOWED,
	OF_RUNS
};

static struct cell bool_cell(bool value)
{
	return cell_int(value);
}

static struct cell get_number(const void *from, const void *row, int what)
{
	const struct gate_line *line = row;
	const struct budget *b = line->budget;

	(void)from;
	switch (what) {
	case OF_COUNTS:
		return bool_cell(gate_line_counts(line));
	case OF_NEEDED:
		return line->runs_needed && line->verdict == GATE_INCONCLUSIVE
			       ? cell_int((int64_t)line->runs_needed)
			       : cell_null();
	default:
		return b->reason ? bool_cell(b->is_expired) : cell_null();
	}
}

static struct cell get_text(const void *from, const void *row, int what)
{
	const struct gate_line *line = row;
	const struct budget *b = line->budget;

	(void)from;
	switch (what) {
	case OF_BUDGET:
		return cell_text_or_null(b->name);
	case OF_ROW:
		return cell_text_or_null(line->row);
	case OF_VERDICT:
		return cell_text_or_null(gate_verdict_name(line->verdict));
	case OF_VIEW:
		return cell_text_or_null(b->view->name);
	case OF_COLUMN:
		return cell_text_or_null(line->column ? line->column : b->column);
	case OF_STAT:
		return cell_text_or_null(b->stat ? b->stat->name : "each");
	case OF_UNIT:
		return line->column ? cell_text_or_null(units_word(line->unit))
				    : cell_null();
	case OF_REASON:
		return cell_text_or_null(b->reason);
	default:
		return cell_text_or_null(b->until);
	}
}

static const char *shown_text(const struct showing *s, const struct gate_line *line,
			      int what)
{
	const struct gate_result *r = &line->result;

	switch (what) {
	case OF_DETAIL:
		return gate_line_text(s->gate, line, s->arena);
	case OF_NAME:
		return line->row ? arena_printf(s->arena, "  %s", line->row)
				 : line->budget->name;
	case OF_BASE:
		return line->is_whole || isnan(r->base)
			       ? NULL
			       : gate_amount_text(line, r->base, s->arena);
	case OF_NEW:
		return line->is_whole ? NULL : gate_amount_text(line, r->value, s->arena);
	case OF_CHANGE:
		return line->is_whole ? NULL : change_text(r->change_pct, s->arena);
	case OF_ALLOWED:
		return allowed_text(line, s->arena);
	default:
		return sizes_text(s->gate, line, s->arena);
	}
}

static struct cell get_shown(const void *from, const void *row, int what)
{
	return cell_text_or_null(shown_text(from, row, what));
}

/* A real of the result, null where there is none. */
static struct cell get_real(const void *from, const void *row, int offset)
{
	const struct gate_line *line = row;
	double value;

	(void)from;
	memcpy(&value, (const char *)&line->result + offset, sizeof(value));
	return line->is_whole || !isfinite(value) ? cell_null() : cell_real(value);
}

static struct cell get_amount(const void *from, const void *row, int offset)
{
	const struct gate_line *line = row;
	double value;

	(void)from;
	memcpy(&value, (const char *)&line->result + offset, sizeof(value));
	return line->is_whole ? cell_null() : amount_cell(line, value);
}

static struct cell get_limit(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return amount_cell(row, limit_of(row));
}

/* How many values a side has. */
static struct cell get_size(const void *from, const void *row, int is_new)
{
	const struct gate_trial *t = &((const struct gate_line *)row)->trial;

	(void)from;
	return cell_int((int64_t)(is_new ? t->new_side.n : t->base.n));
}

static struct cell get_outliers(const void *from, const void *row, int is_new)
{
	const struct gate_line *line = row;

	(void)from;
	return cell_int((int64_t)line->result.outliers[is_new]);
}

static struct cell get_paired(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return bool_cell(((const struct gate_line *)row)->trial.is_paired);
}

#define TEXT(what)     .get = get_text, .arg = (what)
#define NUMBER(what)   .get = get_number, .arg = (what)
#define SHOWN(what)    .get = get_shown, .arg = (what), .flags = FIELD_PEOPLE
#define REAL(member)   .get = get_real, .arg = (int)offsetof(struct gate_result, member)
#define AMOUNT(member) .get = get_amount, .arg = (int)offsetof(struct gate_result, member)

/* clang-format off */
static const struct field fields[] = {
	{ "name", "Budget", NULL, NULL, UNIT_TEXT, SHOWN(OF_NAME) },
	{ "budget", "Budget", "name of the section", NULL, UNIT_TEXT, TEXT(OF_BUDGET), .flags = FIELD_KEY },
	{ "row", "Row", "row of the view; null for the budget itself", NULL, UNIT_TEXT, TEXT(OF_ROW), .flags = FIELD_KEY },
	{ "verdict", "Verdict", "pass, fail or inconclusive", NULL, UNIT_TEXT, TEXT(OF_VERDICT) },
	{ "counts", "Counts", "true where the gate's verdict depends on it; false where it is acknowledged", NULL, UNIT_BOOL, NUMBER(OF_COUNTS) },
	{ "view", "View", "view that is read", NULL, UNIT_TEXT, TEXT(OF_VIEW) },
	{ "column", "Column", "its column", NULL, UNIT_TEXT, TEXT(OF_COLUMN) },
	{ "stat", "Stat", "what the rows of a run are made to", NULL, UNIT_TEXT, TEXT(OF_STAT) },
	{ "unit", "Unit", "unit of the next three", NULL, UNIT_TEXT, TEXT(OF_UNIT) },
	{ "value", "Value", "middle of the new runs", NULL, UNIT_ANY, AMOUNT(value) },
	{ "base", "Base", "middle of the baseline's runs", NULL, UNIT_ANY, AMOUNT(base) },
	{ "limit", "Limit", "max or min", NULL, UNIT_ANY, .get = get_limit },
	{ "change_pct", "Change %", "median change, in percent of the baseline", NULL, UNIT_PERCENT, REAL(change_pct) },
	{ "low_pct", "Low %", "its 95 % interval, from here", NULL, UNIT_PERCENT, REAL(low_pct) },
	{ "high_pct", "High %", "to here", NULL, UNIT_PERCENT, REAL(high_pct) },
	{ "tolerance_pct", "Tolerance %", "change that is allowed", NULL, UNIT_PERCENT, REAL(tolerance_pct) },
	{ "p", "p", "probability, by rank; null where the baseline has no noise", NULL, UNIT_RATIO, REAL(p) },
	{ "q", "q", "p adjusted for all but the headline; null for the headline", NULL, UNIT_RATIO, REAL(q) },
	{ "base_runs", "Base n", "values of the baseline", NULL, UNIT_COUNT, .get = get_size, .arg = 0 },
	{ "new_runs", "New n", "new values", NULL, UNIT_COUNT, .get = get_size, .arg = 1 },
	{ "base_outliers", "Base outliers", "of these, runs far worse than the others, which are left out", NULL, UNIT_COUNT, .get = get_outliers, .arg = 0 },
	{ "new_outliers", "New outliers", "likewise", NULL, UNIT_COUNT, .get = get_outliers, .arg = 1 },
	{ "is_paired", "Paired", "true where values of one name were compared with each other", NULL, UNIT_BOOL, .get = get_paired },
	{ "runs_needed", "Needed", "runs a side that are likely to decide; null where it is decided, or none would", NULL, UNIT_COUNT, NUMBER(OF_NEEDED) },
	{ "acknowledged", "Acknowledged", "reason of the acknowledgement", NULL, UNIT_TEXT, TEXT(OF_REASON) },
	{ "until", "Until", "its last day", NULL, UNIT_TEXT, TEXT(OF_UNTIL) },
	{ "is_expired", "Expired", "true after that day", NULL, UNIT_BOOL, NUMBER(OF_EXPIRED) },
	{ "detail", "Detail", "the line in words", NULL, UNIT_TEXT, .get = get_shown, .arg = OF_DETAIL },
	{ "people_base", "Base", NULL, NULL, UNIT_TEXT, SHOWN(OF_BASE) },
	{ "people_new", "New", NULL, NULL, UNIT_TEXT, SHOWN(OF_NEW) },
	{ "people_change", "Change", NULL, NULL, UNIT_TEXT, SHOWN(OF_CHANGE) },
	{ "people_allowed", "Allowed", NULL, NULL, UNIT_TEXT, SHOWN(OF_ALLOWED), .leaves = 2 },
	{ "people_runs", "Runs", NULL, NULL, UNIT_TEXT, SHOWN(OF_RUNS), .leaves = 1 },
	{ .name = NULL },
};
/* clang-format on */

const struct view gate_view = {
	.name = "gate",
	.fields = fields,
	.people = VIEW_PART("name verdict people_base people_new people_change "
			    "people_allowed people_runs"),
};

/* What does not pass, in words, and what is acknowledged. */
static void add_notes(const struct gate *g, struct memtable *to)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct gate_line *line = &g->lines[i];
		if (!line->row && line->verdict != GATE_PASS)
			memtable_add_note(to, "%s: %s", line->budget->name,
					  gate_line_text(g, line, &to->arena));
	}
}

struct memtable *gate_table(const struct gate *g, bool for_people)
{
	struct arena arena = { 0 };
	const struct showing showing = { g, &arena };
	struct gate_line *shown = xcalloc(g->n, sizeof(*shown));
	struct view_rows rows = { &showing, shown, 0, sizeof(*shown) };
	const struct view_request request = { .for_people = for_people };

	for (size_t i = 0; i < g->n; i++)
		if (g->lines[i].is_shown)
			shown[rows.n++] = g->lines[i];
	struct memtable *m = view_table(&gate_view, &rows, NULL, &request);
	m->table.caption = gate_headline(g, &m->arena);
	m->table.is_form = true;
	if (for_people)
		add_notes(g, m);
	else
		memtable_add_note(m, "%s", m->table.caption);
	free(shown);
	arena_release(&arena);
	return m;
}

/* A line of --power. */
struct power_row {
	const struct gate_line *line;
	double noise_pct, least_80, least_90;
	int64_t base_runs, new_runs;
};

static struct cell get_power_text(const void *from, const void *row, int what)
{
	return get_text(from, ((const struct power_row *)row)->line, what);
}

static struct cell get_power_real(const void *from, const void *row, int offset)
{
	double value;

	(void)from;
	memcpy(&value, (const char *)row + offset, sizeof(value));
	return isfinite(value) ? cell_real(value) : cell_null();
}

#define POWER(member) \
	.get = get_power_real, .arg = (int)offsetof(struct power_row, member)
#define SIZE(member) .get = view_int64, .arg = (int)offsetof(struct power_row, member)

/* clang-format off */
static const struct field power_fields[] = {
	{ "budget", "Budget", "name of the section", NULL, UNIT_TEXT, .get = get_power_text, .arg = OF_BUDGET, .flags = FIELD_KEY },
	{ "row", "Row", "row of the view; null for the budget's one number", NULL, UNIT_TEXT, .get = get_power_text, .arg = OF_ROW, .flags = FIELD_KEY },
	{ "noise_pct", "Noise %", "standard deviation of the baseline's runs, in percent", NULL, UNIT_PERCENT, POWER(noise_pct) },
	{ "base_runs", "Base n", "runs of the baseline", NULL, UNIT_COUNT, SIZE(base_runs) },
	{ "new_runs", "New n", "runs that are to come", NULL, UNIT_COUNT, SIZE(new_runs) },
	{ "seen_80_pct", "Seen at 80 %", "smallest change that fails in 80 of 100 gates; null: none up to 200 %", NULL, UNIT_PERCENT, POWER(least_80) },
	{ "seen_90_pct", "Seen at 90 %", "likewise in 90 of 100", NULL, UNIT_PERCENT, POWER(least_90) },
	{ .name = NULL },
};
/* clang-format on */

const struct view gate_power_view = {
	.name = "gate --power",
	.fields = power_fields,
	.people = VIEW_PART("budget row noise_pct base_runs new_runs seen_80_pct! "
			    "seen_90_pct!"),
};

static double noise_of(const struct gate_trial *t)
{
	double mean = 0, sum = 0, n = (double)t->base.n;

	for (size_t i = 0; i < t->base.n; i++)
		mean += t->base.values[i] / n;
	for (size_t i = 0; i < t->base.n; i++)
		sum += (t->base.values[i] - mean) * (t->base.values[i] - mean);
	return n > 1 && mean != 0 ? 100 * sqrt(sum / (n - 1)) / fabs(mean) : (double)NAN;
}

struct memtable *gate_power_table(const struct gate *g, size_t nnew, bool for_people)
{
	struct gate_trial *trials = xcalloc(g->n, sizeof(*trials));
	struct power_row *items = xcalloc(g->n, sizeof(*items));
	struct view_rows rows = { NULL, items, 0, sizeof(*items) };
	const struct view_request request = { .for_people = for_people };
	struct gate_power power;

	for (size_t i = 0; i < g->n; i++)
		if (!g->lines[i].is_whole && g->lines[i].trial.base.n) {
			items[rows.n].line = &g->lines[i];
			trials[rows.n++] = g->lines[i].trial;
		}
	gate_power_make(trials, rows.n, nnew, g->plan->alpha, &power);
	for (size_t i = 0; i < rows.n; i++) {
		size_t nbase = trials[i].base.n;
		items[i].noise_pct = noise_of(&trials[i]);
		items[i].base_runs = (int64_t)nbase;
		items[i].new_runs = (int64_t)(nnew ? nnew : nbase);
		items[i].least_80 = power.least_80[i];
		items[i].least_90 = power.least_90[i];
	}
	struct memtable *m = view_table(&gate_power_view, &rows, NULL, &request);
	m->table.caption = arena_printf(
		&m->arena,
		"of 100 gates of one program %.2g fail and %.2g are inconclusive",
		power.aa_pct, power.aa_inconclusive_pct);
	if (!for_people)
		memtable_add_note(m, "%s", m->table.caption);
	m->table.is_form = true;
	gate_power_release(&power);
	free(trials);
	free(items);
	return m;
}
