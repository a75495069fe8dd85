/* The first screen as people see it: a line or a few for each block. */
#include <string.h>

#include "base/apart.h"
#include "base/units.h"
#include "base/utf8.h"
#include "query/overview/overview_make.h"
#include "query/short_name.h"

#define WIDTH_MAX      80
#define LINES_MAX      23 /* a prompt fits below them on a screen of 24 */
#define BAR_CELLS      20
#define PARTS_MAX      4    /* of a bar */
#define PART_LEAST     0.05 /* percent: less reads as nothing */
#define CAUSE_LEAST    0.5
#define OPERATORS_MOST 50
#define CAUSES_MAX     3
#define MEMORY_MAX     3 /* devices */
#define GUTTER         2
#define GUTTERS        ((size_t)2 * GUTTER)
#define NAME_LEAST     12 /* of the recording's name */
#define NAMES_LEAST    3  /* operators, kernels */
#define TIME_CELLS     12
#define SHARE_CELLS    7
#define TEXT_MAX       ((size_t)4096)

/* A heading's command is put behind it once all headings are known. */
struct line {
	const char *text;
	const char *command; /* "steps"; NULL: it is no heading */
	enum overview_block block;
};

struct drawing {
	const struct memtable *rows;
	const struct overview_request *request;
	struct memtable *out;
	struct line lines[LINES_MAX];
	size_t n, width;
};

static const struct cell *row_at(const struct drawing *d, size_t row)
{
	return memtable_row(d->rows, row);
}

/* Its rows are those of [*first, the result). */
static size_t find_block(const struct drawing *d, enum overview_block block,
			 size_t *first)
{
	const char *name = overview_block_name(block);
	size_t end;

	for (*first = 0; *first < d->rows->nrows; ++*first)
		if (str_is(row_at(d, *first)[OVERVIEW_BLOCK].as.text, name))
			break;
	for (end = *first; end < d->rows->nrows; end++)
		if (!str_is(row_at(d, end)[OVERVIEW_BLOCK].as.text, name))
			break;
	return end;
}

static int64_t value_of(const struct drawing *d, size_t row)
{
	struct cell cell = row_at(d, row)[OVERVIEW_VALUE];

	return cell.type == CELL_INT ? cell.as.integer : 0;
}

static struct str item_of(const struct drawing *d, size_t row)
{
	return row_at(d, row)[OVERVIEW_ITEM].as.text;
}

static double share_of(const struct drawing *d, size_t row)
{
	struct cell cell = row_at(d, row)[OVERVIEW_SHARE];

	return cell.type == CELL_REAL ? cell.as.real : 0;
}

/* "12.345 ms"; in the arena. */
static const char *cell_words(struct drawing *d, enum unit unit, struct cell cell)
{
	char text[UNITS_TEXT_MAX];
	struct str words = units_text(unit, cell, text);

	return arena_printf(&d->out->arena, STR_FMT, STR_ARG(words));
}

static const char *in_words(struct drawing *d, enum unit unit, int64_t value)
{
	return cell_words(d, unit, cell_int(value));
}

static void add_line(struct drawing *d, enum overview_block block, bool is_heading,
		     const char *text)
{
	if (d->n < LINES_MAX)
		d->lines[d->n++] = (struct line){
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

/* The names of every `step`th item, as they fit. */
static struct str *short_names(struct drawing *d, size_t first, size_t end, size_t step,
			       size_t cells)
{
	struct arena *arena = &d->out->arena;
	size_t n = 0, room = (end - first) / step + 1;
	struct str *whole = arena_alloc(arena, room * sizeof(*whole));
	struct str *texts = arena_alloc(arena, room * sizeof(*texts));
	struct buf visible;

	for (size_t i = first; i + step <= end; i += step) {
		buf_init(&visible, TEXT_MAX * 4);
		utf8_add_visible(&visible, item_of(d, i));
		whole[n++] = arena_copy(arena, buf_str(&visible));
		buf_release(&visible);
	}
	apart_shorten(whole, n, cells, short_name_add, arena, texts);
	return texts;
}

/* As many words as there is room for. */
static const char *cut(struct drawing *d, const char *text, size_t cells)
{
	size_t n = strlen(text);

	if (utf8_width(str_of(text)) <= cells)
		return text;
	while (n > 0 &&
	       (text[n] != ' ' || utf8_width((struct str){ text, n }) + 1 > cells))
		n--;
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
	const struct str item = item_of(d, row);
	const struct cell value = row_at(d, row)[OVERVIEW_VALUE];

	if (value.type == CELL_NULL) /* a device's name */
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
	add_line(d, OVERVIEW_RECORDING, true,
		 shortened(d, str_of(d->request->name), d->width));
	add_line(d, OVERVIEW_RECORDING, false, cut(d, text, d->width));
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

	for (size_t i = 0; i < n && share_of(d, order[i]) >= PART_LEAST; i++) {
		const char *longer = arena_printf(
			arena, "%s  %s " STR_FMT " %.1f%%", legend, fills[i],
			STR_ARG(item_of(d, order[i])), share_of(d, order[i]));
		if (utf8_width(str_of(longer)) + BAR_CELLS + GUTTERS > d->width)
			break;
		legend = longer;
		sum += share_of(d, order[i]);
		for (; (double)drawn + 0.5 < sum * BAR_CELLS / 100; drawn++)
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

	if (parts < end &&
	    (str_is(item_of(d, parts), "rank") || str_is(item_of(d, parts), "profile"))) {
		struct str what = item_of(d, parts);
		whose = arena_printf(arena, " of " STR_FMT " %lld", STR_ARG(what),
				     (long long)value_of(d, parts++));
	}
	add_line(d, OVERVIEW_STEPS, true,
		 arena_printf(arena, "Steps%s: %s, %s%s", whose,
			      in_words(d, UNIT_COUNT, value_of(d, first)),
			      value_of(d, first) > 1 ? "mean " : "",
			      in_words(d, UNIT_NS, value_of(d, first + 1))));
	if (parts < end)
		add_line(d, OVERVIEW_STEPS, false, draw_bar(d, parts, end));
}

/* "  prefill 2, mean 55.500 us; decode 3, TPOT 63.000 us" */
static void draw_phases(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	const char *text = "  ";

	for (size_t i = first; i + 1 < end; i += 2)
		text = arena_printf(arena, "%s%s" STR_FMT " %s, " STR_FMT " %s", text,
				    i == first ? "" : "; ", STR_ARG(item_of(d, i)),
				    in_words(d, UNIT_COUNT, value_of(d, i)),
				    STR_ARG(item_of(d, i + 1)),
				    in_words(d, UNIT_NS, value_of(d, i + 1)));
	add_line(d, OVERVIEW_PHASES, true, "Phases of the steps");
	add_line(d, OVERVIEW_PHASES, false, cut(d, text, d->width));
}

/* Fewer where phases need their lines. */
static size_t last_name(const struct drawing *d, size_t first, size_t end)
{
	size_t phases;

	if (find_block(d, OVERVIEW_PHASES, &phases) == phases)
		return end;
	return end - first > NAMES_LEAST ? first + NAMES_LEAST : end;
}

static void draw_idle(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	const char *causes = "";

	add_line(d, OVERVIEW_IDLE, true,
		 arena_printf(arena, "Devices: busy %.1f%%, idle %.1f%%",
			      share_of(d, first), share_of(d, first + 1)));
	for (size_t i = first + 2; i < end && i < first + 2 + CAUSES_MAX; i++) {
		if (share_of(d, i) < CAUSE_LEAST)
			break;
		const char *longer =
			arena_printf(arena, "%s%s " STR_FMT " %.0f%%", causes,
				     *causes ? "," : "  idle:", STR_ARG(item_of(d, i)),
				     share_of(d, i));
		if (utf8_width(str_of(longer)) <= d->width)
			causes = longer;
	}
	if (*causes)
		add_line(d, OVERVIEW_IDLE, false, causes);
}

/* Replayed graphs have no operators, which is told where they take most of the time. */
static const char *operators_title(struct drawing *d, size_t row)
{
	if (!str_is(item_of(d, row), "device"))
		return "Operators, by CPU time";
	if (share_of(d, row) >= OPERATORS_MOST)
		return "Operators, by device time";
	return arena_printf(&d->out->arena, "Operators, of %.1f%% of device time",
			    share_of(d, row));
}

/* "   12.345 ms  27.1%  name" */
static void draw_names(struct drawing *d, size_t first, size_t end)
{
	enum overview_block block = OVERVIEW_KERNELS;
	const char *title = "Kernels, by time";

	if (str_is(row_at(d, first)[OVERVIEW_BLOCK].as.text,
		   overview_block_name(OVERVIEW_OPERATORS))) {
		block = OVERVIEW_OPERATORS;
		title = operators_title(d, first++);
	}
	add_line(d, block, true, title);
	end = last_name(d, first, end);
	size_t room = d->width - TIME_CELLS - SHARE_CELLS - GUTTERS;
	const struct str *names = short_names(d, first, end, 1, room);
	for (size_t i = first; i < end; i++)
		add_line(d, block, false,
			 arena_printf(&d->out->arena, "%*s%*.1f%%  " STR_FMT, TIME_CELLS,
				      in_words(d, UNIT_NS, value_of(d, i)), SHARE_CELLS,
				      share_of(d, i), STR_ARG(names[i - first])));
}

static void add_pattern(struct str text, struct buf *word)
{
	for (size_t i = 0; i < text.n; i++) {
		if (strchr("\\.^$|?*+()[]{}", text.p[i]))
			buf_add_char(word, '\\');
		buf_add_char(word, text.p[i]);
	}
}

/*
 * The command that says who calls the function; none for a name that a shell would misread.
 * Folders are left out: of "dir/a.py:3(f)" and of "f (dir/a.py)".
 */
static void add_callers(struct drawing *d, struct str name)
{
	const char *slash = memrchr(name.p, '/', name.n);
	const char *open =
		slash ? memmem(name.p, (size_t)(slash - name.p), " (", 2) : NULL;
	struct buf word;

	buf_init(&word, TEXT_MAX);
	if (open) {
		add_pattern((struct str){ name.p, (size_t)(open - name.p) + 2 }, &word);
		buf_add_text(&word, ".*");
	}
	add_pattern(slash ? str_behind(name, (size_t)(slash + 1 - name.p)) : name, &word);
	bool is_plain = utf8_is_plain(name) && !memchr(name.p, '\'', name.n);
	if (is_plain && d->n < LINES_MAX && word.n < d->width / 2)
		d->lines[d->n++] = (struct line){ "Who calls the first",
						  arena_printf(&d->out->arena,
							       "callers '" STR_FMT "'",
							       STR_ARG(buf_str(&word))),
						  OVERVIEW_FUNCTIONS };
	buf_release(&word);
}

/* Scalene's times are those of a function's own lines, others have what they call. */
static bool is_of_own_lines(const struct drawing *d)
{
	size_t first, end = find_block(d, OVERVIEW_RECORDING, &first);
	const struct cell *format =
		first < end ? &row_at(d, first)[OVERVIEW_VALUE] : NULL;

	return format && format->type == CELL_TEXT && str_is(format->as.text, "scalene");
}

/* Of reports that have totals alone. */
static void draw_actions(struct drawing *d, size_t first, size_t end)
{
	const char *title = is_of_own_lines(d) ? "Functions, by time of their lines"
					       : "Total time, with called functions";
	size_t room = d->width - TIME_CELLS - SHARE_CELLS - GUTTERS;
	const struct str *names = short_names(d, first, end, 2, room);

	add_line(d, OVERVIEW_FUNCTIONS, true, title);
	for (size_t i = first; i + 1 < end; i += 2)
		add_line(d, OVERVIEW_FUNCTIONS, false,
			 arena_printf(&d->out->arena, "%*s%*.1f%%  " STR_FMT, TIME_CELLS,
				      in_words(d, UNIT_NS, value_of(d, i + 1)),
				      SHARE_CELLS, share_of(d, i + 1),
				      STR_ARG(names[(i - first) / 2])));
}

/* Of a row: times, but of sampled stacks also bytes or counts. */
static enum unit unit_of(const struct drawing *d, size_t row)
{
	static const enum unit units[] = { UNIT_BYTES, UNIT_COUNT };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(row_at(d, row)[OVERVIEW_UNIT].as.text, units_word(units[i])))
			return units[i];
	return UNIT_NS;
}

/* The value of a row, which is a whole number unless it counts with decimals. */
static const char *value_words(struct drawing *d, size_t row, enum unit unit)
{
	return cell_words(d, unit, row_at(d, row)[OVERVIEW_VALUE]);
}

static void draw_functions(struct drawing *d, size_t first, size_t end)
{
	if (row_at(d, first)[OVERVIEW_VALUE].type == CELL_NULL) {
		draw_actions(d, first, end);
		return;
	}
	add_line(d, OVERVIEW_FUNCTIONS, true, "Functions: self, total");
	size_t room = d->width - (2 * (size_t)TIME_CELLS) - SHARE_CELLS - GUTTERS;
	const struct str *names = short_names(d, first, end, 2, room);

	for (size_t i = first; i + 1 < end; i += 2)
		add_line(d, OVERVIEW_FUNCTIONS, false,
			 arena_printf(&d->out->arena, "%*s%*.1f%%%*s  " STR_FMT,
				      TIME_CELLS, value_words(d, i, unit_of(d, i)),
				      SHARE_CELLS, share_of(d, i), TIME_CELLS,
				      value_words(d, i + 1, unit_of(d, i)),
				      STR_ARG(names[(i - first) / 2])));
	add_callers(d, item_of(d, first));
}

/* "    33.6 MiB   +10.0 MiB  name": the peak of a function, and what it added. */
static void draw_memory_functions(struct drawing *d, size_t first, size_t end)
{
	size_t room = d->width - (2 * (size_t)TIME_CELLS) - GUTTERS;
	const struct str *names = short_names(d, first, end, 2, room);

	for (size_t i = first; i + 1 < end; i += 2)
		add_line(d, OVERVIEW_MEMORY, false,
			 arena_printf(&d->out->arena, "%*s%*s  " STR_FMT, TIME_CELLS,
				      value_words(d, i, UNIT_BYTES), TIME_CELLS,
				      value_words(d, i + 1, UNIT_BYTES),
				      STR_ARG(names[(i - first) / 2])));
}

/* The highest first: one device of several ranks stands there once. */
static void draw_memory(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;
	size_t functions = first;

	while (functions < end && row_at(d, functions)[OVERVIEW_VALUE].type != CELL_NULL)
		functions++;
	size_t order[PARTS_MAX], n = largest_parts(d, first, functions, order);
	const char *text = "Peak memory:";

	for (size_t i = 0; i < n && i < MEMORY_MAX; i++) {
		const char *longer =
			arena_printf(arena, "%s%s %s, " STR_FMT, text, i ? ";" : "",
				     in_words(d, UNIT_BYTES, value_of(d, order[i])),
				     STR_ARG(item_of(d, order[i])));
		if (i == 0 || utf8_width(str_of(longer)) < d->width / 2)
			text = longer;
	}
	add_line(d, OVERVIEW_MEMORY, true,
		 n ? text : "Memory of functions: peak, increment");
	if (n && functions + 1 < end)
		add_line(d, OVERVIEW_MEMORY, false, "  functions: peak, increment");
	if (functions + 1 < end)
		draw_memory_functions(d, functions + 1, end);
}

static void draw_findings(struct drawing *d, size_t first, size_t end)
{
	struct arena *arena = &d->out->arena;

	add_line(d, OVERVIEW_FINDINGS, true, "What slows it down");
	for (size_t i = first; i < end; i++)
		add_line(d, OVERVIEW_FINDINGS, false,
			 cut(d,
			     arena_printf(
				     arena, "  %-7s" STR_FMT,
				     arena_printf(arena, STR_FMT, STR_ARG(item_of(d, i))),
				     STR_ARG(row_at(d, i)[OVERVIEW_VALUE].as.text)),
			     d->width));
}

/* By enum overview_block. */
static void (*const draws[NOVERVIEW_BLOCKS])(struct drawing *d, size_t first,
					     size_t end) = {
	[OVERVIEW_RECORDING] = draw_recording, [OVERVIEW_STEPS] = draw_steps,
	[OVERVIEW_PHASES] = draw_phases,       [OVERVIEW_IDLE] = draw_idle,
	[OVERVIEW_OPERATORS] = draw_names,     [OVERVIEW_KERNELS] = draw_names,
	[OVERVIEW_FUNCTIONS] = draw_functions, [OVERVIEW_MEMORY] = draw_memory,
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

/* What is written above a block, and the command that says more at the line's end. */
static void draw_heading(struct drawing *d, const struct line *line,
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
		const struct line *line = &d->lines[i];
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
			(struct line){ "All of it, in the browser",
				       "report -o report.html", NOVERVIEW_BLOCKS };
	if (d->n < LINES_MAX && lacks_slices && scope->nranks > 1)
		d->lines[d->n++] = (struct line){ "Who waits for whom, and why", "ranks",
						  NOVERVIEW_BLOCKS };
	if (d->n < LINES_MAX && lacks_slices)
		d->lines[d->n++] =
			(struct line){ "  advice needs slices, which are not here", NULL,
				       NOVERVIEW_BLOCKS };
}

struct table *overview_text(const struct memtable *rows,
			    const struct overview_request *request,
			    const struct scope *scope)
{
	static const struct column columns[] = { { "text", "Overview", UNIT_TEXT } };
	struct drawing d = { .rows = rows, .request = request, .width = WIDTH_MAX };
	size_t first;

	if (request->width >= WIDTH_MAX / 2 && request->width < WIDTH_MAX)
		d.width = (size_t)request->width;
	d.out = memtable_new(columns, 1);
	d.out->table.is_prose = true;
	d.out->table.empty = "";
	for (int i = 0; i < NOVERVIEW_BLOCKS; i++) {
		size_t end = find_block(&d, (enum overview_block)i, &first);
		if (first < end)
			draws[i](&d, first, end);
	}
	add_last_lines(&d, scope);
	write_lines(&d);
	return &d.out->table;
}
