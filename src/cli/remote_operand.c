/* Databases as operands: see remote_operand.h. */
#include "cli/remote_operand.h"

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

int remote_operand_open(const struct operand_wish *wish, struct operand *out,
			struct err *err)
{
	struct cache_entry temporary;
	struct remote_place place;

	if (remote_place_open(wish->path, NULL, &place, err) < 0)
		return -1;
	int rc = cache_find("-", &temporary, err); /* a folder of its own */
	if (rc == 0) {
		interrupt_unlink(temporary.path);
		rc = fill_store(wish, &place, temporary.path, err);
		if (rc == 0)
			rc = store_open(temporary.path, &out->store, err);
		if (rc == 0)
			store_forbid_others(out->store, operand_need(wish));
		interrupt_unlink(NULL);
		cache_discard(&temporary); /* it goes with its last reader */
	}
	if (rc == 0)
		out->path = xstrdup(wish->path);
	remote_place_close(&place);
	return rc;
}
