/* ptool pull: a store that was pushed whole, back as a file. */
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/ingesting.h"
#include "cli/message.h"
#include "cli/remote_options.h"
#include "cli/scope_options.h"
#include "remote/pull.h"
#include "store/publish.h"
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

/* What a pull goes through; `culprit` is whom an error is told of. */
struct pulling {
	struct http *http;
	struct pull_store store;
	const char *path, *culprit;
	bool force;
};

static int tell_unfinished(const char *temporary, const char *lock, void *to,
			   struct err *err)
{
	const struct import_events *events = to;

	return events->unfinished(events->to, temporary, lock, err);
}

/* What was fetched has to be a store before it takes the place of one. */
static int fill(const struct pulling *p, const struct publish *publish, struct err *err)
{
	int fd = publish_fd(publish);

	if (pull_write(p->http, &p->store, fd, p->path, err) < 0)
		return -1;
	struct store_header header = store_read_header(fd);
	return store_check_header(&header, err);
}

static int publish(struct pulling *p, struct import_events *events, const char *url,
		   struct err *err)
{
	const struct publish_keep keep = { .is_bytes = true,
					   .is_new = !p->force,
					   .to = events,
					   .made = tell_unfinished };
	struct publish *publish;

	p->culprit = p->path;
	if (publish_begin_keep(p->path, &keep, &publish, err) < 0)
		return -1;
	p->culprit = url;
	if (fill(p, publish, err) < 0) {
		publish_abort(publish);
		return -1;
	}
	p->culprit = p->path;
	return publish_commit(publish, err);
}

/* Until the store is known there is nothing that Ctrl-C would leave behind. */
static int fetch(const struct command *self, struct pulling *p, const char *url,
		 struct err *err)
{
	struct ingesting writing = { .command = self->name, .subject = p->path };
	struct import_events events = ingesting_events(&writing);
	int rc = publish(p, &events, url, err);

	ingesting_end(&writing);
	return rc;
}

static int check_output(const struct pull_opts *o, struct err *err)
{
	if (!o->output)
		return err_set(err, ERR_USAGE, "no file is given: -o STORE names it");
	if (strcmp(o->output, "-") == 0)
		return err_set(err, ERR_USAGE, "a store is a file, not standard output");
	if (!o->force && access(o->output, F_OK) == 0)
		return err_set(err, ERR_USAGE, "'%s' exists; -f replaces it", o->output);
	return 0;
}

/* *culprit: whom an error is told of; NULL: it says that itself. */
static int pull(const struct command *self, const struct pull_opts *o,
		const char **culprit, struct err *err)
{
	struct pull_wish wish = { .runs.run = o->run };
	struct pulling p = { .path = o->output, .force = o->force };
	struct remote_place place;

	*culprit = NULL;
	if (check_output(o, err) < 0)
		return -1;
	if (o->rank &&
	    scope_options_read_rank(o->rank, &wish.first_rank, &wish.last_rank, err) < 0)
		return -1;
	wish.has_rank = o->rank != NULL;
	if (remote_place_open(o->url, &o->remote, &place, err) < 0) {
		*culprit = err->kind == ERR_USAGE ? NULL : o->url;
		return -1;
	}
	if (!wish.runs.run)
		wish.runs.run = place.url.run;
	p.http = place.http;
	p.culprit = o->url;
	int rc = pull_find(place.http, &wish, &p.store, err);
	if (rc == 0)
		rc = fetch(self, &p, o->url, err);
	*culprit = p.culprit;
	if (rc == 0 && !o->quiet)
		message_note(self->name, o->output, "%lld bytes",
			     (long long)p.store.bytes);
	remote_place_close(&place);
	return rc;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct pull_opts o;
	const char *culprit;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (pull(self, &o, &culprit, &err) < 0)
		return message_error(self->name, culprit, &err);
	return EXIT_OK;
}

static const char *const examples[] = {
	"ptool pull 'clickhouse://db.example/traces?run=nightly' --rank 17 -o r17.db",
	NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "the store is there" },
	{ EXIT_USAGE, "a mistake in the command line or in the URL; or the file exists, or is not a store of ptool" },
	{ EXIT_EMPTY, "no such run or rank, several stores, or it was pushed without its store" },
	{ EXIT_INPUT, "the database lacks ptool's tables, or the pushed store is not of this format" },
	{ EXIT_IO, "the server cannot be reached, refuses the user, or fails; or the file cannot be written, or another program is changing it" },
	{ EXIT_INTERRUPT, "interrupted; nothing was changed" },
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
