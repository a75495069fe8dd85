/* The functions of line profiles: what ptool top and ptool memory show of them. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/lines/line_profile.h"
#include "trace/fact.h"

/* A function, and its name as one text. */
struct shown_function {
	const struct line_function *f;
	struct str name;
};

static struct cell get_number(const void *from, const void *row, int arg)
{
	return view_number(from, ((const struct shown_function *)row)->f, arg);
}

static struct cell get_file(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct shown_function *)row)->f->file);
}

static struct cell get_function(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct shown_function *)row)->f->name);
}

static struct cell get_standard_name(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct shown_function *)row)->name);
}

static struct cell get_per_call(const void *from, const void *row, int arg)
{
	const struct line_function *f = ((const struct shown_function *)row)->f;

	(void)from, (void)arg;
	if (f->total_ns == NUMBER_NONE || f->calls <= 0 || sum_is_stuck(f->total_ns))
		return cell_null();
	return cell_int(llrint((double)f->total_ns / (double)f->calls));
}

#define NUMBER(member) .get = get_number, .arg = offsetof(struct line_function, member)

/* clang-format off */
static const struct field fields[] = {
	{ "file", NULL, "file", "filename module", UNIT_TEXT, .get = get_file, .flags = FIELD_KEY },
	{ "line", NULL, "line of the definition", NULL, UNIT_ID, NUMBER(line), .flags = FIELD_KEY },
	{ "function", NULL, "name", "name key", UNIT_TEXT, .get = get_function, .flags = FIELD_KEY },
	{ "standard_name", "Function", NULL, NULL, UNIT_TEXT, .get = get_standard_name, .flags = FIELD_PEOPLE },
	{ "calls", "Calls", "hits of the first line that ran", "count ncalls nc", UNIT_COUNT, NUMBER(calls), .leaves = 2 },
	{ "total_ns", "Total", "time of its lines, with what they called", "cumulative cumtime cum cpu_time_total time", UNIT_NS, NUMBER(total_ns) },
	{ "avg_ns", "Per call", "total time of a call", "percall cpu_time", UNIT_NS, .get = get_per_call, .flags = FIELD_SORT, .leaves = 3 },
	{ "memory_bytes", "Peak memory", "largest memory of the process after one of its lines", "peak", UNIT_BYTES, NUMBER(memory_bytes) },
	{ "increment_bytes", "Increment", "memory that its lines added, without the first", "increment", UNIT_BYTES, NUMBER(increment_bytes) },
	{ .name = NULL },
};
/* clang-format on */

const struct view line_functions_view = {
	.name = "top of a line profile",
	.fields = fields,
	.people = VIEW_PART("standard_name! total_ns avg_ns calls memory_bytes "
			    "increment_bytes"),
};

static void add_notes(struct memtable *table, const struct line_profile *p,
		      const struct scope *scope)
{
	bool is_sampled = scope->n > 0;

	for (size_t i = 0; i < scope->n; i++)
		is_sampled &= strcmp(scope->profiles[i].format, "scalene") == 0;
	if (is_sampled)
		memtable_add_note(table, "times are shares of the run and exclude other "
					 "functions of the table");
	else if (p->has_times)
		memtable_add_note(
			table, "times include the functions that lines call; calls are "
			       "the hits of a function's first line");
	memtable_add_note(table, "'ptool lines' shows the lines");
	if (scope->n > 1)
		memtable_add_note(table, "%zu profiles added up; --profile chooses one",
				  scope->n);
}

int line_functions_open(struct store *store, const struct scope *scope,
			const struct line_request *request, struct table **out,
			struct err *err)
{
	struct arena arena = { 0 };
	struct line_profile p;
	int rc = line_profile_load(store, scope, request->filter, &p, err);

	if (rc == 0) {
		size_t n;
		uint32_t *at = line_profile_hottest(&p, &n);
		struct shown_function *items = xcalloc(n, sizeof(*items));
		struct buf name;
		buf_init(&name, SIZE_MAX);
		for (size_t i = 0; i < n; i++) {
			buf_clear(&name);
			items[i].f = &p.functions[at[i]];
			line_profile_add_name(items[i].f, &name);
			items[i].name = arena_copy(&arena, buf_str(&name));
		}
		const struct view_rows rows = { NULL, items, n, sizeof(*items) };
		struct memtable *table =
			view_table(&line_functions_view, &rows, scope, &request->show);
		if (request->show.for_people)
			add_notes(table, &p, scope);
		*out = &table->table;
		buf_release(&name);
		free(items);
		free(at);
	}
	arena_release(&arena);
	line_profile_release(&p);
	return rc;
}
