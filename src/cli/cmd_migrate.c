/* ptool migrate: lifts a store of an older format to today's. */
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/ingesting.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "store/lift.h"
#include "store/store.h"

struct migrate_opts {
	const char *store, *output;
	bool force, quiet;
};

#define INTO(type, member) OPT_INTO(type, struct migrate_opts, member)

/* clang-format off */
static const struct opt migrate_options[] = {
	{ .name = "store", .arg = "STORE", .help = "the store to upgrade (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARG, store) },
	{ .name = "output", .arg = "NEW", .help = "write the upgraded store to this file, and keep the old one",
	  INTO(STRING, output), .short_name = 'o' },
	{ .name = "force", .help = "replace NEW when it is a store",
	  INTO(FLAG, force), .short_name = 'f' },
	{ .name = "quiet", .help = "do not say what was upgraded",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};
/* clang-format on */

static const struct opt_group migrate_groups[] = { { .opts = migrate_options },
						   OPT_GROUP_END };

static const struct migrate_opts defaults;

static int check_output(const struct migrate_opts *o, struct err *err)
{
	struct stat st;

	if (!o->output || o->force || stat(o->output, &st) < 0)
		return 0;
	return err_set(err, ERR_USAGE, "exists; -f replaces it");
}

static int migrate(const struct command *self, const struct migrate_opts *o,
		   const char *path, struct err *err)
{
	struct ingesting writing = { .command = self->name, .subject = path };
	struct import_events events = ingesting_events(&writing);
	const char *out = o->output ? o->output : path;
	uint32_t from = 0;
	int rc = check_output(o, err);

	if (rc == 0)
		rc = store_lift(path, out, o->output && !o->force, &events, &from, err);
	ingesting_end(&writing);
	if (rc < 0 || o->quiet)
		return rc;
	if (from == (uint32_t)store_schema_version())
		message_note(self->name, path, "has schema %u already%s%s",
			     (unsigned)from, o->output ? "; copied to " : "",
			     o->output ? o->output : "");
	else
		message_note(self->name, path, "upgraded from schema %u to %d%s%s",
			     (unsigned)from, store_schema_version(),
			     o->output ? ": " : "", o->output ? o->output : "");
	return 0;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct migrate_opts o;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	const char *path = operand_name(o.store);
	interrupt_catch();
	if (migrate(self, &o, path, &err) < 0)
		return message_error(self->name,
				     err.kind == ERR_USAGE && o.output ? o.output : path,
				     &err);
	return EXIT_OK;
}

static const char *const examples[] = { "ptool migrate old.db",
					"ptool migrate old.db -o new.db", NULL };

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the store has the current schema" },
	{ EXIT_USAGE, "a mistake in the command line; or NEW exists" },
	{ EXIT_INPUT, "the store is missing, is not a store, is damaged, or has a schema that cannot be upgraded" },
	{ EXIT_IO, "the disk fails, the new store cannot be written, or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted; the old store is as it was" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_migrate = {
	.name = "migrate",
	.part = COMMAND_STORE,
	.question = "Read a store of an older ptool",
	.summary = "Upgrade a store of an older ptool to the current schema",
	.groups = migrate_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
