/* Keys of --sort: see sort_keys.h. */
#include "cli/sort_keys.h"

#include "base/buf.h"
#include "base/memtable.h"
#include "cli/message.h"
#include "cli/suggest.h"
#include "cli/terminal.h"

static void add_functions_note(struct memtable *m, const struct sort_key *keys)
{
	struct buf names;

	buf_init(&names, ERR_TEXT_MAX);
	for (const struct sort_key *k = keys; k->name; k++)
		buf_addf(&names, "%s%s", k == keys ? "" : ", ", k->name);
	memtable_add_note(m, "functions of a call graph are sorted by " STR_FMT,
			  STR_ARG(buf_str(&names)));
	buf_release(&names);
}

int sort_keys_list(const struct command *self, const struct sort_key *keys,
		   const struct sort_key *functions, const struct output_opts *output)
{
	static const struct column columns[] = {
		{ "key", "Key", UNIT_TEXT },
		{ "also", "Also", UNIT_TEXT },
		{ "what", "Sorts by", UNIT_TEXT },
	};
	struct memtable *m = memtable_new(columns, 3);
	struct err err = ERR_INIT;

	for (const struct sort_key *k = keys; k->name; k++) {
		const struct cell cells[] = {
			cell_text(str_of(k->name)),
			cell_text_or_null(k->also),
			cell_text(str_of(k->what)),
		};
		memtable_add_row(m, cells);
	}
	if (functions)
		add_functions_note(m, functions);
	/* a reference has no words to spare, but a terminal has its width */
	struct output_opts whole = *output;
	whole.wide |= !terminal_is(STDOUT_FILENO);
	int rc = output_table(self->name, &m->table, &whole, &err);
	table_free(&m->table);
	return rc < 0 ? message_error(self->name, NULL, &err) : EXIT_OK;
}

const char *sort_keys_at(const struct sort_key *keys, size_t i)
{
	size_t n = 0;

	while (keys[n].name)
		n++;
	if (i < n)
		return keys[i].name;
	return i == n ? OPT_LISTS : NULL;
}

int sort_keys_find(const char *name, const struct sort_key *keys,
		   const struct sort_key **out, struct err *err)
{
	struct arena arena = { 0 };

	*out = name ? sort_key_find(keys, name) : NULL;
	if (name && !*out)
		suggest_unknown(err, "sort key", name, sort_key_names(keys, &arena));
	arena_release(&arena);
	return name && !*out ? -1 : 0;
}
