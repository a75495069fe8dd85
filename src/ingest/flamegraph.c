/*
 * Flame graphs as pictures (SVG) of flamegraph.pl, inferno and so py-spy: a group for each
 * frame, whose title has its name and its samples, and whose rectangle says what it lies on.
 *
 *	<g><title>load (data.py:12) (1,204 samples, 8.31%)</title>
 *	<rect x="0.0000%" y="84" width="8.3103%" height="15" fg:x="0" fg:w="1204"/></g>
 *
 * Stacks with samples of their own come back from that.  Sources: FlameGraph's
 * flamegraph.pl, inferno's src/flamegraph/mod.rs.
 */
#include "ingest/flamegraph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/decimal.h"
#include "ingest/json.h"
#include "ingest/tell.h"
#include "ingest/xml.h"

#define BOM          "\xef\xbb\xbf"
#define PLACE_DIGITS 6 /* behind the point of a place */
#define COUNT_TEXT   64
#define TICK_TOKENS  65536
#define FRAMES_MAX   ((size_t)UINT32_MAX - 1)

/* What a title says. */
struct title {
	struct str name, unit;
	int64_t count;
	bool is_all;
};

struct group {
	struct flamegraph *f;
	struct xml_reader x;
	struct buf name, title; /* entities undone */
	struct str text; /* the newest title's; n 0: none waits for its rectangle */
	uint64_t text_at;
	const char *start; /* of the picture */
	uint64_t again_at; /* another picture behind the frames begins there, or 0 */
	bool is_title, is_heading;
};

/* "1,204" */
static bool count_of(struct str text, int64_t *count)
{
	char digits[COUNT_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == ',')
			continue;
		if (n == sizeof(digits))
			return false;
		digits[n++] = text.p[i];
	}
	return n && decimal_text_int((struct str){ digits, n }, count) == DECIMAL_OK &&
	       *count >= 0;
}

/* The place of the last `part`, or SIZE_MAX. */
static size_t last_of(struct str text, struct str part)
{
	for (size_t n = text.n + 1; n-- > part.n;)
		if (memcmp(text.p + n - part.n, part.p, part.n) == 0)
			return n - part.n;
	return SIZE_MAX;
}

/* "name (1,204 samples, 8.31%)"; of a difference of two "...%; +0.20%)". */
static bool parse_title(struct str text, struct title *t)
{
	size_t open = last_of(text, STR_LIT(" ("));

	if (open == SIZE_MAX || text.n < open + 4 ||
	    memcmp(text.p + text.n - 2, "%)", 2) != 0)
		return false;
	struct str inner = { text.p + open + 2, text.n - open - 3 };
	size_t comma = last_of(inner, STR_LIT(", "));
	if (comma == SIZE_MAX)
		return false;
	struct str share = str_behind(inner, comma + 2);
	inner.n = comma;
	const char *blank = memchr(inner.p, ' ', inner.n);
	struct str number = { inner.p, blank ? (size_t)(blank - inner.p) : inner.n };
	t->name = (struct str){ text.p, open };
	t->unit = str_behind(inner, number.n + (blank != NULL));
	t->is_all = str_is(t->name, "all") && str_starts_with(share, STR_LIT("100%"));
	return count_of(number, &t->count);
}

/* "10.5" and "36.0825%" in millionths. */
static bool place_of(struct str text, int64_t *out)
{
	unsigned decimals;

	if (text.n && text.p[text.n - 1] == '%')
		text.n--;
	enum stacks_number is = stacks_number(text, out, &decimals);
	if (is != STACKS_NUMBER && is != STACKS_ROUNDED)
		return false;
	for (; decimals > PLACE_DIGITS; decimals--)
		*out /= 10;
	for (; decimals < PLACE_DIGITS; decimals++)
		if (__builtin_mul_overflow(*out, 10, out))
			return false;
	return true;
}

static bool span_of(const struct xml_token *rect, const char *const names[2],
		    bool (*number)(struct str text, int64_t *out), struct flame_span *out)
{
	struct str start, width;

	return xml_attribute(rect, names[0], &start) &&
	       xml_attribute(rect, names[1], &width) && number(start, &out->start) &&
	       number(width, &out->width);
}

/* The rectangle behind a title: a frame.  What is none is passed over. */
static int add_frame(struct group *g, const struct xml_token *rect, struct err *err)
{
	static const char *const drawn[2] = { "x", "width" }, *const exact[2] = {
		"fg:x", "fg:w"
	};
	struct flamegraph *f = g->f;
	struct flame_frame frame = { .offset = g->text_at };
	struct title title;
	struct str x, y;

	if (!parse_title(g->text, &title) || !xml_attribute(rect, "y", &y) ||
	    !place_of(y, &frame.y) || !span_of(rect, drawn, place_of, &frame.drawn))
		return 0;
	if (g->again_at)
		return err_at(err, g->again_at, "the file has a second picture");
	if (f->nframes == 0)
		f->unit = intern_str(&f->names, intern_add(&f->names, title.unit));
	else if (!str_equal(f->unit, title.unit))
		return err_at(err, g->text_at,
			      "a frame counts '" STR_FMT "', others '" STR_FMT "'",
			      STR_ARG(title.unit), STR_ARG(f->unit));
	if (f->nframes == FRAMES_MAX)
		return err_at(err, g->text_at, "too many frames");
	f->has_pixels |= xml_attribute(rect, "x", &x) && !memchr(x.p, '%', x.n);
	frame.has_exact = span_of(rect, exact, count_of, &frame.exact);
	frame.count = title.count;
	frame.is_all = title.is_all;
	frame.text = intern_add(&f->names, title.name);
	*ARRAY_PUSH(f->frames, f->nframes, f->frames_cap) = frame;
	return 0;
}

/* What stands above the picture: py-spy writes its command line there. */
static void keep_heading(struct group *g, struct str text)
{
	if (text.n && !json_bad_utf8(text))
		tell_text(g->f->stacks.sink, STR_LIT("title"), text);
}

static int take_token(struct group *g, enum xml_kind kind, const struct xml_token *t,
		      struct err *err)
{
	struct str id;
	int rc = 0;

	if (kind == XML_TEXT && g->is_title) {
		g->text = xml_unescape(t->text, &g->title);
		g->text_at = (uint64_t)(t->start - g->start);
	} else if (kind == XML_TEXT && g->is_heading) {
		keep_heading(g, xml_unescape(t->text, &g->name));
	} else if (kind == XML_OPEN && str_is(t->name, "rect") && g->text.n) {
		rc = add_frame(g, t, err);
		g->text.n = 0;
	} else if (kind == XML_CLOSE && str_is(t->name, "g")) {
		g->text.n = 0;
	}
	g->is_title = kind == XML_OPEN && str_is(t->name, "title") && !t->is_empty;
	g->is_heading = kind == XML_OPEN && str_is(t->name, "text") && !t->is_empty &&
			xml_attribute(t, "id", &id) && str_is(id, "title");
	return rc;
}

static int read_text(struct group *g, struct err *err)
{
	struct sink *sink = g->f->stacks.sink;
	struct xml_token token;
	enum xml_kind kind;
	int64_t open = 0; /* pictures */

	for (uint64_t n = 1; (kind = xml_next(&g->x, &token)) != XML_END; n++) {
		bool is_svg = str_is(token.name, "svg");
		if (is_svg && kind == XML_OPEN && open <= 0 && g->f->nframes)
			g->again_at = (uint64_t)(token.start - g->start);
		if (is_svg)
			open += kind == XML_OPEN ? !token.is_empty : -1;
		if (take_token(g, kind, &token, err) < 0)
			return -1;
		if (n % TICK_TOKENS == 0 &&
		    sink->tick(sink, (uint64_t)(g->x.p - g->start), g->f->size, err) < 0)
			return -1;
	}
	g->f->is_cut = open > 0;
	return 0;
}

/* What else is to be said. */
static int tell_findings(struct flamegraph *f, struct input *in, struct err *err)
{
	const char *damage = input_damage(in);

	if (damage && stacks_tell(&f->stacks, FINDING_COMPRESSION, input_offset(in),
				  str_of(damage), err) < 0)
		return -1;
	if (f->is_cut &&
	    stacks_tell(&f->stacks, FINDING_TRUNCATED, f->size, STR_LIT(""), err) < 0)
		return -1;
	if (input_is_utf16(in) &&
	    stacks_tell(&f->stacks, FINDING_UTF16, 0, STR_LIT(""), err) < 0)
		return -1;
	return f->is_narrowed ? stacks_tell(&f->stacks, FINDING_FRAMES_LEFT_OUT, 0,
					    STR_LIT(""), err)
			      : 0;
}

static int finish(struct flamegraph *f, struct input *in, struct err *err)
{
	if (f->nframes == 0)
		return err_at(err, f->is_cut ? f->size : 0, "%s",
			      f->is_cut ? "the picture is cut off before its first frame"
					: "the flame graph has no frame");
	uint32_t *callers = xcalloc(f->nframes, sizeof(*callers));
	f->numbers = xcalloc(f->names.n, sizeof(*f->numbers));
	memset(f->numbers, 0xff, f->names.n * sizeof(*f->numbers));
	int rc = flame_place(f, callers, err);
	if (rc == 0)
		rc = tell_findings(f, in, err);
	if (rc == 0)
		rc = flame_tell(f, callers, err);
	free(callers);
	if (rc == 0)
		stacks_end(&f->stacks, "flamegraph");
	return rc;
}

static int read_picture(struct flamegraph *f, struct str text, struct err *err)
{
	struct group g = { .f = f, .x = { text.p, text.p + text.n }, .start = text.p };

	buf_init(&g.name, SIZE_MAX);
	buf_init(&g.title, SIZE_MAX);
	int rc = read_text(&g, err);
	buf_release(&g.name);
	buf_release(&g.title);
	return rc;
}

static int flamegraph_read(struct input *in, const struct read_options *options,
			   struct sink *sink, struct err *err)
{
	struct flamegraph f = { .size = 0 };
	struct bytes bytes;

	if (input_whole(in, "a picture", &bytes, err) < 0)
		return -1;
	f.size = bytes.n;
	stacks_init(&f.stacks, sink, options);
	intern_init(&f.names);
	int rc = read_picture(&f, (struct str){ (const char *)bytes.p, bytes.n }, err);
	if (rc == 0)
		rc = finish(&f, in, err);
	stacks_release(&f.stacks);
	intern_release(&f.names);
	free(f.frames);
	free(f.numbers);
	free(f.sampled);
	return rc;
}

/* A picture in which a title counts something, or that says what it is. */
static enum probe flamegraph_probe(struct bytes head)
{
	struct str text = { (const char *)head.p, head.n };

	if (str_starts_with(text, STR_LIT(BOM)))
		text = str_behind(text, sizeof(BOM) - 1);
	while (text.n && json_is_blank(text.p[0]))
		text = str_behind(text, 1);
	if (!str_starts_with(text, STR_LIT("<")) || !str_contains(text, STR_LIT("<svg")))
		return PROBE_NO;
	bool is_one = str_contains(text, STR_LIT("%)</title>")) ||
		      str_contains(text, STR_LIT("Flame graph stack visualization")) ||
		      str_contains(text, STR_LIT("xmlns:fg=")) ||
		      str_contains(text, STR_LIT("total_samples="));
	return is_one ? PROBE_SURE : PROBE_NO;
}

const struct reader flamegraph_reader = {
	.name = "flamegraph",
	.help = "flame graphs as SVG: flamegraph.pl, inferno, py-spy",
	.probe = flamegraph_probe,
	.read = flamegraph_read,
	.is_print = true,
};
