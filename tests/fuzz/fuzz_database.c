/*
 * A store that is damaged or made by somebody else: the tables of operators and slices,
 * what was found, and users' SQL.  Corpus only; one in 4.
 *
 * timeout: 300 s
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "damaged_store.h"
#include "query/findings.h"
#include "query/info.h"
#include "query/slices/slice_list.h"
#include "query/top/top.h"
#include "query/user_sql.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_top(struct gist *g, struct store *store, const struct scope *scope,
		    const char *by, bool slices)
{
	const struct filter_texts texts = { .min_dur = slices ? "0" : NULL };
	struct err err = ERR_INIT;
	struct filter filter;
	struct top_rows rows = { .norder = 0 };
	struct top_query query = { .filter = &filter,
				   .show = { .for_people = true },
				   .torch_times = slices };

	if (filter_compile(&texts, &filter, &err) < 0 || top_by_add(&query, by, &err) < 0)
		abort();
	if (top_load(store, scope, &query, &rows, &err) == 0)
		gist_table(g, 0, top_table(&rows, &query), &err);
	else
		gist_failure(g, &err);
	top_release(&rows);
	filter_release(&filter);
}

static void add_views(struct gist *g, struct store *store, const struct scope *scope)
{
	struct err err = ERR_INIT;
	struct table *t = NULL;
	static const char *const orders[] = { "start", "dur", "self", "name" };
	struct slice_list_request list = { .filter = NULL };

	int rc;

	for (int people = 0; people < 2; people++) {
		rc = info_open(store, scope, "store", people, &t, &err);
		gist_table(g, rc, t, &err);
		rc = findings_open(store, scope, SEVERITY_INFO, people, &t, &err);
		gist_table(g, rc, t, &err);
	}
	for (int i = 0; i < 4; i++) {
		list.show.sort = view_field(&slice_list_view, orders[i]);
		list.show.for_people = i & 1;
		rc = slice_list_open(store, scope, &list, &t, &err);
		gist_table(g, rc, t, &err);
	}
	add_top(g, store, scope, "shape", false);
	add_top(g, store, scope, "stack,rank", false);
	add_top(g, store, scope, "step", true);
}

static void add_sql(struct gist *g, struct store *store)
{
	struct err err = ERR_INIT;
	struct user_sql *q;
	struct table *t = NULL;

	if (user_sql_open(store, "SELECT * FROM slice LIMIT 99; SELECT * FROM counter",
			  NULL, &q, &err) < 0) {
		gist_failure(g, &err);
		return;
	}
	for (int rc = 1; rc == 1;) {
		rc = user_sql_next(q, true, &t, &err);
		if (rc == 1)
			gist_table(g, 0, t, &err);
		else if (rc < 0)
			gist_failure(g, &err);
	}
	user_sql_close(q);
}

static void read_store(struct gist *g, struct store *store, const struct scope *scope,
		       uint64_t chance)
{
	(void)chance;
	if (scope)
		add_views(g, store, scope);
	add_sql(g, store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	damaged_store_read(data, size, read_store);
	return 0;
}
