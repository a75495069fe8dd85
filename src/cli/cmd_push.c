/* ptool push: the summaries of stores into a ClickHouse database. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/operand.h"
#include "cli/remote_options.h"
#include "query/scope.h"
#include "query/summary/summary.h"
#include "remote/push.h"
#include "store/store.h"

struct push_opts {
	const char *url;
	struct opt_args stores;
	const char *run;
	bool store, slices, quiet;
	struct remote_opts remote;
};

#define INTO(type, member) OPT_INTO(type, struct push_opts, member)

/* clang-format off */
static const struct opt push_options[] = {
	{ .name = "url", .arg = "URL", .help = "the database: clickhouse[s]://[user@]host[:port]/database",
	  INTO(ARG, url), .required = true },
	{ .name = "store", .arg = "STORE|FILE", .help = "what to push (default: $PTOOL_STORE or ./ptool.db)",
	  INTO(ARGS, stores) },
	{ .name = "run", .arg = "NAME", .help = "the run's name in the database (default: its name in the store)",
	  INTO(STRING, run) },
	{ .name = "with-store", .help = "push the whole store too, for ptool pull",
	  INTO(FLAG, store) },
	{ .name = "slices", .help = "push every slice too, as rows of the table slice, for SQL there",
	  INTO(FLAG, slices) },
	{ .name = "quiet", .help = "do not say what was pushed",
	  INTO(FLAG, quiet), .short_name = 'q' },
	OPT_END
};

static const struct opt_group push_groups[] = {
	{ .opts = push_options },
	REMOTE_GROUP(struct push_opts, remote),
	OPT_GROUP_END
};
/* clang-format on */

static const struct push_opts defaults;

static void tell_again(const char *why, unsigned wait_s)
{
	message_note("push", NULL, "%s; trying again in %u s", why, wait_s);
}

/* Summaries of the store that is open: those it has, else made from its slices. */
struct parts {
	struct push_parts parts;
	struct summary_reader *reader;
	const struct scope *scope;
};

static int load_parts(const struct push_parts *parts, int64_t profile_id,
		      const char *table, struct part_rows *out, struct err *err)
{
	const struct parts *p = (const struct parts *)parts;
	const struct scope_profile *profile = scope_find(p->scope, profile_id);
	size_t i = 0;

	while (summaries[i] && strcmp(summaries[i]->table.name, table) != 0)
		i++;
	if (!summaries[i] || !profile)
		return 0;
	if (!profile->has_slices && !summary_has(p->reader, profile, summaries[i]))
		return 0;
	int rc = summary_need(p->reader, profile, summaries[i], out, err);
	if (rc == 0 && !out->is_too_many)
		return 1;
	part_rows_release(out);
	return rc;
}

static int push_operand(struct pusher *pusher, const struct operand *operand,
			struct push_sums *sums, struct err *err)
{
	const char *at = operand->cached ? operand->cached : operand->path;
	const struct scope_request newest = { .run = NULL };
	struct summary_reader reader;
	struct text_pool texts;
	struct scope scope;

	if (scope_load(operand->store, &newest, &scope, err) < 0)
		return -1;
	char *resolved = realpath(at, NULL);
	struct parts parts = { { load_parts }, &reader, &scope };
	const struct push_from from = { operand->store, resolved ? resolved : at,
					&parts.parts };
	int rc = text_pool_open(operand->store, &texts, err);
	if (rc == 0) {
		rc = summary_reader_open(operand->store, &texts, &reader, err);
		if (rc == 0)
			rc = push_run(pusher, &from, sums, err);
		summary_reader_close(&reader);
	}
	text_pool_close(&texts);
	free(resolved);
	scope_release(&scope);
	return rc;
}

/* Stores whose profiles wait to be sent. */
struct pushing_all {
	const struct command *self;
	const struct push_opts *o;
	struct pusher *pusher;
	struct waiting {
		char *path; /* owned */
		struct push_sums sums;
		uint64_t sent; /* push_sent() once they are there */
	} * waiting;           /* owned */
	size_t n, cap;
	uint64_t profiles; /* that were read */
};

static void tell_sent(struct pushing_all *all)
{
	uint64_t sent = push_sent(all->pusher);
	size_t told = 0;

	for (; told < all->n && all->waiting[told].sent <= sent; told++) {
		struct waiting *w = &all->waiting[told];
		if (!all->o->quiet)
			message_note(all->self->name, w->path,
				     "pushed %" PRIu64 " profile%s, %" PRIu64 " rows",
				     w->sums.profiles, w->sums.profiles == 1 ? "" : "s",
				     w->sums.rows);
		free(w->path);
	}
	all->n -= told;
	if (told && all->n)
		memmove(all->waiting, all->waiting + told,
			all->n * sizeof(*all->waiting));
}

/* The exit code. */
static int push_store(struct pushing_all *all, const char *path)
{
	const char *name = all->self->name;
	struct push_sums sums = { 0 };
	struct operand operand;
	struct err err = ERR_INIT;

	if (operand_open(name, path, all->o->quiet, &operand, &err) < 0)
		return message_error(name, operand_name(path), &err);
	int rc = push_operand(all->pusher, &operand, &sums, &err);
	if (rc < 0)
		operand_explain(&operand, &err);
	bool is_of_server = err.kind == ERR_IO && !err.names_culprit &&
			    !store_has_failed(operand.store);
	const char *culprit = is_of_server ? all->o->url : operand.path;
	int code = rc < 0 ? message_error_reading(name, culprit, &err) : EXIT_OK;
	all->profiles += sums.profiles;
	if (rc == 0)
		*ARRAY_PUSH(all->waiting, all->n, all->cap) =
			(struct waiting){ xstrdup(operand.path), sums, all->profiles };
	operand_close(&operand);
	tell_sent(all);
	return code;
}

static int push_rest(struct pushing_all *all)
{
	struct err err = ERR_INIT;
	int rc = push_flush(all->pusher, &err);

	tell_sent(all);
	return rc < 0 ? message_error(all->self->name, all->o->url, &err) : EXIT_OK;
}

static int push_all(const struct command *self, const struct push_opts *o,
		    struct pusher *pusher)
{
	struct pushing_all all = { .self = self, .o = o, .pusher = pusher };
	int code = o->stores.n ? EXIT_OK : push_store(&all, NULL);

	for (size_t i = 0; i < o->stores.n && code != EXIT_IO && !push_is_broken(pusher);
	     i++) {
		int one = push_store(&all, o->stores.items[i]);
		code = one != EXIT_OK ? one : code;
	}
	if (!push_is_broken(pusher)) {
		int rest = push_rest(&all);
		code = rest != EXIT_OK ? rest : code;
	}
	for (size_t i = 0; i < all.n; i++)
		free(all.waiting[i].path);
	free(all.waiting);
	return code;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct push_opts o;
	struct remote_place place;
	struct pusher *pusher;
	struct err err = ERR_INIT;
	int code;

	if (!command_parse(self, argc, argv, &o, &code))
		return code;
	if (remote_place_open(o.url, &o.remote, &place, &err) < 0)
		return message_error(self->name, NULL, &err);
	struct push_options options = {
		.http = place.http,
		.run = o.run ? o.run : place.url.run,
		.with_store = o.store,
		.slices = o.slices,
		.again = o.quiet ? NULL : tell_again,
	};
	if (push_open(&options, &pusher, &err) < 0)
		code = message_error(self->name, NULL, &err);
	else
		code = push_all(self, &o, pusher);
	push_close(pusher);
	remote_place_close(&place);
	return code;
}

static const char *const examples[] = {
	"ptool push clickhouse://me@db.example/traces ptool.db",
	"ptool push clickhouses://db.example/traces --run nightly rank*.db", NULL
};

/* clang-format off */
static const struct command_exit exits[] = {
	{ EXIT_OK, "every profile is in the database" },
	{ EXIT_USAGE, "a mistake in the command line or in the URL" },
	{ EXIT_EMPTY, "--slices, and a store has none" },
	{ EXIT_INPUT, "a store is missing or is not a store, or the database lacks ptool's tables" },
	{ EXIT_IO, "the server cannot be reached, refuses the user, or fails; try again later" },
	{ EXIT_INTERRUPT, "interrupted; profiles that were not sent completely are not visible" },
	EXITS_END,
};
/* clang-format on */

const struct command cmd_push = {
	.name = "push",
	.part = COMMAND_STORE,
	.question = "Push summaries into a ClickHouse database",
	.summary = "Push summaries into a ClickHouse database",
	.groups = push_groups,
	.defaults = &defaults,
	.options_size = sizeof(defaults),
	.examples = examples,
	.exits = exits,
	.run = run,
};
