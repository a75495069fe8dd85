/*
 * Flame graphs in the terminal: see flame_text.h.  A box is as many cells wide as its
 * share of the width, and its children lie below it.  Where the largest child left takes
 * less than a cell, it and its smaller siblings are one stretch of dots.
 */
#include "report/flame_text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "base/utf8.h"
#include "report/flame_color.h"

#define LEVELS_MAX     60 /* without a height */
#define LEVELS_LEAST   5
#define LINES_AROUND   3  /* the caption, a blank line and the prompt */
#define NAME_LEAST     12 /* cells of a name that a share stands behind */
#define LABEL_LEAST    3
#define BOX_START      "▌"
#define BOX_EDGE       "▏"
#define BOX_FILL       "░"
#define REST_FILL      "┈"
#define CHAIN_SIGN     " › "
#define CALLER_CELLS   20
#define ELLIPSIS       "…" CHAIN_SIGN
#define ELLIPSIS_CELLS 4

struct box {
	size_t row;
	size_t from, to;      /* cells */
	uint32_t node;        /* of a chain its last */
	uint32_t chain;       /* nodes above it that have the same box */
	bool is_rest, is_odd; /* too small to draw; of neighbours every other one */
};

struct picture {
	const struct flame *flame;
	const struct flame_draw *draw;
	struct buf *out;
	struct box *boxes; /* owned */
	size_t n, cap, levels, width;
	bool folds; /* callers that call one function alone share its box */
	size_t nsmall, nchains;
	int64_t small;
	uint32_t deeper; /* levels that found no room */
	struct buf label, name;
};

static size_t cell_of(const struct picture *p, int64_t amount)
{
	double whole = (double)flame_total(p->flame, &p->flame->nodes[FLAME_ROOT]);

	return (size_t)(((double)amount * (double)p->width / whole) + 0.5);
}

static bool is_small(const struct picture *p, int64_t total)
{
	double whole = (double)flame_total(p->flame, &p->flame->nodes[FLAME_ROOT]);

	return total < p->draw->min_amount || (double)total * (double)p->width < whole ||
	       (double)total * 100.0 < whole * p->draw->min_pct;
}

/* The only child that is drawn, where it has the same cells; FLAME_ROOT: none. */
static uint32_t only_child(const struct picture *p, uint32_t at, int64_t start)
{
	const struct flame_node *node = &p->flame->nodes[at];
	int64_t total = flame_total(p->flame, node);

	if (node->span < 2 || at == FLAME_ROOT)
		return FLAME_ROOT;
	int64_t child = flame_total(p->flame, &p->flame->nodes[at + 1]);
	bool is_same =
		cell_of(p, sum_add(start, child)) == cell_of(p, sum_add(start, total));
	return is_same && !is_small(p, child) ? at + 1 : FLAME_ROOT;
}

static uint32_t levels_below(const struct flame *flame, uint32_t at)
{
	uint32_t depth = flame->nodes[at].depth, most = depth;

	for (uint32_t i = at; i < at + flame->nodes[at].span; i++)
		if (flame->nodes[i].depth > most && flame_total(flame, &flame->nodes[i]))
			most = flame->nodes[i].depth;
	return most - depth;
}

static void put_box(struct picture *p, uint32_t at, int64_t start, size_t row,
		    bool is_odd);

static void put_rest(struct picture *p, uint32_t at, uint32_t end, int64_t start,
		     size_t row)
{
	int64_t sum = 0;

	for (uint32_t i = at; i < end; i += p->flame->nodes[i].span) {
		int64_t total = flame_total(p->flame, &p->flame->nodes[i]);
		sum = sum_add(sum, total);
		p->nsmall += total > 0;
	}
	p->small = sum_add(p->small, sum);
	const struct box rest = { .row = row,
				  .from = cell_of(p, start),
				  .to = cell_of(p, sum_add(start, sum)),
				  .is_rest = true };
	if (rest.to > rest.from)
		*ARRAY_PUSH(p->boxes, p->n, p->cap) = rest;
}

static void put_children(struct picture *p, uint32_t at, int64_t start, size_t row)
{
	const struct flame_node *nodes = p->flame->nodes;
	uint32_t end = at + nodes[at].span;
	bool is_odd = false;

	for (uint32_t i = at + 1; i < end; i += nodes[i].span) {
		int64_t total = flame_total(p->flame, &nodes[i]);
		if (is_small(p, total)) {
			put_rest(p, i, end, start, row);
			return;
		}
		put_box(p, i, start, row, is_odd);
		start = sum_add(start, total);
		is_odd = !is_odd;
	}
}

/* Recursive, at most as deep as there are lines. */
static void put_box(struct picture *p, uint32_t at, int64_t start, size_t row,
		    bool is_odd)
{
	struct box box = {
		.row = row,
		.from = cell_of(p, start),
		.to = cell_of(
			p, sum_add(start, flame_total(p->flame, &p->flame->nodes[at]))),
		.node = at,
		.is_odd = is_odd
	};
	uint32_t child;

	while (p->folds && (child = only_child(p, box.node, start)) != FLAME_ROOT) {
		box.node = child;
		box.chain++;
	}
	p->nchains += box.chain > 0;
	*ARRAY_PUSH(p->boxes, p->n, p->cap) = box;
	if (row + 1 < p->levels) {
		put_children(p, box.node, start, row + 1);
		return;
	}
	uint32_t below = levels_below(p->flame, box.node);
	if (below > p->deeper)
		p->deeper = below;
}

static void place(struct picture *p, bool folds)
{
	p->n = p->nsmall = p->nchains = 0;
	p->small = 0;
	p->deeper = 0;
	p->folds = folds;
	put_box(p, FLAME_ROOT, 0, 0, false);
}

/* Into p->name. */
static struct str visible_name(struct picture *p, uint32_t at)
{
	const struct flame *f = p->flame;

	buf_clear(&p->name);
	if (at == FLAME_ROOT)
		buf_add_text(&p->name, "all");
	else
		utf8_add_visible(&p->name, intern_str(&f->texts, f->nodes[at].name));
	return buf_str(&p->name);
}

/* A caller in a chain, cut to a word or two; how many cells it takes with its sign. */
static size_t caller_cells(struct picture *p, uint32_t at, struct buf *out)
{
	buf_clear(out);
	p->draw->shorten(out, visible_name(p, at), CALLER_CELLS);
	buf_add_text(out, CHAIN_SIGN);
	return utf8_width(buf_str(out));
}

/*
 * The node that names a box of little room: of a chain its last, but the nn.Module rather
 * than its "forward".
 */
static uint32_t named_by(const struct picture *p, const struct box *box)
{
	const struct flame_node *nodes = p->flame->nodes;

	for (uint32_t i = 0; i <= box->chain && nodes[box->node].kind == FLAME_PYTHON;
	     i++)
		if (nodes[box->node - i].kind == FLAME_MODULE)
			return box->node - i;
	return box->node;
}

/* As many callers of the chain as there is room for, then its last. */
static void add_chain(struct picture *p, const struct box *box, size_t cells)
{
	size_t used = utf8_width(visible_name(p, box->node));
	uint32_t from = box->node, first = box->node - box->chain;
	uint32_t named = named_by(p, box);
	struct buf caller;

	buf_init(&caller, SIZE_MAX);
	while (from > first) {
		size_t more = caller_cells(p, from - 1, &caller);
		size_t sign = from - 1 == first ? 0 : ELLIPSIS_CELLS;
		if (used + more + sign > cells)
			break;
		used += more;
		from--;
	}
	if (from > named) {
		p->draw->shorten(&p->label, visible_name(p, named), cells);
		buf_release(&caller);
		return;
	}
	if (from > first && cells > NAME_LEAST) {
		buf_add_text(&p->label, ELLIPSIS);
		cells -= ELLIPSIS_CELLS;
	}
	for (; from < box->node; from++) {
		cells -= caller_cells(p, from, &caller);
		buf_add_str(&p->label, buf_str(&caller));
	}
	p->draw->shorten(&p->label, visible_name(p, box->node), cells);
	buf_release(&caller);
}

/* What stands behind a name: its share, or its change. */
static void add_figure(const struct picture *p, const struct flame_node *node,
		       struct buf *out)
{
	buf_add_char(out, ' ');
	if (p->flame->has_base)
		flame_words_change(p->flame, node, out);
	else
		flame_words_share(p->flame, flame_total(p->flame, node), out);
}

/* A comparison says by a sign what the colour says, however small the box is. */
static char sign_of(const struct picture *p, const struct flame_node *node)
{
	int color = flame_color_of(p->flame, node);

	if (color == FLAME_SAME)
		return '=';
	return color > FLAME_SAME ? '+' : '-';
}

static void make_label(struct picture *p, const struct box *box, size_t cells)
{
	const struct flame_node *node = &p->flame->nodes[box->node];
	struct buf figure;

	buf_clear(&p->label);
	buf_init(&figure, SIZE_MAX);
	add_figure(p, node, &figure);
	if (p->flame->has_base && cells > 0) {
		buf_add_char(&p->label, sign_of(p, node));
		cells--;
	}
	bool has_figure = cells >= NAME_LEAST + figure.n ||
			  (box->node != FLAME_ROOT && box->chain == 0 &&
			   cells >= utf8_width(visible_name(p, box->node)) + figure.n);
	if (has_figure)
		cells -= figure.n;
	size_t before = p->label.n;
	if (cells >= LABEL_LEAST)
		add_chain(p, box, cells);
	/* of nothing but what was cut out there is nothing to read */
	if (str_is(str_behind(buf_str(&p->label), before), "…"))
		p->label.n = before;
	if (has_figure)
		buf_add_str(&p->label, buf_str(&figure));
	buf_release(&figure);
}

static void fill(struct buf *out, const char *with, size_t cells)
{
	while (cells-- > 0)
		buf_add_text(out, with);
}

/* Colour tells a box from its neighbour; without it a line in front and a pattern do. */
static void draw_box(struct picture *p, const struct box *box)
{
	const struct flame_node *node = &p->flame->nodes[box->node];
	size_t cells = box->to - box->from;
	bool color = p->draw->color;

	if (box->is_rest) {
		fill(p->out, REST_FILL, cells);
		return;
	}
	make_label(p, box, cells - 1);
	if (color)
		buf_addf(p->out, "\x1b[38;5;16;48;5;%dm",
			 flame_colors[flame_color_of(p->flame, node)]
				 .terminal[box->is_odd]);
	buf_add_text(p->out, !color ? BOX_START : p->flame->has_base ? BOX_EDGE : " ");
	buf_add_str(p->out, buf_str(&p->label));
	cells -= 1 + utf8_width(buf_str(&p->label));
	fill(p->out, color ? " " : BOX_FILL, cells);
	if (color)
		buf_add_text(p->out, "\x1b[0m");
}

static void draw_row(struct picture *p, size_t row)
{
	size_t at = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct box *box = &p->boxes[i];
		/* amounts that stick at the end of their range may overlap */
		if (box->row != row || box->to <= box->from || box->from < at)
			continue;
		buf_add_blanks(p->out, box->from - at);
		draw_box(p, box);
		at = box->to;
	}
	buf_add_char(p->out, '\n');
}

static size_t rows_of(const struct picture *p)
{
	size_t rows = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->boxes[i].row + 1 > rows)
			rows = p->boxes[i].row + 1;
	return rows;
}

/* Sentences, broken between words. */
static void add_wrapped(struct picture *p, struct str text)
{
	size_t column = 0;

	while (text.n > 0) {
		size_t n = 0;
		while (n < text.n && text.p[n] != ' ' && text.p[n] != '\n')
			n++;
		const struct str word = { text.p, n };
		size_t cells = utf8_width(word);
		if (column > 0 && column + 1 + cells > p->width) {
			buf_add_char(p->out, '\n');
			column = 0;
		} else if (column > 0) {
			buf_add_char(p->out, ' ');
			column++;
		}
		buf_add_str(p->out, word);
		column += cells;
		bool is_end = n < text.n && text.p[n] == '\n';
		if (is_end) {
			buf_add_char(p->out, '\n');
			column = 0;
		}
		text = str_behind(text, n < text.n ? n + 1 : n);
	}
	if (column > 0)
		buf_add_char(p->out, '\n');
}

static size_t lines_of(const struct buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->n; i++)
		n += text->p[i] == '\n';
	return n;
}

/* What this picture leaves out, and what draws it. */
static void note_small(const struct picture *p, struct buf *out)
{
	if (p->nsmall > 0) {
		buf_addf(out, "%s %zu call%s too small to draw: ", REST_FILL, p->nsmall,
			 p->nsmall == 1 ? " is" : "s are");
		flame_words_share(p->flame, p->small, out);
		buf_add_text(out,
			     p->draw->width < 200 ? "; -o flame.svg draws all\n" : "\n");
	}
	if (p->nchains > 0)
		buf_addf(out, "a › b: %zu box%s a chain of calls, to save lines\n",
			 p->nchains, p->nchains == 1 ? " is" : "es are");
	if (p->deeper > 0)
		buf_addf(out,
			 "%u deeper level%s not drawn; --root-at NAME starts lower\n",
			 (unsigned)p->deeper, p->deeper == 1 ? " is" : "s are");
}

void flame_text_draw(const struct flame *flame, const struct flame_draw *draw,
		     struct buf *out)
{
	struct picture p = { .flame = flame,
			     .draw = draw,
			     .out = out,
			     .width = (size_t)(draw->width > 1 ? draw->width : 1) };
	struct buf caption, notes;

	buf_init(&p.label, SIZE_MAX);
	buf_init(&p.name, SIZE_MAX);
	buf_init(&caption, SIZE_MAX);
	buf_init(&notes, SIZE_MAX);
	flame_words_caption(flame, draw, &caption);
	flame_words_notes(flame, draw, &notes);
	size_t around = LINES_AROUND + lines_of(&notes) + 3;
	p.levels = draw->height == 0 ? LEVELS_MAX
		   : (size_t)draw->height > around + LEVELS_LEAST
			   ? (size_t)draw->height - around
			   : LEVELS_LEAST;
	place(&p, false);
	if (p.deeper > 0)
		place(&p, true);
	add_wrapped(&p, buf_str(&caption));
	for (size_t row = 0, rows = rows_of(&p); row < rows; row++)
		draw_row(&p, row);
	note_small(&p, &notes);
	if (notes.n > 0) {
		buf_add_char(out, '\n');
		add_wrapped(&p, buf_str(&notes));
	}
	buf_release(&p.label);
	buf_release(&p.name);
	buf_release(&caption);
	buf_release(&notes);
	free(p.boxes);
}
