/* The rows alone, one JSON object a line: for jq, and for loading elsewhere. */
#include <stdlib.h>

#include "base/alloc.h"
#include "report/json_text.h"
#include "report/renderer.h"
#include "report/table_keys.h"

static int ndjson_render(struct table *t, const struct render_opts *opts, FILE *out,
			 struct err *err)
{
	struct arena arena = { 0 };
	const char *const *keys = table_keys(&arena, t);
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	struct writer w = { .out = out };
	int rc = 0;

	(void)opts;
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		json_text_row(&w, t, keys, cells);
		writer_byte(&w, '\n');
		writer_flush(&w);
	}
	free(cells);
	arena_release(&arena);
	return rc < 0 ? -1 : render_end(out, err);
}

const struct renderer ndjson_renderer = {
	.name = "ndjson",
	.help = "one JSON object per line, rows only",
	.suffix = "ndjson jsonl",
	.render = ndjson_render,
};
