/* Keys of --sort: see sort_keys.h. */
#include "cli/sort_keys.h"

#include "base/memtable.h"
#include "cli/message.h"
#include "cli/suggest.h"

int sort_keys_list(const struct command *self, const struct sort_key *keys,
		   const struct output_opts *output)
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
	int rc = output_table(self->name, &m->table, output, &err);
	table_free(&m->table);
	return rc < 0 ? message_error(self->name, NULL, &err) : EXIT_OK;
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
