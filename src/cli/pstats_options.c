/* What the options of `ptool pstats` mean: see pstats_options.h. */
#include "cli/pstats_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "cli/message.h"
#include "cli/suggest.h"

/* --sort help: the keys as a table of its own. */
int pstats_list_keys(const char *command, const struct output_opts *output)
{
	static const struct column columns[] = {
		{ "key", "Key", UNIT_TEXT },
		{ "what", "Sorts by", UNIT_TEXT },
	};
	struct output_opts as_table = *output;
	struct memtable *m = memtable_new(columns, 2);
	struct err err = ERR_INIT;

	if (output->format && strcmp(output->format, PSTATS_FORMAT) == 0)
		as_table.format = NULL;
	for (const struct callgraph_key *k = callgraph_keys; k->name; k++)
		memtable_add_row(m, (const struct cell[]){ cell_text(str_of(k->name)),
							   cell_text(str_of(k->what)) });
	int rc = output_table(command, &m->table, &as_table, &err);
	table_free(&m->table);
	return rc < 0 ? message_error(command, NULL, &err) : EXIT_OK;
}

static int unknown_key(const char *word, struct err *err)
{
	const char *names[CALLGRAPH_KEYS_MAX];
	size_t n = 0;

	for (const struct callgraph_key *k = callgraph_keys; k->name; k++)
		names[n++] = k->name;
	names[n] = NULL;
	return suggest_unknown(err, "sort key", word, names);
}

static int add_key(struct callgraph_order *order, const char *word, bool is_only,
		   struct err *err)
{
	const struct callgraph_key *key = callgraph_key_find(word, is_only);

	if (!key)
		return unknown_key(word, err);
	if (order->n == CALLGRAPH_KEYS_MAX)
		return err_set(err, ERR_USAGE, "more than %d sort keys",
			       CALLGRAPH_KEYS_MAX);
	order->keys[order->n++] = key;
	return 0;
}

/* "a,b" and "c" are three keys. */
int pstats_parse_sort(const struct opt_strings *texts, struct callgraph_order *order,
		      struct err *err)
{
	bool is_only = texts->n == 1 && !strchr(texts->items[0], ',');
	int rc = 0;

	for (size_t i = 0; i < texts->n && rc == 0; i++) {
		char *copy = xstrdup(texts->items[i]), *word = copy;
		while (word && rc == 0) {
			char *comma = strchr(word, ',');
			if (comma)
				*comma++ = '\0';
			rc = add_key(order, word, is_only, err);
			word = comma;
		}
		free(copy);
	}
	return rc;
}

/* Like Python's int(): what lies beyond int64 cuts nothing off any list. */
static int parse_count(const char *text, int64_t *n, struct err *err)
{
	size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
	size_t digits = strspn(text + sign, "0123456789");

	if (!digits || text[sign + digits])
		return err_set(err, ERR_USAGE, "--limit wants a number, not '%.100s'",
			       text);
	*n = strtoll(text, NULL, 10);
	return 0;
}

static int parse_fraction(const char *text, double *fraction, struct err *err)
{
	char *end;

	errno = 0;
	*fraction = strtod(text, &end);
	if (!*text || *end || strspn(text, "0123456789.eE+-") < strlen(text) ||
	    !(*fraction >= 0 && *fraction <= 1))
		return err_set(err, ERR_USAGE,
			       "--fraction wants a number from 0 to 1, not '%.100s'",
			       text);
	return 0;
}

int pstats_parse_cuts(const struct opt_sequence *given, struct pstats_cuts *out,
		      struct err *err)
{
	int rc = 0;

	*out = (struct pstats_cuts){ .n = 0 };
	for (size_t i = 0; i < given->n && rc == 0; i++) {
		struct callgraph_cut *cut = &out->items[out->n++];
		const char *text = given->items[i].text;
		if (strcmp(given->items[i].opt->name, "limit") == 0) {
			cut->kind = CUT_COUNT;
			rc = parse_count(text, &cut->n, err);
		} else if (strcmp(given->items[i].opt->name, "fraction") == 0) {
			cut->kind = CUT_FRACTION;
			rc = parse_fraction(text, &cut->fraction, err);
		} else {
			cut->kind = CUT_MATCH;
			cut->pattern = text;
			out->has_match = true;
		}
	}
	return rc;
}
