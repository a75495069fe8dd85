/* Findings, or their evidence, as rows: see advise.h. */
#include "base/memtable.h"
#include "base/units.h"
#include "query/advise/advise.h"
#include "query/advise/advise_facts.h"
#include "query/pick.h"
#include "trace/fact.h"

enum {
	RULE,
	SEVERITY,
	PROFILE,
	RANK,
	DEVICE,
	FINDING,
	SAVING,
	FORMULA,
	SUGGESTION,
	SAVING_PCT,
	NFINDING_COLUMNS
};

static const struct column finding_columns[NFINDING_COLUMNS] = {
	[RULE] = { "rule", "Rule", UNIT_TEXT },
	[SEVERITY] = { "severity", "Severity", UNIT_TEXT },
	[PROFILE] = { "profile", "Profile", UNIT_ID },
	[RANK] = { "rank", "Rank", UNIT_ID },
	[DEVICE] = { "device", "Device", UNIT_ID },
	[FINDING] = { "finding", "Finding", UNIT_TEXT },
	[SAVING] = { "saving_ns", "Saves at most", UNIT_NS },
	[FORMULA] = { "saving_formula", "Formula", UNIT_TEXT },
	[SUGGESTION] = { "suggestion", "Try", UNIT_TEXT },
	[SAVING_PCT] = { "saving_pct", "Share (%)", UNIT_PERCENT },
};

enum { EV_RULE, EV_PROFILE, EV_RANK, EV_DEVICE, EV_ITEM, EV_VALUE, EV_UNIT, NEV_COLUMNS };

static const struct column evidence_columns[NEV_COLUMNS] = {
	[EV_RULE] = { "rule", "Rule", UNIT_TEXT },
	[EV_PROFILE] = { "profile", "Profile", UNIT_ID },
	[EV_RANK] = { "rank", "Rank", UNIT_ID },
	[EV_DEVICE] = { "device", "Device", UNIT_ID },
	[EV_ITEM] = { "item", "Item", UNIT_TEXT },
	[EV_VALUE] = { "value", "Value", UNIT_ANY },
	[EV_UNIT] = { "unit", "Unit", UNIT_TEXT },
};

static struct cell text_cell(const char *text)
{
	return text ? cell_text(str_of(text)) : cell_null();
}

static void place_cells(const struct scope_profile *profile, struct cell *profile_cell,
			struct cell *rank_cell)
{
	*profile_cell = profile ? cell_int(profile->id) : cell_null();
	*rank_cell = profile && profile->has_rank ? cell_int(profile->rank) : cell_null();
}

static void add_finding(struct memtable *m, const struct advice *a)
{
	struct cell cells[NFINDING_COLUMNS];

	cells[RULE] = text_cell(a->rule->name);
	cells[SEVERITY] = text_cell(advice_severity_name(a->severity));
	place_cells(a->profile, &cells[PROFILE], &cells[RANK]);
	cells[DEVICE] = a->device;
	cells[FINDING] = text_cell(a->finding);
	cells[SAVING] =
		a->saving_ns == NUMBER_NONE ? cell_null() : cell_int(a->saving_ns);
	cells[FORMULA] = text_cell(a->formula);
	cells[SUGGESTION] = text_cell(a->suggestion);
	cells[SAVING_PCT] = a->saving_ns == NUMBER_NONE
				    ? cell_null()
				    : cell_real(facts_pct(a->saving_ns, a->of_ns));
	memtable_add_row(m, cells);
}

static void add_lack(struct memtable *m, const struct advice_lack *lack)
{
	struct cell cells[NFINDING_COLUMNS];

	cells[RULE] = text_cell(lack->rule->name);
	cells[SEVERITY] = text_cell("not_run");
	place_cells(lack->profile, &cells[PROFILE], &cells[RANK]);
	cells[DEVICE] = cells[SAVING] = cells[FORMULA] = cells[SAVING_PCT] = cell_null();
	cells[FINDING] = text_cell(lack->why);
	cells[SUGGESTION] = cell_text_or_null(lack->record);
	memtable_add_row(m, cells);
}

static void add_evidence(struct memtable *m, const struct advice *a)
{
	struct cell cells[NEV_COLUMNS];

	cells[EV_RULE] = text_cell(a->rule->name);
	place_cells(a->profile, &cells[EV_PROFILE], &cells[EV_RANK]);
	cells[EV_DEVICE] = a->device;
	for (size_t i = 0; i < a->nevidence; i++) {
		cells[EV_ITEM] = text_cell(a->evidence[i].item);
		cells[EV_VALUE] = a->evidence[i].value;
		cells[EV_UNIT] = text_cell(units_word(a->evidence[i].unit));
		memtable_add_row(m, cells);
	}
}

static struct table *evidence_table(const struct advice_list *list,
				    const struct advise_request *request,
				    const struct scope *scope)
{
	const enum shown shown[NEV_COLUMNS] = {
		[EV_PROFILE] = SHOWN_IF_PROFILES, [EV_RANK] = SHOWN_IF_RANKS
	};
	struct memtable *m = memtable_new(evidence_columns, NEV_COLUMNS);

	for (size_t i = 0; i < list->n; i++)
		add_evidence(m, &list->items[i]);
	if (list->n == 0)
		m->table.caption = "no problem found";
	return table_pick(&m->table, shown, scope, request->for_people);
}

struct table *advise_table(const struct advice_list *list,
			   const struct advise_request *request,
			   const struct scope *scope)
{
	if (request->evidence)
		return evidence_table(list, request, scope);
	struct memtable *m = memtable_new(finding_columns, NFINDING_COLUMNS);
	for (size_t i = 0; i < list->n; i++)
		add_finding(m, &list->items[i]);
	for (size_t i = 0; i < list->nlacks; i++)
		add_lack(m, &list->lacks[i]);
	const char *summary;
	for (size_t i = 0; (summary = advise_summary(list, i, scope, &m->arena)); i++)
		memtable_add_note(m, "%s", summary);
	return &m->table;
}
