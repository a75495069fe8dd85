/* ptool pull: a store that was pushed whole, back as a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/remote_options.h"
#include "cli/scope_options.h"
#include "remote/pull.h"
#include "store/store.h"

struct pull_opts {
	const char *url, *output, *run, *rank;
	bool force, quiet;
	struct remote_opts remote;
};

#define INTO(type, member) OPT_INTO(type, struct pull_opts, member)

/* clang-format off */
static const struct opt pull_options[] = {
	{ .name = "url", .arg = "URL", .help = "clickhouse[s]://[user@]host[:port]/database, with ?run=NAME where it holds several runs",
	  INTO(ARG, url), .required = true },
	{ .name = "output", .arg = "STORE", .help = "the file to write",
	  INTO(STRING, output), .short_name = 'o' },
	{ .name = "force", .help = "replace the file if it exists",
	  INTO(FLAG, force), .short_name = 'f' },
	{ .name = "run", .arg = "NAME", .help = "the run to fetch (default: the newest)",
	  INTO(STRING, run) },
	{ .name = "rank", .arg = "N|A..B", .help = "fetch the store that has these ranks",
	  INTO(STRING, rank) },
	{ .name = "quiet", .help = "do not say what was fetched",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group pull_groups[] = {
	{ .opts = pull_options },
	REMOTE_GROUP(struct pull_opts, remote),
	OPT_GROUP_END
};
/* clang-format on */

static const struct pull_opts defaults;

static int cannot_write(const char *path, struct err *err)
{
	return err_set(err, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
}

/* What was fetched has to be a store before it takes the place of one. */
static int put_in_place(int fd, const char *temporary, const char *path, struct err *err)
{
	struct store_header header = store_read_header(fd);

	if (store_check_header(&header, err) < 0)
		return -1;
	if (fsync(fd) < 0 || rename(temporary, path) < 0)
		return cannot_write(path, err);
	return 0;
}

static int fetch(struct http *http, const struct pull_store *store, const char *path,
		 struct err *err)
{
	char *temporary = xasprintf("%s.tmp.%ld", path, (long)getpid());
	int fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	int rc = -1;

	if (fd < 0) {
		cannot_write(temporary, err);
	} else {
		interrupt_unlink(temporary);
		rc = pull_write(http, store, fd, path, err);
		if (rc == 0)
			rc = put_in_place(fd, temporary, path, err);
		if (rc < 0)
			unlink(temporary);
		interrupt_unlink(NULL);
		close(fd);
	}
	free(temporary);
	return rc;
}

static int pull(const struct command *self, const struct pull_opts *o, struct err *err)
{
	struct pull_wish wish = { .runs.run = o->run };
	struct pull_store store;
	struct remote_place place;

	if (!o->output)
		return err_set(err, ERR_USAGE, "no file is given: -o STORE names it");
	if (!o->force && access(o->output, F_OK) == 0)
		return err_set(err, ERR_USAGE, "'%s' exists; -f replaces it", o->output);
	if (o->rank &&
	    scope_options_read_rank(o->rank, &wish.first_rank, &wish.last_rank, err) < 0)
		return -1;
	wish.has_rank = o->rank != NULL;
	if (remote_place_open(o->url, &o->remote, &place, err) < 0)
		return -1;
	if (!wish.runs.run)
		wish.runs.run = place.url.run;
	int rc = pull_find(place.http, &wish, &store, err);
	if (rc == 0)
		rc = fetch(place.http, &store, o->output, err);
	if (rc == 0 && !o->quiet)
		message_note(self->name, o->output, "%lld bytes", (long long)store.bytes);
	remote_place_close(&place);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct pull_opts o;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (pull(self, &o, &err) < 0)
		return message_error(self->name, err.kind == ERR_USAGE ? NULL : o.url,
				     &err);
	return EXIT_OK;
}

static const char *const examples[] = {
	"ptool pull 'clickhouse://db.example/traces?run=nightly' --rank 17 -o r17.db",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the store is there" },
	{ EXIT_USAGE, "a mistake in the command line or in the URL; or the file exists" },
	{ EXIT_EMPTY, "no such run or rank, several stores, or it was pushed without its store" },
	{ EXIT_INPUT, "the database lacks ptool's tables, or the pushed store is not of this format" },
	{ EXIT_IO, "the server cannot be reached, refuses the user, or fails; or the file cannot be written" },
	{ EXIT_INTERRUPT, "interrupted; nothing is left behind" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_pull = {
	.name = "pull",
	.part = COMMAND_STORE,
	.question = "Fetch a store from a ClickHouse database",
	.summary = "Fetch a store that was pushed into a ClickHouse database",
	.groups = pull_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
