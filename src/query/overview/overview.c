/* The numbers of the first screen: see overview.h. */
#include "query/overview/overview.h"

#include "base/units.h"
#include "query/overview/overview_make.h"

static const struct column columns[NOVERVIEW_COLUMNS] = {
	[OVERVIEW_BLOCK] = { "block", "Block", UNIT_TEXT },
	[OVERVIEW_ITEM] = { "item", "Item", UNIT_TEXT },
	[OVERVIEW_VALUE] = { "value", "Value", UNIT_ANY },
	[OVERVIEW_UNIT] = { "unit", "Unit", UNIT_TEXT },
	[OVERVIEW_SHARE] = { "share_pct", "Share", UNIT_PERCENT },
	[OVERVIEW_COMMAND] = { "command", "Command", UNIT_TEXT },
};

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

struct cell overview_percent(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_real(100.0 * (double)part / (double)whole) : cell_null();
}

/* By enum overview_block: in this order they are shown. */
static const struct {
	const char *name, *command;
	int (*add)(struct overview_making *m, struct err *err);
	bool in_traces, in_call_graphs;
} blocks[NOVERVIEW_BLOCKS] = {
	[OVERVIEW_RECORDING] = { "recording", "info", overview_recording, true, true },
	[OVERVIEW_STEPS] = { "steps", "steps", overview_steps, true, false },
	[OVERVIEW_IDLE] = { "idle", "gaps", overview_idle, true, false },
	[OVERVIEW_OPERATORS] = { "operators", "top", overview_operators, true, false },
	[OVERVIEW_KERNELS] = { "kernels", "kernels", overview_kernels, true, false },
	[OVERVIEW_FUNCTIONS] = { "functions", "top", overview_functions, false, true },
	[OVERVIEW_MEMORY] = { "memory", "memory", overview_memory, true, false },
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

int overview_open(struct store *store, const struct scope *scope,
		  const struct overview_request *request, struct table **out,
		  struct err *err)
{
	struct overview_making m = { .store = store, .scope = scope, .request = request };
	bool is_call_graph;

	if (scope_is_call_graph(scope, &is_call_graph, err) < 0)
		return -1;
	m.out = memtable_new(columns, NOVERVIEW_COLUMNS);
	int rc = is_call_graph ? 0 : overview_facts_load(&m, err);
	for (int i = 0; rc == 0 && i < NOVERVIEW_BLOCKS; i++) {
		m.block = (enum overview_block)i;
		if (is_call_graph ? blocks[i].in_call_graphs : blocks[i].in_traces)
			rc = blocks[i].add(&m, err);
	}
	overview_facts_release(&m);
	if (rc == 0 && request->for_people) {
		*out = overview_text(m.out, request);
		table_free(&m.out->table);
	} else if (rc == 0) {
		*out = &m.out->table;
	} else {
		table_free(&m.out->table);
	}
	return rc;
}
