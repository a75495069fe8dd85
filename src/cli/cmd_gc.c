/* ptool gc: deletes what no question reads from a ClickHouse database. */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "cli/command.h"
#include "cli/message.h"
#include "cli/remote_options.h"
#include "remote/remove.h"

#define NS_A_DAY UINT64_C(86400000000000)
#define DAYS_MAX 36500

struct gc_opts {
	const char *url;
	int64_t days;
	bool quiet;
	struct remote_opts remote;
};

#define INTO(type, member) OPT_INTO(type, struct gc_opts, member)

/* clang-format off */
static const struct opt gc_options[] = {
	{ .name = "url", .arg = "URL", .help = "the database: clickhouse[s]://[user@]host[:port]/database",
	  INTO(ARG, url), .required = true },
	{ .name = "days", .arg = "N", .help = "delete only what was pushed at least this many days ago",
	  INTO(UINT, days) },
	{ .name = "quiet", .help = "do not say how much was deleted",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group gc_groups[] = {
	{ .opts = gc_options },
	REMOTE_GROUP(struct gc_opts, remote),
	OPT_GROUP_END
};
/* clang-format on */

static const struct gc_opts defaults = { .days = 1 };

static uint64_t moment_before(int64_t days)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	uint64_t back = (uint64_t)(days < DAYS_MAX ? days : DAYS_MAX) * NS_A_DAY;
	return back < ns ? ns - back : 0;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct gc_opts o;
	struct remote_place place;
	struct err err = ERR_INIT;
	uint64_t npushes;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (remote_place_open(o.url, &o.remote, &place, &err) < 0)
		return message_error(self->name, NULL, &err);
	code = EXIT_OK;
	if (remove_dead(place.http, moment_before(o.days), &npushes, &err) < 0)
		code = message_error(self->name, o.url, &err);
	else if (!o.quiet)
		message_note(self->name, o.url, "deleted the rows of %" PRIu64 " push%s",
			     npushes, npushes == 1 ? "" : "es");
	remote_place_close(&place);
	return code;
}

static const char *const examples[] = { "ptool gc clickhouse://db.example/traces", NULL };

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the server deletes it, which may take a while" },
	{ EXIT_USAGE, "a mistake in the command line or in the URL" },
	{ EXIT_INPUT, "the database lacks ptool's tables" },
	{ EXIT_IO, "the server cannot be reached, refuses the user, or fails; try again later" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_gc = {
	.name = "gc",
	.part = COMMAND_STORE,
	.question = "Delete unused rows from a ClickHouse database",
	.summary =
		"Delete from a ClickHouse database what was replaced, removed or left behind",
	.groups = gc_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
