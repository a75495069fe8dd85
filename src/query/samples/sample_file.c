/* A file of sampled stacks, as it was: see sample_file.h. */
#include "query/samples/sample_file.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "query/query.h"

ASSET(asset_query_views_sample_stacks_sql);
ASSET(asset_query_views_sample_sum_rows_sql);

/* Columns of views/sample_threads.sql. */
enum { THREAD_ID, THREAD_NAME, THREAD_TID, THREAD_PROCESS, THREAD_PID };

/* Columns of views/sample_stacks.sql. */
enum {
	STACK_ID,
	STACK_CALLER,
	STACK_FUNCTION,
	STACK_LINE,
	STACK_NAME,
	STACK_FILE,
	STACK_FIRST
};

/* Columns of views/sample_rows.sql and sample_sum_rows.sql. */
enum { ROW_THREAD, ROW_TS, ROW_NODE, ROW_WEIGHT, ROW_SERIES };

static struct str kept_text(struct sample_file *file, struct sqlite3_stmt *stmt,
			    int column)
{
	struct cell cell = query_cell(stmt, column);

	return cell.type == CELL_TEXT ? arena_copy(&file->arena, cell.as.text)
				      : STR_LIT("");
}

static int find_frame(struct sample_file *file, struct sqlite3_stmt *stmt, uint32_t *at,
		      struct err *err)
{
	const int64_t key[] = { sqlite3_column_int64(stmt, STACK_FUNCTION),
				query_number(stmt, STACK_LINE) };
	size_t known = file->keys.n;
	struct sample_frame frame = { .line = key[1],
				      .first_line = query_number(stmt, STACK_FIRST) };

	*at = intern_add(&file->keys, str_bytes(key, sizeof(key)));
	if (*at < known)
		return 0;
	if (text_pool_number(&file->texts, sqlite3_column_int64(stmt, STACK_NAME),
			     &frame.name, err) < 0 ||
	    text_pool_number(&file->texts, sqlite3_column_int64(stmt, STACK_FILE),
			     &frame.file, err) < 0)
		return -1;
	if (frame.name == TEXT_NONE || frame.file == TEXT_NONE)
		return query_damaged("stacks", err);
	*ARRAY_PUSH(file->frames, file->nframes, file->frames_cap) = frame;
	return 0;
}

/* The place of an id that is there already; SAMPLE_ROOT for 0. */
static int find_stack(const struct sample_file *file, int64_t id, uint32_t *at,
		      struct err *err)
{
	uint64_t place = (uint64_t)id - (uint64_t)file->first_id;

	*at = SAMPLE_ROOT;
	if (id == 0)
		return 0;
	if (place >= file->nstacks)
		return query_damaged("stacks", err);
	*at = (uint32_t)place;
	return 0;
}

static int add_stack(struct sample_file *file, struct sqlite3_stmt *stmt, struct err *err)
{
	int64_t id = sqlite3_column_int64(stmt, STACK_ID);
	struct sample_stack stack;

	if (id - file->first_id != (int64_t)file->nstacks ||
	    file->nstacks >= SAMPLE_ROOT ||
	    find_stack(file, sqlite3_column_int64(stmt, STACK_CALLER), &stack.caller,
		       err) < 0)
		return query_damaged("stacks", err);
	if (find_frame(file, stmt, &stack.frame, err) < 0)
		return -1;
	*ARRAY_PUSH(file->stacks, file->nstacks, file->stacks_cap) = stack;
	return 0;
}

static int load_threads(struct sample_file *file, struct store *store,
			const struct scope *scope, struct err *err)
{
	struct query q = query_of_scope(store, asset_query_views_sample_threads_sql,
					scope->ids, err);

	while (query_next(&q, err))
		*ARRAY_PUSH(file->threads, file->nthreads, file->threads_cap) =
			(struct sample_file_thread){
				.id = sqlite3_column_int64(q.stmt, THREAD_ID),
				.pid = query_number(q.stmt, THREAD_PID),
				.tid = query_number(q.stmt, THREAD_TID),
				.name = kept_text(file, q.stmt, THREAD_NAME),
			};
	return query_end(&q);
}

const struct sample_file_thread *sample_file_thread(const struct sample_file *file,
						    int64_t id)
{
	size_t at;

	SEARCH(at, 0, file->nthreads, file->threads[at].id < id);
	return at < file->nthreads && file->threads[at].id == id ? &file->threads[at]
								 : NULL;
}

int sample_file_load(struct store *store, const struct scope *scope,
		     struct sample_file *out, struct err *err)
{
	*out = (struct sample_file){ .nframes = 0 };
	intern_init(&out->keys);
	if (sample_series_load(store, scope, &out->set, err) < 0 ||
	    text_pool_open(store, &out->texts, err) < 0 ||
	    load_threads(out, store, scope, err) < 0 ||
	    sample_runs_find(store, &out->set, &out->runs, err) < 0)
		return -1;
	if (out->set.nseries == 0)
		return err_set(err, ERR_EMPTY, "no stacks were sampled");
	const struct sample_series *first = &out->set.series[0];
	out->first_id = first->first_node_id;
	struct query q = query_open(store, asset_query_views_sample_stacks_sql, err);
	if (q.stmt) {
		query_bind_int(q.stmt, ":first", first->first_node_id);
		query_bind_int(q.stmt, ":last", first->first_node_id + first->nodes - 1);
	}
	while (query_next(&q, err))
		q.rc = add_stack(out, q.stmt, err);
	return query_end(&q);
}

void sample_file_release(struct sample_file *file)
{
	sample_set_release(&file->set);
	sample_runs_release(&file->runs);
	intern_release(&file->keys);
	text_pool_close(&file->texts);
	arena_release(&file->arena);
	free(file->frames);
	free(file->stacks);
	free(file->threads);
}

static int take_piece(const struct sample_file *file, const struct sample_series *series,
		      struct sqlite3_stmt *stmt, struct sample_piece *piece,
		      struct err *err)
{
	*piece = (struct sample_piece){ .ts_ns = query_number(stmt, ROW_TS),
					.weight = sqlite3_column_int64(stmt, ROW_WEIGHT),
					.thread_id = query_number(stmt, ROW_THREAD) };
	if (piece->weight < 0 || query_number(stmt, ROW_SERIES) != series->id)
		return query_damaged("samples", err);
	return find_stack(file, sqlite3_column_int64(stmt, ROW_NODE), &piece->stack, err);
}

int sample_file_each(struct store *store, const struct sample_file *file,
		     const struct sample_series *series,
		     int (*each)(void *to, const struct sample_piece *piece,
				 struct err *err),
		     void *to, struct err *err)
{
	bool has_rows = series->sample_rows > 0, is_enough = false;
	struct sample_run sums = { .first = series->first_sum_id };
	const struct sample_run *run = &sums;
	size_t n = series->sums > 0;
	int rc = 0;

	if (has_rows)
		run = sample_runs_of(&file->runs, (size_t)(series - file->set.series),
				     &n);
	else if (n)
		sums.last = sums.first + series->sums - 1;
	for (; n-- > 0 && rc == 0 && !is_enough; run++) {
		struct query q =
			query_of_range(store,
				       has_rows ? asset_query_views_sample_rows_sql
						: asset_query_views_sample_sum_rows_sql,
				       run->first, run->last, err);
		if (has_rows) {
			query_bind_int(q.stmt, ":series", series->id);
			query_bind_int(q.stmt, ":limit", -1);
		}
		while (query_next(&q, err)) {
			struct sample_piece piece;
			q.rc = take_piece(file, series, q.stmt, &piece, err);
			if (q.rc == 0)
				q.rc = each(to, &piece, err);
		}
		is_enough = q.rc > 0;
		rc = query_end(&q);
	}
	return rc;
}
