/* torch's table: see torch_table.h. */
#include "report/torch_table.h"

#include <inttypes.h>
#include <math.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"
#include "report/renderer.h"

#define COLUMN_WIDTH     12
#define SHAPES_WIDTH_MAX 80
#define SOURCE_WIDTH_MAX 75
#define SHORT_STACK      5
#define FRAME_BYTES      4096 /* of the end of a frame, which is what is drawn */
#define MOST_COLUMNS     24
#define CELL_MAX         ((size_t)64 * 1024 * 1024)

struct torch_column {
	const char *title;
	size_t width; /* in characters, as Python's len() counts them */
	bool is_left;
};

/* Texts of a row that were made safe to print. */
enum { SHOWN_NAME, SHOWN_OVERLOAD, SHOWN_FRAME, NSHOWN };

struct printing {
	const struct torch_table *table;
	FILE *out;
	struct arena arena;       /* titles and cells */
	struct buf shown[NSHOWN]; /* of one row, as one long text may be in all of them */
	struct torch_column columns[MOST_COLUMNS];
	size_t ncolumns;
	bool has_overloads, has_shapes, has_stacks, has_device, has_device_memory,
		has_flops;
	size_t name_width, source_width;
	double flops_scale;
	double self_cpu_us, self_device_us; /* sums over all rows, in their order */
};

#define PRINTED(p, ...) str_of(arena_printf(&(p)->arena, __VA_ARGS__))

/* The cells of a line, in torch's order of values. */
struct line {
	struct str cells[MOST_COLUMNS];
	size_t n;
};

/* text[:n] */
static struct str first_of(struct str text, size_t n)
{
	struct str rest = text;
	uint32_t code;

	while (n-- > 0 && rest.n) {
		size_t bytes = utf8_decode(rest, &code);
		rest.p += bytes;
		rest.n -= bytes;
	}
	return (struct str){ text.p, text.n - rest.n };
}

/* Names come from a file: nothing in them may drive a terminal. */
static struct str visible(struct printing *p, int which, struct str text)
{
	struct buf *shown = &p->shown[which];

	buf_clear(shown);
	utf8_add_visible(shown, text);
	return buf_str(shown);
}

/* What of it is drawn, if not all. */
static struct str visible_name(struct printing *p, int which, struct str text)
{
	size_t most = (size_t)p->table->max_name_width;

	return visible(p, which, most ? first_of(text, most) : text);
}

static void add_column(struct printing *p, const char *title, size_t width, bool is_left)
{
	p->columns[p->ncolumns++] = (struct torch_column){ title, width, is_left };
}

static void add_plain(struct printing *p, const char *title)
{
	add_column(p, title, COLUMN_WIDTH, false);
}

/* The first frame of a ';'-joined stack, which moves behind it: of a long one the end. */
static struct str torch_next_frame(struct printing *p, struct str *stack)
{
	const char *semicolon = stack->n ? memchr(stack->p, ';', stack->n) : NULL;
	size_t n = semicolon ? (size_t)(semicolon - stack->p) : stack->n;
	struct str frame = { stack->p, n };

	if (stack->n) /* an empty stack may be NULL */
		*stack = str_behind(*stack, n + (semicolon ? 1 : 0));
	if (n > FRAME_BYTES)
		frame = str_behind(frame, n - FRAME_BYTES);
	return visible(p, SHOWN_FRAME, frame);
}

/* Of the longest frame. */
static size_t stack_width(struct printing *p, struct str stack)
{
	size_t longest = 0;

	while (stack.n) {
		size_t n = torch_length(torch_next_frame(p, &stack));
		longest = n > longest ? n : longest;
	}
	return longest;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

struct widths {
	size_t name, shapes, source;
	int64_t least_flops;
};

static struct widths measure(struct printing *p)
{
	struct widths w = { 0, 0, 0, 0 };

	for (size_t i = 0; i < p->table->nrows; i++) {
		const struct torch_row *row = &p->table->rows[i];
		size_t name = torch_length(visible_name(p, SHOWN_NAME, row->name));
		size_t shapes = torch_length(first_of(row->shapes, SHAPES_WIDTH_MAX));
		size_t source = stack_width(p, row->stack);
		p->self_cpu_us += row->self_cpu_us;
		if (row->is_device_work)
			p->self_device_us += row->self_device_us;
		w.name = name > w.name ? name : w.name;
		w.shapes = shapes > w.shapes ? shapes : w.shapes;
		w.source = source > w.source ? source : w.source;
		p->has_overloads |= row->overload.n != 0;
		p->has_shapes |= row->shapes.n != 0 && !str_is(row->shapes, "[]");
		p->has_stacks |= row->stack.n != 0;
		p->has_device |= row->self_device_us > 0;
		p->has_device_memory |= row->self_device_bytes > 0;
		if (row->flops > 0 && (w.least_flops == 0 || row->flops < w.least_flops))
			w.least_flops = row->flops;
	}
	if (p->table->self_cpu_us)
		p->self_cpu_us = *p->table->self_cpu_us;
	if (p->table->self_device_us)
		p->self_device_us = *p->table->self_device_us;
	return w;
}

static void add_device_columns(struct printing *p)
{
	const char *device = p->table->device;

	add_plain(p, arena_printf(&p->arena, "Self %s", device));
	add_plain(p, arena_printf(&p->arena, "Self %s %%", device));
	add_plain(p, arena_printf(&p->arena, "%s total", device));
	add_plain(p, arena_printf(&p->arena, "%s time avg", device));
}

/* auto_scale_flops: one scale for the column, from its smallest number. */
static void add_flops_column(struct printing *p, int64_t least)
{
	static const char *const titles[] = { "FLOPs",  "KFLOPs", "MFLOPs",
					      "GFLOPs", "TFLOPs", "PFLOPs" };
	double step = floor(fmax(0, fmin(log10((double)least) / 3, 5)));

	p->flops_scale = pow(10, step * -3.0);
	add_plain(p, arena_printf(&p->arena, "Total %s", titles[(int)step]));
}

static void make_columns(struct printing *p)
{
	const struct torch_table *t = p->table;
	struct widths w = measure(p);

	p->has_device &= t->device != NULL;
	p->has_device_memory &= t->device != NULL;
	p->name_width = w.name + 4;
	if (t->max_name_width > 0)
		p->name_width = smaller(p->name_width, (size_t)t->max_name_width);
	p->source_width = smaller(w.source + 4, SOURCE_WIDTH_MAX);
	add_column(p, "Name", p->name_width, false);
	if (p->has_overloads)
		add_column(p, "Overload Name", p->name_width, false);
	add_plain(p, "Self CPU %");
	add_plain(p, "Self CPU");
	add_plain(p, "CPU total %");
	add_plain(p, "CPU total");
	add_plain(p, "CPU time avg");
	if (p->has_device)
		add_device_columns(p);
	if (t->memory) {
		add_plain(p, "CPU Mem");
		add_plain(p, "Self CPU Mem");
	}
	if (t->memory && p->has_device_memory) {
		add_plain(p, arena_printf(&p->arena, "%s Mem", t->device));
		add_plain(p, arena_printf(&p->arena, "Self %s Mem", t->device));
	}
	add_plain(p, "# of Calls");
	if (p->has_shapes)
		add_column(p, "Input Shapes", smaller(w.shapes + 4, SHAPES_WIDTH_MAX),
			   false);
	if (p->has_stacks)
		add_column(p, "Source Location", p->source_width, true);
	p->has_flops = t->flops && w.least_flops > 0;
	if (p->has_flops)
		add_flops_column(p, w.least_flops);
}

static void pad(FILE *out, char c, size_t n)
{
	while (n-- > 0)
		putc(c, out);
}

static void print_line(struct printing *p, const struct line *line)
{
	for (size_t i = 0; i < p->ncolumns; i++) {
		const struct torch_column *c = &p->columns[i];
		struct str cell = i < line->n ? line->cells[i] : STR_LIT("");
		size_t n = torch_length(cell), blanks = n < c->width ? c->width - n : 0;
		pad(p->out, ' ', c->is_left ? 0 : blanks);
		if (cell.n)
			fwrite(cell.p, 1, cell.n, p->out);
		pad(p->out, ' ', (c->is_left ? blanks : 0) + 2);
	}
	putc('\n', p->out);
}

static void print_rule(struct printing *p)
{
	for (size_t i = 0; i < p->ncolumns; i++) {
		pad(p->out, '-', p->columns[i].width);
		pad(p->out, ' ', 2);
	}
	putc('\n', p->out);
}

static void print_head(struct printing *p)
{
	struct line titles = { .n = p->ncolumns };
	size_t width = 0;

	for (size_t i = 0; i < p->ncolumns; i++) {
		titles.cells[i] = str_of(p->columns[i].title);
		width += p->columns[i].width + (i ? 2 : 0);
	}
	if (p->table->header) {
		pad(p->out, '=', width);
		fprintf(p->out, "\n%s\n", p->table->header);
	}
	if (p->table->top_level) {
		pad(p->out, '=', width);
		fputs("\nThis report only display top-level ops statistics\n", p->out);
	}
	print_rule(p);
	print_line(p, &titles);
	print_rule(p);
}

static void add_cell(struct line *line, struct str cell)
{
	line->cells[line->n++] = cell;
}

static struct str time_cell(struct printing *p, double us)
{
	return torch_time(&p->arena, us, p->table->time_unit);
}

/* _format_memory: "1.50 MB", or "1.50 Mb" with `old` units */
static struct str torch_memory(struct arena *arena, int64_t bytes, bool old)
{
	static const char *const units[2][4] = { { "GB", "MB", "KB", "B" },
						 { "Gb", "Mb", "Kb", "b" } };
	double magnitude = fabs((double)bytes), size = 1024.0 * 1024 * 1024;

	for (int i = 0; i < 3; i++, size /= 1024)
		if (magnitude >= size)
			return str_of(arena_printf(arena, "%.2f %s", (double)bytes / size,
						   units[old][i]));
	return str_of(arena_printf(arena, "%" PRId64 " %s", bytes, units[old][3]));
}

static struct str memory_cell(struct printing *p, int64_t bytes)
{
	return torch_memory(&p->arena, bytes, p->table->old_memory_units);
}

static struct str frame_cell(struct printing *p, struct str *stack)
{
	return torch_path(&p->arena, torch_next_frame(p, stack), p->source_width);
}

/* _format_time_share: "93.10%" */
static struct str torch_share(struct arena *arena, double us, double total_us)
{
	if (total_us == 0)
		return STR_LIT("NaN");
	return str_of(arena_printf(arena, "%.2f%%", us * 100.0 / total_us));
}

static void add_device_cells(struct printing *p, const struct torch_row *row,
			     struct line *line)
{
	add_cell(line, time_cell(p, row->self_device_us));
	add_cell(line, torch_share(&p->arena, row->self_device_us, p->self_device_us));
	add_cell(line, time_cell(p, row->total_device_us));
	add_cell(line, time_cell(p, row->total_device_us / (double)row->calls));
}

static void add_memory_cells(struct printing *p, const struct torch_row *row,
			     struct line *line)
{
	add_cell(line, memory_cell(p, row->cpu_bytes));
	add_cell(line, memory_cell(p, row->self_cpu_bytes));
	if (!p->has_device_memory)
		return;
	add_cell(line, memory_cell(p, row->device_bytes));
	add_cell(line, memory_cell(p, row->self_device_bytes));
}

/*
 * The frames behind the first stand alone on lines, in the last column, and an
 * empty line ends them.
 */
static void print_stack(struct printing *p, struct str stack)
{
	struct line line = { .n = p->ncolumns };

	for (int i = 1; stack.n && !(p->table->short_stacks && i >= SHORT_STACK); i++) {
		line.cells[p->ncolumns - 1] = frame_cell(p, &stack);
		print_line(p, &line);
	}
	line.cells[p->ncolumns - 1] = STR_LIT("");
	print_line(p, &line);
}

static void add_name(struct printing *p, struct line *line, int which, struct str name)
{
	add_cell(line, torch_name(&p->arena, visible_name(p, which, name),
				  p->table->max_name_width));
}

static void print_row(struct printing *p, const struct torch_row *row)
{
	struct str stack = row->stack;
	struct line line = { .n = 0 };

	add_name(p, &line, SHOWN_NAME, row->name);
	if (p->has_overloads)
		add_name(p, &line, SHOWN_OVERLOAD, row->overload);
	add_cell(&line, torch_share(&p->arena, row->self_cpu_us, p->self_cpu_us));
	add_cell(&line, time_cell(p, row->self_cpu_us));
	add_cell(&line, row->is_async ? STR_LIT("0")
				      : torch_share(&p->arena, row->total_cpu_us,
						    p->self_cpu_us));
	add_cell(&line, time_cell(p, row->total_cpu_us));
	add_cell(&line, time_cell(p, row->total_cpu_us / (double)row->calls));
	if (p->has_device)
		add_device_cells(p, row, &line);
	if (p->table->memory)
		add_memory_cells(p, row, &line);
	add_cell(&line, PRINTED(p, "%" PRId64, row->calls));
	if (p->has_shapes)
		add_cell(&line, first_of(row->shapes, SHAPES_WIDTH_MAX));
	/* torch has the flops before the stack here, but behind it in the titles */
	if (p->has_flops)
		add_cell(&line, row->flops > 0
					? PRINTED(p, "%8.3f",
						  (double)row->flops * p->flops_scale)
					: STR_LIT("--"));
	if (p->has_stacks)
		add_cell(&line, frame_cell(p, &stack));
	print_line(p, &line);
	if (p->has_stacks)
		print_stack(p, stack);
}

static void print_rows(struct printing *p)
{
	const struct torch_table *t = p->table;
	int64_t nprinted = 0;

	for (size_t i = 0; i < t->nrows && nprinted != t->row_limit; i++) {
		if (t->top_level && t->rows[i].has_parent)
			continue;
		print_row(p, &p->table->rows[i]);
		nprinted++;
	}
}

static void print_foot(struct printing *p)
{
	struct str text = time_cell(p, p->self_cpu_us);

	print_rule(p);
	fprintf(p->out, "Self CPU time total: " STR_FMT "\n", STR_ARG(text));
	if (!p->has_device)
		return;
	text = time_cell(p, p->self_device_us);
	fprintf(p->out, "Self %s time total: " STR_FMT "\n", p->table->device,
		STR_ARG(text));
}

int torch_table_print(const struct torch_table *table, FILE *out, struct err *err)
{
	struct printing p = { .table = table, .out = out };

	for (int i = 0; i < NSHOWN; i++)
		buf_init(&p.shown[i], CELL_MAX);
	if (table->nrows) {
		make_columns(&p);
		print_head(&p);
		print_rows(&p);
		print_foot(&p);
	}
	for (int i = 0; i < NSHOWN; i++)
		buf_release(&p.shown[i]);
	arena_release(&p.arena);
	return render_end(out, err);
}

struct str torch_time(struct arena *arena, double us, const char *unit)
{
	if (unit ? strcmp(unit, "s") == 0 : us >= 1e6)
		return str_of(arena_printf(arena, "%.3fs", us / 1e6));
	if (unit ? strcmp(unit, "ms") == 0 : us >= 1e3)
		return str_of(arena_printf(arena, "%.3fms", us / 1e3));
	return str_of(arena_printf(arena, "%.3fus", us));
}

size_t torch_length(struct str text)
{
	uint32_t code;
	size_t n = 0;

	for (; text.n; n++) {
		size_t bytes = utf8_decode(text, &code);
		text.p += bytes;
		text.n -= bytes;
	}
	return n;
}

struct str torch_name(struct arena *arena, struct str name, int64_t max_width)
{
	size_t max = (size_t)max_width;

	if (max == 0 || torch_length(name) + 3 < max)
		return name;
	struct str kept = first_of(name, max > 3 ? max - 3 : 0);
	return str_of(arena_printf(arena, STR_FMT "...", STR_ARG(kept)));
}

struct str torch_path(struct arena *arena, struct str path, size_t width)
{
	size_t n = torch_length(path);

	if (n <= width)
		return path;
	struct str cut = first_of(path, n - width + 3);
	struct str end = { path.p + cut.n, path.n - cut.n };
	return str_of(arena_printf(arena, "..." STR_FMT, STR_ARG(end)));
}
