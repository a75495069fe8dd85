/*
 * ptool lines: the lines of functions.  For people a table for each function, the hottest
 * first, as line_profiler prints them; sorted, or for machines, one table of all lines.
 */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/lines/line_profile.h"
#include "query/lines/line_source.h"
#include "query/query.h"
#include "trace/fact.h"

#define TAB_CELLS 8
/* Lines that did not run in all tables: each function of a file may say that it is all of it. */
#define BETWEEN_MAX 100000

/* A row as it is shown. */
struct shown_line {
	const struct line_row *row;
	const struct line_function *f;
	struct str source;
};

struct shown_lines {
	struct shown_line *items; /* owned */
	size_t n, cap;
	size_t nbetween; /* of them: lines that did not run */
	bool is_cut;     /* others are left out */
};

static const struct line_row *row_of(const void *row)
{
	return ((const struct shown_line *)row)->row;
}

static struct cell get_number(const void *from, const void *row, int arg)
{
	return view_number(from, row_of(row), arg);
}

static struct cell get_file(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct shown_line *)row)->f->file);
}

static struct cell get_function(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(((const struct shown_line *)row)->f->name);
}

static struct cell get_definition(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_int(((const struct shown_line *)row)->f->line);
}

static struct cell get_source(const void *from, const void *row, int arg)
{
	const struct shown_line *line = row;

	(void)from, (void)arg;
	return line->source.p ? cell_text(line->source) : cell_null();
}

static struct cell get_per_hit(const void *from, const void *row, int arg)
{
	const struct line_row *line = row_of(row);

	(void)from, (void)arg;
	if (line->self_ns == NUMBER_NONE || line->hits <= 0 ||
	    sum_is_stuck(line->self_ns))
		return cell_null();
	return cell_int(llrint((double)line->self_ns / (double)line->hits));
}

/* Of the function's time. */
static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct shown_line *line = row;

	(void)from, (void)arg;
	return line->row->self_ns == NUMBER_NONE
		       ? cell_null()
		       : share_cell(line->row->self_ns, line->f->total_ns);
}

#define NUMBER(member) .get = get_number, .arg = offsetof(struct line_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "file", "File", "file", "filename", UNIT_TEXT, .get = get_file, .flags = FIELD_KEY, .leaves = 6 },
	{ "line", "Line #", "line", NULL, UNIT_ID, NUMBER(line), .flags = FIELD_KEY },
	{ "function", "Function", "function", "name", UNIT_TEXT, .get = get_function, .least = 12 },
	{ "function_line", NULL, "line of the function's definition", NULL, UNIT_ID, .get = get_definition },
	{ "hits", "Hits", "times the line ran", "count calls", UNIT_COUNT, NUMBER(hits) },
	{ "self_ns", "Time", "time of the line, with what it called", "time self total", UNIT_NS, NUMBER(self_ns) },
	{ "per_hit_ns", "Per hit", "time of a hit", "percall", UNIT_NS, .get = get_per_hit, .flags = FIELD_SORT, .leaves = 4 },
	{ "self_pct", "% time", "share of the function's time", NULL, UNIT_PERCENT, .get = get_share, .flags = FIELD_SORT, .leaves = 3 },
	{ "memory_bytes", "Memory", "largest memory of the process after the line", "peak", UNIT_BYTES, NUMBER(memory_bytes) },
	{ "increment_bytes", "Increment", "memory that the line added", "increment", UNIT_BYTES, NUMBER(increment_bytes) },
	{ "block", "Table", "which of the function's tables in the report", NULL, UNIT_ID, NUMBER(block), .leaves = 5 },
	{ "source", "Line contents", "the line itself, where the report or the unchanged file has it", NULL, UNIT_TEXT, .get = get_source, .least = 40 },
	{ .name = NULL },
};
/* clang-format on */

const struct view lines_view = {
	.name = "lines",
	.fields = fields,
	.people = VIEW_PART("line! hits self_ns per_hit_ns self_pct memory_bytes "
			    "increment_bytes source"),
};

static const struct view_part sorted_part[] = {
	{ .fields = "file? line! function! hits self_ns per_hit_ns self_pct memory_bytes "
		    "increment_bytes block? source" },
	{ .fields = NULL },
};

/* Tables keep no tabs: they become the blanks that a terminal shows. */
static struct str without_tabs(struct str text, struct arena *arena)
{
	struct buf out;

	if (!text.n || !memchr(text.p, '\t', text.n))
		return text;
	buf_init(&out, SIZE_MAX);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\t')
			buf_add_blanks(&out, TAB_CELLS - out.n % TAB_CELLS);
		else
			buf_add_char(&out, text.p[i]);
	struct str copy = arena_copy(arena, buf_str(&out));
	buf_release(&out);
	return copy;
}

static void add_shown(struct shown_lines *to, const struct line_row *row,
		      const struct line_function *f)
{
	*ARRAY_PUSH(to->items, to->n, to->cap) =
		(struct shown_line){ .row = row, .f = f, .source = row->source };
}

/* Lines of the file that did not run, from *at up to the next one that did. */
static void add_between(struct shown_lines *to, const struct line_row *next,
			const struct line_function *f, int64_t *at, struct arena *arena)
{
	for (; f->code && *at <= f->code->nlines && *at < next->line; ++*at) {
		if (to->nbetween == BETWEEN_MAX) {
			to->is_cut = true;
			return;
		}
		to->nbetween++;
		struct line_row *row = arena_alloc(arena, sizeof(*row));
		*row = (struct line_row){ .function = next->function,
					  .block = next->block,
					  .line = *at,
					  .hits = NUMBER_NONE,
					  .self_ns = NUMBER_NONE,
					  .memory_bytes = NUMBER_NONE,
					  .increment_bytes = NUMBER_NONE,
					  .source = line_source_line(f->code, *at) };
		add_shown(to, row, f);
	}
}

/* In the tables of functions with the lines between, as line_profiler prints them. */
static void add_function(struct shown_lines *to, const struct line_profile *p,
			 const struct line_function *f, bool is_table,
			 struct arena *arena)
{
	int64_t at = f->line;

	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct line_row *row = &p->rows[i];
		if (i > f->first && row->block != p->rows[i - 1].block)
			at = f->line;
		if (is_table)
			add_between(to, row, f, &at, arena);
		if (at <= row->line && row->line < INT64_MAX)
			at = row->line + 1;
		add_shown(to, row, f);
	}
}

/* "slow at line 3 of lw_basic.py: 5.225 ms, 1 call, table 2" */
static const char *caption_of(const struct line_function *f, int64_t block,
			      struct arena *arena)
{
	char time[UNITS_TEXT_MAX];
	struct buf out;

	buf_init(&out, SIZE_MAX);
	buf_add_str(&out, f->name);
	buf_addf(&out, " at line %" PRId64 " of ", f->line);
	buf_add_str(&out, f->file);
	if (f->total_ns != NUMBER_NONE) {
		struct str text = units_text(UNIT_NS, cell_int(f->total_ns), time);
		buf_addf(&out, ": " STR_FMT, STR_ARG(text));
	}
	if (block > 1)
		buf_addf(&out, ", table %" PRId64, block);
	const char *caption = arena_printf(arena, STR_FMT, STR_ARG(buf_str(&out)));
	buf_release(&out);
	return caption;
}

/* A table for each block of each function. */
static struct memtable *draw_blocks(const struct shown_lines *lines)
{
	const struct view_request show = { .for_people = true };
	struct memtable *first = NULL, *last = NULL;

	for (size_t from = 0, to; from < lines->n; from = to) {
		const struct shown_line *line = &lines->items[from];
		for (to = from; to < lines->n && lines->items[to].f == line->f &&
				lines->items[to].row->block == line->row->block;)
			to++;
		const struct view_rows rows = { NULL, line, to - from, sizeof(*line) };
		struct memtable *next = view_table(&lines_view, &rows, NULL, &show);
		next->table.is_form = true; /* nobody counts its rows */
		next->table.caption = caption_of(line->f, line->row->block, &next->arena);
		if (last)
			last->table.more = &next->table;
		else
			first = next;
		last = next;
	}
	return first;
}

static struct memtable *draw(const struct shown_lines *lines,
			     const struct line_request *request)
{
	const struct view_rows rows = { NULL, lines->items, lines->n,
					sizeof(*lines->items) };
	struct view_request show = request->show;

	if (show.for_people && !show.sort && lines->n)
		return draw_blocks(lines);
	if (!show.sort)
		show.limit = 0; /* it counts functions */
	else if (show.for_people)
		show.people = sorted_part;
	return view_table(&lines_view, &rows, NULL, &show);
}

static void add_note(struct memtable *to, enum line_source_state state,
		     const struct line_function *f)
{
	static const char *const why[] = {
		[LINE_SOURCE_MISSING] = "cannot be read here",
		[LINE_SOURCE_CHANGED] = "is newer than the profile",
		[LINE_SOURCE_UNDATED] =
			"may be newer than the profile, of which no time is known",
		[LINE_SOURCE_LARGE] = "is too large (4 MiB, and 32 MiB in all)",
		[LINE_SOURCE_OTHER] = "has another function there",
	};

	memtable_add_note(to, "no source of " STR_FMT ": " STR_FMT " %s",
			  STR_ARG(f->name), STR_ARG(f->file), why[state]);
}

/* Has it rows whose report had no source? */
static bool lacks_source(const struct line_profile *p, const struct line_function *f)
{
	return f->n && !p->rows[f->first].source.p;
}

struct sources {
	const struct line_function *lacking; /* the first, or NULL */
	enum line_source_state state;        /* of that */
	size_t n;                            /* that lack it */
};

static void read_sources(struct line_profile *p, const uint32_t *at, size_t n,
			 struct line_sources *files, struct sources *out)
{
	for (size_t i = 0; i < n; i++) {
		struct line_function *f = &p->functions[at[i]];
		if (!lacks_source(p, f))
			continue;
		enum line_source_state state = line_source_read(files, p, f);
		if (state == LINE_SOURCE_THERE)
			continue;
		if (out->n++ == 0) {
			out->lacking = f;
			out->state = state;
		}
	}
}

static void add_notes(struct memtable *table, const struct scope *scope,
		      const struct sources *sources, const struct shown_lines *lines,
		      size_t shown, size_t all)
{
	struct memtable *last = view_last_part(table);

	if (shown < all)
		memtable_add_note(last, "%zu of %zu functions; --limit 0 shows all",
				  shown, all);
	if (lines->is_cut)
		memtable_add_note(last,
				  "of lines that did not run the first %d are shown",
				  BETWEEN_MAX);
	if (sources->n)
		add_note(last, sources->state, sources->lacking);
	if (sources->n > 1)
		memtable_add_note(last, "no source of %zu more functions",
				  sources->n - 1);
	if (scope->n > 1)
		memtable_add_note(last, "%zu profiles added up", scope->n);
}

int lines_open(struct store *store, const struct scope *scope,
	       const struct line_request *request, struct table **out, struct err *err)
{
	struct shown_lines lines = { .n = 0 };
	struct line_sources files;
	struct arena arena = { 0 };
	struct line_profile p;
	int rc = line_profile_load(store, scope, request->filter, &p, err);

	line_sources_init(&files, &scope->profiles[0]);
	if (rc == 0) {
		size_t all, n;
		uint32_t *at = line_profile_hottest(&p, &all);
		uint64_t limit = request->show.sort ? 0 : (uint64_t)request->show.limit;
		struct sources sources = { .n = 0 };
		n = limit && limit < all ? (size_t)limit : all;
		read_sources(&p, at, n, &files, &sources);
		for (size_t i = 0; i < n; i++)
			add_function(&lines, &p, &p.functions[at[i]],
				     request->show.for_people && !request->show.sort,
				     &arena);
		for (size_t i = 0; request->show.for_people && i < lines.n; i++)
			lines.items[i].source =
				without_tabs(lines.items[i].source, &arena);
		struct memtable *table = draw(&lines, request);
		if (request->show.for_people)
			add_notes(table, scope, &sources, &lines, n, all);
		*out = &table->table;
		free(at);
	}
	free(lines.items);
	line_sources_release(&files);
	arena_release(&arena);
	line_profile_release(&p);
	return rc;
}
