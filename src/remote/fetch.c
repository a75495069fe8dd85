/* A temporary store out of a database: see fetch.h. */
#include "remote/fetch.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/asset.h"
#include "remote/ask.h"
#include "remote/merge.h"
#include "remote/temp_store.h"
#include "store/sql.h"

ASSET(asset_remote_rows_sql);
ASSET(asset_remote_op_stat_sql);
ASSET(asset_remote_op_stat_merged_sql);
ASSET(asset_remote_row_counts_sql);

#define SQL_MAX   ((size_t)1 << 20)
#define LIVE_MAX  ((size_t)64 << 20)
#define PLACE_LOW 32 /* bits of a merged row's place that are not its profile's */
#define NGRAINS   3u

/* A profile's place in the list is its id less one, and `no` in questions. */
struct fetched {
	int64_t first_slice_id;
	uint64_t nrows;     /* of the table that is read */
	int64_t *first_ids; /* of its rows, by table */
	bool is_chosen;     /* by the question; others may say whom it waited for */
};

/* Whose rows are asked for. */
struct choice {
	struct buf live, runs;
	uint64_t last_run;
	bool is_all;
};

struct step_id {
	int64_t number, id;
};

struct fetch {
	struct http *http; /* borrowed */
	char *path;        /* owned */
	struct remote_tables tables;
	struct remote_list list;
	struct fetched *profiles; /* owned; list.n */
	int64_t *first_ids;       /* owned; tables.n for each profile */
	struct temp_store store;
	struct choice all, chosen;
	struct step_id *steps; /* owned: by number, the first of each */
	size_t nsteps, steps_cap;
	/* The table that is read. */
	const struct remote_table *table;
	const struct choice *choice; /* all or chosen */
	int64_t next_id;             /* of its rows */
	size_t at;                   /* the profile of the last row */
	uint64_t nmerged;            /* rows that were added up in the database */
	uint64_t room; /* bytes of rows that may still come, of all tables */
};

static int64_t number_of(const struct remote_table *profile,
			 const struct rowbinary_cell *cells, const char *name)
{
	for (size_t i = 0; i < profile->n; i++)
		if (strcmp(profile->columns[i].name, name) == 0)
			return cells[i].number;
	return 0;
}

static void init_choice(struct choice *c, bool is_all)
{
	*c = (struct choice){ .is_all = is_all };
	buf_init(&c->live, LIVE_MAX);
	buf_init(&c->runs, SQL_MAX);
}

static void release_choice(struct choice *c)
{
	buf_release(&c->live);
	buf_release(&c->runs);
}

static bool is_wanted(const struct fetch *f, size_t no)
{
	return f->choice->is_all || f->profiles[no].is_chosen;
}

/* The ids after those of a profile that has `n` rows; hostile numbers wrap nowhere. */
static int64_t ids_after(int64_t first, int64_t n)
{
	int64_t next;

	return n < 0 || __builtin_add_overflow(first, n, &next) ? first : next;
}

static int write_profiles(struct fetch *f, struct err *err)
{
	const struct remote_table *table = &f->tables.profile;
	struct temp_profile ids = { .first_slice_id = 1, .first_op_detail_id = 1 };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->list.n; i++) {
		const struct remote_push *push = &f->list.items[i];
		if (i == 0 || push->run_id != f->list.items[i - 1].run_id)
			rc = temp_store_add_run(&f->store, ++ids.run_id, push->run, err);
		if (rc < 0)
			break;
		ids.id = (int64_t)i + 1;
		f->profiles[i].first_slice_id = ids.first_slice_id;
		rc = temp_store_add_profile(&f->store, table, &ids, push->cells, err);
		ids.first_slice_id = ids_after(ids.first_slice_id,
					       number_of(table, push->cells, "slices"));
		ids.first_op_detail_id =
			ids_after(ids.first_op_detail_id,
				  number_of(table, push->cells, "op_details"));
	}
	return rc;
}

int fetch_begin(struct http *http, const struct remote_wish *wish, const char *path,
		struct fetch **out, struct err *err)
{
	struct fetch *f = xcalloc(1, sizeof(*f));

	*out = f;
	f->http = http;
	f->path = xstrdup(path);
	f->room = FETCH_BYTES_MAX;
	init_choice(&f->all, true);
	init_choice(&f->chosen, false);
	if (remote_tables_load(&f->tables, err) < 0 ||
	    remote_list_load(http, &f->tables, wish, &f->list, err) < 0)
		return -1;
	f->profiles = xcalloc(f->list.n, sizeof(*f->profiles));
	f->first_ids = xcalloc(f->list.n * f->tables.n, sizeof(*f->first_ids));
	for (size_t i = 0; i < f->list.n; i++)
		f->profiles[i].first_ids = f->first_ids + i * f->tables.n;
	if (temp_store_create(path, &f->store, err) < 0 || write_profiles(f, err) < 0)
		return -1;
	return temp_store_finish(&f->store, err);
}

size_t fetch_others(const struct fetch *f)
{
	return f->list.nothers;
}

void fetch_end(struct fetch *f)
{
	if (!f)
		return;
	temp_store_close(&f->store);
	remote_list_release(&f->list);
	remote_tables_release(&f->tables);
	release_choice(&f->all);
	release_choice(&f->chosen);
	free(f->profiles);
	free(f->first_ids);
	free(f->steps);
	free(f->path);
	free(f);
}

static int too_many(struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "this many runs cannot be read at once: choose one with --run");
}

/* The profile's push, and its run. */
static bool add_to_choice(struct fetch *f, struct choice *c, size_t no)
{
	const struct remote_push *push = &f->list.items[no];
	bool is_new = c->live.n == 0 || push->run_id != c->last_run;

	if (is_new &&
	    !buf_addf(&c->runs, "%s%" PRIu64, c->live.n ? ", " : "", push->run_id))
		return false;
	c->last_run = push->run_id;
	return rowbinary_put_int(&c->live, (int64_t)push->push_id) &&
	       rowbinary_put_int(&c->live, (int64_t)no) &&
	       rowbinary_put_int(&c->live, number_of(&f->tables.profile, push->cells,
						     "has_shapes"));
}

static int choose(struct fetch *f, const int64_t *ids, size_t n, struct err *err)
{
	bool fits = true;

	for (size_t i = 0; i < n; i++)
		f->profiles[ids[i] - 1].is_chosen = true;
	for (size_t i = 0; i < f->list.n; i++) {
		fits &= add_to_choice(f, &f->all, i);
		if (f->profiles[i].is_chosen)
			fits &= add_to_choice(f, &f->chosen, i);
	}
	return fits ? 0 : too_many(err);
}

static int nonsense(struct err *err)
{
	return err_set(err, ERR_IO, "the server's answer is malformed");
}

/* A row of the profile `no` comes: of the same as the last one or of a later one. */
static struct fetched *profile_of_row(struct fetch *f, int64_t no)
{
	if (no < 0 || (uint64_t)no >= f->list.n || !is_wanted(f, (size_t)no) ||
	    (size_t)no < f->at)
		return NULL;
	struct fetched *p = &f->profiles[no];
	if (p->nrows == 0)
		p->first_ids[f->table - f->tables.items] = f->next_id;
	f->at = (size_t)no;
	return p;
}

static int take_row(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct fetch *f = to;
	struct fetched *p = profile_of_row(f, cells[0].number);

	if (!p)
		return nonsense(err);
	const struct temp_bases bases = { .profile_id = cells[0].number + 1,
					  .first_slice_id = p->first_slice_id,
					  .tables = &f->tables,
					  .first_ids = p->first_ids };
	p->nrows++;
	f->next_id++;
	return temp_store_add_row(&f->store, &bases, cells + 1, err);
}

static int by_number(const void *a, const void *b)
{
	const struct step_id *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static int64_t step_called(void *from, int64_t number)
{
	const struct fetch *f = from;
	const struct step_id wanted = { .number = number };
	const struct step_id *found = f->nsteps ? bsearch(&wanted, f->steps, f->nsteps,
							  sizeof(wanted), by_number)
						: NULL;

	return found ? found->id : 0;
}

static int load_steps(struct fetch *f, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(
		    f->store.db,
		    "SELECT number, min(id) FROM step GROUP BY number ORDER BY number",
		    &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0)
		*ARRAY_PUSH(f->steps, f->nsteps, f->steps_cap) =
			(struct step_id){ sqlite3_column_int64(stmt, 0),
					  sqlite3_column_int64(stmt, 1) };
	sqlite3_finalize(stmt);
	return rc;
}

/* A group: it lies with the profile that lists it first. */
static int take_merged(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct fetch *f = to;
	struct fetched *p = profile_of_row(f, cells[0].number >> PLACE_LOW);

	if (!p || cells[1].number < 1)
		return nonsense(err);
	const struct temp_bases bases = { .profile_id = (int64_t)f->at + 1,
					  .tables = &f->tables,
					  .first_ids = p->first_ids,
					  .step_of = step_called,
					  .from = f };
	f->nmerged += (uint64_t)cells[1].number;
	return temp_store_add_row(&f->store, &bases, cells + 2, err);
}

/* Who is short of rows is named, where that can be found out. */
static int tell_incomplete(const struct fetch *f, const char *count, uint64_t got,
			   uint64_t wanted, struct err *err)
{
	for (size_t i = 0; i < f->list.n; i++) {
		const struct remote_push *push = &f->list.items[i];
		uint64_t has;
		if (!is_wanted(f, i))
			continue;
		remote_push_count(push, count, &has);
		if (has == f->profiles[i].nrows)
			continue;
		const char *slash = strrchr(push->path, '/');
		return err_set(err, ERR_IO,
			       "the server has %" PRIu64 " of %" PRIu64
			       " rows of %s of '%.100s': wait until it has all, or push "
			       "it again",
			       f->profiles[i].nrows, has, f->table->name,
			       slash ? slash + 1 : push->path);
	}
	return err_set(err, ERR_IO,
		       "the server has %" PRIu64 " of %" PRIu64
		       " rows of %s: wait until it has all, or push them again",
		       got, wanted, f->table->name);
}

static int take_count(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct fetch *f = to;
	struct fetched *p = profile_of_row(f, cells[0].number);

	if (!p)
		return nonsense(err);
	p->nrows = (uint64_t)cells[1].number;
	return 0;
}

static void begin_table(struct fetch *f, const struct remote_table *table,
			const struct choice *choice)
{
	f->table = table;
	f->choice = choice;
	f->next_id = 1;
	f->at = 0;
	f->nmerged = 0;
	for (size_t i = 0; i < f->list.n; i++)
		f->profiles[i].nrows = 0;
}

/* How many rows the wanted profiles have; `count` is their name in the profiles' counts. */
static uint64_t rows_wanted(const struct fetch *f, const char *count)
{
	uint64_t sum = 0, n;

	for (size_t i = 0; i < f->list.n; i++)
		if (is_wanted(f, i) && remote_push_count(&f->list.items[i], count, &n) &&
		    __builtin_add_overflow(sum, n, &sum))
			return UINT64_MAX;
	return sum;
}

/* What a question says, beside its file. */
struct question {
	const unsigned char *file;
	const char *count; /* of which rows */
	unsigned grain;    /* of a merged one */
	bool is_merged;
};

static int fill(const struct fetch *f, const struct question *q, struct buf *sql,
		struct err *err)
{
	struct buf columns, keys, aggregates;
	char grain[4];

	buf_init(&columns, SQL_MAX);
	buf_init(&keys, SQL_MAX);
	buf_init(&aggregates, SQL_MAX);
	snprintf(grain, sizeof(grain), "%u", q->grain);
	remote_columns_list(f->table, &columns);
	if (q->is_merged) {
		merge_keys(f->table, q->grain, &keys);
		merge_aggregates(f->table, q->grain, &aggregates);
	}
	const struct ask_word words[] = { { "columns", columns.p },
					  { "table", f->table->name },
					  { "runs", f->choice->runs.p },
					  { "grains", grain },
					  { "keys", keys.p },
					  { "aggregates", aggregates.p },
					  { NULL, NULL } };
	int rc = ask_fill(q->file, words, sql, err);
	buf_release(&columns);
	buf_release(&keys);
	buf_release(&aggregates);
	return rc;
}

/* `count` rows are missing or too many: asks whose. */
static int incomplete(struct fetch *f, const struct question *q, uint64_t got,
		      uint64_t wanted, struct err *err)
{
	static const struct rowbinary_type types[] = { { ROWBINARY_INT, false },
						       { ROWBINARY_INT, false } };
	struct question counts = { .file = asset_remote_row_counts_sql };
	struct rowbinary_reader reader = {
		.types = types, .ntypes = 2, .most = f->list.n, .row = take_count, .to = f
	};
	struct err ignored = ERR_INIT;
	struct buf sql;

	if (q->is_merged) {
		begin_table(f, f->table, f->choice);
		buf_init(&sql, SQL_MAX);
		if (fill(f, &counts, &sql, &ignored) == 0 &&
		    ask_rows(f->http, sql.p, &f->choice->live, &reader, &ignored) == 0)
			tell_incomplete(f, f->table->name, got, wanted, err);
		buf_release(&sql);
		if (err->kind != ERR_NONE)
			return -1;
		return err_set(err, ERR_IO,
			       "the server has %" PRIu64 " of %" PRIu64
			       " rows of %s: wait until it has all, or push them again",
			       got, wanted, f->table->name);
	}
	return tell_incomplete(f, q->count, got, wanted, err);
}

static int ask_table(struct fetch *f, const struct question *q, struct err *err)
{
	struct rowbinary_type types[ROWBINARY_COLUMNS_MAX] = { { ROWBINARY_INT, false },
							       { ROWBINARY_INT, false } };
	size_t own = q->is_merged ? 2 : 1;
	uint64_t wanted = rows_wanted(f, q->count);
	struct rowbinary_reader reader = { .types = types,
					   .ntypes = own + f->table->n,
					   .most = wanted,
					   .room = &f->room,
					   .row = q->is_merged ? take_merged : take_row,
					   .to = f };
	struct buf sql;

	if (wanted == 0)
		return 0;
	for (size_t i = 0; i < f->table->n; i++)
		types[own + i] = f->table->columns[i].type;
	/* of those that are added up there fewer may come */
	if (!q->is_merged && wanted > f->room / rowbinary_least(types, reader.ntypes))
		return rowbinary_too_much(err);
	buf_init(&sql, SQL_MAX);
	int rc = fill(f, q, &sql, err);
	if (rc == 0)
		rc = ask_rows(f->http, sql.p, &f->choice->live, &reader, err);
	buf_release(&sql);
	uint64_t got = q->is_merged ? f->nmerged : reader.nrows;
	if (rc == 0 && got != wanted)
		rc = incomplete(f, q, got, wanted, err);
	return rc;
}

/* A summary that a profile has may be empty. */
static int write_places(struct fetch *f, struct err *err)
{
	size_t of = (size_t)(f->table - f->tables.items);
	uint64_t n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->list.n; i++) {
		const struct remote_push *push = &f->list.items[i];
		if (!is_wanted(f, i) || !remote_push_count(push, f->table->name, &n))
			continue;
		const struct temp_part part = {
			.profile_id = (int64_t)i + 1,
			.first_id = n ? f->profiles[i].first_ids[of] : 1,
			.nrows = (int64_t)n,
			.rules = remote_push_rules(push, f->table->name),
		};
		rc = temp_store_add_part(&f->store, f->table, &part, err);
	}
	return rc;
}

static int fetch_table(struct fetch *f, const struct remote_table *table, struct err *err)
{
	const struct question rows = { .file = asset_remote_rows_sql,
				       .count = table->name };

	begin_table(f, table, &f->all);
	if (temp_store_begin_table(&f->store, table, err) < 0 ||
	    ask_table(f, &rows, err) < 0)
		return -1;
	return table->is_part ? write_places(f, err) : 0;
}

/* A sum of sums that might pass 64 bits is left to C, which stops there. */
static bool may_merge(const struct fetch *f)
{
	int64_t sum = 0;

	for (size_t i = 0; i < f->list.n; i++)
		if (is_wanted(f, i) &&
		    (f->list.items[i].largest_sum < 0 ||
		     __builtin_add_overflow(sum, f->list.items[i].largest_sum, &sum)))
			return false;
	return true;
}

static int fetch_ops(struct fetch *f, const struct remote_table *table,
		     const struct fetch_need *need, struct err *err)
{
	char count[16];
	struct question q = { .count = count };

	unsigned merges = may_merge(f) ? need->merges : 0;

	if (merges && load_steps(f, err) < 0)
		return -1;
	for (q.grain = 0; q.grain < NGRAINS; q.grain++) {
		if (need->grains && !(need->grains >> q.grain & 1))
			continue;
		q.is_merged = merges >> q.grain & 1;
		q.file = q.is_merged ? asset_remote_op_stat_merged_sql
				     : asset_remote_op_stat_sql;
		snprintf(count, sizeof(count), "op_stat.%u", q.grain);
		begin_table(f, table, &f->chosen);
		if (temp_store_begin_table(&f->store, table, err) < 0 ||
		    ask_table(f, &q, err) < 0)
			return -1;
	}
	return 0;
}

int fetch_rows(struct fetch *f, const int64_t *ids, size_t n,
	       const struct fetch_need *need, struct err *err)
{
	int rc = choose(f, ids, n, err);

	if (rc < 0 || temp_store_reopen(f->path, &f->store, err) < 0)
		return -1;
	for (size_t i = 0; rc == 0 && i < f->tables.n; i++) {
		const struct remote_table *table = &f->tables.items[i];
		if (!fetch_need_has(need, table->name))
			continue;
		rc = strcmp(table->name, "op_stat") == 0 ? fetch_ops(f, table, need, err)
							 : fetch_table(f, table, err);
	}
	return rc < 0 ? -1 : temp_store_finish(&f->store, err);
}
