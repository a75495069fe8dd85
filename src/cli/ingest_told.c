/* What became of each file, for programs: see ingest_told.h. */
#include "cli/ingest_told.h"

#include <stdlib.h>

#include "base/array.h"
#include "cli/output.h"
#include "trace/fact.h"

static const struct column columns[] = {
	{ .name = "path", .unit = UNIT_TEXT },
	{ .name = "run", .unit = UNIT_TEXT },
	{ .name = "rank", .unit = UNIT_ID },
	{ .name = "slices", .unit = UNIT_COUNT },
	{ .name = "findings", .unit = UNIT_COUNT },
	{ .name = "bytes", .unit = UNIT_BYTES },
	{ .name = "seconds", .unit = UNIT_RATIO },
	{ .name = "error", .unit = UNIT_TEXT },
};

struct told_table {
	struct table table;
	const struct ingest_told *told;
	const char *run;
	size_t at;
};

static struct cell text_or_null(const char *text)
{
	return text ? cell_text(str_of(text)) : cell_null();
}

static int next_row(struct table *t, struct cell *cells, struct err *err)
{
	struct told_table *table = (struct told_table *)t;

	(void)err;
	if (table->at == table->told->n)
		return 0;
	const struct ingest_told_row *row = &table->told->rows[table->at++];
	bool is_stored = !row->error;
	int64_t rank = row->file.rank;
	cells[0] = text_or_null(row->path);
	cells[1] = is_stored ? text_or_null(table->run) : cell_null();
	cells[2] = is_stored && rank != NUMBER_NONE ? cell_int(rank) : cell_null();
	cells[3] = is_stored ? cell_int(row->file.slices) : cell_null();
	cells[4] = is_stored ? cell_int(row->file.findings) : cell_null();
	cells[5] = is_stored ? cell_int((int64_t)row->file.bytes) : cell_null();
	cells[6] = is_stored ? cell_real((double)row->file.dur_ns / 1e9) : cell_null();
	cells[7] = text_or_null(row->error);
	return 1;
}

static void on_done(void *to, const struct import_file *file)
{
	struct ingest_told *told = to;

	*ARRAY_PUSH(told->rows, told->n, told->cap) =
		(struct ingest_told_row){ .path = arena_strdup(&told->arena, file->path),
					  .file = *file };
	told->seen.done(told->seen.to, file);
}

static void on_refused(void *to, const char *path, const struct err *err)
{
	struct ingest_told *told = to;

	*ARRAY_PUSH(told->rows, told->n, told->cap) =
		(struct ingest_told_row){ .path = arena_strdup(&told->arena, path),
					  .error =
						  arena_strdup(&told->arena, err->text) };
	told->seen.refused(told->seen.to, path, err);
}

static void on_begin(void *to, const char *path, uint64_t size)
{
	const struct ingest_told *told = to;

	told->seen.begin(told->seen.to, path, size);
}

static int on_progress(void *to, uint64_t consumed, struct err *err)
{
	const struct ingest_told *told = to;

	return told->seen.progress(told->seen.to, consumed, err);
}

static int on_unfinished(void *to, const char *temporary, const char *lock,
			 struct err *err)
{
	const struct ingest_told *told = to;

	return told->seen.unfinished(told->seen.to, temporary, lock, err);
}

static void on_passed(void *to, const char *path, const struct err *why)
{
	const struct ingest_told *told = to;

	told->seen.passed(told->seen.to, path, why);
}

static void on_summed(void *to, const struct import_result *result)
{
	const struct ingest_told *told = to;

	told->seen.summed(told->seen.to, result);
}

void ingest_told_begin(struct ingest_told *told, struct import_events *events)
{
	told->seen = *events;
	*events = (struct import_events){ .to = told,
					  .begin = on_begin,
					  .progress = on_progress,
					  .unfinished = on_unfinished,
					  .done = on_done,
					  .passed = on_passed,
					  .summed = on_summed,
					  .refused = on_refused };
}

int ingest_told_end(struct ingest_told *told, const char *command, struct opt_args files,
		    struct err *err)
{
	const struct output_opts output = { .format = "ndjson", .color = "never" };
	char *run = import_run_name((const char *const *)files.items, files.n);
	struct told_table table = {
		.table = { .columns = columns,
			   .ncolumns = sizeof(columns) / sizeof(*columns),
			   .next = next_row },
		.told = told,
		.run = told->run ? told->run : run,
	};
	int rc = output_table(command, &table.table, &output, err);

	free(run);
	free(told->rows);
	arena_release(&told->arena);
	return rc;
}
