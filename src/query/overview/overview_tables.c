/* Blocks of the first screen that are of the tables of other commands. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/lines/line_profile.h"
#include "query/memory/memory.h"
#include "query/overview/overview_make.h"
#include "query/query.h"
#include "query/samples/sample_top.h"
#include "query/top/top.h"
#include "trace/torch_dialect.h"

#define OPERATORS_SHOWN 5
#define FUNCTIONS_SHOWN 10
#define MEMORY_SHOWN    5 /* functions */

static const struct filter no_filter = { .focus = NULL };

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
	for (size_t i = 0; i < from->ncolumns; i++)
		r->columns[i].name = arena_strdup(&r->rows->arena, r->columns[i].name);
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

static struct str get_text(const struct reader *r, size_t row, const char *name)
{
	struct cell cell = get(r, row, name);

	return cell.type == CELL_TEXT ? cell.as.text : STR_LIT("");
}

/* "PyTorch 2.4 to 2.6 trace" */
static struct str format_words(struct overview_making *m, const char *format,
			       const char *dialect)
{
	static const struct {
		const char *format, *words;
	} known[] = {
		{ "chrome", "Chrome trace" },
		{ "pstats", "Python profile" },
		{ "torch_table", "Printed table of torch.profiler" },
		{ "samples", "sampled stacks" },
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

int overview_recording(struct overview_making *m, struct err *err)
{
	const struct scope *scope = m->scope;
	const struct overview_facts *facts = &m->facts;
	const struct cell none = cell_null();
	int64_t span_ns = 0, slices = 0;

	(void)err;
	for (size_t i = 0; i < scope->n; i++) {
		if (scope->profiles[i].dur_ns > span_ns)
			span_ns = scope->profiles[i].dur_ns;
		slices = sum_add(slices, scope->profiles[i].slices);
	}
	overview_add(m, STR_LIT("format"), UNIT_TEXT,
		     cell_text(format_words(m, scope->profiles[0].format,
					    scope->profiles[0].dialect)),
		     none);
	overview_add(m, STR_LIT("span"), UNIT_NS, cell_int(span_ns), none);
	overview_add(m, STR_LIT("profiles"), UNIT_COUNT, cell_int((int64_t)scope->n),
		     none);
	overview_add(m, STR_LIT("ranks"), UNIT_COUNT, cell_int((int64_t)scope->nranks),
		     none);
	overview_add(m, STR_LIT("slices"), UNIT_COUNT, cell_int(slices), none);
	overview_add(m, STR_LIT("devices"), UNIT_COUNT, cell_int(facts->devices), none);
	for (uint32_t i = 0; i < facts->device_names.n; i++)
		overview_add(m, intern_str(&facts->device_names, i), UNIT_COUNT, none,
			     none);
	return 0;
}

/* The share of all operators; the rest is of work that no operator is known for. */
static struct cell operators_share(const struct top_rows *rows, const char *value)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < rows->norder; i++) {
		uint32_t row = rows->order[i];
		struct str name = top_cell(rows, &row, "name").as.text;
		struct cell ns = top_cell(rows, &row, value);
		if (ns.type == CELL_INT && !top_is_device_row(rows, row) &&
		    !gap_name_is_step(name))
			sum_ns = sum_add(sum_ns, ns.as.integer);
	}
	return share_cell(sum_ns, rows->launched_of_ns);
}

/* How many of them were added. */
static size_t add_top(struct overview_making *m, const struct top_rows *rows)
{
	bool is_device = top_is_by_device(rows);
	const char *value = is_device ? "self_device_ns" : "self_cpu_ns";
	const char *share = is_device ? "self_device_pct" : "self_cpu_pct";
	const char *whose = is_device                   ? "device"
			    : top_is_plain(rows->scope) ? "slices"
							: "host";
	size_t n = 0;

	for (size_t i = 0; i < rows->norder && n < OPERATORS_SHOWN; i++) {
		uint32_t row = rows->order[i];
		struct cell ns = top_cell(rows, &row, value);
		struct str name = top_cell(rows, &row, "name").as.text;
		if (top_is_device_row(rows, row) || gap_name_is_step(name) ||
		    ns.type != CELL_INT || ns.as.integer <= 0)
			continue;
		if (n++ == 0)
			overview_add(m, str_of(whose), UNIT_TEXT, cell_null(),
				     is_device ? operators_share(rows, value)
					       : cell_null());
		overview_add(m, name, UNIT_NS, ns, top_cell(rows, &row, share));
	}
	return n;
}

/* Where no operator launched device work, those that took the host's time. */
int overview_operators(struct overview_making *m, struct err *err)
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

/* Amounts are in the unit of the weights. */
static int sampled_functions(struct overview_making *m, struct err *err)
{
	static const struct {
		enum unit unit;
		const char *self, *total;
	} units[] = { { UNIT_NS, "self_ns", "total_ns" },
		      { UNIT_BYTES, "self_bytes", "total_bytes" },
		      { UNIT_COUNT, "self_count", "total_count" } };
	const struct view_request show = { .limit = FUNCTIONS_SHOWN, .for_people = true };
	struct table *table = NULL;
	struct reader r;
	int rc = read_all(
		&r, sample_top_open(m->store, m->scope, &no_filter, &show, &table, err),
		&table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++)
		for (size_t u = 0; u < sizeof(units) / sizeof(*units); u++) {
			struct cell self = get(&r, i, units[u].self);
			if (self.type == CELL_NULL)
				continue;
			overview_add(m, get_text(&r, i, "shown"), units[u].unit, self,
				     get(&r, i, "self_pct"));
			overview_add(m, STR_LIT("total"), units[u].unit,
				     get(&r, i, units[u].total), get(&r, i, "total_pct"));
		}
	reader_release(&r);
	return rc;
}

int overview_functions(struct overview_making *m, struct err *err)
{
	enum scope_kind kind;

	if (scope_kind(m->scope, &kind, err) < 0)
		return -1;
	if (kind == SCOPE_SAMPLES)
		return sampled_functions(m, err);
	const struct view_request show = { .limit = FUNCTIONS_SHOWN, .for_people = true };
	struct table *table = NULL;
	struct reader r;
	const struct line_request lines = { .filter = &no_filter, .show = show };
	bool is_of_lines = scope_is_of_lines(&m->scope->profiles[0]);
	int opened =
		is_of_lines ? line_functions_open(m->store, m->scope, &lines, &table, err)
			    : top_functions(m->store, m->scope, &no_filter, &show, &table,
					    err);
	int rc = read_all(&r, opened, &table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++) {
		struct cell total = get(&r, i, "total_ns");
		struct cell share = get(&r, i, "total_pct");
		if (is_of_lines && total.type != CELL_INT)
			break;
		if (is_of_lines) /* of the longest one: they lie within each other */
			share = share_cell(total.as.integer,
					   m->scope->profiles[0].dur_ns);
		overview_add(m, get_text(&r, i, "standard_name"), UNIT_NS,
			     get(&r, i, "self_ns"), get(&r, i, "self_pct"));
		overview_add(m, STR_LIT("total"), UNIT_NS, total, share);
	}
	reader_release(&r);
	return rc;
}

/* Functions by their largest memory, behind a row that says so. */
static int memory_functions(struct overview_making *m, enum memory_view view,
			    const char *name, const char *peak, struct err *err)
{
	const struct memory_request request = { .view = view,
						.filter = &no_filter,
						.limit = MEMORY_SHOWN,
						.for_people = true };
	struct table *table = NULL;
	struct reader r;
	size_t n = 0;
	int rc = read_all(&r, memory_open(m->store, m->scope, &request, &table, err),
			  &table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++) {
		struct cell bytes = get(&r, i, peak);
		if (bytes.type != CELL_INT)
			continue;
		if (n++ == 0)
			overview_add(m, STR_LIT("functions"), UNIT_TEXT, cell_null(),
				     cell_null());
		overview_add(m, get_text(&r, i, name), UNIT_BYTES, bytes, cell_null());
		overview_add(m, STR_LIT("increment"), UNIT_BYTES,
			     get(&r, i, "increment_bytes"), cell_null());
	}
	reader_release(&r);
	return rc;
}

static int memory_processes(struct overview_making *m, struct err *err)
{
	const struct memory_request request = { .view = MEMORY_VIEW_PEAKS,
						.filter = &no_filter };
	struct table *table = NULL;
	struct reader r;
	int rc = read_all(&r, memory_open(m->store, m->scope, &request, &table, err),
			  &table, err);

	for (size_t i = 0; rc == 0 && i < nrows(&r); i++)
		overview_add(m, get_text(&r, i, "process"), UNIT_BYTES,
			     get(&r, i, "peak_bytes"), cell_null());
	reader_release(&r);
	return rc;
}

int overview_sampled_memory(struct overview_making *m, struct err *err)
{
	const struct scope_profile *profile = &m->scope->profiles[0];

	if (scope_is_of_lines(profile) && strcmp(profile->format, "line_profiler") != 0)
		return memory_functions(m, MEMORY_VIEW_PEAKS, "standard_name",
					"memory_bytes", err);
	if (strcmp(profile->format, "mprof") != 0)
		return 0;
	if (memory_processes(m, err) < 0)
		return -1;
	return memory_functions(m, MEMORY_VIEW_STATS, "function", "peak_bytes", err);
}
