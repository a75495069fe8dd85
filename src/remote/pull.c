/* Stores out of a database: see pull.h. */
#include "remote/pull.h"

#include <inttypes.h>
#include <string.h>

#include "base/asset.h"
#include "remote/ask.h"
#include "remote/pull_file.h"
#include "remote/push_file.h"

ASSET(asset_remote_store_chunks_sql);

#define SQL_MAX ((size_t)64 << 10)

static bool is_chosen(const struct pull_wish *wish, const struct remote_push *push)
{
	if (wish->runs.run && strcmp(wish->runs.run, push->run) != 0)
		return false;
	return !wish->has_rank || (push->has_rank && push->rank >= wish->first_rank &&
				   push->rank <= wish->last_rank);
}

/* The one store of all that are chosen. */
static int choose_store(const struct remote_list *list, const struct pull_wish *wish,
			struct pull_store *out, struct err *err)
{
	size_t chosen = 0, without = 0;

	*out = (struct pull_store){ .push_id = 0 };
	for (size_t i = 0; i < list->n; i++) {
		const struct remote_push *push = &list->items[i];
		if (!is_chosen(wish, push))
			continue;
		chosen++;
		without += push->store_push_id == 0;
		if (push->store_push_id == 0 || push->store_push_id == out->push_id)
			continue;
		if (out->push_id)
			return err_set(err, ERR_EMPTY,
				       "the run has several stores: choose one with "
				       "--rank");
		out->run_id = push->run_id;
		out->push_id = push->store_push_id;
		out->bytes = push->store_bytes;
		snprintf(out->sha256, sizeof(out->sha256), "%s", push->store_sha256);
	}
	if (chosen == 0)
		return err_set(err, ERR_EMPTY,
			       "there is no such run, or no such rank in it");
	if (out->push_id == 0)
		return err_set(err, ERR_EMPTY,
			       "the store is not in the database: it was pushed without "
			       "--with-store");
	return without ? err_set(err, ERR_EMPTY,
				 "only some of the profiles were pushed --with-store: "
				 "choose one with --rank")
		       : 0;
}

int pull_find(struct http *http, const struct pull_wish *wish, struct pull_store *out,
	      struct err *err)
{
	struct remote_tables tables;
	struct remote_list list = { .n = 0 };
	int rc = remote_tables_load(&tables, err);

	if (rc == 0)
		rc = remote_list_load(http, &tables, &wish->runs, &list, err);
	if (rc == 0)
		rc = choose_store(&list, wish, out, err);
	remote_list_release(&list);
	remote_tables_release(&tables);
	return rc;
}

int pull_write(struct http *http, const struct pull_store *store, int fd,
	       const char *path, struct err *err)
{
	static const struct rowbinary_type types[] = { { ROWBINARY_INT, false },
						       { ROWBINARY_TEXT, false } };
	char run[24], push[24];
	const struct ask_word words[] = { { "run", run },
					  { "push", push },
					  { NULL, NULL } };
	struct pull_file file = {
		.fd = fd, .path = path, .limits = &usual_limits, .wanted = store->bytes
	};
	struct rowbinary_reader reader = {
		.types = types,
		.ntypes = 2,
		.most = store->bytes < 0 ? 0
					 : (uint64_t)store->bytes / PUSH_FILE_PIECE + 1,
		.row = pull_file_take,
		.to = &file,
	};
	struct buf sql;

	snprintf(run, sizeof(run), "%" PRIu64, store->run_id);
	snprintf(push, sizeof(push), "%" PRIu64, store->push_id);
	buf_init(&sql, SQL_MAX);
	int rc = ask_fill(asset_remote_store_chunks_sql, words, &sql, err);
	pull_file_begin(&file);
	if (rc == 0)
		rc = ask_rows(http, sql.p, NULL, &reader, err);
	if (rc == 0)
		rc = pull_file_check(&file, store->sha256, err);
	pull_file_end(&file);
	buf_release(&sql);
	return rc;
}
