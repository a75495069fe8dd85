/* ptool merge: one store of many. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/fleet_told.h"
#include "cli/ingesting.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "query/summary/summary.h"
#include "store/merge.h"

struct merge_opts {
	struct opt_args stores;
	const char *store, *run;
	bool strict, force, quiet;
};

#define INTO(type, member) OPT_INTO(type, struct merge_opts, member)

/* clang-format off */
static const struct opt merge_command_options[] = {
	{ .name = "store", .arg = "DIR|STORE", .help = "a store, or a folder that has stores in it",
	  INTO(ARGS, stores), .required = true },
	{ .name = "output", .arg = "STORE", .help = "the store to make (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(STRING, store), .short_name = 'o' },
	{ .name = "force", .help = "replace STORE when it exists",
	  INTO(FLAG, force), .short_name = 'f' },
	{ .name = "run", .arg = "NAME", .help = "name of the run (default: what the names of the runs have in common)",
	  INTO(STRING, run) },
	{ .name = "strict", .help = "fail if one of the stores cannot be merged",
	  INTO(FLAG, strict) },
	{ .name = "quiet", .help = "only report problems",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};
/* clang-format on */

static const struct opt_group merge_groups[] = { { .opts = merge_command_options },
						 OPT_GROUP_END };

static const struct merge_opts defaults;

static int check_options(const struct merge_opts *o, const char *store, struct err *err)
{
	if (o->run && !*o->run)
		return err_set(err, ERR_USAGE, "--run wants a name");
	if (!*store)
		return err_set(err, ERR_USAGE, "--output wants STORE");
	if (strcmp(store, "-") == 0)
		return err_set(err, ERR_USAGE, "a store is a file, not standard output");
	if (!o->force && access(store, F_OK) == 0)
		return err_set(err, ERR_USAGE, "%s exists; -f replaces it", store);
	return 0;
}

/* 0, or -1 with err set; *code is that of what went well. */
static int merge(const struct merge_opts *o, const struct import_events *events,
		 const char *store, struct fleet *fleet, struct merge_result *result,
		 struct err *err)
{
	const struct merge_options options = { .store = store,
					       .run = o->run,
					       .is_new = !o->force,
					       .strict = o->strict,
					       .summarize = summaries_make_run };

	if (fleet_find((const char *const *)o->stores.items, o->stores.n, store, fleet,
		       interrupt_asked, err) < 0 ||
	    fleet_look(fleet, true, interrupt_asked, err) < 0)
		return -1;
	return merge_stores(fleet, &options, events, result, err);
}

static int run_merge(const struct command *self, int argc, char **argv)
{
	struct merge_opts o;
	struct err err = ERR_INIT;
	struct fleet fleet = { .n = 0 };
	struct merge_result result = { .stores = 0 };
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	const char *store = o.store ? o.store : operand_default_store();
	if (check_options(&o, store, &err) < 0)
		return message_error(self->name, NULL, &err);
	struct ingesting writing = { .command = self->name, .subject = store };
	struct import_events events = ingesting_events(&writing);
	int rc = merge(&o, &events, store, &fleet, &result, &err);
	ingesting_end(&writing);
	if (rc == 0 && !o.quiet)
		fleet_told_merged(self->name, store, &result);
	if (!o.quiet)
		fleet_told_others(self->name, &fleet);
	if (rc == 0 && !o.run)
		fleet_told_runs(self->name, &fleet);
	size_t refused = fleet_told_left_out(self->name, &fleet);
	code = refused ? EXIT_INPUT : EXIT_OK;
	/* one that was left out was told just now */
	const char *culprit = err.kind == ERR_INPUT ? o.stores.items[0] : store;
	if (rc < 0 && !(refused && err.kind == ERR_INPUT))
		code = message_error(self->name, err.names_culprit ? NULL : culprit,
				     &err);
	fleet_release(&fleet);
	return code;
}

static const char *const examples[] = { "ptool merge -o run.db stores/",
					"ptool merge --run night-1 -o run.db rank-*.db",
					NULL };

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the store holds all of them" },
	{ EXIT_USAGE, "a mistake in the command line; or STORE exists" },
	{ EXIT_INPUT, "a store is missing, damaged, of another schema, of several runs, or has a recording or a rank that another one has (the others are in STORE, unless --strict was given); or there is no store in a folder" },
	{ EXIT_IO, "STORE cannot be written: the disk is full, the folder is missing or may not be written; or memory runs out" },
	{ EXIT_INTERRUPT, "interrupted; nothing was changed" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_merge = {
	.name = "merge",
	.part = COMMAND_STORE,
	.question = "Combine several stores into one, such as the ranks of a job",
	.summary = "Make one store of many",
	.groups = merge_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run_merge,
};
