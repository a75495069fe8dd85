/* The first screen as people see it: a line or a few for each block. */
#include <string.h>

#include "base/apart.h"
#include "base/units.h"
#include "base/utf8.h"
#include "query/overview/overview_draw.h"
#include "query/short_name.h"

#define WIDTH_USUAL    80 /* cells of a line, where no width is known */
#define WIDTH_LEAST    40
#define WIDTH_MOST     120 /* a command far from what it is about is hard to see */
#define BAR_CELLS      20
#define PARTS_MAX      4    /* of a bar */
#define PART_LEAST     0.05 /* percent: less reads as nothing */
#define CAUSE_LEAST    0.5
#define OPERATORS_MOST 50
#define CAUSES_MAX     3
#define MEMORY_MAX     3  /* devices */
#define NAME_LEAST     12 /* of the recording's name */
#define NAMES_LEAST    3  /* operators, kernels */

const struct cell *drawing_row(const struct drawing *d, size_t row)
{
	return memtable_row(d->rows, row);
}

size_t drawing_find(const struct drawing *d, enum overview_block block, size_t *first)
{
	const char *name = overview_block_name(block);
	size_t end;

	for (*first = 0; *first < d->rows->nrows; ++*first)
		if (str_is(drawing_row(d, *first)[OVERVIEW_BLOCK].as.text, name))
			break;
	for (end = *first; end < d->rows->nrows; end++)
		if (!str_is(drawing_row(d, end)[OVERVIEW_BLOCK].as.text, name))
			break;
	return end;
}

static int64_t value_of(const struct drawing *d, size_t row)
{
	struct cell cell = drawing_row(d, row)[OVERVIEW_VALUE];

	return cell.type == CELL_INT ? cell.as.integer : 0;
}

struct str drawing_item(const struct drawing *d, size_t row)
{
	return drawing_row(d, row)[OVERVIEW_ITEM].as.text;
}

double drawing_share(const struct drawing *d, size_t row)
{
	struct cell cell = drawing_row(d, row)[OVERVIEW_SHARE];

	return cell.type == CELL_REAL ? cell.as.real : 0;
}

const char *drawing_words(struct drawing *d, enum unit unit, struct cell cell)
{
	char text[UNITS_TEXT_MAX];
	struct str words = units_text(unit, cell, text);

	return arena_printf(&d->out->arena, STR_FMT, STR_ARG(words));
}

static const char *in_words(struct drawing *d, enum unit unit, int64_t value)
{
	return drawing_words(d, unit, cell_int(value));
}

void drawing_add(struct drawing *d, enum overview_block block, bool is_heading,
		 const char *text)
{
	if (d->n < LINES_MAX)
		d->lines[d->n++] = (struct drawn_line){
			text, is_heading ? overview_block_command(block) : NULL, block
		};
}

static const char *shortened(struct drawing *d, struct str name, size_t cells)
{
	struct buf visible, buf;

	buf_init(&visible, TEXT_MAX * 4);
	buf_init(&buf, TEXT_MAX);
	utf8_add_visible(&visible, name);
	short_name_add(&buf, buf_str(&visible), cells);
	const char *text = arena_printf(&d->out->arena, STR_FMT, STR_ARG(buf_str(&buf)));
	buf_release(&visible);
	buf_release(&buf);
	return text;
}

struct str *drawing_names(struct drawing *d, size_t first, size_t end, size_t step,
			  size_t cells)
{
	struct arena *arena = &d->out->arena;
	size_t n = 0, room = (end - first) / step + 1;
	struct str *whole = arena_alloc(arena, room * sizeof(*whole));
	struct str *texts = arena_alloc(arena, room * sizeof(*texts));
	struct buf visible;

	for (size_t i = first; i + step <= end; i += step) {
		buf_init(&visible, TEXT_MAX * 4);
		utf8_add_visible(&visible, drawing_item(d, i));
		whole[n++] = arena_copy(arena, buf_str(&visible));
		buf_release(&visible);
	}
	apart_shorten(whole, n, cells, short_name_add, arena, texts);
	return texts;
}

/* As many words as there is room for. */
static const char *cut(struct drawing *d, const char *text, size_t cells)
{
	struct str rest = str_of(text);
	size_t n = 0, width = 0; /* the last blank with room for the mark behind it */

	if (utf8_width(rest) <= cells)
		return text;
	while (rest.n && width + 1 <= cells) {
		uint32_t code;
		struct str next = { rest.p, utf8_decode(rest, &code) };
		if (code == ' ')
			n = (size_t)(rest.p - text);
		width += utf8_width(next);
		rest = str_behind(rest, next.n);
	}
	while (n > 0 && (text[n - 1] == ',' || text[n - 1] == ':'))
		n--;
	return arena_printf(&d->out->arena, "%.*s…", (int)n, text);
}

/* What the rows of the recording say; texts are in the arena. */
struct recording {
	const char *format, *span, *names;
	int64_t devices, profiles, ranks;
};

static void read_recording(struct drawing *d, size_t row, struct recording *r)
{
	struct arena *arena = &d->out->arena;
	const struct str item = drawing_item(d, row);
	const struct cell value = drawing_row(d, row)[OVERVIEW_VALUE];

	if (value.type == CELL_NULL && utf8_width(str_of(r->names)) > d->width)
		return; /* no room for another device's name */
	if (value.type == CELL_NULL)
		r->names = arena_printf(arena, "%s%s" STR_FMT, r->names,
					*r->names ? " and " : "", STR_ARG(item));
	else if (value.type == CELL_TEXT)
		r->format = arena_printf(arena, STR_FMT, STR_ARG(value.as.text));
	else if (str_is(item, "span") && value.as.integer > 0)
		r->span = arena_printf(arena, ", %s",
				       in_words(d, UNIT_NS, value.as.integer));
	else if (str_is(item, "profiles"))
		r->profiles = value.as.integer;
	else if (str_is(item, "ranks"))
		r->ranks = value.as.integer;
	else if (str_is(item, "devices"))
		r->devices = value.as.integer;
}

/* ", 8 ranks"; nothing of one. */
static const char *several(struct drawing *d, int64_t n, const char *what)
{
	if (n < 2)
		return "";
	return arena_printf(&d->out->arena, ", %s %s", in_words(d, UNIT_COUNT, n), what);
}

static void draw_recording(struct drawing *d, size_t first, size_t end)
{
	struct recording r = { .format = "", .span = "", .names = "" };

	for (size_t i = first; i < end; i++)
		read_recording(d, i, &r);
	const char *ranks = several(d, r.ranks, "ranks");
	const char *text = arena_printf(
		&d->out->arena, "  %s%s%s%s%s%s", r.format, r.span,
		*ranks ? ranks : several(d, r.profiles, "profiles"),
		several(d, r.devices, "devices"), *r.names ? ", " : "", r.names);
	drawing_add(d, OVERVIEW_RECORDING, true,
		    shortened(d, str_of(d->request->name), d->width));
	drawing_add(d, OVERVIEW_RECORDING, false, cut(d, text, d->width));
}

/* The largest parts in `order`; how many there are. */
static size_t largest_parts(const struct drawing *d, size_t first, size_t end,
			    size_t order[PARTS_MAX])
{
	size_t n = 0;

	for (size_t i = first; i < end; i++) {
		size_t at = n;
		while (at > 0 && value_of(d, order[at - 1]) < value_of(d, i))
			at--;
		if (at == PARTS_MAX)
			continue;
		n += n < PARTS_MAX;
		memmove(&order[at + 1], &order[at], (n - 1 - at) * sizeof(*order));
		order[at] = i;
	}
	return n;
}

static const char *const fills[PARTS_MAX] = { "█", "▓", "▒", "░" };

/* "  [███▓▓▒ ]  █ Kernel 41.0%  ▓ Other 30.1%"; parts that have no room are left out. */
static const char *draw_bar(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	size_t order[PARTS_MAX] = { 0 }, drawn = 0,
	       n = largest_parts(d, first, end, order);
	const char *bar = "", *legend = "";
	double sum = 0;

	for (size_t i = 0; i < n && drawing_share(d, order[i]) >= PART_LEAST; i++) {
		const char *longer = arena_printf(
			arena, "%s  %s " STR_FMT " %.1f%%", legend, fills[i],
			STR_ARG(drawing_item(d, order[i])), drawing_share(d, order[i]));
		if (utf8_width(str_of(longer)) + BAR_CELLS + GUTTERS > d->width)
			break;
		legend = longer;
		sum += drawing_share(d, order[i]);
		/* in a store that was edited shares may add up to more than all */
		for (; drawn < BAR_CELLS && (double)drawn + 0.5 < sum * BAR_CELLS / 100;
		     drawn++)
			bar = arena_printf(arena, "%s%s", bar, fills[i]);
	}
	return arena_printf(arena, "  [%s%*s]%s", bar, (int)(BAR_CELLS - drawn), "",
			    legend);
}

static void draw_steps(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	size_t parts = first + 2;
	const char *whose = "";

	if (parts < end && (str_is(drawing_item(d, parts), "rank") ||
			    str_is(drawing_item(d, parts), "profile"))) {
		struct str what = drawing_item(d, parts);
		whose = arena_printf(arena, " of " STR_FMT " %lld", STR_ARG(what),
				     (long long)value_of(d, parts++));
	}
	drawing_add(d, OVERVIEW_STEPS, true,
		    arena_printf(arena, "Steps%s: %s, %s%s", whose,
				 in_words(d, UNIT_COUNT, value_of(d, first)),
				 value_of(d, first) > 1 ? "mean " : "",
				 in_words(d, UNIT_NS, value_of(d, first + 1))));
	if (parts < end)
		drawing_add(d, OVERVIEW_STEPS, false, draw_bar(d, parts, end));
}

/* "  prefill 2, mean 55.500 us; decode 3, TPOT 63.000 us" */
static void draw_phases(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	const char *text = "  ";

	/* "other" alone says nothing that the line of steps does not */
	if (end - first == 2 && str_is(drawing_item(d, first), "other"))
		return;
	for (size_t i = first; i + 1 < end; i += 2)
		text = arena_printf(arena, "%s%s" STR_FMT " %s, " STR_FMT " %s", text,
				    i == first ? "" : "; ", STR_ARG(drawing_item(d, i)),
				    in_words(d, UNIT_COUNT, value_of(d, i)),
				    STR_ARG(drawing_item(d, i + 1)),
				    in_words(d, UNIT_NS, value_of(d, i + 1)));
	drawing_add(d, OVERVIEW_PHASES, true, "Phases of the steps");
	drawing_add(d, OVERVIEW_PHASES, false, cut(d, text, d->width));
}

/* Fewer where phases need their lines. */
static size_t last_name(const struct drawing *d, size_t first, size_t end)
{
	size_t phases;

	if (drawing_find(d, OVERVIEW_PHASES, &phases) == phases)
		return end;
	return end - first > NAMES_LEAST ? first + NAMES_LEAST : end;
}

static void draw_idle(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	const char *causes = "";

	drawing_add(d, OVERVIEW_IDLE, true,
		    arena_printf(arena, "Devices: busy %.1f%%, idle %.1f%%",
				 drawing_share(d, first), drawing_share(d, first + 1)));
	for (size_t i = first + 2; i < end && i < first + 2 + CAUSES_MAX; i++) {
		if (drawing_share(d, i) < CAUSE_LEAST)
			break;
		const char *longer = arena_printf(
			arena, "%s%s " STR_FMT " %.0f%%", causes,
			*causes ? "," : "  idle:", STR_ARG(drawing_item(d, i)),
			drawing_share(d, i));
		if (utf8_width(str_of(longer)) <= d->width)
			causes = longer;
	}
	if (*causes)
		drawing_add(d, OVERVIEW_IDLE, false, causes);
}

/* Replayed graphs have no operators, which is told where they take most of the time. */
static const char *operators_title(struct drawing *d, size_t row)
{
	if (str_is(drawing_item(d, row), "slices"))
		return "Slices, by self time";
	if (!str_is(drawing_item(d, row), "device"))
		return "Operators, by CPU time";
	if (drawing_share(d, row) >= OPERATORS_MOST)
		return "Operators, by device time";
	return arena_printf(&d->out->arena, "Operators, of %.1f%% of device time",
			    drawing_share(d, row));
}

/* "   12.345 ms  27.1%  name" */
static void draw_names(struct drawing *d, size_t first, size_t end)
{
	enum overview_block block = OVERVIEW_KERNELS;
	const char *title = "Kernels, by time";

	if (str_is(drawing_row(d, first)[OVERVIEW_BLOCK].as.text,
		   overview_block_name(OVERVIEW_OPERATORS))) {
		block = OVERVIEW_OPERATORS;
		title = operators_title(d, first++);
	}
	drawing_add(d, block, true, title);
	end = last_name(d, first, end);
	size_t room = d->width - TIME_CELLS - SHARE_CELLS - GUTTERS;
	const struct str *names = drawing_names(d, first, end, 1, room);
	for (size_t i = first; i < end; i++)
		drawing_add(d, block, false,
			    arena_printf(&d->out->arena, "%*s%*.1f%%  " STR_FMT,
					 TIME_CELLS, in_words(d, UNIT_NS, value_of(d, i)),
					 SHARE_CELLS, drawing_share(d, i),
					 STR_ARG(names[i - first])));
}

/* The highest first: one device of several ranks stands there once. */
static void draw_memory(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	size_t functions = first;

	while (functions < end &&
	       drawing_row(d, functions)[OVERVIEW_VALUE].type != CELL_NULL)
		functions++;
	size_t order[PARTS_MAX], n = largest_parts(d, first, functions, order);
	const char *text = "Peak memory:";

	for (size_t i = 0; i < n && i < MEMORY_MAX; i++) {
		const char *longer =
			arena_printf(arena, "%s%s %s, " STR_FMT, text, i ? ";" : "",
				     in_words(d, UNIT_BYTES, value_of(d, order[i])),
				     STR_ARG(drawing_item(d, order[i])));
		if (i == 0 || utf8_width(str_of(longer)) < d->width / 2)
			text = longer;
	}
	drawing_add(d, OVERVIEW_MEMORY, true,
		    n ? text : "Memory of functions: peak, increment");
	if (n && functions + 1 < end)
		drawing_add(d, OVERVIEW_MEMORY, false, "  functions: peak, increment");
	if (functions + 1 < end)
		overview_draw_memory(d, functions + 1, end);
}

static void draw_findings(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;

	drawing_add(d, OVERVIEW_FINDINGS, true, "What slows it down");
	for (size_t i = first; i < end; i++)
		drawing_add(
			d, OVERVIEW_FINDINGS, false,
			cut(d,
			    arena_printf(
				    arena, "  %-7s" STR_FMT,
				    arena_printf(arena, STR_FMT,
						 STR_ARG(drawing_item(d, i))),
				    STR_ARG(drawing_row(d, i)[OVERVIEW_VALUE].as.text)),
			    d->width));
}

/* By enum overview_block. */
static void (*const draws[NOVERVIEW_BLOCKS])(struct drawing *d, size_t first,
					     size_t end) = {
	[OVERVIEW_RECORDING] = draw_recording,
	[OVERVIEW_STEPS] = draw_steps,
	[OVERVIEW_PHASES] = draw_phases,
	[OVERVIEW_IDLE] = draw_idle,
	[OVERVIEW_OPERATORS] = draw_names,
	[OVERVIEW_KERNELS] = draw_names,
	[OVERVIEW_FUNCTIONS] = overview_draw_functions,
	[OVERVIEW_MEMORY] = draw_memory,
	[OVERVIEW_FINDINGS] = draw_findings,
};

/* Cells of the longest heading with its command behind it. */
static size_t widest_heading(const struct drawing *d, const char *arguments)
{
	size_t most = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (!d->lines[i].command || d->lines[i].block == OVERVIEW_RECORDING)
			continue;
		size_t cells = utf8_width(str_of(d->lines[i].text)) + GUTTER +
			       strlen("ptool  ") +
			       utf8_width(str_of(d->lines[i].command)) +
			       utf8_width(str_of(arguments));
		most = cells > most ? cells : most;
	}
	return most;
}

/* What is written above a block, and the command that shows more at the line's end. */
static void draw_heading(struct drawing *d, const struct drawn_line *line,
			 const char *arguments)
{
	const char *text = line->text;
	const char *command = arena_printf(&d->out->arena, "ptool %s%s%s", line->command,
					   *arguments ? " " : "", arguments);
	size_t cells = utf8_width(str_of(command)) + GUTTER;

	if (line->block == OVERVIEW_RECORDING && cells + NAME_LEAST <= d->width)
		text = shortened(d, str_of(text), d->width - cells);
	cells += utf8_width(str_of(text));
	if (cells > d->width)
		memtable_add_note(d->out, "%s", text);
	else
		memtable_add_note(d->out, "%s%*s%s", text,
				  (int)(d->width - cells + GUTTER), "", command);
}

/* Does a block begin with this line? */
static bool is_first(const struct drawing *d, size_t line)
{
	return line == 0 || d->lines[line].block != d->lines[line - 1].block;
}

static void write_lines(struct drawing *d)
{
	const char *arguments = d->request->arguments;
	size_t nheadings = 0;

	if (widest_heading(d, arguments) > d->width)
		arguments = "FILE";
	for (size_t i = 0; i < d->n; i++)
		nheadings += is_first(d, i);
	bool is_loose = d->n + nheadings - 1 <= LINES_MAX;
	for (size_t i = 0; i < d->n; i++) {
		const struct drawn_line *line = &d->lines[i];
		if (is_loose && i && is_first(d, i))
			memtable_add_note(d->out, "%s", "");
		if (!line->command) {
			memtable_add_note(d->out, "%s", line->text);
			continue;
		}
		draw_heading(d, line, arguments);
	}
}

/* What else can be asked. */
static void add_last_lines(struct drawing *d, const struct scope *scope)
{
	bool lacks_slices = scope_lacks_slices(scope);

	if (d->n < LINES_MAX && !lacks_slices)
		d->lines[d->n++] =
			(struct drawn_line){ "All of it, in the browser",
					     "report -o report.html", NOVERVIEW_BLOCKS };
	if (d->n < LINES_MAX && lacks_slices && scope->nranks > 1)
		d->lines[d->n++] = (struct drawn_line){ "Who waits for whom, and why",
							"ranks", NOVERVIEW_BLOCKS };
	if (d->n < LINES_MAX && lacks_slices)
		d->lines[d->n++] =
			(struct drawn_line){ "  advice needs slices, which are not here",
					     NULL, NOVERVIEW_BLOCKS };
}

struct table *overview_text(const struct memtable *rows,
			    const struct overview_request *request,
			    const struct scope *scope)
{
	static const struct column columns[] = { { "text", "Overview", UNIT_TEXT } };
	struct drawing d = { .rows = rows, .request = request, .width = WIDTH_USUAL };
	size_t first;

	if (request->width >= WIDTH_LEAST)
		d.width =
			request->width < WIDTH_MOST ? (size_t)request->width : WIDTH_MOST;
	d.out = memtable_new(columns, 1);
	d.out->table.is_prose = true;
	d.out->table.empty = "";
	for (int i = 0; i < NOVERVIEW_BLOCKS; i++) {
		size_t end = drawing_find(&d, (enum overview_block)i, &first);
		if (first < end)
			draws[i](&d, first, end);
	}
	add_last_lines(&d, scope);
	write_lines(&d);
	return &d.out->table;
}
