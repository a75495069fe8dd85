/* A gate as a table: see gate.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/units.h"
#include "cli/gate_words.h"

/* What getters need beside the line. */
struct showing {
	const struct gate *gate;
	struct arena *arena;
};

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
		return gate_line_text(line, s->arena);
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
		return line->is_whole ? NULL : gate_change_text(r->change_pct, s->arena);
	case OF_ALLOWED:
		return gate_allowed_text(line, s->arena);
	default:
		return gate_sizes_text(line, s->arena);
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
	return line->is_whole ? cell_null() : gate_amount_cell(line, value);
}

static struct cell get_limit(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return gate_amount_cell(row, gate_limit_of(row));
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
					  gate_line_text(line, &to->arena));
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
