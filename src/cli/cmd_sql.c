/* ptool sql: the user's own query on a store, in any output format. */
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/input.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/reading.h"
#include "query/user_sql.h"

/* Of a file with a query: far more than anybody writes, and less than SQLite takes. */
#define QUERY_MAX ((size_t)64 * 1024 * 1024)

struct sql_opts {
	const char *operand, *query, *file;
	struct opt_strings params;
	struct output_opts output;
};

#define FIELD(member) offsetof(struct sql_opts, member)

/* clang-format off */
static const struct opt sql_operands[] = {
	{ .name = "store", .arg = "STORE|FILE", .help = "what to read, instead of $PTOOL_STORE or ./ptool.db",
	  .offset = FIELD(operand), .type = OPT_ARG },
	{ .name = "query", .arg = "QUERY", .help = "SQL statements, with ; between them",
	  .offset = FIELD(query), .type = OPT_ARG },
	OPT_END
};

static const struct opt sql_options[] = {
	{ .name = "file", .arg = "FILE", .help = "take the query from a file; - is standard input",
	  .offset = FIELD(file), .type = OPT_STRING },
	{ .name = "param", .arg = "NAME=VALUE", .help = "the value of :NAME in the query, a number if it looks like one",
	  .offset = FIELD(params), .type = OPT_STRINGS, .short_name = 'p' },
	OPT_END
};

static const struct opt_group sql_groups[] = {
	{ .title = "Operands", .opts = sql_operands },
	{ .opts = sql_options },
	OUTPUT_GROUP(struct sql_opts, output),
	OPT_GROUP_END
};
/* clang-format on */

static const struct sql_opts defaults = { .output = OUTPUT_DEFAULTS };

static bool is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || stat(path, &st) == 0;
}

/* One operand is the query, unless that comes from a file. */
static int sort_operands(struct sql_opts *o, struct err *err)
{
	if (o->file)
		return o->query ? err_set(err, ERR_USAGE, "there is a QUERY and a --file") : 0;
	if (o->query)
		return 0;
	if (!o->operand || is_file(o->operand))
		return err_set(err, ERR_USAGE, "QUERY is missing");
	o->query = o->operand;
	o->operand = NULL;
	return 0;
}

/* The caller frees it; NULL with err set. */
static char *read_query(const char *path, struct err *err)
{
	struct input *in = input_open(path, err);

	if (!in)
		return NULL;
	struct bytes bytes = input_peek(in, QUERY_MAX, err);
	char *text = NULL;
	if (bytes.n == QUERY_MAX)
		err_set(err, ERR_USAGE, "the query is longer than 64 MiB");
	else if (memchr(bytes.p, '\0', bytes.n))
		err_set(err, ERR_USAGE, "this is no SQL: it contains a NUL byte");
	else if (err->kind == ERR_NONE)
		text = xstrndup((const char *)bytes.p, bytes.n);
	input_close(in);
	return text;
}

static int bind_params(struct user_sql *q, const struct opt_strings *params, struct err *err)
{
	for (size_t i = 0; i < params->n; i++) {
		const char *text = params->items[i];
		const char *equals = strchr(text, '=');
		if (!equals || equals == text)
			return err_set(err, ERR_USAGE, "--param wants NAME=VALUE, not '%s'",
				       text);
		struct str name = { text, (size_t)(equals - text) };
		if (user_sql_bind(q, name, equals + 1, err) < 0)
			return -1;
	}
	return user_sql_check_bound(q, err);
}

/* One result after the other, with an empty line between: for people only. */
static int draw_all(struct user_sql *q, const struct command *self, const struct output_opts *o,
		    struct err *err)
{
	const struct renderer *renderer = output_renderer(o, err);
	struct output out;
	struct table *table;
	bool is_first = true;
	int rc;

	if (output_open(&out, self->name, o, err) < 0)
		return -1;
	while ((rc = user_sql_next(q, false, &table, err)) > 0) {
		if (!is_first)
			fputc('\n', out.stream);
		is_first = false;
		rc = renderer->render(table, &out.render, out.stream, err);
		table_free(table);
		if (rc < 0)
			break;
	}
	bool write_failed = rc < 0 && ferror(out.stream);
	if (output_close(&out, rc == 0 || write_failed, err) < 0 || (rc < 0 && !write_failed))
		return -1;
	return 0;
}
