/*
 * words: what ptool knows by name in traces, a word a line after its kind, for
 * tests/cli/man.bats: "category", "arg", "xprof_arg", "entry" or "dialect".
 */
#include <stdio.h>

#include "ingest/kineto.h"
#include "ingest/xprof.h"
#include "trace/category.h"
#include "trace/torch_dialect.h"

static const char *category_name_at(size_t i)
{
	const struct category *category = category_at(i);

	return category ? category->name.p : NULL;
}

static const struct list {
	const char *kind;
	const char *(*at)(size_t i);
} lists[] = {
	{ "category", category_name_at },     { "arg", kineto_arg_at },
	{ "xprof_arg", xprof_arg_at },        { "entry", kineto_entry_at },
	{ "dialect", torch_dialect_name_at },
};

int main(void)
{
	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		const char *word;
		for (size_t i = 0; (word = lists[k].at(i)); i++)
			printf("%s %s\n", lists[k].kind, word);
	}
	return 0;
}
