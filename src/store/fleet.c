/* The stores of a run: see fleet.h. */
#include "store/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/str.h"
#include "store/cache.h"
#include "store/import.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"
#include "trace/fact.h"

static void add_store(struct fleet *fleet, const char *path, const struct stat *st)
{
	size_t number = fleet->n;

	*ARRAY_PUSH(fleet->stores, fleet->n, fleet->cap) = (struct fleet_store){
		.path = arena_strdup(&fleet->arena, path), .st = *st, .number = number
	};
}

void fleet_leave_out(struct fleet *fleet, struct fleet_store *store,
		     const struct err *why)
{
	store->err = arena_alloc(&fleet->arena, sizeof(*why));
	store->may_pass = why->kind == ERR_IO;
	*store->err = *why;
	store->err->kind = ERR_INPUT;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_ending_of(const char *path, const char *store)
{
	const char *slash = strrchr(store, '/'), *dot = strrchr(store, '.');
	size_t n = strlen(path), end = dot && dot > slash ? strlen(dot) : 0;

	return end && n > end && strcmp(path + n - end, dot) == 0;
}

/* "r.db.tmp.123", in which a store is made (publish.c). */
static bool is_being_made(const char *path)
{
	const char *dot = strrchr(path, '.');
	static const char mark[] = ".tmp";
	size_t n = sizeof(mark) - 1;

	return dot && (size_t)(dot - path) > n && memcmp(dot - n, mark, n) == 0 &&
	       dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1);
}

/*
 * Beside stores: a file that is called like them and is no database, or that cannot be looked
 * at, is a store that was lost, and its rank with it.
 */
static bool is_lost(const struct walk_file *file, const struct store_header *header,
		    const char *store)
{
	return file->kind == WALK_FAILED || is_being_made(file->path) ||
	       (file->kind == WALK_FILE && has_ending_of(file->path, store) &&
		!header->is_sqlite);
}

/* errno of a file that cannot be looked at, or 0. */
static int error_of(const struct walk_file *file, const struct store_header *header)
{
	if (file->kind != WALK_FILE)
		return file->error;
	return access(file->path, R_OK) < 0 ? errno : header->error;
}

static void add_lost(struct fleet *fleet, const struct walk_file *file,
		     const struct store_header *header)
{
	int error = error_of(file, header);
	struct err why = ERR_INIT;

	add_store(fleet, file->path, &file->st);
	if (error)
		err_set(&why, error == EACCES ? ERR_INPUT : ERR_IO, "cannot be read: %s",
			strerror(error));
	else if (is_being_made(file->path))
		err_set(&why, ERR_INPUT,
			"a store that is being written, or was when ptool was killed");
	else
		err_set(&why, ERR_INPUT,
			file->st.st_size ? "not a ptool store"
					 : "not a ptool store: it is empty");
	fleet_leave_out(fleet, &fleet->stores[fleet->n - 1], &why);
}

/* The stores of a folder, in their order; then what is no store. */
static void sort_files(struct fleet *fleet, const struct walk *walk,
		       const struct stat *except)
{
	bool *is_done = xcalloc(walk->n + 1, sizeof(*is_done));
	struct store_header *headers = xcalloc(walk->n + 1, sizeof(*headers));
	size_t before = fleet->n;

	for (size_t i = 0; i < walk->n; i++) {
		const struct walk_file *file = &walk->files[i];
		if (file->kind != WALK_FILE)
			continue;
		is_done[i] = is_same_file(&file->st, except) || cache_has(file->path);
		if (is_done[i])
			continue;
		headers[i] = store_look_at(file->path);
		if (is_being_made(file->path) || !headers[i].is_store)
			continue;
		is_done[i] = true;
		add_store(fleet, file->path, &file->st);
	}
	size_t found = fleet->n;
	for (size_t i = 0; i < walk->n; i++) {
		const struct walk_file *file = &walk->files[i];
		if (is_done[i])
			continue;
		if (found > before &&
		    is_lost(file, &headers[i], fleet->stores[before].path))
			add_lost(fleet, file, &headers[i]);
		else
			*ARRAY_PUSH(fleet->others, fleet->nothers, fleet->others_cap) =
				arena_strdup(&fleet->arena, file->path);
	}
	free(headers);
	free(is_done);
}

static int find_in_folder(struct fleet *fleet, const char *path,
			  const struct stat *except, walk_stop_fn *stop, struct err *err)
{
	struct walk walk;
	int rc = walk_folder(path, &walk, stop, NULL, err);

	if (rc == 0)
		sort_files(fleet, &walk, except);
	walk_release(&walk);
	return rc;
}

int fleet_find(const char *const *paths, size_t n, const char *except, struct fleet *out,
	       walk_stop_fn *stop, struct err *err)
{
	struct stat not = { 0 }, st;
	int rc = 0;

	*out = (struct fleet){ .n = 0 };
	if (except && stat(except, &not ) < 0)
		not = (struct stat){ 0 };
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc = find_in_folder(out, paths[i], &not, stop, err);
		else
			add_store(out, paths[i], &st);
	}
	char *run = import_run_name(paths, n);
	out->run = arena_strdup(&out->arena, run);
	free(run);
	return rc;
}

static const char *text_at(struct fleet *fleet, struct sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);

	return arena_strdup(&fleet->arena, text ? (const char *)text : "");
}

/* Columns of the statement fleet_profiles. */
enum {
	COLUMN_RUN,
	COLUMN_PATH,
	COLUMN_RANK,
	COLUMN_BASE,
	COLUMN_START,
	COLUMN_DUR,
	COLUMN_SLICES,
	COLUMN_BYTES
};

static void add_profile(struct fleet *fleet, size_t place, struct sqlite3_stmt *stmt)
{
	struct fleet_store *store = &fleet->stores[place];
	bool is_ranked = sqlite3_column_type(stmt, COLUMN_RANK) != SQLITE_NULL;

	if (!store->run) {
		store->run = text_at(fleet, stmt, COLUMN_RUN);
		store->first_path = text_at(fleet, stmt, COLUMN_PATH);
	}
	*ARRAY_PUSH(fleet->profiles, fleet->nprofiles,
		    fleet->profiles_cap) = (struct fleet_profile){
		.path = text_at(fleet, stmt, COLUMN_PATH),
		.rank = is_ranked ? sqlite3_column_int64(stmt, COLUMN_RANK) : NUMBER_NONE,
		.base_ns = sqlite3_column_int64(stmt, COLUMN_BASE),
		.start_ns = sqlite3_column_int64(stmt, COLUMN_START),
		.dur_ns = sqlite3_column_int64(stmt, COLUMN_DUR),
		.slices = sqlite3_column_int64(stmt, COLUMN_SLICES),
		.bytes = sqlite3_column_int64(stmt, COLUMN_BYTES),
		.store = place,
	};
}

static int read_profiles(struct fleet *fleet, size_t place, struct sqlite3 *db,
			 struct err *err)
{
	struct sqlite3_stmt *stmt;
	int64_t runs;
	int rc;

	if (sql_int(db, "SELECT count(*) FROM run", &runs, err) < 0)
		return -1;
	if (runs > 1 && !fleet->only_run)
		return err_set(err, ERR_INPUT,
			       "holds %" PRId64 " runs: merge stores of one run each "
			       "('ptool rm' deletes a run)",
			       runs);
	if (statement_prepare(db, "fleet_profiles", &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, fleet->only_run, -1, SQLITE_STATIC);
	while ((rc = sql_step(stmt, err)) > 0)
		add_profile(fleet, place, stmt);
	sqlite3_finalize(stmt);
	if (rc == 0 && !fleet->stores[place].run)
		rc = err_set(err, ERR_INPUT, "holds no run");
	return rc;
}

int fleet_look_at(struct fleet *fleet, size_t place, struct store *opened,
		  struct err *err)
{
	size_t before = fleet->nprofiles;
	int rc = read_profiles(fleet, place, store_db(opened), err);

	fleet->stores[place].is_looked_at = true;
	if (rc < 0)
		fleet->nprofiles = before;
	return rc;
}

/* -1: no memory, which says nothing of the store. */
static int look_at(struct fleet *fleet, size_t place, bool is_whole, struct err *err)
{
	struct fleet_store *store = &fleet->stores[place];
	struct store *opened;

	int rc = is_whole ? store_open(store->path, &opened, err)
			  : store_open_in_part(store->path, &opened, err);
	if (rc == 0)
		rc = fleet_look_at(fleet, place, opened, err);
	store_close(opened);
	if (rc == 0 || sql_is_out_of_memory(err))
		return rc;
	fleet_leave_out(fleet, store, err);
	*err = (struct err)ERR_INIT;
	return 0;
}

bool fleet_is_in_order(const struct fleet_store *first, const struct fleet_store *second)
{
	int order =
		natural_compare(str_of(first->first_path), str_of(second->first_path));

	return order ? order < 0
		     : natural_compare(str_of(first->path), str_of(second->path)) < 0;
}

static int by_input(const void *a, const void *b)
{
	const struct fleet_store *x = a, *y = b;
	int order = (y->err == NULL) - (x->err == NULL);

	if (order == 0 && !x->err)
		order = natural_compare(str_of(x->first_path), str_of(y->first_path));
	return order ? order : natural_compare(str_of(x->path), str_of(y->path));
}

/* In the order of reading, those that are left out last. */
static void order_stores(struct fleet *fleet)
{
	if (fleet->n)
		qsort(fleet->stores, fleet->n, sizeof(*fleet->stores), by_input);
}

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* 0: the same recording, as far as can be told. */
static int compare_recordings(const struct fleet_profile *x,
			      const struct fleet_profile *y)
{
	int order = compare(x->rank, y->rank);

	order = order ? order : compare(x->base_ns, y->base_ns);
	order = order ? order : compare(x->start_ns, y->start_ns);
	order = order ? order : compare(x->dur_ns, y->dur_ns);
	order = order ? order : compare(x->slices, y->slices);
	order = order ? order : compare(x->bytes, y->bytes);
	return order || x->rank != NUMBER_NONE ? order : strcmp(x->path, y->path);
}

/* Equal ones stand together, and those of a rank. */
static int by_recording(const void *a, const void *b)
{
	const struct fleet_profile *x = a, *y = b;
	int order = compare_recordings(x, y);

	return order ? order : compare((int64_t)x->store, (int64_t)y->store);
}

/* A run that ptool named is called like its inputs, or the folder of all. */
static bool is_named_by_user(const struct fleet_store *store)
{
	return !str_starts_with(str_of(store->first_path), str_of(store->run));
}

/* Why the second of two profiles cannot be beside the first; false: it can. */
static bool cannot_stay(const struct fleet *fleet, const struct fleet_profile *before,
			const struct fleet_profile *p, struct err *why)
{
	const struct fleet_store *first = &fleet->stores[before->store];
	const struct fleet_store *store = &fleet->stores[p->store];

	if (before->store == p->store || first->err || store->err)
		return false;
	if (compare_recordings(before, p) == 0)
		err_set(why, ERR_INPUT, "holds the same recording as '%s'", first->path);
	else if (p->rank != NUMBER_NONE && p->rank == before->rank &&
		 strcmp(first->run, store->run) != 0 && is_named_by_user(first) &&
		 is_named_by_user(store))
		err_set(why, ERR_INPUT,
			"holds rank %" PRId64
			" of run '%s', and '%s' holds that of run '%s': merge one run "
			"at a time",
			p->rank, store->run, first->path, first->run);
	else
		return false;
	return true;
}

static void find_doubles(struct fleet *fleet)
{
	struct fleet_profile *p = fleet->profiles;
	struct err why = ERR_INIT;

	if (fleet->nprofiles)
		qsort(p, fleet->nprofiles, sizeof(*p), by_recording);
	for (size_t i = 1, first = 0; i < fleet->nprofiles; i++) {
		if (p[i].rank != p[first].rank || fleet->stores[p[first].store].err)
			first = i;
		if (cannot_stay(fleet, &p[i - 1], &p[i], &why) ||
		    cannot_stay(fleet, &p[first], &p[i], &why))
			fleet_leave_out(fleet, &fleet->stores[p[i].store], &why);
	}
}

/* The places of stores after they were ordered. */
static void renumber(struct fleet *fleet)
{
	size_t *place = xcalloc(fleet->n + 1, sizeof(*place));

	for (size_t i = 0; i < fleet->n; i++)
		place[fleet->stores[i].number] = i;
	for (size_t i = 0; i < fleet->nprofiles; i++)
		fleet->profiles[i].store = place[fleet->profiles[i].store];
	free(place);
}

static void name_run(struct fleet *fleet)
{
	size_t n = 0;
	const char *name = NULL, *named = NULL;

	for (size_t i = 0; i < fleet->n; i++) {
		const char *other = fleet->stores[i].run;
		if (fleet->stores[i].err)
			continue;
		if (name && strcmp(name, other) != 0)
			n = import_common_folder(name, other, n);
		if (named && n == 0 && !fleet->other_run &&
		    is_named_by_user(&fleet->stores[i])) {
			fleet->first_run = named;
			fleet->other_run = other;
		}
		if (!named && is_named_by_user(&fleet->stores[i]))
			named = other;
		if (name)
			continue;
		name = other;
		n = strlen(name);
	}
	if (name && n > 0)
		fleet->run = arena_copy(&fleet->arena, (struct str){ name, n }).p;
}

int fleet_look(struct fleet *fleet, bool is_whole, walk_stop_fn *stop, struct err *err)
{
	for (size_t i = 0; i < fleet->n && !fleet->is_looked_at; i++) {
		if (stop && stop(NULL, err) < 0)
			return -1;
		if (!fleet->stores[i].err && !fleet->stores[i].is_looked_at &&
		    look_at(fleet, i, is_whole, err) < 0)
			return -1;
	}
	if (fleet->is_looked_at)
		return 0;
	fleet->is_looked_at = true;
	order_stores(fleet);
	renumber(fleet);
	find_doubles(fleet);
	name_run(fleet);
	return 0;
}

size_t fleet_count(const struct fleet *fleet)
{
	size_t n = 0;

	for (size_t i = 0; i < fleet->n; i++)
		n += fleet->stores[i].err == NULL;
	return n;
}

void fleet_release(struct fleet *fleet)
{
	free(fleet->stores);
	free(fleet->profiles);
	free(fleet->others);
	arena_release(&fleet->arena);
	*fleet = (struct fleet){ .n = 0 };
}
