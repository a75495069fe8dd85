/*
 * The whole answer as one JSON object, streamed: what only the end of the rows
 * can tell (total_rows) comes after them.  One row a line, so that diff and grep
 * work on it too.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/renderer.h"

static void write_head(FILE *out, const char *command, const struct table *t,
		       const char *const *keys)
{
	fputs("{\"command\":", out);
	if (command)
		json_text_str(out, str_of(command));
	else
		fputs("null", out);
	fputs(",\"columns\":[", out);
	for (size_t i = 0; i < t->ncolumns; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		json_text_str(out, str_of(keys[i]));
		fprintf(out, ",\"unit\":\"%s\"}", units_word(t->columns[i].unit));
	}
	fputs("],\n\"rows\":[", out);
}

static void write_tail(FILE *out, const struct table *t)
{
	fputs("],\n\"total_rows\":", out);
	if (t->total_rows < 0)
		fputs("null", out);
	else
		fprintf(out, "%" PRId64, t->total_rows);
	fputs(",\"notes\":[", out);
	for (size_t i = 0; t->notes && t->notes[i]; i++) {
		if (i)
			putc(',', out);
		json_text_str(out, str_of(t->notes[i]));
	}
	fputs("]}\n", out);
}

static int json_render(struct table *t, const struct render_opts *opts, FILE *out,
		       struct err *err)
{
	struct arena arena = { 0 };
	const char *const *keys = json_text_keys(&arena, t);
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	bool is_first = true;
	int rc = 0;

	write_head(out, opts->command, t, keys);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		fputs(is_first ? "\n" : ",\n", out);
		json_text_row(out, t, keys, cells);
		is_first = false;
	}
	if (rc == 0) {
		if (!is_first)
			putc('\n', out);
		write_tail(out, t);
	}
	free(cells);
	arena_release(&arena);
	return rc < 0 ? -1 : render_end(out, err);
}

const struct renderer json_renderer = {
	.name = "json",
	.help = "one JSON object with columns, rows and notes",
	.suffix = "json",
	.render = json_render,
};
