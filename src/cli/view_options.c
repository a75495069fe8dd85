/* Options of views: see view_options.h. */
#include "cli/view_options.h"

#include <string.h>

#include "base/buf.h"
#include "cli/message.h"
#include "cli/suggest.h"

const char *view_options_sort_at(const void *view, size_t i)
{
	const char *key = view_sort_at(view, i);

	if (key || i == 0)
		return key;
	return view_sort_at(view, i - 1) ? OPT_LISTS : NULL;
}

const char *view_options_by_at(const void *view, size_t i)
{
	return view_by_at(view, i);
}

bool view_options_want_help(const struct view_opts *o)
{
	return o->sort && strcmp(o->sort, OPT_LISTS) == 0;
}

static void add_functions_note(struct memtable *m, const struct view *functions)
{
	struct buf names;
	const char *name;

	buf_init(&names, ERR_TEXT_MAX);
	for (size_t i = 0; (name = view_sort_at(functions, i)) != NULL; i++)
		buf_addf(&names, "%s%s", i ? ", " : "", name);
	memtable_add_note(m, "functions of a call graph are sorted by " STR_FMT,
			  STR_ARG(buf_str(&names)));
	buf_release(&names);
}

int view_options_help_both(const struct command *self, const struct view *view,
			   const struct view *functions, const struct output_opts *output)
{
	static const struct column columns[] = {
		{ "key", "Key", UNIT_TEXT },
		{ "also", "Also", UNIT_TEXT },
		{ "what", "Sorts by", UNIT_TEXT },
	};
	struct memtable *m = memtable_new(columns, 3);
	struct err err = ERR_INIT;

	for (const struct field *f = view->fields; f->name; f++) {
		const struct cell cells[] = {
			cell_text(str_of(f->name)),
			cell_text_or_null(f->also),
			cell_text_or_null(f->help),
		};
		if (view_sorts_by(f))
			memtable_add_row(m, cells);
	}
	/* a reference has no words to spare: a terminal folds its lines */
	struct output_opts whole = *output;
	whole.wide = true;
	if (functions)
		add_functions_note(m, functions);
	int rc = output_table(self->name, &m->table, &whole, &err);
	table_free(&m->table);
	return rc < 0 ? message_error(self->name, NULL, &err) : EXIT_OK;
}

int view_options_help(const struct command *self, const struct view *view,
		      const struct output_opts *output)
{
	return view_options_help_both(self, view, NULL, output);
}

static int find_key(const struct view *view, const char *name, struct view_request *out,
		    struct err *err)
{
	struct arena arena = { 0 };

	out->sort = view_field_asked(view, out, name);
	if (!out->sort)
		suggest_unknown(err, "sort key", name, view_sort_names(view, &arena));
	arena_release(&arena);
	if (!out->sort)
		return -1;
	if (view_has(out, out->sort))
		return 0;
	const char *with = strstr(out->sort->help, ", with --");
	return with ? err_set(err, ERR_USAGE, "--sort %s needs %s", name,
			      with + strlen(", with "))
		    : err_set(err, ERR_USAGE, "--sort %s: this table has no such column",
			      name);
}

int view_options_read(const struct view_opts *o, const struct view *view,
		      struct view_request *out, struct err *err)
{
	out->limit = o->limit;
	if (o->limit < 0)
		out->limit = out->for_people ? -o->limit : 0;
	out->reverse = o->reverse;
	out->sort = NULL;
	return o->sort ? find_key(view, o->sort, out, err) : 0;
}
