/* Writing a profile's rows: see write.h. */
#include "store/write.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sum.h"
#include "ingest/kineto.h"
#include "store/bulk_team.h"
#include "store/bulk_writer.h"
#include "store/health.h"
#include "store/schema_check.h"
#include "store/sql.h"
#include "store/statements.h"
#include "store/summary.h"
#include "store/tree_check.h"
#include "store/write_rows.h"
#include "trace/category.h"

#define JSON_MAX ((size_t)1 << 30)

/* A row of slice_pack has as many bytes as about so many others. */
#define PACK_WEIGHT 1024

/* More ids than this nobody writes; those of a profile are added to it. */
#define ID_MAX (INT64_C(1) << 62)

/*
 * What is found out of a profile for its tables, before they are written or meanwhile:
 * lists of rows, then health and summaries.
 */
struct write_found {
	struct model *m; /* borrowed */
	struct write_lists lists;
	struct summary summary;
	bool is_all;      /* else the lists alone */
	unsigned threads; /* that may find out the rest */
	struct summing_up *summing_up;
};

static struct write_found *write_find_lists(struct model *m)
{
	struct write_found *found = xcalloc(1, sizeof(*found));

	found->m = m;
	write_lists_make(m, &found->lists);
	return found;
}

static size_t begin_rest(void *to)
{
	struct write_found *found = to;

	health_rows(found->m);
	found->summing_up = summary_begin(found->m, found->threads, &found->summary);
	return summary_parts(found->summing_up);
}

static void find_part(void *to, size_t part)
{
	struct write_found *found = to;

	summary_part(found->summing_up, part);
}

static void end_rest(void *to)
{
	struct write_found *found = to;

	summary_end(found->summing_up);
	found->is_all = true;
}

static struct bulk_job write_find_rest(struct write_found *found, unsigned threads)
{
	found->threads = threads;
	return (struct bulk_job){ begin_rest, find_part, end_rest, found };
}

struct write_found *write_find(struct model *m)
{
	struct write_found *found = write_find_lists(m);

	health_rows(m);
	summary_make(m, &found->summary);
	found->is_all = true;
	return found;
}

void write_found_free(struct write_found *found)
{
	if (!found)
		return;
	write_lists_release(found->m, &found->lists);
	summary_release(&found->summary);
	free(found);
}

int write_schema(struct sqlite3 *db, struct err *err)
{
	return write_tables(db, err) < 0 ? -1 : schema_make(db, false, err);
}

int write_tables(struct sqlite3 *db, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (schema_make(db, true, err) < 0 ||
	    statement_prepare(db, "insert_class", &stmt, err) < 0)
		return -1;
	int rc = 0;
	for (int i = 0; i < NCLASSES && rc == 0; i++) {
		sqlite3_bind_int(stmt, 1, i);
		sqlite3_bind_text(stmt, 2, slice_class_name((enum slice_class)i), -1,
				  SQLITE_STATIC);
		sqlite3_bind_int(stmt, 3, class_is_device_work((enum slice_class)i));
		rc = sql_step(stmt, err);
	}
	sqlite3_finalize(stmt);
	return rc;
}

int write_load_texts(struct sqlite3 *db, struct intern *texts, struct err *err)
{
	struct sqlite3_stmt *stmt;
	int rc;

	if (statement_prepare(db, "select_strings", &stmt, err) < 0)
		return -1;
	while ((rc = sql_step(stmt, err)) > 0) {
		int64_t id = sqlite3_column_int64(stmt, 0);
		if ((int64_t)intern_add(texts, sql_bytes(stmt, 1)) + 1 == id)
			continue;
		rc = err_set(err, ERR_INPUT,
			     "the store's texts are out of order; ingest again");
		break;
	}
	sqlite3_finalize(stmt);
	return rc < 0 ? -1 : 0;
}

struct text_rows {
	const struct intern *texts;
	size_t known;
};

static void text_row(const void *from, int64_t row, struct bulk_cell *c)
{
	const struct text_rows *rows = from;
	size_t text = rows->known + (size_t)row;

	spill_tick(rows->texts->slots.spill, (size_t)row);
	c[COL_STRING_TEXT] = bulk_text(intern_str(rows->texts, (uint32_t)text));
}

static const struct bulk bulk_string = BULK(STRING, string, text_row);

int write_texts(struct sqlite3 *db, const struct intern *texts, size_t known,
		const struct limits *limits, struct err *err)
{
	struct text_rows rows = { texts, known };

	const void *from = &rows;
	struct bulk_team *alone = bulk_team_new(&from, 0, NULL);
	struct bulk_writer to = bulk_writer(db, from, alone, (int64_t)limits->page_rows);

	int rc = bulk_write(&to, &bulk_string, (int64_t)(texts->n - known), err);
	bulk_team_free(alone);
	return bulk_writer_end(&to, err) < 0 ? -1 : rc;
}

int write_run(struct sqlite3 *db, const char *name, int64_t *id, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(db, "insert_run", &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	*id = sqlite3_last_insert_rowid(db);
	return rc;
}

/* 1, 0, or -1 with err set. */
static int has_run(struct sqlite3 *db, const char *name, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(db, "select_run", &stmt, err) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

int write_remove_run(struct sqlite3 *db, const char *name, struct err *err)
{
	int rc = has_run(db, name, err);

	if (rc <= 0)
		return rc;
	/* Deleting follows every page, to add it to the free ones. */
	return tree_check(db, err) < 0 ? -1 : statements_run(db, "remove_", name, err);
}

/* One after the other: slices of a run are a range of ids, those of several need not be. */
int write_remove_runs(struct sqlite3 *db, const char *const *names, size_t n,
		      struct err *err)
{
	/* before anything is changed, as in write_remove_run(): it reads the file */
	int rc = n ? tree_check(db, err) : 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = statements_run(db, "remove_", names[i], err);
	return rc;
}

/* Keys and values come as JSON text; a key may hold what JSON forbids. */
static void add_key(struct buf *out, struct str key)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < key.n; i++)
		if ((unsigned char)key.p[i] < 0x20)
			buf_addf(out, "\\u%04x", (unsigned)key.p[i]);
		else
			buf_add_char(out, key.p[i]);
	buf_add_text(out, "\": ");
}

static void metadata_json(const struct model *m, struct buf *out)
{
	buf_init(out, JSON_MAX);
	buf_add_char(out, '{');
	for (size_t i = 0; i < m->nmetadata; i++) {
		if (i)
			buf_add_text(out, ", ");
		add_key(out, intern_str(m->texts, m->metadata[i].key));
		buf_add_str(out, m->metadata[i].json);
	}
	buf_add_char(out, '}');
}

static void bind_number(struct sqlite3_stmt *stmt, const char *name, int64_t value)
{
	if (value != NUMBER_NONE)
		sqlite3_bind_int64(stmt, sqlite3_bind_parameter_index(stmt, name), value);
}

/* rc: see sql_bind_bytes(). */
static void bind_text(struct sqlite3_stmt *stmt, const char *name, struct str text,
		      int *rc)
{
	sql_bind_bytes(stmt, sqlite3_bind_parameter_index(stmt, name), text, true, rc);
}

static void bind_rules(const struct op_rules *rules, struct sqlite3_stmt *stmt)
{
	bind_number(stmt, ":all_slices", rules->all_slices);
	bind_number(stmt, ":split_annotations", rules->split_annotations);
	bind_number(stmt, ":float_memory_window", rules->float_memory_window);
	bind_number(stmt, ":python_in_tree", rules->python_in_tree);
	bind_number(stmt, ":keep_unfinished", rules->keep_unfinished);
	bind_number(stmt, ":annotation_fudge_ns", rules->annotation_fudge_ns);
}

/* PyTorch wrote times since 1970 until files told the start of their clock. */
static bool counts_since_1970(const struct model *m)
{
	return strcmp(m->profile.format, "pytorch") == 0 && m->has_time &&
	       m->start_ns > SINCE_1970_NS;
}

static void bind_profile(const struct write_rows *rows, const struct load_source *source,
			 struct sqlite3_stmt *stmt, int *rc)
{
	const struct model *m = rows->m;
	const struct profile_fact *p = &m->profile;

	bind_number(stmt, ":run_id", source->run_id);
	bind_text(stmt, ":path", str_of(source->path), rc);
	bind_number(stmt, ":mtime_ns", source->mtime_ns);
	bind_text(stmt, ":format", str_of(p->format), rc);
	if (p->dialect[0])
		bind_text(stmt, ":dialect", str_of(p->dialect), rc);
	bind_number(stmt, ":rank", p->rank);
	if (p->rank != NUMBER_NONE)
		bind_text(stmt, ":rank_source",
			  str_of(m->is_rank_of_name ? "name" : "recording"), rc);
	for (int a = 0; a < NAXES; a++) {
		char name[] = { ':', axis_names[a][0], axis_names[a][1], '\0' };
		bind_number(stmt, name, m->axes.at[a]);
	}
	if (source->name.worker.n)
		bind_text(stmt, ":worker", source->name.worker, rc);
	bind_number(stmt, ":stamp", source->name.stamp);
	bind_number(stmt, ":world_size", p->world_size);
	if (p->host != TEXT_NONE)
		bind_text(stmt, ":host", intern_str(m->texts, p->host), rc);
	if (p->has_base)
		bind_number(stmt, ":base_ns", p->base_ns);
	else if (counts_since_1970(m))
		bind_number(stmt, ":base_ns", 0);
	bind_number(stmt, ":start_ns", m->start_ns);
	bind_number(stmt, ":dur_ns", sum_sub(m->end_ns, m->start_ns));
	bind_number(stmt, ":window_end_ns", p->window_end_ns);
	bind_number(stmt, ":span_end_ns", p->span_end_ns);
	bind_number(stmt, ":bytes", (int64_t)source->bytes);
	bind_number(stmt, ":slices", (int64_t)(m->nrows + m->napart));
	bind_number(stmt, ":has_memory", p->has_memory);
	bind_number(stmt, ":has_shapes", p->has_shapes);
	bind_number(stmt, ":has_stacks", p->has_stacks);
	bind_number(stmt, ":has_flops", p->has_flops);
	bind_number(stmt, ":first_slice_id", rows->slice + 1);
	bind_number(stmt, ":first_op_detail_id", rows->op_detail + 1);
	bind_number(stmt, ":op_details", (int64_t)m->op_details.n);
	bind_rules(&p->rules, stmt);
}

static int insert_profile(struct write_rows *rows, struct sqlite3 *db,
			  const struct load_source *source, struct err *err)
{
	struct sqlite3_stmt *stmt;
	struct buf metadata;

	if (statement_prepare(db, "insert_profile", &stmt, err) < 0)
		return -1;
	metadata_json(rows->m, &metadata);
	int bound = 0;
	bind_profile(rows, source, stmt, &bound);
	bind_text(stmt, ":metadata", buf_str(&metadata), &bound);
	int rc = sql_step_bound(stmt, bound, err);
	sqlite3_finalize(stmt);
	buf_release(&metadata);
	rows->profile_id = sqlite3_last_insert_rowid(db);
	return rc;
}

static int find_bases(struct sqlite3 *db, struct write_rows *w, struct err *err)
{
	struct {
		const char *sql;
		int64_t *into;
	} const bases[] = {
		{ "SELECT coalesce(max(upid), 0) FROM process", &w->process },
		{ "SELECT coalesce(max(utid), 0) FROM thread", &w->thread },
		{ "SELECT coalesce(max(id), 0) FROM track", &w->track },
		{ "SELECT coalesce(max(id), 0) FROM op_detail", &w->op_detail },
		{ "SELECT coalesce(max(id), 0) FROM step", &w->step },
		{ "SELECT coalesce(max(id), 0) FROM slice_row", &w->slice },
		{ "SELECT coalesce(max(id), 0) FROM function", &w->function },
		{ "SELECT coalesce(max(id), 0) FROM sample_series", &w->sample_series },
		{ "SELECT coalesce(max(id), 0) FROM sample_thread", &w->sample_thread },
		{ "SELECT coalesce(max(id), 0) FROM sample_node", &w->sample_node },
		{ "SELECT coalesce(max(id), 0) FROM sample_sum", &w->sample_sum },
		{ "SELECT coalesce(max(id), 0) FROM sample_row", &w->sample },
	};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		if (sql_int(db, bases[i].sql, bases[i].into, err) < 0)
			return -1;
		if (*bases[i].into < 0 || *bases[i].into > ID_MAX)
			return err_set(err, ERR_INPUT,
				       "the store is damaged: it has ids beyond 2^62");
	}
	return 0;
}

struct table_rows {
	const struct bulk *bulk;
	size_t n;
};

static int insert_tables(const struct write_rows *w, struct bulk_team *team,
			 struct sqlite3 *db, const struct table_rows *tables,
			 struct err *err)
{
	int64_t page_rows = (int64_t)w->m->limits->page_rows;
	struct bulk_writer to = bulk_writer(db, w, team, page_rows);
	int rc = 0;

	for (; tables->bulk && rc == 0; tables++) {
		to.page_rows =
			tables->bulk == &bulk_pack ? page_rows / PACK_WEIGHT : page_rows;
		rc = bulk_write(&to, tables->bulk, (int64_t)tables->n, err);
	}
	return bulk_writer_end(&to, err) < 0 ? -1 : rc;
}

/*
 * Numbers alone: no text and no finding is looked at.  Those that one thread makes alone
 * come first, while the others find out the rest.
 */
static int insert_numbers(const struct write_rows *w, struct bulk_team *team,
			  struct sqlite3 *db, struct err *err)
{
	const struct model *m = w->m;
	const struct write_lists *l = &w->lists;
	const struct table_rows tables[] = {
		{ &bulk_op_detail, m->op_details.n },
		{ &bulk_step, m->nsteps },
		{ &bulk_pack, l->npacks },
		{ &bulk_allocation, l->nallocations },
		{ &bulk_counter, m->ncounters },
		{ &bulk_copy, l->ncopies },
		{ &bulk_kernel, l->nkernels },
		{ &bulk_kernel_source, l->nsources },
		{ &bulk_flow, m->narrows },
		{ &bulk_slice, m->nrows },
		{ &bulk_apart, m->napart },
		{ &bulk_function, m->functions.nfunctions },
		{ &bulk_function_stat, m->functions.nstats },
		{ &bulk_call_edge, m->functions.ncalls },
		{ &bulk_line_stat, m->functions.nlines },
		{ &bulk_sample_node, m->samples.nrows },
		{ &bulk_sample_sum, m->samples.nsummed },
		{ &bulk_sample, m->samples.nkept },
		{ NULL, 0 },
	};

	return insert_tables(w, team, db, tables, err);
}

static int insert_others(const struct write_rows *w, struct bulk_team *team,
			 struct sqlite3 *db, struct err *err)
{
	const struct model *m = w->m;
	const struct write_lists *l = &w->lists;
	const struct table_rows tables[] = {
		{ &bulk_process, m->nprocesses },
		{ &bulk_thread, l->nthreads },
		{ &bulk_track, m->ntracks },
		{ &bulk_counter_track, l->ncounter_tracks },
		{ &bulk_device, m->ndevice_infos },
		{ &bulk_sample_series, m->samples.nseries },
		{ &bulk_sample_thread, m->samples.threads.n },
		{ &bulk_quarantine, m->napart },
		{ &bulk_wait, l->nwaits },
		{ &bulk_collective, l->ncollectives },
		{ &bulk_memory_range, l->nranges },
		{ &bulk_args, l->nargs },
		{ &bulk_finding, m->nfindings },
		{ &bulk_name_stat, summary_grain(w->summary, GRAIN_NAMES)->n },
		{ &bulk_full_stat, summary_grain(w->summary, GRAIN_FULL)->n },
		{ &bulk_step_stat, summary_grain(w->summary, GRAIN_STEPS)->n },
		{ &bulk_annotation_stat, w->summary->nannotations },
		{ NULL, 0 },
	};

	return insert_tables(w, team, db, tables, err);
}

/* What a thread makes rows from: the state of cells is its own. */
struct row_maker {
	struct write_rows rows;
	struct row_walk walk;
};

/* The rest is found out while rows are written already. */
static int insert_with(struct write_found *found, const struct write_rows *w,
		       struct sqlite3 *db, struct bulk_team *team, struct err *err)
{
	int rc = insert_numbers(w, team, db, err);

	bulk_team_wait(team);
	if (rc < 0 || !found->is_all)
		return -1;
	return insert_others(w, team, db, err);
}

static int insert_all(struct write_found *found, const struct write_rows *w,
		      struct sqlite3 *db, unsigned threads, struct err *err)
{
	struct row_maker *makers = xcalloc(threads + 1, sizeof(*makers));
	const void **froms = xcalloc(threads + 1, sizeof(*froms));

	froms[0] = w;
	for (unsigned i = 1; i <= threads; i++) {
		makers[i].rows = *w;
		makers[i].rows.walk = &makers[i].walk;
		row_walk_init(&makers[i].walk, w->m);
		froms[i] = &makers[i].rows;
	}
	const struct bulk_job rest = write_find_rest(found, threads + 1);
	struct bulk_team *team =
		bulk_team_new(froms, threads, found->is_all ? NULL : &rest);
	int rc = insert_with(found, w, db, team, err);
	bulk_team_free(team);
	for (unsigned i = 1; i <= threads; i++)
		row_walk_release(&makers[i].walk);
	free(froms);
	free(makers);
	return rc;
}

int write_model(struct model *m, struct write_found *found, struct sqlite3 *db,
		const struct load_source *source, struct load_result *result,
		struct err *err)
{
	struct write_found *own = found ? NULL : write_find_lists(m);
	struct row_walk walk;
	int rc = -1;

	found = found ? found : own;
	struct write_rows w = { .m = m,
				.summary = &found->summary,
				.lists = found->lists,
				.walk = &walk,
				.text_ids = source->text_ids };
	row_walk_init(&walk, m);
	if (spill_check(m->spill, err) == 0 && find_bases(db, &w, err) == 0 &&
	    insert_profile(&w, db, source, err) == 0)
		rc = insert_all(found, &w, db, source->threads, err);
	*result = (struct load_result){ .profile_id = w.profile_id,
					.slices = (int64_t)(m->nrows + m->napart),
					.functions = (int64_t)m->functions.nstats,
					.operators = (int64_t)m->nop_sums,
					.stacks = (int64_t)m->samples.nsummed,
					.rank = m->profile.rank,
					.axes = m->axes,
					.is_alone = m->profile.world_size == 1,
					.is_rank_of_name = m->is_rank_of_name };
	for (size_t i = 0; i < m->nfindings; i++)
		if (finding_kinds[m->findings[i].finding].severity >= SEVERITY_WARNING)
			result->findings += m->findings[i].count;
	row_walk_release(&walk);
	write_found_free(own);
	return rc;
}
