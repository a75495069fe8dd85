/*
 * The people's table: aligned columns that fit the terminal.  Text gives way, as the
 * caller shortens it or in its middle; numbers never do.
 */

#include "report/people_draw.h"
#include "report/renderer.h"

#define NORMAL "\033[0m"

/* How a terminal shows pieces. */
static const char *const colors[] = {
	[DRAWN_TEXT] = "",
	[DRAWN_HEADING] = "\033[1m",
	[DRAWN_ROW] = "",
	[DRAWN_NOTE] = "\033[2m",
};

struct stream {
	struct drawing drawing;
	FILE *out;
	bool color;
};

static bool write_piece(struct drawing *d, enum drawn kind, struct str text)
{
	struct stream *s = (struct stream *)d;
	bool is_colored = s->color && colors[kind][0];

	if (is_colored)
		fputs(colors[kind], s->out);
	fwrite(text.p, 1, text.n, s->out);
	fputs(is_colored ? NORMAL "\n" : "\n", s->out);
	return !ferror(s->out);
}

static int table_render(struct table *t, const struct render_opts *opts, FILE *out,
			struct err *err)
{
	struct stream stream = { { write_piece }, out, opts->color };
	struct people people;
	int rc = people_collect(&people, t, err);

	if (rc == 0) {
		people_draw(&people, opts, &stream.drawing);
		rc = render_end(out, err);
	}
	people_release(&people);
	return rc;
}

const struct renderer table_renderer = {
	.name = "table",
	.help = "aligned columns for people, fitted to the terminal",
	.suffix = "txt",
	.has_notes = true,
	.is_for_people = true,
	.render = table_render,
};
