/*
 * The whole answer as one JSON object, streamed: what only the end of the rows
 * can tell (total_rows) comes after them.  One row a line, so that diff and grep
 * work on it too.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/units.h"
#include "report/json_text.h"
#include "report/renderer.h"
#include "report/table_keys.h"

static void write_head(struct writer *w, const char *command, const struct table *t,
		       const char *const *keys)
{
	writer_str(w, STR_LIT("{\"command\":"));
	if (command)
		json_text_str(w, str_of(command));
	else
		writer_str(w, STR_LIT("null"));
	writer_str(w, STR_LIT(",\"columns\":["));
	for (size_t i = 0; i < t->ncolumns; i++) {
		if (i)
			writer_byte(w, ',');
		writer_str(w, STR_LIT("{\"name\":"));
		json_text_str(w, str_of(keys[i]));
		writer_str(w, STR_LIT(",\"unit\":"));
		json_text_str(w, str_of(units_word(t->columns[i].unit)));
		writer_byte(w, '}');
	}
	writer_str(w, STR_LIT("],\n\"rows\":["));
}

static void write_status(struct writer *w, const char *status)
{
	writer_str(w, STR_LIT(",\"status\":"));
	json_text_str(w, str_of(status));
}

static void write_tail(struct writer *w, const struct table *t)
{
	writer_str(w, STR_LIT("],\n\"total_rows\":"));
	const struct cell total =
		t->total_rows < 0 ? cell_null() : cell_int(t->total_rows);
	json_text_cell(w, UNIT_COUNT, &total);
	writer_str(w, STR_LIT(",\"notes\":["));
	for (size_t i = 0; t->notes && t->notes[i]; i++) {
		if (i)
			writer_byte(w, ',');
		json_text_str(w, str_of(t->notes[i]));
	}
	writer_str(w, STR_LIT("]"));
	if (t->total_rows == 0 && t->status)
		write_status(w, t->status);
	writer_str(w, STR_LIT("}\n"));
}

static int json_render(struct table *t, const struct render_opts *opts, FILE *out,
		       struct err *err)
{
	struct arena arena = { 0 };
	const char *const *keys = table_keys(&arena, t);
	struct cell *cells = xcalloc(t->ncolumns, sizeof(*cells));
	struct writer w = { .out = out };
	bool is_first = true;
	int rc = 0;

	write_head(&w, opts->command, t, keys);
	while (!ferror(out) && (rc = t->next(t, cells, err)) > 0) {
		writer_str(&w, is_first ? STR_LIT("\n") : STR_LIT(",\n"));
		json_text_row(&w, t, keys, cells);
		writer_flush(&w);
		is_first = false;
	}
	if (rc == 0) {
		if (!is_first)
			writer_byte(&w, '\n');
		write_tail(&w, t);
	}
	writer_flush(&w);
	free(cells);
	arena_release(&arena);
	return rc < 0 ? -1 : render_end(out, err);
}

static void json_nothing(const char *command, const char *status, const char *message,
			 FILE *out)
{
	struct writer w = { .out = out };

	writer_str(&w, STR_LIT("{\"command\":"));
	json_text_str(&w, str_of(command));
	writer_str(&w,
		   STR_LIT(",\"columns\":[],\"rows\":[],\"total_rows\":0,\"notes\":["));
	json_text_str(&w, str_of(message));
	writer_str(&w, STR_LIT("]"));
	write_status(&w, status);
	writer_str(&w, STR_LIT("}\n"));
	writer_flush(&w);
}

const struct renderer json_renderer = {
	.name = "json",
	.help = "one JSON object with columns, rows and notes",
	.suffix = "json",
	.has_notes = true,
	.render = json_render,
	.nothing = json_nothing,
};
