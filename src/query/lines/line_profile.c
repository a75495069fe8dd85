/* Line profiles in memory: see line_profile.h. */
#include "query/lines/line_profile.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"

ASSET(asset_query_views_line_functions_sql);
ASSET(asset_query_views_line_rows_sql);

enum { F_ID, F_FILE, F_LINE, F_NAME, F_CALLS, F_TOTAL };
enum { R_FUNCTION, R_BLOCK, R_LINE, R_HITS, R_SELF, R_MEMORY, R_INCREMENT, R_SOURCE };

/* By function.id its index. */
struct loading {
	struct line_profile *p;
	struct idmap of_id;
	struct store *store; /* borrowed */
	struct spelt names;
};

static int64_t add_numbers(int64_t a, int64_t b)
{
	if (a == NUMBER_NONE || b == NUMBER_NONE)
		return a == NUMBER_NONE ? b : a;
	return sum_add(a, b);
}

static int take_function(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct line_profile *p = l->p;
	uint32_t file = intern_add(&p->texts, sql_bytes(stmt, F_FILE)),
		 name = intern_add(&p->texts, sql_bytes(stmt, F_NAME));
	int64_t line = sqlite3_column_int64(stmt, F_LINE);
	const int64_t key[] = { file, name, line };
	size_t known = p->keys.n;
	uint32_t at =
		intern_add(&p->keys, (struct str){ (const char *)key, sizeof(key) });

	if (at >= known)
		*ARRAY_PUSH(p->functions, p->nfunctions, p->functions_cap) =
			(struct line_function){ .file = intern_str(&p->texts, file),
						.name = intern_str(&p->texts, name),
						.line = line,
						.calls = NUMBER_NONE,
						.total_ns = NUMBER_NONE,
						.memory_bytes = NUMBER_NONE,
						.increment_bytes = NUMBER_NONE };
	struct line_function *f = &p->functions[at];
	f->calls = add_numbers(f->calls, query_number(stmt, F_CALLS));
	f->total_ns = add_numbers(f->total_ns, query_number(stmt, F_TOTAL));
	idmap_add(&l->of_id, sqlite3_column_int64(stmt, F_ID), at);
	return query_take_names(l->store, f->file, f->name, at < known, &l->names, err);
}

/* The line of a function that is no row is of a damaged store. */
static int take_row(struct loading *l, struct sqlite3_stmt *stmt, struct err *err)
{
	struct line_profile *p = l->p;
	size_t probe = idmap_first(&l->of_id, sqlite3_column_int64(stmt, R_FUNCTION));
	uint32_t function = idmap_next(&l->of_id, &probe);

	(void)err;
	if (function == UINT32_MAX)
		return 0;
	struct line_row *row = ARRAY_PUSH(p->rows, p->nrows, p->rows_cap);
	*row = (struct line_row){ .function = function,
				  .block = sqlite3_column_int64(stmt, R_BLOCK),
				  .line = sqlite3_column_int64(stmt, R_LINE),
				  .hits = query_number(stmt, R_HITS),
				  .self_ns = query_number(stmt, R_SELF),
				  .memory_bytes = query_number(stmt, R_MEMORY),
				  .increment_bytes = query_number(stmt, R_INCREMENT) };
	if (sqlite3_column_type(stmt, R_SOURCE) != SQLITE_NULL)
		row->source = intern_str(
			&p->texts, intern_add(&p->texts, sql_bytes(stmt, R_SOURCE)));
	p->has_times |= row->self_ns != NUMBER_NONE;
	p->has_memory |= row->memory_bytes != NUMBER_NONE;
	return 0;
}

static int take_all(struct loading *l, const unsigned char *sql,
		    const struct scope *scope,
		    int (*take)(struct loading *l, struct sqlite3_stmt *stmt,
				struct err *err),
		    struct err *err)
{
	struct query q = query_of_scope(l->store, sql, scope->ids, err);

	while (query_next(&q, err))
		q.rc = take(l, q.stmt, err);
	return query_end(&q);
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct line_row *x = &((const struct line_row *)context)[a];
	const struct line_row *y = &((const struct line_row *)context)[b];

	if (x->function != y->function)
		return x->function < y->function;
	return x->block != y->block ? x->block < y->block : x->line < y->line;
}

static bool is_same(const struct line_row *a, const struct line_row *b)
{
	return a->function == b->function && a->block == b->block && a->line == b->line;
}

static void add_row(struct line_row *to, const struct line_row *more)
{
	to->hits = add_numbers(to->hits, more->hits);
	to->self_ns = add_numbers(to->self_ns, more->self_ns);
	to->increment_bytes = add_numbers(to->increment_bytes, more->increment_bytes);
	if (more->memory_bytes > to->memory_bytes)
		to->memory_bytes = more->memory_bytes;
	if (!to->source.p)
		to->source = more->source;
}

/* In order, each line of a table once. */
static void settle_rows(struct line_profile *p)
{
	uint32_t *at = sorted_places(p->nrows, is_before, p->rows);
	struct line_row *rows = xrealloc_array(NULL, p->nrows + 1, sizeof(*rows));
	size_t n = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct line_row *row = &p->rows[at[i]];
		if (n && is_same(&rows[n - 1], row))
			add_row(&rows[n - 1], row);
		else
			rows[n++] = *row;
	}
	free(at);
	free(p->rows);
	p->rows = rows;
	p->nrows = n;
}

/* The first line that was measured says what the process had, not what it added. */
static void sum_up(struct line_profile *p)
{
	int64_t block = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		const struct line_row *row = &p->rows[i];
		struct line_function *f = &p->functions[row->function];
		if (f->n++ == 0) {
			f->first = i;
			block = 0;
		}
		if (row->memory_bytes == NUMBER_NONE)
			continue;
		if (row->memory_bytes > f->memory_bytes)
			f->memory_bytes = row->memory_bytes;
		if (block == row->block)
			f->increment_bytes =
				add_numbers(f->increment_bytes, row->increment_bytes);
		block = row->block;
	}
}

void line_profile_add_name(const struct line_function *f, struct buf *out)
{
	buf_add_str(out, f->file);
	buf_addf(out, ":%" PRId64 "(", f->line);
	buf_add_str(out, f->name);
	buf_add_char(out, ')');
}

static int choose(struct line_profile *p, const struct filter *filter, struct err *err)
{
	struct buf name;
	size_t n = 0;
	int has = 1;

	buf_init(&name, SIZE_MAX);
	for (size_t i = 0; i < p->nfunctions && has >= 0; i++) {
		struct line_function *f = &p->functions[i];
		buf_clear(&name);
		line_profile_add_name(f, &name);
		has = filter_has_name(filter, buf_str(&name), err);
		f->is_wanted = has > 0;
		n += f->is_wanted;
	}
	buf_release(&name);
	if (has < 0 || n)
		return has < 0 ? -1 : 0;
	return err_set(err, ERR_EMPTY, "no function matches");
}

/* ERR_USAGE for filters of slices. */
static int line_profile_check_filter(const struct filter *f, struct err *err)
{
	if (!filter_needs_slices(f) && !f->has_steps)
		return 0;
	return err_set(err, ERR_USAGE,
		       "a line profile has no slices to filter: only --focus and "
		       "--ignore apply");
}

static int check_kind(const struct scope *scope, struct err *err)
{
	enum scope_kind kind;

	if (scope_kind(scope, &kind, err) < 0)
		return -1;
	if (kind == SCOPE_LINES)
		return 0;
	return err_set(err, ERR_EMPTY,
		       "no lines were recorded: line_profiler (kernprof -l) and "
		       "memory_profiler record them");
}

int line_profile_load(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct line_profile *out,
		      struct err *err)
{
	struct loading l = { .p = out, .store = store };

	*out = (struct line_profile){ .nrows = 0 };
	intern_init(&out->texts);
	intern_init(&out->keys);
	if (check_kind(scope, err) < 0 || line_profile_check_filter(filter, err) < 0)
		return -1;
	idmap_init(&l.of_id, 16);
	int rc = take_all(&l, asset_query_views_line_functions_sql, scope, take_function,
			  err);
	if (rc == 0)
		rc = take_all(&l, asset_query_views_line_rows_sql, scope, take_row, err);
	idmap_release(&l.of_id);
	if (rc < 0)
		return -1;
	settle_rows(out);
	sum_up(out);
	return choose(out, filter, err);
}

void line_profile_release(struct line_profile *p)
{
	free(p->functions);
	free(p->rows);
	intern_release(&p->texts);
	intern_release(&p->keys);
}

static bool is_hotter(const void *context, uint32_t a, uint32_t b)
{
	const struct line_function *x = &((const struct line_function *)context)[a];
	const struct line_function *y = &((const struct line_function *)context)[b];

	if (x->is_wanted != y->is_wanted)
		return x->is_wanted;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns;
	return x->increment_bytes > y->increment_bytes;
}

uint32_t *line_profile_hottest(const struct line_profile *p, size_t *n)
{
	uint32_t *at = sorted_places(p->nfunctions, is_hotter, p->functions);

	for (*n = 0; *n < p->nfunctions && p->functions[at[*n]].is_wanted;)
		++*n;
	return at;
}
