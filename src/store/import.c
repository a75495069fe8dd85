/* Importing what the user named: see import.h. */
#include "store/import.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/intern.h"
#include "base/machine.h"
#include "base/spill.h"
#include "base/str.h"
#include "store/ahead.h"
#include "store/importing.h"
#include "store/parts.h"
#include "store/publish.h"
#include "store/slice_tables.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/store.h"
#include "store/vacuum.h"
#include "store/write.h"

size_t import_common_folder(const char *a, const char *b, size_t n)
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
	char *name = NULL;
	size_t n = 0;

	for (size_t i = 0; i < npaths; i++) {
		char *other =
			strcmp(paths[i], "-") == 0 ? NULL : realpath(paths[i], NULL);
		if (!other)
			continue;
		if (name && strcmp(name, other) != 0)
			n = import_common_folder(name, other, n);
		if (name) {
			free(other);
			continue;
		}
		name = other;
		n = strlen(name);
	}
	if (!name)
		return xstrdup(paths[0]);
	name[n ? n : 1] = '\0'; /* nothing in common but "/" */
	return name;
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

/* Does the store hold other runs than this one? */
static bool import_has_other_runs(const char *store, const char *run)
{
	struct err ignored = ERR_INIT; /* publishing opens it again, and tells */
	struct run_count runs;

	return count_runs(store, run, &runs, &ignored) < 0 || runs.all > runs.named;
}

static int tell_unfinished_run(const char *temporary, const char *lock, void *to,
			       struct err *err)
{
	const struct import_events *events = to;

	return events->unfinished(events->to, temporary, lock, err);
}

static int check_run(struct sqlite3_stmt *stmt, const char *run, struct err *err)
{
	sqlite3_bind_text(stmt, 1, run, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	sqlite3_reset(stmt);
	if (rc == 0)
		err_set(err, ERR_EMPTY, "no run '%s'; 'ptool info' lists them", run);
	return rc > 0 ? 0 : -1;
}

static int check_runs(const char *path, const char *const *runs, size_t nruns,
		      struct err *err)
{
	struct store *store;
	struct sqlite3_stmt *stmt;

	if (store_open(path, &store, err) < 0)
		return -1;
	int rc = sql_prepare(store_db(store), "SELECT 1 FROM run WHERE name = :run",
			     &stmt, err);
	if (rc == 0) {
		for (size_t i = 0; rc == 0 && i < nruns; i++)
			rc = check_run(stmt, runs[i], err);
		sqlite3_finalize(stmt);
	}
	store_close(store);
	return rc;
}

int import_remove(const char *store, const char *const *runs, size_t nruns,
		  struct import_events *events, struct err *err)
{
	struct publish_keep keep = { .always = true,
				     .to = events,
				     .made = tell_unfinished_run };
	struct publish *publish;

	if (check_runs(store, runs, nruns, err) < 0)
		return -1;
	if (publish_begin_keep(store, &keep, &publish, err) < 0)
		return -1;
	struct sqlite3 *db = publish_db(publish);
	if (sql_exec(db, "BEGIN", err) == 0 &&
	    write_remove_runs(db, runs, nruns, err) == 0 &&
	    sql_exec(db, "COMMIT", err) == 0 && vacuum(db, err) == 0)
		return publish_commit(publish, err);
	publish_abort(publish);
	return -1;
}

/* For who reads what is written: pages are not copied, nothing is put into files. */
static const char reading_pragmas[] = "PRAGMA temp_store = MEMORY;"
				      "PRAGMA mmap_size = 1073741824;";

/* Virtual machine steps of SQLite between two looks at the interruption flag. */
#define SQL_STEPS 100000

int import_tell(struct importing *i, uint64_t consumed, struct err *err)
{
	const struct import_events *events = i->events;
	uint64_t all = i->before + consumed + ahead_consumed(i->ahead);

	if (all > i->told)
		i->told = all;
	return events->progress ? events->progress(events->to, i->told, err) : 0;
}

/* A pipe may keep us waiting for ever. */
int import_wait(void *to, struct err *err)
{
	return import_tell(to, 0, err);
}

/* SQLite's progress handler: not 0 interrupts the statement. */
static int on_sql_steps(void *to)
{
	struct err err = ERR_INIT;

	return import_wait(to, &err) < 0;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void import_note(struct importing *i, enum import_end end, const struct import_file *file,
		 const struct err *err)
{
	struct import_result *result = i->result;
	int64_t before = i->noted_ns;

	i->noted_ns = now_ns();

	result->stored += end == IMPORT_STORED;
	result->refused += end == IMPORT_REFUSED;
	result->passed += end == IMPORT_PASSED;
	if (end == IMPORT_PASSED && result->passed > IMPORT_PASSED_TOLD)
		return;
	struct outcome *outcome = ARRAY_PUSH(i->outcomes, i->noutcomes, i->outcomes_cap);
	*outcome = (struct outcome){ .end = end, .file = *file };
	outcome->path = xstrdup(file->path);
	outcome->file.path = outcome->path;
	outcome->file.dur_ns = i->noted_ns - before;
	if (end != IMPORT_STORED)
		outcome->file.rank = NUMBER_NONE;
	if (end == IMPORT_STORED)
		return;
	outcome->err = xmalloc(sizeof(*outcome->err));
	*outcome->err = *err;
	outcome->err->kind = ERR_INPUT; /* a disk that cannot be read, too */
	if (end == IMPORT_REFUSED && result->refused == 1)
		i->first_err = *outcome->err;
}

bool import_is_lost(const struct importing *i)
{
	return i->is_lost || (i->options->read.strict && i->result->refused > 0);
}

/* The path with its links followed; what has none (-, a pipe) as it is spelt. */
static char *resolve(const char *path)
{
	char *resolved = strcmp(path, "-") == 0 ? NULL : realpath(path, NULL);

	return resolved ? resolved : xstrdup(path);
}

/* What is there: so that it is known how much before the first byte is read. */
static int look_at(struct importing *i, struct import_operand *operand, bool *is_sized,
		   struct err *err)
{
	struct stat st = { 0 };

	operand->st = st;
	operand->err = (struct err)ERR_INIT;
	operand->resolved = resolve(operand->path);
	if (strcmp(operand->path, "-") == 0 || stat(operand->path, &st) < 0) {
		*is_sized = false;
		return 0;
	}
	operand->st = st;
	operand->is_folder = S_ISDIR(st.st_mode);
	*is_sized = *is_sized && (operand->is_folder || S_ISREG(st.st_mode));
	i->total += operand->is_folder ? 0 : (uint64_t)st.st_size;
	if (!operand->is_folder)
		return 0;
	if (walk_folder(operand->path, &operand->walk, import_wait, i, &operand->err) <
		    0 &&
	    operand->err.kind == ERR_INTERRUPT) {
		*err = operand->err;
		return -1;
	}
	i->total += operand->walk.bytes;
	return 0;
}

static int look_at_all(struct importing *i, const char *const *paths, struct err *err)
{
	struct intern seen;
	bool is_sized = true;
	int rc = 0;

	intern_init(&seen);
	i->operands = xcalloc(i->noperands, sizeof(*i->operands));
	for (size_t at = 0; at < i->noperands && rc == 0; at++) {
		struct import_operand *operand = &i->operands[at];
		operand->path = paths[at];
		rc = look_at(i, operand, &is_sized, err);
		size_t known = seen.n;
		operand->is_again = intern_add(&seen, str_of(operand->resolved)) < known;
	}
	intern_release(&seen);
	if (!is_sized)
		i->total = 0;
	return rc;
}

size_t import_count_traces(const struct importing *i)
{
	return i->result->stored + i->result->refused + i->nrepeated + i->nprints;
}

static int import_operand(struct importing *i, const struct import_operand *operand,
			  struct err *err)
{
	struct import_file file = { .path = operand->path };
	struct err why = ERR_INIT;

	if (operand->is_again) {
		err_set(&why, ERR_INPUT, "given twice; it is read only once");
		import_note(i, IMPORT_REFUSED, &file, &why);
		return 0;
	}
	size_t stored = i->result->stored;
	const struct import_source source = { .shown = operand->path,
					      .path = operand->resolved };
	int rc = operand->is_folder ? import_folder(i, operand, err)
				    : import_path(i, &source, err);
	int end = import_prints(i, stored, rc < 0 ? NULL : err);
	return rc < 0 ? rc : end;
}

static int import_operands(struct importing *i, struct err *err)
{
	for (size_t at = 0; at < i->noperands && !import_is_lost(i); at++)
		if (import_operand(i, &i->operands[at], err) < 0)
			return -1;
	return 0;
}

static int import_each(struct importing *i, struct err *err)
{
	struct import_result *result = i->result;

	i->ahead = import_ahead(i);
	int rc = import_operands(i, err);
	ahead_free(i->ahead);
	i->ahead = NULL;
	if (rc < 0)
		return -1;
	result->is_refusal = result->stored == 0 || import_is_lost(i);
	if (result->is_refusal)
		*err = i->first_err;
	return result->is_refusal ? -1 : 0;
}

/* What went well first, so that errors are the last on the screen. */
static void tell_outcomes(const struct importing *i, bool is_written)
{
	const struct import_events *events = i->events;
	bool is_whole = is_written || i->result->is_refusal;
	/* none where the old store was refused before a file was read */
	const struct outcome *end = i->noutcomes ? i->outcomes + i->noutcomes : NULL;

	for (const struct outcome *o = i->outcomes; o < end; o++)
		if (is_written && events->done && o->end == IMPORT_STORED)
			events->done(events->to, &o->file);
	for (const struct outcome *o = i->outcomes; o < end; o++)
		if (is_whole && events->passed && o->end == IMPORT_PASSED)
			events->passed(events->to, o->path, o->err);
	if (is_whole && events->summed)
		events->summed(events->to, i->result);
	for (const struct outcome *o = i->outcomes; o < end; o++)
		if (events->refused && o->end == IMPORT_REFUSED)
			events->refused(events->to, o->path, o->err);
}

static void importing_release(struct importing *i)
{
	for (size_t at = 0; at < i->noutcomes; at++) {
		free(i->outcomes[at].path);
		free(i->outcomes[at].err);
	}
	free(i->outcomes);
	for (size_t at = 0; at < i->nprofiles; at++) {
		free(i->profiles[at].shown);
		free(i->profiles[at].path);
	}
	free(i->profiles);
	for (size_t at = 0; at < i->noperands; at++) {
		free(i->operands[at].resolved);
		walk_release(&i->operands[at].walk);
	}
	free(i->operands);
	free(i->prints);
	intern_release(&i->seen);
	free(i->is_trace);
}

struct keep_question {
	const char *run;
	bool fresh;
	const struct import_events *events;
};

/* A store whose only run is replaced begins anew: nothing has to be copied. */
static bool decide_keep(const char *path, void *to)
{
	const struct keep_question *question = to;

	return !question->fresh && import_has_other_runs(path, question->run);
}

static int tell_unfinished(const char *temporary, const char *lock, void *to,
			   struct err *err)
{
	const struct import_events *events = ((const struct keep_question *)to)->events;

	return events->unfinished ? events->unfinished(events->to, temporary, lock, err)
				  : 0;
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

/* Those of this run: summaries were made from them. */
static int leave_slices_out(struct sqlite3 *db, const char *run, struct err *err)
{
	if (slice_tables_leave_out(db, run, err) < 0)
		return -1;
	return sql_exec(db, "COMMIT", err) < 0 ? -1 : vacuum(db, err);
}

static bool wants_summaries(const struct importing *i)
{
	const struct import_options *options = i->options;

	if (!options->summarize)
		return false;
	/* without slices there is nothing else to ask */
	if (options->summary_only || options->summaries != IMPORT_SUMMARIES_AUTO)
		return options->summary_only ||
		       options->summaries == IMPORT_SUMMARIES_YES;
	return i->nprofiles > 1 ||
	       (i->profiles[0].rank != NUMBER_NONE && !i->profiles[0].is_alone);
}

static int write_new_texts(struct importing *i, struct err *err)
{
	size_t known = i->known_texts;

	i->known_texts = i->texts.n;
	return write_texts(i->db, &i->texts, known, read_limits(&i->options->read), err);
}

/* The run is read where it was written; texts that only summaries have follow it. */
static int import_summarize(struct importing *i, const char *run, struct err *err)
{
	const struct import_options *options = i->options;
	struct parts_writer writer = parts_writer(i->db, &i->texts);
	bool wants = wants_summaries(i);
	int rc = 0;

	if (!wants && !options->name)
		return 0;
	if (sql_exec(i->db, reading_pragmas, err) < 0)
		return -1;
	struct store *store = store_of_writer(i->db);
	if (options->name)
		rc = options->name(options->name_to, store, run, &writer.sink, err);
	if (rc == 0 && options->name)
		rc = write_new_texts(i, err);
	if (rc == 0 && wants)
		rc = options->summarize(store, run, &writer.sink, err);
	store_close(store);
	return rc < 0 ? -1 : write_new_texts(i, err);
}

/* Ends the publishing, whatever comes of it. */
static int import_into(struct importing *i, struct publish *publish, const char *run,
		       struct err *err)
{
	uint64_t limit = i->options->read.memory_limit;

	i->db = publish_db(publish);
	i->spill = spill_open(limit ? limit : machine_memory() / 2,
			      publish_temp_path(publish));
	intern_init_in(&i->texts, i->spill);
	sqlite3_progress_handler(i->db, SQL_STEPS, on_sql_steps, i);
	int rc = prepare(i, run, err);
	if (rc == 0)
		rc = import_each(i, err);
	if (rc == 0)
		rc = import_place(i, err);
	if (rc == 0)
		rc = write_new_texts(i, err);
	if (rc == 0)
		rc = import_summarize(i, run, err);
	intern_release(&i->texts);
	spill_close(i->spill);
	if (rc == 0)
		rc = statements_run(i->db, "tell_device_types", run, err);
	if (rc == 0 && i->options->summary_only)
		rc = leave_slices_out(i->db, run, err);
	if (rc == 0)
		rc = publish_commit(publish, err);
	else
		publish_abort(publish);
	tell_outcomes(i, rc == 0);
	return rc;
}

int import_files(const struct import_options *options, const char *const *paths,
		 size_t npaths, const struct import_events *events,
		 struct import_result *result, struct err *err)
{
	struct importing i = { .options = options,
			       .events = events,
			       .result = result,
			       .noperands = npaths,
			       .noted_ns = now_ns() };
	char *run = options->run ? xstrdup(options->run) : import_run_name(paths, npaths);
	struct keep_question question = { run, options->fresh, events };
	struct publish_keep keep = { .decide = decide_keep,
				     .to = &question,
				     .made = tell_unfinished };
	struct publish *publish;

	*result = (struct import_result){ 0 };
	intern_init(&i.seen);
	/* before our own lock and unfinished store lie in a folder that is read */
	int rc = look_at_all(&i, paths, err);
	if (rc == 0)
		rc = publish_begin_keep(options->store, &keep, &publish, err);
	if (rc == 0)
		rc = import_into(&i, publish, run, err);
	importing_release(&i);
	free(run);
	return rc;
}
