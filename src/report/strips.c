/* Rows of cells over time: see strips.h. */
#include "report/strips.h"

#include <inttypes.h>
#include <string.h>

#include "base/bars.h"
#include "base/buf.h"
#include "base/utf8.h"

#define TICK_CELLS  9  /* from one tick of the ruler to the next, at least */
#define NAME_CELLS  6  /* a letter and a name have so many, or it is the letter alone */
#define LABEL_CELLS 24 /* a name is repeated, or another's turn, after so many */
#define NORMAL      "\033[0m"

struct strips_draw {
	const struct strips *strips;
	const struct render_opts *opts;
	struct drawing *to;
	struct buf line;
	int color; /* that the line is in; -1: none */
};

static void end_line(struct strips_draw *d)
{
	while (d->line.n && d->line.p[d->line.n - 1] == ' ')
		d->line.n--;
	if (d->color >= 0)
		buf_add_text(&d->line, NORMAL);
	d->color = -1;
	d->to->piece(d->to, DRAWN_TEXT, buf_str(&d->line));
	buf_clear(&d->line);
}

/* What follows is in the colour of the kind; NULL: in none. */
static void set_color(struct strips_draw *d, const struct strip_kind *kind)
{
	int color = kind ? kind->color : -1;

	if (!d->opts->color || color == d->color)
		return;
	if (color < 0)
		buf_add_text(&d->line, NORMAL);
	else
		buf_addf(&d->line, "\033[38;5;%dm", color);
	d->color = color;
}

/* 1, 2 or 5 times a power of ten, at least so many ns. */
static int64_t tick_of(int64_t least_ns)
{
	int64_t power = 1;

	while (power <= INT64_MAX / 100 && power * 10 <= least_ns)
		power *= 10;
	if (least_ns <= power)
		return power;
	return least_ns <= power * 2   ? power * 2
	       : least_ns <= power * 5 ? power * 5
				       : power * 10;
}

/* "421.5ms": as --time takes it, in a unit in which the tick has few digits. */
static void add_time(struct buf *out, int64_t ns, int64_t tick_ns, int64_t last_ns)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" }
	};
	size_t at = 0;

	/* a unit that is at most 100 ticks, unless all times are below it */
	while (at < 3 && (units[at].ns / 100 > tick_ns || units[at].ns > last_ns))
		at++;
	int64_t part = units[at].ns, rest = ns % part;
	buf_addf(out, "%" PRId64, ns / part);
	int64_t unit = part;
	for (char dot = '.'; unit > tick_ns && unit > 1; dot = 0) {
		if (dot)
			buf_add_char(out, dot);
		unit /= 10;
		buf_add_char(out, (char)('0' + rest / unit % 10));
	}
	buf_add_text(out, units[at].name);
}

/* The cell in which a moment of the axis lies. */
static size_t cell_at(const struct strips *s, int64_t ns)
{
	double share = (double)(ns - s->from_ns) / (double)(s->to_ns - s->from_ns);

	return (size_t)(share * (double)s->ncells);
}

static void draw_ruler(struct strips_draw *d)
{
	const struct strips *s = d->strips;
	int64_t length_ns = s->to_ns - s->from_ns;
	int64_t least_ns = (int64_t)((double)length_ns / (double)s->ncells * TICK_CELLS);
	int64_t tick_ns = tick_of(least_ns > 1 ? least_ns : 1);
	int64_t at_ns = s->from_ns - s->from_ns % tick_ns;
	size_t from = d->line.n + s->label_cells + 1;
	struct buf time;

	if (at_ns < s->from_ns)
		at_ns += tick_ns;
	buf_init(&time, 64);
	for (; at_ns < s->to_ns; at_ns += tick_ns) {
		size_t cell = cell_at(s, at_ns);
		buf_clear(&time);
		add_time(&time, at_ns, tick_ns, s->to_ns);
		if (cell + 1 + time.n <= s->ncells && from + cell >= d->line.n) {
			buf_add_blanks(&d->line, from + cell - d->line.n);
			buf_addf(&d->line, "|" STR_FMT, STR_ARG(buf_str(&time)));
		}
		if (at_ns > INT64_MAX - tick_ns)
			break;
	}
	buf_release(&time);
	end_line(d);
}

static const struct strip_kind *kind_of(const struct strips *s,
					const struct strip_cell *cell)
{
	return cell->share > 0 ? &s->kinds[cell->kind] : NULL;
}

static void draw_blocks(struct strips_draw *d, const struct strip *strip)
{
	const struct strips *s = d->strips;
	struct buf label;

	buf_init(&label, SIZE_MAX);
	utf8_add_shortened(&label, strip->label, s->label_cells);
	buf_add_str(&d->line, buf_str(&label));
	buf_add_blanks(&d->line, s->label_cells - utf8_width(buf_str(&label)) + 1);
	buf_release(&label);
	for (size_t i = 0; i < s->ncells; i++) {
		if (strip->cells[i].share > 0)
			set_color(d, kind_of(s, &strip->cells[i]));
		bars_add_cover(&d->line, strip->cells[i].share);
	}
	end_line(d);
}

/* The name that covers most of the stretch; empty: none. */
static struct str main_name(const struct strip_cell *cells, size_t n)
{
	struct str name = { "", 0 };
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double share = 0;
		for (size_t k = i; k < n; k++)
			if (str_equal(cells[k].name, cells[i].name))
				share += cells[k].share;
		if (share > most && cells[i].name.n) {
			most = share;
			name = cells[i].name;
		}
	}
	return name;
}

/* "K gemm    " in n cells: those of one kind. */
static void draw_stretch(struct strips_draw *d, const struct strip_cell *cells, size_t n)
{
	const struct strip_kind *kind = kind_of(d->strips, cells);
	struct str name = main_name(cells, n);
	struct buf visible;

	set_color(d, kind);
	buf_add_char(&d->line, kind->letter);
	if (n < NAME_CELLS || !name.n) {
		buf_add_blanks(&d->line, n - 1);
		return;
	}
	buf_init(&visible, SIZE_MAX);
	utf8_add_visible(&visible, name);
	set_color(d, NULL);
	buf_add_char(&d->line, ' ');
	size_t from = d->line.n;
	if (d->opts->shorten)
		d->opts->shorten(&d->line, buf_str(&visible), n - 3);
	else
		utf8_add_shortened(&d->line, buf_str(&visible), n - 3);
	struct str shown = str_behind(buf_str(&d->line), from);
	buf_add_blanks(&d->line, n - 2 - utf8_width(shown));
	buf_release(&visible);
}

static void draw_names(struct strips_draw *d, const struct strip *strip)
{
	const struct strips *s = d->strips;
	size_t end;

	buf_add_blanks(&d->line, s->label_cells + 1);
	for (size_t i = 0; i < s->ncells; i = end) {
		const struct strip_kind *kind = kind_of(s, &strip->cells[i]);
		for (end = i + 1; end < s->ncells && end - i < LABEL_CELLS &&
				  kind_of(s, &strip->cells[end]) == kind;
		     end++)
			;
		if (kind)
			draw_stretch(d, &strip->cells[i], end - i);
		else
			buf_add_blanks(&d->line, end - i);
	}
	end_line(d);
}

static bool is_drawn(const struct strips *s, size_t kind)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->ncells; k++)
			if (s->items[i].cells[k].share > 0 &&
			    s->items[i].cells[k].kind == kind)
				return true;
	return false;
}

/* "Letters: K kernel  o operator", in as many lines as it takes. */
static void draw_legend(struct strips_draw *d)
{
	const struct strips *s = d->strips;
	size_t width = d->opts->width > 0 ? (size_t)d->opts->width : SIZE_MAX;
	size_t at = strlen(s->legend);

	buf_add_text(&d->line, s->legend);
	for (size_t i = 0; i < s->nkinds; i++) {
		const struct strip_kind *kind = &s->kinds[i];
		if (!kind->name || !is_drawn(s, i))
			continue;
		size_t cells = strlen(kind->name) + 4;
		if (at + cells > width) {
			end_line(d);
			at = 0;
		}
		buf_add_text(&d->line, at ? "  " : "");
		set_color(d, kind);
		buf_add_char(&d->line, kind->letter);
		set_color(d, NULL);
		buf_addf(&d->line, " %s", kind->name);
		at += cells;
	}
	end_line(d);
}

void strips_draw(const struct strips *s, const struct render_opts *opts,
		 struct drawing *to)
{
	struct strips_draw d = { .strips = s, .opts = opts, .to = to, .color = -1 };

	buf_init(&d.line, SIZE_MAX / 2);
	draw_ruler(&d);
	for (size_t i = 0; i < s->n; i++) {
		draw_blocks(&d, &s->items[i]);
		draw_names(&d, &s->items[i]);
	}
	end_line(&d);
	draw_legend(&d);
	buf_release(&d.line);
}
