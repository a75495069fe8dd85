/* Importing files: see import.h. */
#include "store/import.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/input.h"
#include "store/load.h"
#include "store/publish.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/write.h"

/* Virtual machine steps of SQLite between two looks at the interruption flag. */
#define SQL_STEPS 100000

struct importing {
	const struct import_options *options;
	const struct import_events *events;
	struct import_result *result;
	struct sqlite3 *db;
	struct intern texts;
	size_t known_texts;
	int64_t run_id;
};

static int on_progress(void *to, uint64_t consumed, uint64_t size, struct err *err)
{
	const struct import_events *events = to;

	(void)size;
	return events->progress ? events->progress(events->to, consumed, err) : 0;
}

/* SQLite's progress handler: not 0 interrupts the statement. */
static int on_sql_steps(void *to)
{
	const struct import_events *events = to;
	struct err err = ERR_INIT;

	return events->progress && events->progress(events->to, 0, &err) < 0;
}

static const struct reader *choose_reader(const struct import_options *options, struct input *in,
					  struct err *err)
{
	struct bytes head = input_peek(in, PROBE_BYTES, err);

	if (err->kind != ERR_NONE)
		return NULL;
	if (options->reader)
		return options->reader;
	if (head.n > PROBE_BYTES)
		head.n = PROBE_BYTES;
	const struct reader *reader = reader_detect(head);
	if (reader)
		return reader;
	const char *damage = input_damage(in);
	if (head.n == 0)
		err_at(err, 0, "%s", damage ? damage : "the file is empty");
	else
		err_at(err, 0, "no known format; 'ptool help ingest' lists them");
	return NULL;
}

/* Reads the input into memory; nothing is in the database yet. */
static int read_input(const struct importing *i, struct input *in, struct loader *loader,
		      struct err *err)
{
	const struct reader *reader = choose_reader(i->options, in, err);

	return reader ? reader->read(in, &i->options->read, loader_sink(loader), err) : -1;
}

/*
 * 1: stored; 0: the file was refused, err says why; -1: nothing can be stored,
 * because the database or the user said no.
 */
static int import_file(struct importing *i, const char *path, const char *resolved, struct err *err)
{
	struct import_file file = { .path = path };
	struct load_result loaded = { 0 };
	struct input *in = input_open(path, err);

	if (!in)
		return 0;
	if (i->events->begin)
		i->events->begin(i->events->to, path, input_size(in));
	void *to = (void *)(uintptr_t)i->events;
	struct loader *loader = loader_new(&i->texts, on_progress, to);
	int rc = read_input(i, in, loader, err) < 0 ? 0 : 1;
	if (rc == 0 && (err->kind == ERR_INTERRUPT || err->kind == ERR_IO))
		rc = -1;
	file.bytes = input_offset(in);
	if (rc > 0 && loader_write(loader, i->db, i->run_id, resolved, file.bytes, &loaded, err) < 0)
		rc = -1;
	file.slices = loaded.slices;
	file.findings = loaded.findings;
	loader_free(loader);
	input_close(in);
	if (rc > 0 && i->events->done)
		i->events->done(i->events->to, &file);
	return rc;
}

static char *resolve(const char *path)
{
	char *resolved = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);

	return resolved ? resolved : xstrdup(path);
}

static int import_each(struct importing *i, const char *const *paths, size_t npaths,
		       struct err *first_err)
{
	for (size_t at = 0; at < npaths; at++) {
		struct err err = ERR_INIT;
		char *resolved = resolve(paths[at]);
		int rc = import_file(i, paths[at], resolved, &err);
		free(resolved);
		if (rc > 0) {
			i->result->stored++;
			continue;
		}
		if (rc < 0 || i->result->refused == 0)
			*first_err = err;
		if (rc < 0)
			return -1;
		i->result->refused++;
		if (i->events->refused)
			i->events->refused(i->events->to, paths[at], &err);
		if (i->options->read.strict)
			return -1;
	}
	return i->result->stored ? 0 : -1;
}

/* How many runs the store has, and whether one of them has this name. */
static int64_t count_runs(const char *path, const char *name, bool *has_it)
{
	struct err err = ERR_INIT;
	struct store *store;
	struct sqlite3_stmt *stmt;
	int64_t n = 0;

	*has_it = false;
	if (store_open(path, &store, &err) < 0)
		return -1;
	if (sql_prepare(store_db(store), "SELECT name FROM run ORDER BY id", &stmt, &err) == 0) {
		for (; sql_step(stmt, &err) > 0; n++)
			*has_it |= strcmp((const char *)sqlite3_column_text(stmt, 0), name) == 0;
		sqlite3_finalize(stmt);
	}
	store_close(store);
	return n;
}

struct keep_question {
	const char *run;
	bool fresh;
};

/* A store whose only run is replaced begins anew: nothing has to be copied. */
static bool decide_keep(const char *path, void *to)
{
	const struct keep_question *question = to;
	bool has_it;

	if (question->fresh)
		return false;
	int64_t runs = count_runs(path, question->run, &has_it);
	return runs < 0 || runs > 1 || (runs == 1 && !has_it);
}

static int prepare(struct importing *i, const char *run, struct err *err)
{
	int64_t tables;

	if (sql_int(i->db, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0 ||
	    sql_exec(i->db, "BEGIN", err) < 0)
		return -1;
	if (tables == 0 && write_schema(i->db, err) < 0)
		return -1;
	if (write_load_texts(i->db, &i->texts, err) < 0 ||
	    write_remove_run(i->db, run, err) < 0)
		return -1;
	i->known_texts = i->texts.n;
	return write_run(i->db, run, &i->run_id, err);
}

int import_files(const struct import_options *options, const char *const *paths, size_t npaths,
		 const struct import_events *events, struct import_result *result, struct err *err)
{
	struct importing i = { .options = options, .events = events, .result = result };
	char *run = options->run ? xstrdup(options->run) : import_run_name(paths, npaths);
	struct keep_question question = { run, options->fresh };
	struct publish_keep keep = { .decide = decide_keep, .to = &question };
	struct publish *publish;

	*result = (struct import_result){ 0 };
	int rc = publish_begin_keep(options->store, &keep, &publish, err);
	if (rc == 0) {
		intern_init(&i.texts);
		i.db = publish_db(publish);
		void *to = (void *)(uintptr_t)events;
		sqlite3_progress_handler(i.db, SQL_STEPS, on_sql_steps, to);
		rc = prepare(&i, run, err);
		if (rc == 0)
			rc = import_each(&i, paths, npaths, err);
		if (rc == 0)
			rc = write_texts(i.db, &i.texts, i.known_texts, err);
		if (rc == 0)
			rc = publish_commit(publish, err);
		else
			publish_abort(publish);
		intern_release(&i.texts);
	}
	free(run);
	return rc;
}

/* Length of the longest folder of a's first n bytes that b lies in too. */
static size_t common_folder(const char *a, const char *b, size_t n)
{
	size_t same = 0, slash = 0;

	while (same < n && a[same] == b[same]) {
		if (a[same] == '/')
			slash = same;
		same++;
	}
	bool whole = same == n && (b[n] == '/' || b[n] == '\0');
	return whole ? n : slash;
}

char *import_run_name(const char *const *paths, size_t npaths)
{
	char *name = resolve(paths[0]);
	size_t n = strlen(name);

	for (size_t i = 1; i < npaths; i++) {
		char *other = resolve(paths[i]);
		if (strcmp(name, other) != 0)
			n = common_folder(name, other, n);
		free(other);
	}
	if (npaths > 1 && n == 0 && name[0] == '/')
		n = 1;
	name[n] = '\0';
	return name;
}

int import_remove(const char *store, const char *run, struct err *err)
{
	struct publish *publish;
	bool has_it;

	if (count_runs(store, run, &has_it) >= 0 && !has_it)
		return err_set(err, ERR_EMPTY, "no run '%s'; 'ptool info' lists them", run);
	if (publish_begin(store, true, &publish, err) < 0)
		return -1;
	struct sqlite3 *db = publish_db(publish);
	if (sql_exec(db, "BEGIN", err) == 0 && write_remove_run(db, run, err) == 0 &&
	    sql_exec(db, "COMMIT", err) == 0 && sql_exec(db, "VACUUM", err) == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return -1;
}
