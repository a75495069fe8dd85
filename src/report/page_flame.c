/* Flame graphs in pages: see page_flame.h. */
#include "report/page_flame.h"

#include "base/units.h"
#include "report/flame_color.h"
#include "report/json_text.h"
#include "report/page_blob.h"
#include "report/page_columns.h"
#include "report/page_flame_table.h"

#define SHORT_CELLS 23 /* of a name that has a short form, too */

/* Columns of nodes: of all, and of each side. */
enum { DEPTH, NAME, COLOR, NCOLUMNS };
enum { CALLS, SELF, NSIDE_COLUMNS = SELF + NFLAME_AMOUNTS };

static void write_columns(struct page_column *columns, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		page_column_write(&columns[i], out);
		page_column_release(&columns[i]);
	}
}

static uint64_t natural(int64_t number)
{
	return number > 0 ? (uint64_t)number : 0;
}

static void add_side(const struct flame *flame, enum flame_side side, struct buf *out)
{
	struct page_column columns[NSIDE_COLUMNS] = { { .planes[0].n = 0 } };

	for (size_t i = 0; i < flame->n; i++) {
		const struct flame_sums *sums = &flame->nodes[i].side[side];
		page_column_add(&columns[CALLS], natural(sums->calls));
		for (int k = 0; k < NFLAME_AMOUNTS; k++)
			page_column_add(&columns[SELF + k], natural(sums->self[k]));
	}
	write_columns(columns, NSIDE_COLUMNS, out);
}

static void add_nodes(const struct flame *flame, struct buf *out)
{
	struct page_column columns[NCOLUMNS] = { { .planes[0].n = 0 } };
	struct flame plain =
		*flame; /* colours of kinds; changes are drawn from amounts */

	plain.has_base = false;
	page_number_write(flame->n, out);
	for (size_t i = 0; i < flame->n; i++) {
		const struct flame_node *node = &flame->nodes[i];
		int color = i == FLAME_ROOT ? FLAME_KIND_COLORS
					    : flame_color_of(&plain, node);
		page_column_add(&columns[DEPTH], node->depth);
		page_column_add(&columns[NAME], i == FLAME_ROOT ? 0 : node->name);
		page_column_add(&columns[COLOR], (uint64_t)color);
	}
	write_columns(columns, NCOLUMNS, out);
	add_side(flame, FLAME_NOW, out);
	if (flame->has_base)
		add_side(flame, FLAME_BASE, out);
}

static void put(struct writer *w, const char *text)
{
	writer_str(w, str_of(text));
}

static void put_flag(struct writer *w, const char *key, bool is)
{
	put(w, key);
	put(w, is ? "true" : "false");
}

static void put_number(struct writer *w, int64_t number)
{
	char text[UNITS_TEXT_MAX];

	writer_str(w, units_integer(number, text));
}

static void put_names(struct writer *w, const struct flame *flame,
		      const struct flame_draw *draw)
{
	const char *between = "";
	struct buf name;

	buf_init(&name, SIZE_MAX);
	put(w, ",\n\"names\":[");
	for (uint32_t i = 0; i < flame->texts.n; i++) {
		put(w, i ? ",\n" : "");
		json_text_str(w, intern_str(&flame->texts, i));
	}
	put(w, "],\n\"short\":{");
	for (uint32_t i = 0; i < flame->texts.n; i++) {
		struct str whole = intern_str(&flame->texts, i);
		buf_clear(&name);
		draw->shorten(&name, whole, SHORT_CELLS);
		if (str_equal(buf_str(&name), whole))
			continue;
		put(w, between);
		between = ",\n";
		writer_byte(w, '"');
		put_number(w, i);
		put(w, "\":");
		json_text_str(w, buf_str(&name));
	}
	put(w, "}}\n");
	buf_release(&name);
}

/* One for each amount. */
static void put_captions(struct writer *w, const struct flame *flame,
			 const struct flame_draw *draw)
{
	static const char *const keys[NFLAME_AMOUNTS] = { "{\"host\":", ",\"device\":" };
	struct flame other = *flame;
	struct buf caption;

	buf_init(&caption, SIZE_MAX);
	put(w, ",\"captions\":");
	for (int k = 0; k < NFLAME_AMOUNTS; k++) {
		other.by = (enum flame_amount)k;
		buf_clear(&caption);
		flame_words_caption(&other, draw, &caption);
		put(w, keys[k]);
		json_text_str(w, buf_str(&caption));
	}
	put(w, "}");
	buf_release(&caption);
}

static void put_meta(struct writer *w, const struct flame *flame,
		     const struct flame_draw *draw)
{
	put(w, "{\"unit\":\"");
	put(w, units_word(flame->unit));
	put(w, "\",\"decimals\":");
	put_number(w, flame->decimals);
	put(w, flame->by == FLAME_DEVICE ? ",\"by\":\"device\"" : ",\"by\":\"host\"");
	put_captions(w, flame, draw);
	put_flag(w, ",\"hasDevice\":", flame->has_device);
	put_flag(w, ",\"hasBase\":", flame->has_base);
	put_flag(w, ",\"hasCalls\":", flame->has_calls);
	put_flag(w, ",\"isSampled\":", flame->is_sampled);
	put_names(w, flame, draw);
}

static void add_notes(struct page *p, const struct flame *flame,
		      const struct flame_draw *draw)
{
	struct buf notes;

	buf_init(&notes, SIZE_MAX);
	flame_words_notes(flame, draw, &notes);
	for (struct str rest = buf_str(&notes); rest.n > 0;) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t n = end ? (size_t)(end - rest.p) : rest.n;
		page_part(p->body, "note",
			  PAGE_SLOTS(PAGE_TEXT("text", ((struct str){ rest.p, n }))));
		rest = str_behind(rest, end ? n + 1 : n);
	}
	buf_release(&notes);
}

static void add_data(struct page *p, const char *id, const struct flame *flame,
		     const struct flame_draw *draw)
{
	struct page_stream meta;
	struct buf nodes;

	page_stream_open(&meta);
	struct writer w = { .out = meta.out };
	put_meta(&w, flame, draw);
	writer_flush(&w);
	buf_init(&nodes, SIZE_MAX);
	buf_addf(&nodes, "%s-meta", id);
	page_data(p->data, nodes.p, page_stream_text(&meta));
	buf_clear(&nodes);
	add_nodes(flame, &nodes);
	page_blob(p->data, id, (struct bytes){ (const uint8_t *)nodes.p, nodes.n });
	buf_release(&nodes);
	page_stream_release(&meta);
	p->has_data = true;
}

int page_flame(struct page *p, const char *id, const struct flame *flame,
	       const struct flame_draw *draw, struct err *err)
{
	struct buf caption;

	buf_init(&caption, SIZE_MAX);
	flame_words_caption(flame, draw, &caption);
	const struct page_slot *slots = PAGE_SLOTS(PAGE_TEXT("title", buf_str(&caption)),
						   PAGE_TEXT("id", str_of(id)));
	page_part_open(p->body, "flame", slots);
	add_notes(p, flame, draw);
	page_part_close(p->body, "flame");
	add_data(p, id, flame, draw);
	buf_release(&caption);
	return page_flame_table(p, "table-flame", flame, draw, err);
}
