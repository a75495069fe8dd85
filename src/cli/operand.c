/* Operands of reading commands: see operand.h. */
#include "cli/operand.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/ingesting.h"
#include "cli/message.h"
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

/* Makes the cached store of a raw file; the run is named after the file. */
static int fill_cache(const char *command, const char *path, const struct cache_entry *cache,
		      struct err *err)
{
	struct ingesting ingesting = { .command = command, .is_quiet = true };
	struct import_options options = { .store = cache->path, .fresh = true };
	struct import_events events = ingesting_events(&ingesting);
	struct import_result result;

	message_note(command, path, cache->is_temporary ?
					    "ingesting it for this call alone" :
					    "ingesting it into the cache");
	events.refused = NULL; /* the caller tells it */
	int rc = import_files(&options, &path, 1, &events, &result, err);
	ingesting_end(&ingesting);
	return rc;
}

static int open_raw(const char *command, const char *path, struct operand *out, struct err *err)
{
	if (cache_find(path, &out->cache, err) < 0)
		return -1;
	if (!out->cache.is_ready) {
		if (fill_cache(command, path, &out->cache, err) < 0)
			return -1;
		if (!out->cache.is_temporary)
			cache_trim(CACHE_MAX_BYTES);
	}
	return store_open(out->cache.path, &out->store, err);
}

int operand_open(const char *command, const char *path, struct operand *out, struct err *err)
{
	const char *name = operand_name(path);
	int rc;

	*out = (struct operand){ 0 };
	if (!path && access(name, F_OK) != 0 && !getenv("PTOOL_STORE"))
		return err_set(err, ERR_INPUT, "no store here; run 'ptool ingest FILE' first");
	if (!path || store_is(name))
		rc = store_open(name, &out->store, err);
	else
		rc = open_raw(command, name, out, err);
	out->path = xstrdup(name);
	if (rc < 0)
		operand_close(out);
	return rc;
}

void operand_close(struct operand *operand)
{
	store_close(operand->store);
	if (operand->cache.path)
		cache_discard(&operand->cache);
	free(operand->path);
	*operand = (struct operand){ 0 };
}
