/* The numbers of the first screen: see overview.h. */
#include "query/overview/overview.h"

#include "base/units.h"
#include "query/overview/overview_make.h"
#include "query/overview/verdict.h"

#define CELL(place) .get = view_cell, .arg = OVERVIEW_##place

/* clang-format off */
static const struct field fields[] = {
	{ "block", "Block", "block of the screen", NULL, UNIT_TEXT, CELL(BLOCK) },
	{ "item", "Item", "name of the number", NULL, UNIT_TEXT, CELL(ITEM) },
	{ "value", "Value", "its number, or text", NULL, UNIT_ANY, CELL(VALUE) },
	{ "unit", "Unit", "unit of the number", NULL, UNIT_TEXT, CELL(UNIT) },
	{ "share_pct", "Share", "its share of the block's total; null if it has none", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ "command", "Command", "the command that shows more", NULL, UNIT_TEXT, CELL(COMMAND) },
	{ .name = NULL },
};
/* clang-format on */

const struct view overview_view = { .name = "overview", .fields = fields };

void overview_add(struct overview_making *m, struct str item, enum unit unit,
		  struct cell value, struct cell share)
{
	const char *arguments = m->request->arguments;
	struct cell cells[NOVERVIEW_COLUMNS];

	cells[OVERVIEW_BLOCK] = cell_text(str_of(overview_block_name(m->block)));
	cells[OVERVIEW_ITEM] = cell_text(item);
	cells[OVERVIEW_VALUE] = value;
	cells[OVERVIEW_UNIT] = cell_text(str_of(units_word(unit)));
	cells[OVERVIEW_SHARE] = share;
	cells[OVERVIEW_COMMAND] = cell_text(str_of(arena_printf(
		&m->out->arena, "ptool %s%s%s", overview_block_command(m->block),
		*arguments ? " " : "", arguments)));
	memtable_add_row(m->out, cells);
}

/* By enum overview_block: in this order they are shown. */
static const struct {
	const char *name, *command;
	int (*add)(struct overview_making *m, struct err *err);
	bool in_traces, in_call_graphs;
} blocks[NOVERVIEW_BLOCKS] = {
	[OVERVIEW_RECORDING] = { "recording", "info", overview_recording, true, true },
	[OVERVIEW_STEPS] = { "steps", "steps", overview_steps, true, false },
	[OVERVIEW_PHASES] = { "phases", "steps --by=phase", overview_phases, true,
			      false },
	[OVERVIEW_IDLE] = { "idle", "gaps", overview_idle, true, false },
	[OVERVIEW_OPERATORS] = { "operators", "top", overview_operators, true, false },
	[OVERVIEW_KERNELS] = { "kernels", "kernels", overview_kernels, true, false },
	[OVERVIEW_FUNCTIONS] = { "functions", "top", overview_functions, false, true },
	[OVERVIEW_MEMORY] = { "memory", "memory", overview_memory, true, true },
	[OVERVIEW_FINDINGS] = { "findings", "advise", overview_findings, true, false },
};

const char *overview_block_name(enum overview_block block)
{
	return blocks[block].name;
}

const char *overview_block_command(enum overview_block block)
{
	return blocks[block].command;
}

static void add_more(const struct overview_making *m, bool has_advice)
{
	const struct advise_request machines = { .for_people = false };
	struct overview_more *more = m->request->more;

	overview_judge(m, &more->arena, &more->verdict);
	if (has_advice)
		more->advice = advise_table(&m->facts.advice, &machines, m->scope);
}

int overview_open(struct store *store, const struct scope *scope,
		  const struct overview_request *request, struct table **out,
		  struct err *err)
{
	struct overview_making m = { .store = store, .scope = scope, .request = request };
	enum scope_kind kind;

	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	bool is_call_graph = kind != SCOPE_TRACES;
	bool lacks_slices = scope_lacks_slices(scope);
	m.out = memtable_new(NULL, NOVERVIEW_COLUMNS);
	int rc = is_call_graph ? 0 : overview_facts_load(&m, err);
	for (int i = 0; rc == 0 && i < NOVERVIEW_BLOCKS; i++) {
		m.block = (enum overview_block)i;
		/* rules judge slices, of which a printed table has none */
		if (i == OVERVIEW_FINDINGS && (scope_is_printed(scope) || lacks_slices))
			continue;
		if (is_call_graph ? blocks[i].in_call_graphs : blocks[i].in_traces)
			rc = blocks[i].add(&m, err);
	}
	if (rc == 0 && request->more)
		add_more(&m, !is_call_graph);
	overview_facts_release(&m);
	const struct view_request all = { .limit = 0 };
	if (rc == 0)
		*out = request->for_people
			       ? overview_text(m.out, request, scope)
			       : &view_of_cells(&overview_view, m.out, scope, &all)
					  ->table;
	table_free(&m.out->table);
	return rc;
}
