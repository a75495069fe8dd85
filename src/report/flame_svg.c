/*
 * Flame graphs as SVG: see flame_svg.h.  A box is a group of a title, which is its
 * tooltip, a rectangle and a label; the script moves and hides them.  Names are text.
 */
#include "report/flame_svg.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/asset.h"
#include "base/sum.h"
#include "base/units.h"
#include "base/utf8.h"
#include "report/flame_color.h"
#include "report/xml_put.h"

#define WIDTH       1200.0
#define MARGIN      10.0
#define ROW         18.0
#define TOP         58.0 /* of the first row: caption and buttons above */
#define LINE        17.0 /* of notes */
#define CELL        7.23 /* of a letter */
#define PADDING     3.0
#define LABEL_LEAST 3
#define LEVELS_MAX  400
#define BOXES_MAX   10000
#define WIDTH_LEAST 0.1 /* of a box, where there are no more than BOXES_MAX */
#define NAME_CELLS  400

struct svg {
	const struct flame *flame;
	const struct flame_draw *draw;
	struct xml x;
	double scale; /* of an amount */
	double least; /* amount of a box that is drawn */
	size_t nsmall;
	int64_t small;   /* amount of boxes that are not drawn */
	uint32_t levels; /* that are drawn */
	struct buf text, name;
	struct str *names;  /* owned: by text, as they are shown; p NULL: not yet */
	struct arena arena; /* of these */
};

static bool is_drawn(const struct svg *s, const struct flame_node *node)
{
	return (double)flame_total(s->flame, node) >= s->least &&
	       node->depth < LEVELS_MAX;
}

/* How many boxes have this amount at least; subtrees that have not are passed over. */
static size_t count_boxes(struct svg *s)
{
	const struct flame *f = s->flame;
	size_t n = 0;

	s->nsmall = 0;
	s->small = 0;
	s->levels = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct flame_node *node = &f->nodes[i];
		if (is_drawn(s, node)) {
			n++;
			s->levels = node->depth > s->levels ? node->depth : s->levels;
			continue;
		}
		if (flame_total(f, node) > 0) {
			s->small = sum_add(s->small, flame_total(f, node));
			s->nsmall++;
		}
		i += node->span - 1;
	}
	return n;
}

/* From which amount on boxes are drawn. */
static void choose_least(struct svg *s)
{
	double whole = (double)flame_total(s->flame, &s->flame->nodes[FLAME_ROOT]);

	s->scale = whole > 0 ? (WIDTH - 2 * MARGIN) / whole : 0;
	s->least = s->scale > 0 ? WIDTH_LEAST / s->scale : 1;
	if (whole * s->draw->min_pct / 100.0 > s->least)
		s->least = whole * s->draw->min_pct / 100.0;
	if ((double)s->draw->min_amount > s->least)
		s->least = (double)s->draw->min_amount;
	while (count_boxes(s) > BOXES_MAX)
		s->least *= 1.5;
}

/* Names are shortened once: a long one may be that of every box. */
static struct str visible_name(struct svg *s, const struct flame_node *node)
{
	struct str *name;

	if (node == s->flame->nodes)
		return STR_LIT("all");
	name = &s->names[node->name];
	if (!name->p) {
		buf_clear(&s->text);
		buf_clear(&s->name);
		utf8_add_visible(&s->text, intern_str(&s->flame->texts, node->name));
		utf8_add_shortened(&s->name, buf_str(&s->text), NAME_CELLS);
		*name = arena_copy(&s->arena, buf_str(&s->name));
	}
	return *name;
}

/* The name, and in a second line what it took. */
static void put_title(struct svg *s, const struct flame_node *node, struct str name)
{
	const struct flame_sums *sums = &node->side[FLAME_NOW];
	char count[UNITS_TEXT_MAX];

	buf_clear(&s->text);
	buf_add_str(&s->text, name);
	buf_add_text(&s->text, "\n");
	flame_words_amount(s->flame, flame_total(s->flame, node), &s->text);
	buf_add_text(&s->text, " (");
	flame_words_share(s->flame, flame_total(s->flame, node), &s->text);
	buf_add_text(&s->text, "), self ");
	flame_words_amount(s->flame, sums->self[s->flame->by], &s->text);
	bool is_counted = s->flame->is_sampled && s->flame->unit == UNIT_COUNT;
	if (sums->calls > 0 && s->flame->has_calls && node->depth > 0 && !is_counted) {
		buf_add_text(&s->text, s->flame->is_sampled ? ", samples " : ", calls ");
		buf_add_str(&s->text,
			    units_text(UNIT_COUNT, cell_int(sums->calls), count));
	}
	if (s->flame->has_base) {
		buf_add_text(&s->text, "; ");
		flame_words_change(s->flame, node, &s->text);
		if (flame_base(s->flame, node) > 0) {
			buf_add_text(&s->text, " from ");
			flame_words_amount(s->flame, flame_base(s->flame, node),
					   &s->text);
		}
	}
	xml_begin(&s->x, "title");
	xml_text(&s->x, buf_str(&s->text));
	xml_end(&s->x, "title");
}

static void put_fill(struct svg *s, int color)
{
	char text[16];

	snprintf(text, sizeof(text), "#%06x", flame_colors[color].rgb);
	xml_value(&s->x, "fill", str_of(text));
}

static void put_label(struct svg *s, const struct flame_node *node, struct str name,
		      double left, double width)
{
	size_t cells = (size_t)((width - 2 * PADDING) / CELL);

	if (width < 2 * PADDING + LABEL_LEAST * CELL)
		return;
	buf_clear(&s->text);
	if (s->flame->has_base) {
		int color = flame_color_of(s->flame, node);
		buf_add_text(&s->text, color == FLAME_SAME  ? ""
				       : color > FLAME_SAME ? "+"
							    : "-");
		cells--;
	}
	s->draw->shorten(&s->text, name, cells);
	xml_begin(&s->x, "text");
	xml_number(&s->x, "x", left + PADDING);
	xml_number(&s->x, "y", TOP + node->depth * ROW + ROW - 5);
	xml_text(&s->x, buf_str(&s->text));
	xml_end(&s->x, "text");
}

static void put_box(struct svg *s, const struct flame_node *node, double start,
		    bool is_odd)
{
	double left = MARGIN + (start * s->scale);
	double width = (double)flame_total(s->flame, node) * s->scale;
	struct str name = visible_name(s, node);

	xml_begin(&s->x, "g");
	put_title(s, node, name);
	xml_begin(&s->x, "rect");
	xml_number(&s->x, "x", left);
	xml_number(&s->x, "y", TOP + node->depth * ROW);
	xml_number(&s->x, "width", width);
	xml_number(&s->x, "height", ROW - 1);
	put_fill(s, flame_color_of(s->flame, node));
	if (is_odd)
		xml_value(&s->x, "fill-opacity", STR_LIT("0.78"));
	xml_end(&s->x, "rect");
	put_label(s, node, name, left, width);
	xml_end(&s->x, "g");
	writer_byte(s->x.w, '\n');
}

/* Of each level: where its next box begins, and whether that is an odd sibling. */
struct level {
	double start;
	bool is_odd;
};

/* In preorder; a box begins where its sibling before it ends. */
static void put_boxes(struct svg *s)
{
	const struct flame *f = s->flame;
	struct level *levels = xcalloc(s->levels + 2U, sizeof(*levels));

	xml_begin(&s->x, "g");
	xml_value(&s->x, "id", STR_LIT("boxes"));
	for (size_t i = 0; i < f->n; i++) {
		const struct flame_node *node = &f->nodes[i];
		if (!is_drawn(s, node)) {
			i += node->span - 1;
			continue;
		}
		struct level *level = &levels[node->depth];
		put_box(s, node, level->start, level->is_odd);
		level[1] = (struct level){ .start = level->start };
		level->start += (double)flame_total(f, node);
		level->is_odd = !level->is_odd;
	}
	xml_end(&s->x, "g");
	free(levels);
}

static void put_line(struct svg *s, const char *id, double x, double y, struct str text)
{
	xml_begin(&s->x, "text");
	if (id)
		xml_value(&s->x, "id", str_of(id));
	xml_number(&s->x, "x", x);
	xml_number(&s->x, "y", y);
	if (text.n > 0)
		xml_text(&s->x, text);
	xml_end(&s->x, "text");
	writer_byte(s->x.w, '\n');
}

static void put_mark(struct svg *s, double *x, double y, int color, const char *word)
{
	xml_begin(&s->x, "rect");
	xml_number(&s->x, "x", *x);
	xml_number(&s->x, "y", y - 11);
	xml_number(&s->x, "width", 12);
	xml_number(&s->x, "height", 12);
	put_fill(s, color);
	xml_end(&s->x, "rect");
	put_line(s, NULL, *x + 16, y, str_of(word));
	*x += 16 + ((double)strlen(word) + 2) * CELL;
}

/* What the colours mean, of those that are there. */
static void put_legend(struct svg *s, double y)
{
	static const char *const changes[] = { "half or less", "-20%", "-5%",
					       "-1%",          "same", "+1%",
					       "+5%",          "+25%", "twice or more" };
	bool has[NFLAME_KINDS] = { false };
	double x = MARGIN;

	if (s->flame->has_base) {
		for (int i = 0; i < NFLAME_COLORS - FLAME_CHANGE_COLORS; i++)
			put_mark(s, &x, y, FLAME_CHANGE_COLORS + i, changes[i]);
		return;
	}
	for (size_t i = 1; i < s->flame->n; i++)
		has[s->flame->nodes[i].kind] |= is_drawn(s, &s->flame->nodes[i]);
	for (int kind = 0; kind < NFLAME_KINDS; kind++)
		if (has[kind] && kind != FLAME_PYTHON)
			put_mark(s, &x, y, FLAME_KIND_COLORS + kind,
				 flame_kind_names[kind]);
	for (int i = 0; has[FLAME_PYTHON] && i < FLAME_FOLDERS; i++)
		put_mark(s, &x, y, i, i == FLAME_FOLDERS - 1 ? "Python, by folder" : "");
}

static void add_notes(struct svg *s, struct buf *notes)
{
	flame_words_notes(s->flame, s->draw, notes);
	if (s->nsmall > 0) {
		buf_addf(notes,
			 "%zu boxes are too small or too deep to draw: ", s->nsmall);
		flame_words_share(s->flame, s->small, notes);
		buf_add_text(notes, "\n");
	}
}

static void put_notes(struct svg *s, struct str notes, double y)
{
	while (notes.n > 0) {
		const char *end = memchr(notes.p, '\n', notes.n);
		size_t n = end ? (size_t)(end - notes.p) : notes.n;
		put_line(s, NULL, MARGIN, y, (struct str){ notes.p, n });
		notes = str_behind(notes, end ? n + 1 : n);
		y += LINE;
	}
}

static void put_asset(struct svg *s, const char *element, const unsigned char *bytes,
		      unsigned long n)
{
	xml_begin(&s->x, element);
	xml_text(&s->x, str_bytes(bytes, n));
	xml_end(&s->x, element);
	writer_byte(s->x.w, '\n');
}

static void put_root(struct svg *s, double height, struct str caption)
{
	char box[64];

	snprintf(box, sizeof(box), "0 0 %g %g", WIDTH, height);
	xml_begin(&s->x, "svg");
	xml_value(&s->x, "xmlns", STR_LIT("http://www.w3.org/2000/svg"));
	xml_number(&s->x, "width", WIDTH);
	xml_number(&s->x, "height", height);
	xml_value(&s->x, "viewBox", str_of(box));
	xml_value(&s->x, "role", STR_LIT("img"));
	xml_begin(&s->x, "title");
	xml_text(&s->x, caption);
	xml_end(&s->x, "title");
	writer_byte(s->x.w, '\n');
}

static void put_all(struct svg *s, struct str caption, const struct buf *notes)
{
	double bottom = TOP + (s->levels + 1) * ROW + LINE, lines = 2;

	for (size_t i = 0; i < notes->n; i++)
		lines += notes->p[i] == '\n';
	put_root(s, bottom + lines * LINE + MARGIN, caption);
	put_asset(s, "style", asset_report_assets_svg_flame_css,
		  asset_report_assets_svg_flame_css_len);
	xml_begin(&s->x, "rect");
	xml_value(&s->x, "id", STR_LIT("back"));
	xml_value(&s->x, "width", STR_LIT("100%"));
	xml_value(&s->x, "height", STR_LIT("100%"));
	xml_end(&s->x, "rect");
	put_line(s, "caption", MARGIN, 22, caption);
	put_line(s, "detail", MARGIN, 45, STR_LIT(""));
	put_line(s, "search", WIDTH - MARGIN - 130, 22, STR_LIT(""));
	put_line(s, "reset", WIDTH - MARGIN, 22, STR_LIT(""));
	put_boxes(s);
	put_legend(s, bottom);
	put_notes(s, buf_str(notes), bottom + 1.5 * LINE);
	put_asset(s, "script", asset_report_assets_svg_flame_js,
		  asset_report_assets_svg_flame_js_len);
	xml_end(&s->x, "svg");
	writer_byte(s->x.w, '\n');
}

void flame_svg_draw(const struct flame *flame, const struct flame_draw *draw, FILE *out)
{
	struct writer w = { .out = out };
	struct svg s = { .flame = flame, .draw = draw, .x = { .w = &w } };
	struct buf caption, notes;

	s.names = xcalloc(flame->texts.n + 1, sizeof(*s.names));
	buf_init(&s.text, SIZE_MAX);
	buf_init(&s.name, SIZE_MAX);
	buf_init(&caption, SIZE_MAX);
	buf_init(&notes, SIZE_MAX);
	choose_least(&s);
	flame_words_caption(flame, draw, &caption);
	add_notes(&s, &notes);
	put_all(&s, buf_str(&caption), &notes);
	writer_flush(&w);
	free(s.names);
	arena_release(&s.arena);
	buf_release(&s.text);
	buf_release(&s.name);
	buf_release(&caption);
	buf_release(&notes);
}
