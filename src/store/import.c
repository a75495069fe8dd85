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

/* What became of an operand: told when it is certain that the store is written. */
struct outcome {
	struct import_file file;
	struct err *err; /* owned; why it was refused, or NULL */
};

struct importing {
	const struct import_options *options;
	const char *const *paths;
	const struct import_events *events;
	struct import_result *result;
	struct outcome *outcomes; /* of the first noutcomes operands */
	size_t noutcomes;
	struct sqlite3 *db;
	struct intern texts;
	size_t known_texts;
	int64_t run_id;
};

static int on_progress(void *to, uint64_t consumed, uint64_t size, struct err *err)
{
	const struct import_events *events = ((const struct importing *)to)->events;

	(void)size;
	return events->progress ? events->progress(events->to, consumed, err) : 0;
}

/* A pipe may keep us waiting for ever. */
static int on_wait(void *to, struct err *err)
{
	return on_progress(to, 0, 0, err);
}

/* SQLite's progress handler: not 0 interrupts the statement. */
static int on_sql_steps(void *to)
{
	struct err err = ERR_INIT;

	return on_progress(to, 0, 0, &err) < 0;
}

static const struct reader *choose_reader(const struct import_options *options,
					  struct input *in, struct err *err)
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

	return reader ? reader->read(in, &i->options->read, loader_sink(loader), err)
		      : -1;
}

/* The path with its links followed; what has none (-, a pipe) as it is spelt. */
static char *resolve(const char *path)
{
	char *resolved = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);

	return resolved ? resolved : xstrdup(path);
}

/* True when an earlier operand is the same file: its times would count twice. */
static bool is_given_before(const struct importing *i, size_t at, const char *resolved)
{
	bool is_same = false;

	for (size_t before = 0; before < at && !is_same; before++) {
		char *other = resolve(i->paths[before]);
		is_same = strcmp(other, resolved) == 0;
		free(other);
	}
	return is_same;
}

/*
 * 1: stored; 0: the file was refused, err says why; -1: nothing can be stored,
 * because the database or the user said no.
 */
static int import_file(struct importing *i, struct import_file *file,
		       const char *resolved, struct err *err)
{
	struct load_result loaded = { 0 };
	struct input *in = input_open(file->path, err);

	if (!in)
		return 0;
	input_set_stop(in, on_wait, i);
	if (i->events->begin)
		i->events->begin(i->events->to, file->path, input_size(in));
	struct loader *loader = loader_new(&i->texts, on_progress, i);
	int rc = read_input(i, in, loader, err) < 0 ? 0 : 1;
	if (rc == 0 && err->kind == ERR_INTERRUPT)
		rc = -1;
	/* What the reader looked at and did not skip counts too. */
	file->bytes = input_offset(in) + input_peek(in, 1, &(struct err)ERR_INIT).n;
	const struct load_source source = { i->run_id, resolved, file->bytes };
	if (rc > 0 && loader_write(loader, i->db, &source, &loaded, err) < 0)
		rc = -1;
	file->slices = loaded.slices;
	file->findings = loaded.findings;
	loader_free(loader);
	input_close(in);
	return rc;
}

/* The next operand; as import_file(). */
static int import_operand(struct importing *i, struct err *err)
{
	size_t at = i->noutcomes;
	struct outcome *outcome = &i->outcomes[at];
	char *resolved = resolve(i->paths[at]);
	int rc = 0;

	*outcome = (struct outcome){ .file = { .path = i->paths[at] } };
	if (is_given_before(i, at, resolved))
		err_set(err, ERR_INPUT, "given twice; it is read once");
	else
		rc = import_file(i, &outcome->file, resolved, err);
	free(resolved);
	if (rc < 0)
		return -1;
	i->noutcomes++;
	if (rc == 0) {
		err->kind = ERR_INPUT; /* a disk that cannot be read, too */
		outcome->err = xmalloc(sizeof(*err));
		*outcome->err = *err;
	}
	return rc;
}

static int import_each(struct importing *i, size_t npaths, struct err *first_err)
{
	while (i->noutcomes < npaths) {
		struct err err = ERR_INIT;
		int rc = import_operand(i, &err);
		if (rc > 0) {
			i->result->stored++;
			continue;
		}
		if (rc < 0 || i->result->refused == 0)
			*first_err = err;
		if (rc < 0)
			return -1;
		i->result->refused++;
		if (i->options->read.strict)
			break;
	}
	i->result->is_refusal =
		i->result->stored == 0 || (i->result->refused && i->options->read.strict);
	return i->result->is_refusal ? -1 : 0;
}

/* What went well first, so that errors are the last on the screen. */
static void tell_outcomes(const struct importing *i, bool is_written)
{
	const struct import_events *events = i->events;

	for (size_t at = 0; is_written && events->done && at < i->noutcomes; at++)
		if (!i->outcomes[at].err)
			events->done(events->to, &i->outcomes[at].file);
	for (size_t at = 0; events->refused && at < i->noutcomes; at++)
		if (i->outcomes[at].err)
			events->refused(events->to, i->paths[at], i->outcomes[at].err);
}

static void release_outcomes(struct importing *i)
{
	for (size_t at = 0; at < i->noutcomes; at++)
		free(i->outcomes[at].err);
	free(i->outcomes);
}

struct run_count {
	int64_t all, named; /* in the store; of this name */
};

static int count_runs(const char *path, const char *name, struct run_count *runs,
		      struct err *err)
{
	static const char text[] =
		"SELECT count(*), coalesce(sum(name = :run), 0) FROM run";
	struct store *store;
	struct sqlite3_stmt *stmt;

	*runs = (struct run_count){ 0, 0 };
	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = sql_prepare(store_db(store), text, &stmt, err);
	if (rc == 0) {
		sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
		rc = sql_step(stmt, err) < 0 ? -1 : 0;
		*runs = (struct run_count){ sqlite3_column_int64(stmt, 0),
					    sqlite3_column_int64(stmt, 1) };
		sqlite3_finalize(stmt);
	}
	store_close(store);
	return rc;
}

struct keep_question {
	const char *run;
	bool fresh;
};

/* A store whose only run is replaced begins anew: nothing has to be copied. */
static bool decide_keep(const char *path, void *to)
{
	const struct keep_question *question = to;
	struct err ignored = ERR_INIT; /* publishing opens it again, and tells */
	struct run_count runs;

	if (question->fresh)
		return false;
	if (count_runs(path, question->run, &runs, &ignored) < 0)
		return true;
	return runs.all > runs.named;
}

static int prepare(struct importing *i, const char *run, struct err *err)
{
	int64_t tables;

	if (sql_int(i->db, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0 ||
	    sql_exec(i->db, "BEGIN", err) < 0)
		return -1;
	if (tables == 0 && write_schema(i->db, err) < 0)
		return -1;
	/* In this order: texts that only the old run had go with it. */
	if (write_remove_run(i->db, run, err) < 0 ||
	    write_load_texts(i->db, &i->texts, err) < 0)
		return -1;
	i->known_texts = i->texts.n;
	return write_run(i->db, run, &i->run_id, err);
}

/* Ends the publishing, whatever comes of it. */
static int import_into(struct importing *i, struct publish *publish, const char *run,
		       size_t npaths, struct err *err)
{
	intern_init(&i->texts);
	i->outcomes = xcalloc(npaths, sizeof(*i->outcomes));
	i->db = publish_db(publish);
	sqlite3_progress_handler(i->db, SQL_STEPS, on_sql_steps, i);
	int rc = prepare(i, run, err);
	if (rc == 0)
		rc = import_each(i, npaths, err);
	if (rc == 0)
		rc = write_texts(i->db, &i->texts, i->known_texts, err);
	if (rc == 0)
		rc = publish_commit(publish, err);
	else
		publish_abort(publish);
	intern_release(&i->texts);
	tell_outcomes(i, rc == 0);
	release_outcomes(i);
	return rc;
}

int import_files(const struct import_options *options, const char *const *paths,
		 size_t npaths, const struct import_events *events,
		 struct import_result *result, struct err *err)
{
	struct importing i = {
		.options = options, .paths = paths, .events = events, .result = result
	};
	char *run = options->run ? xstrdup(options->run) : import_run_name(paths, npaths);
	struct keep_question question = { run, options->fresh };
	struct publish_keep keep = { .decide = decide_keep, .to = &question };
	struct publish *publish;

	*result = (struct import_result){ 0 };
	int rc = publish_begin_keep(options->store, &keep, &publish, err);
	if (rc == 0)
		rc = import_into(&i, publish, run, npaths, err);
	free(run);
	return rc;
}

int import_remove(const char *store, const char *run, struct err *err)
{
	struct publish *publish;
	struct run_count runs;

	if (count_runs(store, run, &runs, err) < 0)
		return -1;
	if (runs.named == 0)
		return err_set(err, ERR_EMPTY, "no run '%s'; 'ptool info' lists them",
			       run);
	if (publish_begin(store, true, &publish, err) < 0)
		return -1;
	struct sqlite3 *db = publish_db(publish);
	if (sql_exec(db, "BEGIN", err) == 0 && write_remove_run(db, run, err) == 0 &&
	    sql_exec(db, "COMMIT", err) == 0 && sql_exec(db, "VACUUM", err) == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return -1;
}
