/* A folder of stores: see fleet_operand.h. */
#include "cli/fleet_operand.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "cli/fleet_told.h"
#include "cli/ingesting.h"
#include "cli/message.h"
#include "cli/operand_need.h"
#include "cli/scope_options.h"
#include "query/summary/summary.h"
#include "store/cache.h"
#include "store/cache_note.h"
#include "store/merge.h"
#include "store/sql.h"
#include "trace/fact.h"

static bool is_folder(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What is made of the same stores for other questions is another store. */
static char *what_of(const char *folder, const struct fetch_need *need)
{
	char *real_path = realpath(folder, NULL);
	const char *name = real_path ? real_path : folder;
	char *what =
		need ? xasprintf("stores of %s: %s %u%s", name,
				 need->tables ? need->tables : "all",
				 fetch_need_grains(need), need->merges ? " added up" : "")
		     : xasprintf("stores of %s: slices, too", name);

	free(real_path);
	return what;
}

static int find_place(const struct fleet *fleet, const char *folder,
		      const struct fetch_need *need, struct cache_entry *out,
		      struct err *err)
{
	struct cache_file *files = xrealloc_array(NULL, fleet->n + 1, sizeof(*files));
	char *what = what_of(folder, need);

	for (size_t i = 0; i < fleet->n && fleet->stores; i++)
		files[i] =
			(struct cache_file){ fleet->stores[i].path, fleet->stores[i].st };
	int rc = cache_find_many(what, files, fleet->n, out, err);
	free(what);
	free(files);
	return rc;
}

/* Room for all in the cache: what is larger would be all that there is in it. */
static bool has_room(const struct fleet *fleet)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < fleet->n; i++)
		if (!fleet->stores[i].err)
			bytes += (uint64_t)fleet->stores[i].st.st_size;
	return bytes <= CACHE_MAX_BYTES;
}

/*
 * Every command says what was left out.  Where that may pass, they are looked at again by the
 * next one.
 */
static void keep_what_is_odd(const struct fleet *fleet, struct cache_entry *cache)
{
	bool may_pass = false;
	struct buf note;

	if (cache->is_temporary)
		return;
	buf_init(&note, SIZE_MAX);
	for (size_t i = 0; i < fleet->n; i++)
		may_pass |= fleet->stores[i].err && fleet->stores[i].may_pass;
	fleet_told_note(fleet, &note);
	if (may_pass || !cache_note_write(cache->path, buf_str(&note)))
		cache_forget(cache);
	buf_release(&note);
}

static void tell_what_is_odd(const char *command, const struct fleet *fleet,
			     bool is_merged)
{
	fleet_told_left_out(command, fleet);
	if (is_merged)
		fleet_told_runs(command, fleet);
}

/*
 * All into the place, NULL is also slices; says on stderr what was left out.
 */
static int merge(const struct operand_wish *wish, struct fleet *fleet,
		 const struct fetch_need *need, struct cache_entry *cache,
		 struct err *err)
{
	struct merge_result result = { .stores = 0 };
	char *folder =
		cache->is_temporary
			? xstrndup(cache->path,
				   (size_t)(strrchr(cache->path, '/') - cache->path))
			: NULL;
	struct ingesting writing = { .command = wish->command,
				     .subject = wish->path,
				     .folder = folder };
	struct import_events events = ingesting_events(&writing);
	/* what others may change, they may forge */
	mode_t before = umask(077);
	const struct merge_options options = { .store = cache->path,
					       .need = need,
					       .summarize = summaries_make_run };
	int rc = merge_stores(fleet, &options, &events, &result, err);
	umask(before);
	ingesting_end(&writing);
	free(folder);
	if (rc == 0 && !wish->is_quiet && !wish->is_again)
		fleet_told_read(wish->command, wish->path, fleet, &result);
	if (!wish->is_again)
		tell_what_is_odd(wish->command, fleet, rc == 0);
	if (rc == 0)
		keep_what_is_odd(fleet, cache);
	if (rc < 0 && err->kind == ERR_INPUT)
		err_set(err, ERR_INPUT, "no store in it can be read");
	return rc == 0 ? interrupt_check(err) : rc;
}

/*
 * What the cache has; false: it must be made.  A store without a note is left alone: the
 * process that made it may not have opened it yet.
 */
static bool open_ready(const struct operand_wish *wish, const struct fleet *fleet,
		       struct cache_entry *cache, struct operand *out)
{
	struct err ignored = ERR_INIT;
	struct buf note;

	if (!cache->is_ready)
		return false;
	buf_init(&note, SIZE_MAX);
	bool has_note = cache_note_read(cache->path, &note);
	bool is_open = has_note && store_open(cache->path, &out->store, &ignored) == 0;
	if (is_open && !wish->is_again)
		fleet_told_again(wish->command, fleet, buf_str(&note));
	if (has_note && !is_open)
		cache_drop_damaged(cache);
	buf_release(&note);
	return is_open;
}

static int open_merged(const struct operand_wish *wish, struct fleet *fleet,
		       const struct fetch_need *need, struct cache_entry *cache,
		       struct operand *out, struct err *err)
{
	if (cache->unused)
		message_note(wish->command, NULL, "%s", cache->unused);
	if (open_ready(wish, fleet, cache, out))
		return 0;
	if (merge(wish, fleet, need, cache, err) < 0)
		return -1;
	if (!cache->is_temporary)
		cache_trim(CACHE_MAX_BYTES);
	return store_open(cache->path, &out->store, err);
}

/*
 * Without slices: those of a rank are in its own store.  Of a fleet with call graphs all
 * tables are there.
 */
static int forbid(struct store *store, const struct fetch_need *need, struct err *err)
{
	int64_t without_slices;

	if (sql_int(store_db(store), "SELECT count(*) FROM profile WHERE slices = 0",
		    &without_slices, err) < 0)
		return -1;
	store_forbid_slices(store);
	if (!without_slices)
		store_forbid_others(store, need);
	return 0;
}

static int open_fleet(const struct operand_wish *wish, struct fleet *fleet,
		      struct operand *out, struct err *err)
{
	const struct fetch_need asked = operand_need_of_all(wish), *need = &asked;
	struct cache_entry cache = { .path = NULL };

	if (wish->wants_slices && has_room(fleet))
		need = NULL;
	interrupt_catch(); /* what is found may be a folder of its own, which was made */
	int rc = find_place(fleet, wish->path, need, &cache, err);
	if (rc == 0)
		rc = open_merged(wish, fleet, need, &cache, out, err);
	if (rc == 0 && !cache.is_temporary && !cache.is_forgotten)
		out->cached = xstrdup(cache.path);
	cache_discard(&cache);
	if (rc == 0)
		rc = interrupt_check(err);
	interrupt_unlink(NULL); /* from here on Ctrl-C may kill: nothing is half done */
	if (rc == 0 && need)
		rc = forbid(out->store, need, err);
	out->is_fleet = true;
	out->has_slices = !need;
	out->is_too_large = need && wish->wants_slices;
	return rc;
}

/* The store that holds all that the options choose, or NULL. */
static const struct fleet_store *only_chosen(const struct operand_wish *wish,
					     struct fleet *fleet, struct err *err)
{
	const struct fleet_store *only = NULL;
	int64_t first, last;
	size_t at = 0;

	if (fleet_count(fleet) == 1) {
		while (fleet->stores[at].err)
			at++;
		fleet_told_left_out(wish->command, fleet);
		return &fleet->stores[at];
	}
	if (!wish->wants_slices && !operand_reads_slices(wish))
		return NULL;
	/* a rank among the others is another answer: that is found when it is asked again */
	if ((wish->wants_slices || wish->need) && operand_compares_ranks(wish) &&
	    has_room(fleet))
		return NULL;
	struct err ignored = ERR_INIT; /* of --rank: that was checked before */
	if (!wish->scope || wish->scope->run || !wish->scope->rank ||
	    scope_options_read_rank(wish->scope->rank, &first, &last, &ignored) < 0)
		return NULL;
	if (fleet_look(fleet, false, interrupt_asked, err) < 0)
		return NULL;
	for (size_t i = 0; i < fleet->nprofiles; i++) {
		const struct fleet_profile *p = &fleet->profiles[i];
		const struct fleet_store *store = &fleet->stores[p->store];
		if (store->err || p->rank < first || p->rank > last)
			continue;
		if (only && only != store)
			return NULL;
		only = store;
	}
	return only;
}

int fleet_operand_open(const struct operand_wish *wish, struct operand *out,
		       struct err *err)
{
	struct fleet fleet;

	if (!is_folder(wish->path))
		return 0;
	*out = (struct operand){ .store = NULL };
	int rc = fleet_find(&wish->path, 1, NULL, &fleet, NULL, err);
	if (rc < 0 || fleet.n == 0) {
		/* who reads raw recordings tells what is wrong with it */
		*err = (struct err)ERR_INIT;
		fleet_release(&fleet);
		return 0;
	}
	const struct fleet_store *only = only_chosen(wish, &fleet, err);
	if (err->kind)
		rc = -1;
	else
		rc = only ? store_open(only->path, &out->store, err)
			  : open_fleet(wish, &fleet, out, err);
	if (rc == 0)
		out->path = xstrdup(only ? only->path : wish->path);
	fleet_release(&fleet);
	return rc < 0 ? -1 : 1;
}
