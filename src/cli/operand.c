/* Operands of reading commands: see operand.h. */
#include "cli/operand.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/fleet_operand.h"
#include "cli/ingesting.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/remote_operand.h"
#include "ingest/foreign_head.h"
#include "ingest/reader.h"
#include "query/summary/summary.h"
#include "remote/url.h"
#include "store/cache.h"
#include "store/import.h"

const char *operand_default_store(void)
{
	const char *path = getenv("PTOOL_STORE");

	return path && *path ? path : "ptool.db";
}

const char *operand_name(const char *path)
{
	return path ? path : operand_default_store();
}

/*
 * Makes the cached store of a raw file or folder; the run is named after it.  What
 * was made of a part of a folder's files is not found again, so that every call
 * tells which are missing.
 */
static int fill_cache(const char *command, const char *path, bool is_quiet,
		      struct cache_entry *cache, struct err *err)
{
	struct import_result result;
	char *folder =
		cache->is_temporary
			? xstrndup(cache->path,
				   (size_t)(strrchr(cache->path, '/') - cache->path))
			: NULL;
	struct ingesting ingesting = { .command = command,
				       .subject = path,
				       .folder = folder,
				       .operand = path,
				       .is_quiet = is_quiet,
				       .result = &result,
				       .where = cache->is_temporary
							? "read for this command only"
							: "read into the cache" };
	struct import_options options = { .store = cache->path,
					  .fresh = true,
					  .summarize = summaries_make_run,
					  .read.threads = read_threads(0) };
	struct import_events events = ingesting_events(&ingesting);

	/* what others may change, they may forge */
	mode_t before = umask(077);
	int rc = import_files(&options, &path, 1, &events, &result, err);
	umask(before);
	ingesting_end(&ingesting);
	free(folder);
	if (rc < 0 && (err->kind == ERR_IO || err->kind == ERR_USAGE)) {
		/* the caller names the trace, but it is the cache that has no room */
		struct err why = *err;
		err_set(err, ERR_IO, "cannot make '%s': %s", cache->path, why.text);
	}
	if (rc < 0 && result.is_refusal && ingesting.nrefused)
		err_set(err, ERR_INPUT, "no trace in it can be read");
	if (rc == 0 && result.refused)
		cache_forget(cache);
	return rc == 0 ? interrupt_check(err) : rc;
}

static int open_cached(const char *command, const char *path, bool is_quiet,
		       struct cache_entry *cache, struct store **out, struct err *err)
{
	struct err why = ERR_INIT;

	if (cache->unused)
		message_note(command, NULL, "%s", cache->unused);
	if (cache->is_ready) {
		if (store_open(cache->path, out, &why) == 0)
			return 0;
		cache_drop_damaged(cache);
	}
	if (fill_cache(command, path, is_quiet, cache, err) < 0)
		return -1;
	if (!cache->is_temporary)
		cache_trim(CACHE_MAX_BYTES);
	if (store_open(cache->path, out, &why) == 0)
		return 0;
	return err_set(err, why.kind, "cannot read '%s': %s", cache->path, why.text);
}

/* A temporary store is unlinked as soon as it is open, so that no end leaves it behind. */
static int open_raw(const char *command, const char *path, bool is_quiet,
		    struct operand *out, struct err *err)
{
	struct cache_entry cache = { .path = NULL };

	interrupt_catch(); /* what is found may be a folder of its own, which was made */
	int rc = cache_find(path, &cache, err);
	if (rc == 0)
		rc = open_cached(command, path, is_quiet, &cache, &out->store, err);
	if (rc == 0 && !cache.is_temporary && !cache.is_forgotten)
		out->cached = xstrdup(cache.path);
	cache_discard(&cache);
	if (rc == 0)
		rc = interrupt_check(err);
	interrupt_unlink(NULL); /* from here on Ctrl-C may kill: nothing is half done */
	return rc;
}

/* A database that is known, but not ours. */
static bool is_of_another_program(const char *path)
{
	struct err ignored = ERR_INIT;
	struct input *in = input_open(path, &ignored);
	bool is_known = false;

	if (in) {
		struct bytes head = input_peek(in, PROBE_BYTES, &ignored);
		is_known = foreign_database(head).instead != NULL;
	}
	input_close(in);
	return is_known;
}

static int open_file(const char *command, const char *path, bool is_quiet,
		     struct operand *out, struct err *err)
{
	const char *name = operand_name(path);
	struct store_header header = { 0 };
	int rc;

	if (!path || strcmp(path, "-") != 0)
		header = store_look_at(name);
	*out = (struct operand){ .is_raw = path && !header.is_sqlite };
	if (header.error)
		return store_check_header(&header, err);
	if (!path && access(name, F_OK) != 0)
		return err_set(err, ERR_INPUT,
			       "no store here; run 'ptool ingest FILE' first");
	if (!out->is_raw && !header.is_store && is_of_another_program(name))
		out->is_raw = true; /* so that it is refused by its name */
	rc = out->is_raw ? open_raw(command, path, is_quiet, out, err)
			 : store_open(name, &out->store, err);
	if (rc == 0)
		out->path = xstrdup(name);
	return rc;
}

int operand_open_for(const struct operand_wish *wish, struct operand *out,
		     struct err *err)
{
	int rc;

	*out = (struct operand){ .is_remote = wish->path && url_is(wish->path) };
	if (out->is_remote)
		rc = remote_operand_open(wish, out, err);
	else
		rc = fleet_operand_open(wish, out, err);
	if (rc == 0 && !out->is_remote)
		rc = open_file(wish->command, wish->path, wish->is_quiet, out, err);
	if (rc < 0) {
		operand_close(out); /* has no command yet: it says nothing */
		return -1;
	}
	out->command = wish->command;
	return 0;
}

int operand_open(const char *command, const char *path, bool is_quiet,
		 struct operand *out, struct err *err)
{
	const struct operand_wish wish = { .command = command,
					   .path = path,
					   .is_quiet = is_quiet };

	return operand_open_for(&wish, out, err);
}

bool operand_missed_slices(const struct operand *operand)
{
	return operand->is_fleet && !operand->has_slices && operand->store &&
	       store_missed_slices(operand->store);
}

/*
 * The one place that says what to do where a question needs slices and the store has
 * none; that it does, store_forbid_slices() finds.
 */
static void explain_slices(const struct operand *operand, struct err *err)
{
	if (operand_missed_slices(operand)) {
		char *why = operand->is_too_large
				    ? xasprintf(", and its stores take more than %d GB",
						(int)(CACHE_MAX_BYTES / 1000000000))
				    : xstrdup("");
		err_set(err, ERR_EMPTY,
			"reads slices%s: --rank N asks the store of that rank, and "
			"'ptool merge -o run.db DIR' makes one store of all",
			why);
		free(why);
		return;
	}
	if (operand->is_remote) {
		err_set(err, ERR_EMPTY,
			"reads slices, which are not in a database: 'ptool pull URL -o "
			"STORE' brings the store here, if it was pushed --with-store");
		return;
	}
	err_set(err, ERR_EMPTY,
		"reads slices, which were left out of this store: ask a store that "
		"'ptool ingest' made without --summary-only");
}

void operand_explain(const struct operand *operand, struct err *err)
{
	if (err->kind == ERR_EMPTY && store_missed_slices(operand->store)) {
		explain_slices(operand, err);
		return;
	}
	if (err->kind != ERR_INPUT || !operand->cached ||
	    !store_is_damaged(operand->store))
		return;
	unlink(operand->cached);
	err_set(err, ERR_INPUT,
		"its store in the cache was damaged and was deleted, run the "
		"command again: '%s'",
		operand->cached);
}

void operand_close(struct operand *operand)
{
	if (operand->command && operand->store && store_noted_rules(operand->store))
		message_note(
			operand->command, operand->path,
			"another release of ptool made its summaries by other rules, "
			"and its slices were left out: for those of this one ingest "
			"the traces again");
	store_close(operand->store);
	free(operand->cached);
	free(operand->path);
	*operand = (struct operand){ 0 };
}
