/* The profiles of a database that count: see list.h. */
#include "remote/list.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/asset.h"
#include "base/sort.h"
#include "remote/ask.h"
#include "remote/ddl.h"
#include "remote/push.h"
#include "store/store.h"

ASSET(asset_remote_live_sql);
ASSET(asset_remote_newest_run_sql);

#define SQL_MAX ((size_t)64 << 10)
/* Of what is kept of them: 6 KB each usually. */
#define LIST_BYTES_MAX ((size_t)1 << 30)

/* The columns of DDL_PROFILE_OWN_NAMES. */
enum {
	OWN_RUN_ID,
	OWN_RUN,
	OWN_PROFILE_KEY,
	OWN_PUSH_ID,
	OWN_DELETED,
	OWN_SCHEMA,
	OWN_PTOOL,
	OWN_PUSHED_NS,
	OWN_STORE_KEY,
	OWN_PLACE,
	OWN_COUNTS,
	OWN_LARGEST_SUM,
	OWN_STORE_PUSH_ID,
	OWN_STORE_BYTES,
	OWN_STORE_SHA256,
	NOWN
};

static bool is_text(size_t own)
{
	return own == OWN_RUN || own == OWN_PTOOL || own == OWN_COUNTS ||
	       own == OWN_STORE_SHA256;
}

static const char *copy_text(struct remote_list *list, struct str text)
{
	return arena_copy(&list->arena, text).p;
}

/* The column of the store's profiles. */
static const struct rowbinary_cell *cell_called(const struct remote_list *list,
						const struct rowbinary_cell *cells,
						const char *name)
{
	const struct remote_table *profile = &list->tables->profile;
	size_t i = 0;

	while (strcmp(profile->columns[i].name, name) != 0)
		i++;
	return &cells[i];
}

static const struct rowbinary_cell *copy_cells(struct remote_list *list,
					       const struct rowbinary_cell *from)
{
	size_t n = list->tables->profile.n;
	struct rowbinary_cell *cells = arena_alloc(&list->arena, n * sizeof(*cells));

	for (size_t i = 0; i < n; i++) {
		cells[i] = from[i];
		cells[i].text = arena_copy(&list->arena, from[i].text);
	}
	return cells;
}

static int add_push(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct remote_list *list = to;
	struct remote_push push = {
		.run_id = (uint64_t)cells[OWN_RUN_ID].number,
		.profile_key = (uint64_t)cells[OWN_PROFILE_KEY].number,
		.push_id = (uint64_t)cells[OWN_PUSH_ID].number,
		.store_key = (uint64_t)cells[OWN_STORE_KEY].number,
		.store_push_id = (uint64_t)cells[OWN_STORE_PUSH_ID].number,
		.schema = cells[OWN_SCHEMA].number,
		.place = cells[OWN_PLACE].number,
		.largest_sum = cells[OWN_LARGEST_SUM].number,
		.store_bytes = cells[OWN_STORE_BYTES].number,
	};

	if (list->arena.total > LIST_BYTES_MAX)
		return err_set(err, ERR_IO,
			       "the server lists an impossible number of "
			       "profiles");
	if (push.schema > list->newest_schema)
		list->newest_schema = push.schema;
	if (push.schema != STORE_SCHEMA_VERSION) {
		list->nothers++;
		return 0;
	}
	push.run = copy_text(list, cells[OWN_RUN].text);
	push.counts = copy_text(list, cells[OWN_COUNTS].text);
	push.store_sha256 = copy_text(list, cells[OWN_STORE_SHA256].text);
	push.cells = copy_cells(list, cells + NOWN);
	push.path = cell_called(list, push.cells, "path")->text.p;
	const struct rowbinary_cell *rank = cell_called(list, push.cells, "rank");
	push.has_rank = !rank->is_null;
	push.rank = rank->number;
	*ARRAY_PUSH(list->items, list->n, list->cap) = push;
	return 0;
}

static int compare_unsigned(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Those of a run together, of it those of a store, in its order. */
static int by_store(const void *a, const void *b)
{
	const struct remote_push *x = a, *y = b;
	int order = compare_unsigned(x->run_id, y->run_id);

	if (order == 0)
		order = compare_unsigned(x->store_key, y->store_key);
	if (order == 0)
		order = compare_numbers(x->place, y->place);
	return order ? order : compare_unsigned(x->push_id, y->push_id);
}

/* As one store of all has them: stores by their first recordings (fleet.c), each as it is. */
static int by_order(const void *a, const void *b)
{
	const struct remote_push *x = a, *y = b;
	int order = compare_unsigned(x->run_age, y->run_age);

	if (order == 0)
		order = natural_compare(str_of(x->first_path), str_of(y->first_path));
	return order ? order : by_store(a, b);
}

/* What all of a run say of each other, and of a store; how many there are. */
static size_t look_at_run(struct remote_push *items, size_t n)
{
	uint64_t age = 0;
	size_t end = 0, first = 0;

	for (; end < n && items[end].run_id == items->run_id; end++)
		age = items[end].push_id > age ? items[end].push_id : age;
	for (size_t i = 0; i < end; i++) {
		if (items[i].store_key != items[first].store_key)
			first = i;
		items[i].run_age = age;
		items[i].first_path = items[first].path;
	}
	return end;
}

static void sort_pushes(struct remote_list *list)
{
	if (!list->n)
		return;
	qsort(list->items, list->n, sizeof(*list->items), by_store);
	for (size_t at = 0; at < list->n;)
		at += look_at_run(list->items + at, list->n - at);
	qsort(list->items, list->n, sizeof(*list->items), by_order);
}

/* "run_id = N", the choice of a run in a question. */
static int choose_runs(struct http *http, const struct remote_wish *wish, char *out,
		       size_t size, struct err *err)
{
	uint64_t run_id = 0;
	struct buf sql;

	if (wish->all_runs && !wish->run) {
		snprintf(out, size, "1");
		return 0;
	}
	if (wish->run) {
		run_id = push_run_id(wish->run);
	} else {
		buf_init(&sql, SQL_MAX);
		int rc = ask_fill(asset_remote_newest_run_sql, NULL, &sql, err);
		if (rc == 0)
			rc = ask_number(http, sql.p, &run_id, err);
		buf_release(&sql);
		if (rc < 0)
			return -1;
	}
	snprintf(out, size, "run_id = %" PRIu64, run_id);
	return 0;
}

static int ask_profiles(struct http *http, const char *runs, struct remote_list *out,
			struct err *err)
{
	const struct remote_table *profile = &out->tables->profile;
	struct rowbinary_type types[ROWBINARY_COLUMNS_MAX];
	struct rowbinary_reader reader = { .types = types,
					   .ntypes = NOWN + profile->n,
					   .most = REMOTE_PROFILES_MAX,
					   .row = add_push,
					   .to = out };
	struct buf columns, sql;

	for (size_t i = 0; i < NOWN; i++)
		types[i] = (struct rowbinary_type){ is_text(i) ? ROWBINARY_TEXT
							       : ROWBINARY_INT,
						    false };
	for (size_t i = 0; i < profile->n; i++)
		types[NOWN + i] = profile->columns[i].type;
	buf_init(&columns, SQL_MAX);
	buf_init(&sql, SQL_MAX);
	buf_add_text(&columns, DDL_PROFILE_OWN_NAMES ", ");
	remote_columns_list(profile, &columns);
	const struct ask_word words[] = { { "columns", columns.p },
					  { "runs", runs },
					  { NULL, NULL } };
	int rc = ask_fill(asset_remote_live_sql, words, &sql, err);
	if (rc == 0)
		rc = ask_rows(http, sql.p, NULL, &reader, err);
	buf_release(&columns);
	buf_release(&sql);
	return rc;
}

static int no_profile(const struct remote_list *list, struct err *err)
{
	if (list->nothers)
		return err_set(err, ERR_INPUT,
			       "the profiles there are of stores of format %" PRId64
			       ", this ptool reads %d: push them again with this one, or "
			       "use theirs",
			       list->newest_schema, STORE_SCHEMA_VERSION);
	return err_set(err, ERR_EMPTY,
		       "the database holds no run; 'ptool push URL STORE' adds one");
}

int remote_list_load(struct http *http, const struct remote_tables *tables,
		     const struct remote_wish *wish, struct remote_list *out,
		     struct err *err)
{
	char runs[40];

	*out = (struct remote_list){ .tables = tables };
	if (choose_runs(http, wish, runs, sizeof(runs), err) < 0 ||
	    ask_profiles(http, runs, out, err) < 0)
		return -1;
	/* who finds no such run among all of them says which there are */
	if (out->n == 0 && wish->run && ask_profiles(http, "1", out, err) < 0)
		return -1;
	sort_pushes(out);
	return out->n ? 0 : no_profile(out, err);
}

void remote_list_release(struct remote_list *list)
{
	free(list->items);
	arena_release(&list->arena);
	*list = (struct remote_list){ .n = 0 };
}

/* What is behind "TABLE=", or NULL. */
static const char *count_of(const struct remote_push *push, const char *table)
{
	size_t length = strlen(table);

	for (const char *at = push->counts; *at; at += *at == ' ') {
		size_t word = strcspn(at, " ");
		if (word > length && strncmp(at, table, length) == 0 && at[length] == '=')
			return at + length + 1;
		at += word;
	}
	return NULL;
}

bool remote_push_count(const struct remote_push *push, const char *table, uint64_t *n)
{
	const char *count = count_of(push, table);

	*n = count ? strtoull(count, NULL, 10) : 0;
	return count != NULL;
}

int remote_push_rules(const struct remote_push *push, const char *table)
{
	const char *count = count_of(push, table);
	size_t digits = count ? strspn(count, "0123456789") : 0;
	long rules =
		digits && count[digits] == ':' ? strtol(count + digits + 1, NULL, 10) : 0;

	return rules > 0 && rules < INT_MAX ? (int)rules : 0;
}
