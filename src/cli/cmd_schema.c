/* ptool schema: the tables of a database as SQL, for who administers it. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/message.h"
#include "remote/ddl.h"

struct schema_opts {
	const char *engine, *cluster, *database;
	bool replicated, no_codecs;
};

#define TEXT_MAX           ((size_t)1 << 20)
#define INTO(type, member) OPT_INTO(type, struct schema_opts, member)

static const char *const engines[] = { "clickhouse", NULL };

/* clang-format off */
static const struct opt schema_options[] = {
	{ .name = "engine", .arg = "ENGINE", .help = "the database",
	  .choices = engines, INTO(ARG, engine), .required = true },
	{ .name = "cluster", .arg = "NAME", .help = "print distributed tables for this cluster; run the output on each of its servers",
	  INTO(STRING, cluster) },
	{ .name = "database", .arg = "NAME", .help = "the database of the cluster's tables",
	  INTO(STRING, database) },
	{ .name = "replicated", .help = "print replicated tables, which use the servers' macros {shard} and {replica}",
	  INTO(FLAG, replicated) },
	{ .name = "no-codecs", .help = "leave out compression codecs and LowCardinality columns, for ClickHouse before 20.1",
	  INTO(FLAG, no_codecs) },
	OPT_END
};
/* clang-format on */

static const struct opt_group schema_groups[] = { { .opts = schema_options },
						  OPT_GROUP_END };

static const struct schema_opts defaults = { .database = "ptool" };

/* Names stand in the SQL as they are. */
static int check_name(const char *what, const char *name, struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	if (!name || (*name && !name[strspn(name, letters)]))
		return 0;
	return err_set(err, ERR_USAGE, "%s takes letters, digits and '_' alone", what);
}

static int print(const struct ddl_request *request, struct err *err)
{
	struct buf text;

	buf_init(&text, TEXT_MAX);
	int rc = ddl_write(request, &text, err);
	if (rc == 0 && (fwrite(text.p, 1, text.n, stdout) != text.n || fflush(stdout)))
		rc = err_errno(err, "standard output");
	buf_release(&text);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct schema_opts o;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	struct ddl_request request = { .cluster = o.cluster,
				       .database = o.database,
				       .replicated = o.replicated,
				       .codecs = !o.no_codecs };
	if (check_name("--cluster", o.cluster, &err) < 0 ||
	    check_name("--database", o.database, &err) < 0 || print(&request, &err) < 0)
		return message_error(self->name, NULL, &err);
	return EXIT_OK;
}

static const char *const examples[] = {
	"ptool schema clickhouse | clickhouse-client --database traces --multiquery",
	"ptool schema clickhouse --cluster main --replicated", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the statements are printed" },
	{ EXIT_USAGE, "a mistake in the command line" },
	{ EXIT_IO, "the output cannot be written, or memory runs out" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_schema = {
	.name = "schema",
	.part = COMMAND_STORE,
	.question = "Print the tables of a database for ptool push",
	.summary = "Print the SQL that makes the tables for ptool push",
	.groups = schema_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
