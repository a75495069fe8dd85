/* Flame graphs in the terminal: see flame_text.h. */
#include "report/flame_text.h"

#include "base/utf8.h"
#include "report/flame_color.h"
#include "report/flame_places.h"

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

struct picture {
	const struct flame *flame;
	const struct flame_draw *draw;
	struct buf *out;
	struct flame_places places;
	struct buf label, name;
};

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
static uint32_t named_by(const struct picture *p, const struct flame_box *box)
{
	const struct flame_node *nodes = p->flame->nodes;

	for (uint32_t i = 0; i <= box->chain && nodes[box->node].kind == FLAME_PYTHON;
	     i++)
		if (nodes[box->node - i].kind == FLAME_MODULE)
			return box->node - i;
	return box->node;
}

/* As many callers of the chain as there is room for, then its last. */
static void add_chain(struct picture *p, const struct flame_box *box, size_t cells)
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

static void make_label(struct picture *p, const struct flame_box *box, size_t cells)
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
static void draw_box(struct picture *p, const struct flame_box *box)
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

	for (size_t i = 0; i < p->places.n; i++) {
		const struct flame_box *box = &p->places.boxes[i];
		/* amounts that stick at the end of their range may overlap */
		if (box->row != row || box->to <= box->from || box->from < at)
			continue;
		buf_add_blanks(p->out, box->from - at);
		draw_box(p, box);
		at = box->to;
	}
	buf_add_char(p->out, '\n');
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
		if (column > 0 && column + 1 + cells > p->places.width) {
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
	if (p->places.nsmall > 0) {
		buf_addf(out, "%s %zu call%s too small to draw: ", REST_FILL,
			 p->places.nsmall, p->places.nsmall == 1 ? " is" : "s are");
		flame_words_share(p->flame, p->places.small, out);
		buf_add_text(out,
			     p->draw->width < 200 ? "; -o flame.svg draws more\n" : "\n");
	}
	if (p->places.nchains > 0)
		buf_addf(out, "a › b: %zu box%s a chain of calls, to save lines\n",
			 p->places.nchains, p->places.nchains == 1 ? " is" : "es are");
	if (p->places.deeper > 0)
		buf_addf(out,
			 "%u deeper level%s not drawn; --root-at NAME starts lower\n",
			 (unsigned)p->places.deeper,
			 p->places.deeper == 1 ? " is" : "s are");
}

void flame_text_draw(const struct flame *flame, const struct flame_draw *draw,
		     struct buf *out)
{
	struct picture p = { .flame = flame,
			     .draw = draw,
			     .out = out,
			     .places = { .flame = flame, .draw = draw } };
	struct buf caption, notes;

	buf_init(&p.label, SIZE_MAX);
	buf_init(&p.name, SIZE_MAX);
	buf_init(&caption, SIZE_MAX);
	buf_init(&notes, SIZE_MAX);
	flame_words_caption(flame, draw, &caption);
	flame_words_notes(flame, draw, &notes);
	size_t around = LINES_AROUND + lines_of(&notes) + 3;
	p.places.width = (size_t)(draw->width > 1 ? draw->width : 1);
	p.places.levels = draw->height == 0 ? LEVELS_MAX
			  : (size_t)draw->height > around + LEVELS_LEAST
				  ? (size_t)draw->height - around
				  : LEVELS_LEAST;
	flame_places_fill(&p.places);
	add_wrapped(&p, buf_str(&caption));
	for (size_t row = 0; row < p.places.rows; row++)
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
	flame_places_release(&p.places);
}
