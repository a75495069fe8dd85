/* Databases as operands: see remote_operand.h. */
#include "cli/remote_operand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/operand_need.h"
#include "cli/remote_options.h"
#include "cli/scope_options.h"
#include "remote/fetch.h"
#include "store/cache.h"

/* Of the profiles that the options choose, or of all: they are in the store by now. */
static int fetch_chosen(struct fetch *f, const struct operand_wish *wish,
			const char *url_run, const char *path, struct err *err)
{
	struct scope_opts o = { .run = url_run };
	struct store *store;
	struct scope scope;

	if (wish->scope)
		o = *wish->scope;
	if (!o.run)
		o.run = url_run;
	struct fetch_need need = *operand_need(wish);
	if (operand_compares_ranks(wish)) {
		need = operand_need_of_all(wish);
		o.rank = o.profile = NULL;
	}
	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = wish->all_runs && !o.run ? scope_options_load_all(store, &o, &scope, err)
					  : scope_options_load(store, &o, &scope, err);
	store_close(store);
	if (rc < 0)
		return -1;
	int64_t *ids = xmalloc(scope.n * sizeof(*ids));
	for (size_t i = 0; i < scope.n; i++)
		ids[i] = scope.profiles[i].id;
	rc = fetch_rows(f, ids, scope.n, &need, err);
	free(ids);
	scope_release(&scope);
	return rc;
}

static int fill_store(const struct operand_wish *wish, const struct remote_place *place,
		      const char *path, struct err *err)
{
	const char *run = wish->scope ? wish->scope->run : NULL;
	const struct remote_wish runs = { .run = run ? run : place->url.run,
					  .all_runs = wish->all_runs };
	struct fetch *f = NULL;
	int rc = fetch_begin(place->http, &runs, path, &f, err);

	if (rc == 0)
		rc = fetch_chosen(f, wish, place->url.run, path, err);
	if (rc == 0 && fetch_others(f))
		message_note(wish->command, NULL,
			     "%zu profiles are left out: another ptool pushed them, "
			     "whose stores have another format",
			     fetch_others(f));
	fetch_end(f);
	return rc;
}

/* What Ctrl-C would leave behind, and what it says. */
struct unfinished {
	char *path, *folder, *last_words; /* owned */
	struct interrupt_leave leave;
};

static int make_empty(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(err, ERR_IO, "cannot write '%s': %s", path,
			       strerror(errno));
	close(fd);
	return 0;
}

/* The file is there from the beginning: by it the handler knows that nothing is done yet. */
static int begin_unfinished(const struct operand_wish *wish, const char *path,
			    struct unfinished *u, struct err *err)
{
	int rc = make_empty(path, err);

	u->path = xstrdup(path);
	u->folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	u->last_words = message_line(wish->command, wish->path, "interrupted");
	u->leave = (struct interrupt_leave){ .temporary = u->path,
					     .folder = u->folder,
					     .last_words = u->last_words,
					     .nlast_words = strlen(u->last_words),
					     .exit_code = EXIT_INTERRUPT };
	interrupt_leave(&u->leave);
	return rc < 0 ? -1 : interrupt_check(err); /* it may have come just before */
}

static void end_unfinished(struct unfinished *u)
{
	interrupt_leave(NULL);
	interrupt_unlink(NULL); /* from here on Ctrl-C may kill: nothing is half done */
	free(u->path);
	free(u->folder);
	free(u->last_words);
}

static int fetch_store(const struct operand_wish *wish, const struct remote_place *place,
		       struct operand *out, struct err *err)
{
	struct cache_entry temporary;
	struct unfinished unfinished;

	interrupt_catch();
	if (cache_find("-", &temporary, err) < 0) { /* a folder of its own */
		interrupt_unlink(NULL);
		return -1;
	}
	int rc = begin_unfinished(wish, temporary.path, &unfinished, err);
	if (rc == 0)
		rc = fill_store(wish, place, temporary.path, err);
	if (rc == 0)
		rc = store_open(temporary.path, &out->store, err);
	if (rc == 0)
		store_forbid_others(out->store, operand_need(wish));
	cache_discard(&temporary); /* it goes with its last reader */
	if (rc == 0)
		rc = interrupt_check(err); /* when there was nothing left to remove */
	end_unfinished(&unfinished);
	return rc;
}

int remote_operand_open(const struct operand_wish *wish, struct operand *out,
			struct err *err)
{
	struct remote_place place;

	if (remote_place_open(wish->path, NULL, &place, err) < 0)
		return -1;
	int rc = fetch_store(wish, &place, out, err);
	if (rc == 0)
		out->path = xstrdup(wish->path);
	remote_place_close(&place);
	return rc;
}
