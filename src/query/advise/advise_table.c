/* Findings, or their evidence, as rows: see advise.h. */
#include "base/sum.h"
#include "base/units.h"
#include "query/advise/advise.h"
#include "query/advise/advise_facts.h"
#include "query/query.h"
#include "query/view.h"

/* clang-format off */
enum { RULE, SEVERITY, PROFILE, RANK, DEVICE, FINDING, SAVING, FORMULA, SUGGESTION, SAVING_PCT,
       NCELLS };

/* Those of evidence, whose first four are the same. */
enum { ITEM = DEVICE + 1, VALUE, UNIT };

/* Bits of struct field's `needs`. */
enum { OF_FINDINGS = 1, OF_EVIDENCE = 2, OF_RANKS = 4 };

#define CELL(place)   .get = view_cell, .arg = (place)
#define OF_A(finding) .get = view_cell, .arg = (finding), .needs = OF_FINDINGS
#define BY(evidence)  .get = view_cell, .arg = (evidence), .needs = OF_EVIDENCE

static const struct field fields[] = {
	{ "rule", "Rule", "rule, as in ptool-rules(7)", NULL, UNIT_TEXT, CELL(RULE), .flags = FIELD_KEY },
	{ "severity", "Severity", "high, medium, low, or not_run where the recording lacks what it needs", NULL, UNIT_TEXT, OF_A(SEVERITY) },
	{ "profile", "Profile", "number of the profile; null when the finding is of no single one", NULL, UNIT_ID, CELL(PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank, likewise", NULL, UNIT_ID, CELL(RANK), .needs = OF_RANKS, .flags = FIELD_KEY },
	{ "device", "Device", "device, likewise", NULL, UNIT_ID, CELL(DEVICE), .flags = FIELD_KEY },
	{ "finding", "Finding", "what was found, or what is missing", NULL, UNIT_TEXT, OF_A(FINDING) },
	{ "saving_ns", "Saves at most", "time of the mean step that it could save at most; null where it cannot be computed, or only another recording helps", NULL, UNIT_NS, OF_A(SAVING) },
	{ "saving_formula", "Formula", "what that is computed from", NULL, UNIT_TEXT, OF_A(FORMULA) },
	{ "suggestion", "Try", "what to try, or how to record it", NULL, UNIT_TEXT, OF_A(SUGGESTION) },
	{ "saving_pct", "Share (%)", "the saving as a share of the step", NULL, UNIT_PERCENT, OF_A(SAVING_PCT) },
	{ "item", "Item", "name of the number, with --evidence", NULL, UNIT_TEXT, BY(ITEM), .flags = FIELD_KEY },
	{ "value", "Value", "the number, of a mean step, or of all steps where it counts, with --evidence", NULL, UNIT_ANY, BY(VALUE) },
	{ "unit", "Unit", "its unit, with --evidence", NULL, UNIT_TEXT, BY(UNIT) },
	{ .name = NULL },
};
/* clang-format on */

const struct view advise_view = {
	.name = "advise",
	.fields = fields,
	.people = VIEW_PART("rule! profile rank! device item! value! unit!"),
};

/* The cells that all rows begin with, and null. */
static void begin_row(struct cell *cells, const struct rule *rule,
		      const struct scope_profile *profile, struct cell device)
{
	for (size_t i = 0; i < NCELLS; i++)
		cells[i] = cell_null();
	cells[RULE] = cell_text_or_null(rule->name);
	if (profile)
		cells[PROFILE] = cell_int(profile->id);
	if (profile && profile->has_rank)
		cells[RANK] = cell_int(profile->rank);
	cells[DEVICE] = device;
}

static void add_finding(struct memtable *m, const struct advice *a)
{
	struct cell cells[NCELLS];

	begin_row(cells, a->rule, a->profile, a->device);
	cells[SEVERITY] = cell_text_or_null(advice_severity_name(a->severity));
	cells[FINDING] = cell_text_or_null(a->finding);
	cells[SUGGESTION] = cell_text_or_null(a->suggestion);
	if (a->saving_ns != NUMBER_NONE && !a->is_of_recording) {
		cells[SAVING] = cell_int(a->saving_ns);
		cells[FORMULA] = cell_text_or_null(a->formula);
		cells[SAVING_PCT] = cell_real(percent_of(a->saving_ns, a->of_ns));
	}
	memtable_add_row(m, cells);
}

static void add_lack(struct memtable *m, const struct advice_lack *lack)
{
	struct cell cells[NCELLS];

	begin_row(cells, lack->rule, lack->profile, cell_null());
	cells[SEVERITY] = cell_text(STR_LIT("not_run"));
	cells[FINDING] = cell_text_or_null(lack->why);
	cells[SUGGESTION] = cell_text_or_null(lack->record);
	memtable_add_row(m, cells);
}

static void add_evidence(struct memtable *m, const struct advice *a)
{
	struct cell cells[NCELLS];

	begin_row(cells, a->rule, a->profile, a->device);
	for (size_t i = 0; i < a->nevidence; i++) {
		cells[ITEM] = cell_text_or_null(a->evidence[i].item);
		cells[VALUE] = a->evidence[i].value;
		cells[UNIT] = cell_text_or_null(units_word(a->evidence[i].unit));
		memtable_add_row(m, cells);
	}
}

struct table *advise_table(const struct advice_list *list,
			   const struct advise_request *request,
			   const struct scope *scope)
{
	const struct view_request show = {
		.for_people = request->for_people,
		.asked = (request->evidence ? OF_EVIDENCE : OF_FINDINGS) |
			 (!request->for_people || scope->nranks > 1 ? OF_RANKS : 0U),
	};
	struct memtable *m = memtable_new(NULL, NCELLS);
	const char *summary;

	for (size_t i = 0; i < list->n; i++)
		if (request->evidence)
			add_evidence(m, &list->items[i]);
		else
			add_finding(m, &list->items[i]);
	for (size_t i = 0; !request->evidence && i < list->nlacks; i++)
		add_lack(m, &list->lacks[i]);
	if (request->evidence && list->n == 0)
		m->table.caption = advice_has_unexamined(list)
					   ? "no problem found by the rules that ran"
					   : "no problem found";
	for (size_t i = 0;
	     !request->evidence && (summary = advise_summary(list, i, scope, &m->arena));
	     i++)
		memtable_add_note(m, "%s", summary);
	struct memtable *out = view_of_cells(&advise_view, m, scope, &show);
	table_free(&m->table);
	return &out->table;
}
