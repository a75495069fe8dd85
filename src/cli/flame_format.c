/* What ptool flame draws into: see flame_format.h. */
#include "cli/flame_format.h"

#include <string.h>

#include "report/flame_svg.h"
#include "report/flame_text.h"
#include "report/page_flame.h"

static int write_text(const struct flame *flame, const struct flame_draw *draw,
		      struct output *out, struct err *err)
{
	struct buf text;

	(void)err;
	buf_init(&text, SIZE_MAX);
	flame_text_draw(flame, draw, &text);
	output_picture(out, buf_str(&text));
	buf_release(&text);
	return 0;
}

static int write_svg(const struct flame *flame, const struct flame_draw *draw,
		     struct output *out, struct err *err)
{
	(void)err;
	flame_svg_draw(flame, draw, out->stream);
	return 0;
}

/* The call tree of a report, alone in a page. */
static int write_html(const struct flame *flame, const struct flame_draw *draw,
		      struct output *out, struct err *err)
{
	struct buf title;
	struct page page;

	buf_init(&title, SIZE_MAX);
	flame_words_title(draw->title, &title);
	page_init(&page, title.p);
	page_tab(&page, "flame", "Call tree");
	int rc = page_flame(&page, "flame-graph", flame, draw, err);
	if (rc == 0)
		rc = page_write(&page, out->stream, err);
	page_release(&page);
	buf_release(&title);
	return rc;
}

const struct flame_format flame_formats[] = {
	{ .name = "text", .suffix = ".txt", .write = write_text },
	{ .name = "svg", .suffix = ".svg", .write = write_svg },
	{ .name = "html", .suffix = ".html", .has_both = true, .write = write_html },
	{ .name = NULL },
};

static bool ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && strcmp(path + n - m, suffix) == 0;
}

const struct flame_format *flame_format_choose(const char *to,
					       const struct output_opts *o,
					       struct err *err)
{
	const struct flame_format *f;

	if (!to && output_to_stdout(o))
		return flame_formats;
	for (f = flame_formats; f->name; f++)
		if (to ? strcmp(f->name, to) == 0 : ends_with(o->path, f->suffix))
			return f;
	err_set(err, ERR_USAGE,
		"%s: no picture format has this suffix; name one with "
		"--to",
		o->path);
	return NULL;
}
