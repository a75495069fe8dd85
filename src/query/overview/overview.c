/* The numbers of the first screen: see overview.h. */
#include "query/overview/overview.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/advise/advise.h"
#include "query/devices/device_properties.h"
#include "query/gaps/gap_cause.h"
#include "query/gaps/gap_table.h"
#include "query/info.h"
#include "query/kernels/kernels.h"
#include "query/memory/memory.h"
#include "query/steps/steps.h"
#include "query/top/top.h"
#include "trace/torch_dialect.h"

#define NAMES_SHOWN     5 /* operators, kernels */
#define FUNCTIONS_SHOWN 10
#define FINDINGS_SHOWN  ((size_t)3)

static const struct filter no_filter = { .focus = NULL };

static const struct column columns[NOVERVIEW_COLUMNS] = {
	[OVERVIEW_BLOCK] = { "block", "Block", UNIT_TEXT },
	[OVERVIEW_ITEM] = { "item", "Item", UNIT_TEXT },
	[OVERVIEW_VALUE] = { "value", "Value", UNIT_ANY },
	[OVERVIEW_UNIT] = { "unit", "Unit", UNIT_TEXT },
	[OVERVIEW_SHARE] = { "share_pct", "Share", UNIT_PERCENT },
	[OVERVIEW_COMMAND] = { "command", "Command", UNIT_TEXT },
};

struct making {
	struct store *store;
	const struct scope *scope;
	const struct overview_request *request;
	struct memtable *out;
	enum overview_block block; /* of the rows that are added */
	int64_t devices;           /* that did work */
};

static void add(struct making *m, struct str item, enum unit unit, struct cell value,
		struct cell share)
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

static struct cell percent(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_real(100.0 * (double)part / (double)whole) : cell_null();
}

/* A table read whole; cells by the names of its columns. */
struct reader {
	struct memtable *rows;  /* NULL: the recording lacks what the table is of */
	struct column *columns; /* owned */
};

/* What the recording lacks is no failure: the block is left out. */
static int read_all(struct reader *r, int opened, struct table *const *table,
		    struct err *err)
{
	struct table *from = *table;

	*r = (struct reader){ .rows = NULL };
	if (opened < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	if (opened < 0 || !from)
		return -1;
	r->columns = xcalloc(from->ncolumns, sizeof(*r->columns));
	memcpy(r->columns, from->columns, from->ncolumns * sizeof(*r->columns));
	r->rows = memtable_new(r->columns, from->ncolumns);
	int rc = memtable_add_table(r->rows, from, err);
	table_free(from);
	return rc;
}

static void reader_release(struct reader *r)
{
	if (r->rows)
		table_free(&r->rows->table);
	free(r->columns);
}

static size_t nrows(const struct reader *r)
{
	return r->rows ? r->rows->nrows : 0;
}

/* Null where the table has no such column. */
static struct cell get(const struct reader *r, size_t row, const char *name)
{
	for (size_t i = 0; i < r->rows->table.ncolumns; i++)
		if (strcmp(r->columns[i].name, name) == 0)
			return memtable_row(r->rows, row)[i];
	return cell_null();
}

static int64_t get_int(const struct reader *r, size_t row, const char *name)
{
	struct cell cell = get(r, row, name);

	return cell.type == CELL_INT ? cell.as.integer : 0;
}

static struct str get_text(const struct reader *r, size_t row, const char *name)
{
	struct cell cell = get(r, row, name);

	return cell.type == CELL_TEXT ? cell.as.text : STR_LIT("");
}

/* "PyTorch 2.4 to 2.6 trace" */
static struct str format_words(struct making *m, const char *format, const char *dialect)
{
	static const struct {
		const char *format, *words;
	} known[] = {
		{ "chrome", "Chrome trace" },
		{ "pstats", "Python profile" },
		{ "memory_snapshot", "PyTorch memory snapshot" },
		{ "memory_timeline", "PyTorch memory timeline" },
	};
	struct arena *arena = &m->out->arena;

	if (strcmp(format, "pytorch") == 0) {
		struct buf versions;
		buf_init(&versions, TORCH_VERSIONS_MAX);
		torch_dialect_add_text(str_of(dialect ? dialect : ""), &versions);
		struct str by = versions.n ? buf_str(&versions) : STR_LIT("PyTorch");
		by = str_of(arena_printf(arena, STR_FMT " trace", STR_ARG(by)));
		buf_release(&versions);
		return by;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strcmp(format, known[i].format) == 0 && dialect)
			return str_of(
				arena_printf(arena, "%s (%s)", known[i].words, dialect));
		else if (strcmp(format, known[i].format) == 0)
			return str_of(known[i].words);
	return str_of(format);
}

/* The names of the devices that did work, of the first profile that tells them. */
static int add_device_names(struct making *m, struct err *err)
{
	int rc = 0;
	size_t told = 0;

	for (size_t i = 0; rc == 0 && told == 0 && m->devices && i < m->scope->n; i++) {
		struct device_properties_list list;
		rc = device_properties_load(m->store, &m->scope->profiles[i], &list, err);
		for (size_t k = 0; rc == 0 && k < list.n; k++) {
			const char *name = list.items[k].name;
			bool is_new = name != NULL;
			for (size_t j = 0; name && j < k; j++)
				is_new &= !list.items[j].name ||
					  strcmp(list.items[j].name, name) != 0;
			if (is_new)
				add(m, str_of(name), UNIT_COUNT, cell_null(),
				    cell_null());
			told += is_new;
		}
		device_properties_release(&list);
	}
	return rc;
}

static int add_recording(struct making *m, struct err *err)
{
	const struct cell none = cell_null();
	struct memtable *rows;
	int64_t span_ns = 0;

	if (info_load(m->store, m->scope, &rows, err) < 0)
		return -1;
	for (size_t i = 0; i < m->scope->n; i++)
		if (m->scope->profiles[i].dur_ns > span_ns)
			span_ns = m->scope->profiles[i].dur_ns;
	m->devices = info_sum(rows, INFO_DEVICES);
	add(m, STR_LIT("format"), UNIT_TEXT,
	    cell_text(format_words(m, m->scope->profiles[0].format,
				   m->scope->profiles[0].dialect)),
	    none);
	add(m, STR_LIT("span"), UNIT_NS, cell_int(span_ns), none);
	add(m, STR_LIT("profiles"), UNIT_COUNT, cell_int((int64_t)m->scope->n), none);
	add(m, STR_LIT("ranks"), UNIT_COUNT, cell_int((int64_t)m->scope->nranks), none);
	add(m, STR_LIT("slices"), UNIT_COUNT, cell_int(info_sum(rows, INFO_SLICES)),
	    none);
	add(m, STR_LIT("devices"), UNIT_COUNT, cell_int(m->devices), none);
	table_free(&rows->table);
	return add_device_names(m, err);
}

/* The mean over all steps: of several profiles or devices the first one's. */
static int add_steps(struct making *m, struct err *err)
{
	const struct steps_request request = { .filter = &no_filter };
	const struct step_row *mean = NULL;
	struct steps steps;
	int rc = steps_load(m->store, m->scope, &request, &steps, err);

	for (size_t i = 0; rc == 0 && !mean && i < steps.n; i++)
		if (steps.rows[i].is_mean && !steps.rows[i].is_single)
			mean = &steps.rows[i];
	if (mean && !steps.has_single) {
		const int64_t *values = mean->values;
		add(m, STR_LIT("steps"), UNIT_COUNT, cell_int(mean->nmean), cell_null());
		add(m, STR_LIT("mean"), UNIT_NS, cell_int(values[VALUE_TOTAL]),
		    cell_null());
		if (m->scope->nranks > 1 && mean->has_rank)
			add(m, STR_LIT("rank"), UNIT_ID, cell_int(mean->rank),
			    cell_null());
		for (enum step_category c = 0; c < NSTEP_CATEGORIES; c++)
			if (values[VALUE_CATEGORY + c])
				add(m, str_of(steps_category_name(c)), UNIT_NS,
				    cell_int(values[VALUE_CATEGORY + c]),
				    percent(values[VALUE_CATEGORY + c],
					    values[VALUE_TOTAL]));
	}
	steps_release(&steps);
	if (rc < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	return rc;
}

struct idle_cause {
	enum gap_cause cause;
	int64_t ns;
};

static int by_most_idle(const void *a, const void *b)
{
	const struct idle_cause *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->cause > y->cause) - (x->cause < y->cause);
}

static enum gap_cause cause_of_code(struct str code)
{
	size_t at = 0;

	while (at + 1 < NGAP_CAUSES &&
	       !(gap_causes[at].code && str_is(code, gap_causes[at].code)))
		at++;
	return (enum gap_cause)at;
}

static void add_causes(struct making *m, const struct reader *r)
{
	struct idle_cause causes[NGAP_CAUSES];
	int64_t idle_ns = 0, span_ns = 0;
	struct cell device = cell_null();
	int64_t profile = -1;

	for (size_t i = 0; i < NGAP_CAUSES; i++)
		causes[i] = (struct idle_cause){ (enum gap_cause)i, 0 };
	for (size_t i = 0; i < nrows(r); i++) {
		struct cell of = get(r, i, "device");
		bool is_same =
			of.type == device.type &&
			(of.type != CELL_INT || of.as.integer == device.as.integer) &&
			(of.type != CELL_TEXT || str_equal(of.as.text, device.as.text));
		if (!is_same || get_int(r, i, "profile") != profile) {
			idle_ns = sum_add(idle_ns, get_int(r, i, "device_idle_ns"));
			span_ns = sum_add(span_ns, get_int(r, i, "device_span_ns"));
		}
		device = of;
		profile = get_int(r, i, "profile");
		struct idle_cause *cause =
			&causes[cause_of_code(get_text(r, i, "cause"))];
		cause->ns = sum_add(cause->ns, get_int(r, i, "idle_ns"));
	}
	if (idle_ns == 0)
		return;
	qsort(causes, NGAP_CAUSES, sizeof(*causes), by_most_idle);
	add(m, STR_LIT("busy"), UNIT_NS, cell_int(sum_sub(span_ns, idle_ns)),
	    percent(sum_sub(span_ns, idle_ns), span_ns));
	add(m, STR_LIT("idle"), UNIT_NS, cell_int(idle_ns), percent(idle_ns, span_ns));
	for (size_t i = 0; i < NGAP_CAUSES && causes[i].ns; i++)
		add(m, str_of(gap_causes[causes[i].cause].title), UNIT_NS,
		    cell_int(causes[i].ns), percent(causes[i].ns, idle_ns));
}

static int add_idle(struct making *m, struct err *err)
{
	const struct gap_table_request request = { .by = GAPS_BY_CAUSE };
	struct table *table = NULL;
	struct reader r;
	int rc = read_all(&r, gap_table_open(m->store, m->scope, &request, &table, err),
			  &table, err);

	if (rc == 0)
		add_causes(m, &r);
	reader_release(&r);
	return rc;
}

/* The label of a step, or of all of them: "ProfilerStep*". */
static bool is_step(struct str name)
{
	return gap_name_is_step(name) || str_is(name, "ProfilerStep*");
}

/* How many of them were added. */
static size_t add_top(struct making *m, const struct top_rows *rows)
{
	bool is_device = top_is_by_device(rows);
	const char *value = is_device ? "self_device_ns" : "self_cpu_ns";
	const char *share = is_device ? "self_device_pct" : "self_cpu_pct";
	size_t n = 0;

	for (size_t i = 0; i < rows->norder && n < NAMES_SHOWN; i++) {
		uint32_t row = rows->order[i];
		struct cell ns = top_cell(rows, row, value);
		struct str name = top_cell(rows, row, "name").as.text;
		if (top_is_device_row(rows, row) || is_step(name) ||
		    ns.type != CELL_INT || ns.as.integer <= 0)
			continue;
		if (n++ == 0)
			add(m, is_device ? STR_LIT("device") : STR_LIT("host"), UNIT_TEXT,
			    cell_null(), cell_null());
		add(m, name, UNIT_NS, ns, top_cell(rows, row, share));
	}
	return n;
}

/* Where no operator launched device work, those that took the host's time. */
static int add_operators(struct making *m, struct err *err)
{
	const struct field *sorts[] = { NULL, view_field(&top_view, "self_cpu_ns") };
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && n == 0 && i < 2; i++) {
		const struct top_query query = { .filter = &no_filter,
						 .show = { .sort = sorts[i] } };
		struct top_rows rows;
		rc = top_load(m->store, m->scope, &query, &rows, err);
		n = rc == 0 ? add_top(m, &rows) : 0;
		top_release(&rows);
	}
	if (rc < 0 && err->kind == ERR_EMPTY) {
		*err = (struct err)ERR_INIT;
		return 0;
	}
	return rc;
}

static int add_kernels(struct making *m, struct err *err)
{
	const struct kernels_query query = { .filter = &no_filter,
					     .show = { .limit = NAMES_SHOWN,
						       .for_people = true },
					     .sums_only = true };
	struct table *table = NULL;
	struct reader r;

	if (m->devices == 0)
		return 0;
	int rc = read_all(&r, kernels_open(m->store, m->scope, &query, &table, err),
			  &table, err);
	for (size_t i = 0; rc == 0 && i < nrows(&r); i++)
		add(m, get_text(&r, i, "name"), UNIT_NS, get(&r, i, "total_ns"),
		    get(&r, i, "total_pct"));
	reader_release(&r);
	return rc;
}

static int add_functions(struct making *m, struct err *err)
{
	const struct view_request show = { .limit = FUNCTIONS_SHOWN, .for_people = true };
	struct table *table = NULL;
	struct reader r;
	int rc = read_all(
		&r, top_functions(m->store, m->scope, &no_filter, &show, &table, err),
		&table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++) {
		add(m, get_text(&r, i, "standard_name"), UNIT_NS, get(&r, i, "self_ns"),
		    get(&r, i, "self_pct"));
		add(m, STR_LIT("total"), UNIT_NS, get(&r, i, "total_ns"),
		    get(&r, i, "total_pct"));
	}
	reader_release(&r);
	return rc;
}

static int add_memory(struct making *m, struct err *err)
{
	const struct memory_request request = { .view = MEMORY_VIEW_PEAKS,
						.filter = &no_filter };
	struct table *table = NULL;
	struct reader r;
	int rc = read_all(&r, memory_open(m->store, m->scope, &request, &table, err),
			  &table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++) {
		struct cell peak = get(&r, i, "allocated_peak_bytes");
		if (peak.type == CELL_NULL)
			peak = get(&r, i, "recorded_peak_bytes");
		if (peak.type == CELL_INT && peak.as.integer > 0)
			add(m, get_text(&r, i, "device"), UNIT_BYTES, peak, cell_null());
	}
	reader_release(&r);
	return rc;
}

/* One of each kind: others of the rule stand below it in `ptool advise`. */
static bool is_told(const struct advice_list *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (list->items[i].rule == list->items[at].rule &&
		    list->items[i].about == list->items[at].about)
			return true;
	return false;
}

static int add_findings(struct making *m, struct err *err)
{
	struct rule_choice *choices = xcalloc(rule_count(), sizeof(*choices));
	const struct advise_request request = { .choices = choices, .n = rule_count() };
	struct advice_list list;

	for (size_t i = 0; i < rule_count(); i++)
		choices[i] = rule_choice_of(rules[i]);
	int rc = advise_load(m->store, m->scope, &request, &list, err);
	for (size_t i = 0, n = 0; rc == 0 && i < list.n && n < FINDINGS_SHOWN; i++) {
		const struct advice *a = &list.items[i];
		if (is_told(&list, i))
			continue;
		n++;
		add(m, str_of(advice_severity_name(a->severity)), UNIT_TEXT,
		    cell_text(str_of(arena_printf(&m->out->arena, "%s: %s",
						  a->rule->title, a->finding))),
		    cell_null());
	}
	advice_list_release(&list);
	free(choices);
	return rc;
}

/* By enum overview_block: in this order they are shown. */
static const struct {
	const char *name, *command;
	int (*add)(struct making *m, struct err *err);
	bool in_traces, in_call_graphs;
} blocks[NOVERVIEW_BLOCKS] = {
	[OVERVIEW_RECORDING] = { "recording", "info", add_recording, true, true },
	[OVERVIEW_STEPS] = { "steps", "steps", add_steps, true, false },
	[OVERVIEW_IDLE] = { "idle", "gaps", add_idle, true, false },
	[OVERVIEW_OPERATORS] = { "operators", "top", add_operators, true, false },
	[OVERVIEW_KERNELS] = { "kernels", "kernels", add_kernels, true, false },
	[OVERVIEW_FUNCTIONS] = { "functions", "top", add_functions, false, true },
	[OVERVIEW_MEMORY] = { "memory", "memory", add_memory, true, false },
	[OVERVIEW_FINDINGS] = { "findings", "advise", add_findings, true, false },
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
	struct making m = { .store = store, .scope = scope, .request = request };
	bool is_call_graph;

	if (scope_is_call_graph(scope, &is_call_graph, err) < 0)
		return -1;
	m.out = memtable_new(columns, NOVERVIEW_COLUMNS);
	int rc = 0;
	for (int i = 0; rc == 0 && i < NOVERVIEW_BLOCKS; i++) {
		m.block = (enum overview_block)i;
		if (is_call_graph ? blocks[i].in_call_graphs : blocks[i].in_traces)
			rc = blocks[i].add(&m, err);
	}
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
