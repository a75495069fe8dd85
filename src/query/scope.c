/* Which profiles a command reads: see scope.h. */
#include "query/scope.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/number_list.h"
#include "query/query.h"
#include "query/scope_axes.h"
#include "trace/fact.h"
#include "trace/pipeline_op.h"

#define LIST_MAX ((size_t)64 * 1024 * 1024)

/* The least that a row of slice_row takes in a file: its header, ts, dur and name. */
#define SLICE_ROW_BYTES 20
/* The same of op_detail: a header of ten bytes. */
#define OP_DETAIL_ROW_BYTES 10

/* Columns of views/scope.sql. */
enum {
	COLUMN_ID,
	COLUMN_RUN_ID,
	COLUMN_RUN,
	COLUMN_PATH,
	COLUMN_FORMAT,
	COLUMN_DIALECT,
	COLUMN_HOST,
	COLUMN_RANK,
	COLUMN_BASE,
	COLUMN_START,
	COLUMN_DUR,
	COLUMN_FIRST_SLICE,
	COLUMN_SLICES,
	COLUMN_MEMORY,
	COLUMN_SHAPES,
	COLUMN_STACKS,
	COLUMN_FLOPS,
	COLUMN_HAS_SLICES,
	COLUMN_MTIME,
	COLUMN_JOB_RANKS,
	COLUMN_OP_DETAILS,
	COLUMN_AXES, /* by enum axis from here on */
};

struct loading {
	struct scope *scope;
	size_t cap;
};

static bool is_set(struct sqlite3_stmt *stmt, int column)
{
	return sqlite3_column_type(stmt, column) != SQLITE_NULL;
}

static void add_profile(struct loading *l, struct sqlite3_stmt *stmt)
{
	struct scope *s = l->scope;

	*ARRAY_PUSH(s->profiles, s->n, l->cap) = (struct scope_profile){
		.id = sqlite3_column_int64(stmt, COLUMN_ID),
		.run_id = sqlite3_column_int64(stmt, COLUMN_RUN_ID),
		.run = sql_text(stmt, COLUMN_RUN, &s->arena),
		.path = sql_text(stmt, COLUMN_PATH, &s->arena),
		.format = sql_text(stmt, COLUMN_FORMAT, &s->arena),
		.dialect = sql_text(stmt, COLUMN_DIALECT, &s->arena),
		.host = sql_text(stmt, COLUMN_HOST, &s->arena),
		.rank = sqlite3_column_int64(stmt, COLUMN_RANK),
		.base_ns = sqlite3_column_int64(stmt, COLUMN_BASE),
		.start_ns = sqlite3_column_int64(stmt, COLUMN_START),
		.dur_ns = sqlite3_column_int64(stmt, COLUMN_DUR),
		.first_slice_id = sqlite3_column_int64(stmt, COLUMN_FIRST_SLICE),
		.slices = sqlite3_column_int64(stmt, COLUMN_SLICES),
		.has_rank = is_set(stmt, COLUMN_RANK),
		.mtime_ns = sqlite3_column_int64(stmt, COLUMN_MTIME),
		.has_mtime = is_set(stmt, COLUMN_MTIME),
		.has_base = is_set(stmt, COLUMN_BASE),
		.has_memory = sqlite3_column_int(stmt, COLUMN_MEMORY) != 0,
		.has_shapes = sqlite3_column_int(stmt, COLUMN_SHAPES) != 0,
		.has_stacks = sqlite3_column_int(stmt, COLUMN_STACKS) != 0,
		.has_flops = sqlite3_column_int(stmt, COLUMN_FLOPS) != 0,
		.has_slices = sqlite3_column_int(stmt, COLUMN_HAS_SLICES) != 0,
		.job_ranks = query_number(stmt, COLUMN_JOB_RANKS),
		.op_details = sqlite3_column_int64(stmt, COLUMN_OP_DETAILS),
	};
	for (int a = 0; a < NAXES; a++)
		s->profiles[s->n - 1].axes.at[a] =
			is_set(stmt, COLUMN_AXES + a)
				? sqlite3_column_int64(stmt, COLUMN_AXES + a)
				: NUMBER_NONE;
}

/* Ids that can be counted with, and texts where there must be some. */
static bool is_sound(const struct scope_profile *p)
{
	return p->id > 0 && p->id < INT64_MAX && p->first_slice_id >= 0 &&
	       query_is_range(p->first_slice_id, p->slices) && p->op_details >= 0 &&
	       p->run && p->path && p->format;
}

/*
 * What is read of slices is allocated for as many as their profiles say, and profiles that
 * share rows would each read them.
 */
static int check_slices(struct store *store, const struct scope *scope, struct err *err)
{
	int64_t slices = 0, details = 0;
	bool fits, details_fit;

	for (size_t i = 0; i < scope->n; i++) {
		if (!scope->profiles[i].has_slices)
			continue;
		slices = sum_add(slices, scope->profiles[i].slices);
		details = sum_add(details, scope->profiles[i].op_details);
	}
	if (query_rows_fit(store, slices, SLICE_ROW_BYTES, &fits, err) < 0 ||
	    query_rows_fit(store, details, OP_DETAIL_ROW_BYTES, &details_fit, err) < 0)
		return -1;
	return fits && details_fit ? 0 : query_damaged("profiles", err);
}

static int load_profiles(struct store *store, const struct scope_request *request,
			 struct scope *scope, struct err *err)
{
	struct loading loading = { .scope = scope };

	struct query q = query_open(store, asset_query_views_scope_sql, err);

	query_bind_int(q.stmt, ":all", request->all_runs);
	query_bind_text(q.stmt, ":run", request->run);
	while (query_next(&q, err)) {
		add_profile(&loading, q.stmt);
		if (!is_sound(&scope->profiles[scope->n - 1])) {
			q.rc = query_damaged("profiles", err);
			break;
		}
	}
	scope_find_groups(scope);
	return query_end(&q) < 0 ? -1 : check_slices(store, scope, err);
}

typedef bool selects(const struct scope_profile *p, const struct scope_request *request);

static bool is_named(const struct scope_profile *p, const struct scope_request *request)
{
	const char *slash = strrchr(p->path, '/');
	char id[24];

	snprintf(id, sizeof(id), "%" PRId64, p->id);
	return strcmp(request->profile, id) == 0 ||
	       strcmp(request->profile, p->path) == 0 ||
	       (slash && strcmp(request->profile, slash + 1) == 0);
}

static bool is_of_rank(const struct scope_profile *p, const struct scope_request *request)
{
	return p->has_rank && p->rank >= request->first_rank &&
	       p->rank <= request->last_rank;
}

/* Keeps those that the function selects; when that is none, all, and false. */
static bool narrow_by(struct scope *scope, selects *select,
		      const struct scope_request *request)
{
	size_t kept = 0;

	for (size_t i = 0; i < scope->n; i++)
		if (select(&scope->profiles[i], request))
			scope->profiles[kept++] = scope->profiles[i];
	if (kept > 0)
		scope->n = kept;
	return kept > 0;
}

/* The ids or ranks that there are. */
static const char *list_numbers(struct scope *scope, bool of_ranks)
{
	struct number_list numbers = { .n = 0 };
	struct buf list;

	buf_init(&list, ERR_TEXT_MAX);
	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		if (!of_ranks || p->has_rank)
			number_list_add(&numbers, of_ranks ? p->rank : p->id);
	}
	number_list_write(&numbers, &list);
	free(numbers.items);
	const char *text = arena_strdup(&scope->arena, list.n ? list.p : "none recorded");
	buf_release(&list);
	return text;
}

static int no_rank(struct scope *scope, const struct scope_request *request,
		   struct err *err)
{
	char given[48];
	size_t ranked = 0;

	if (request->first_rank == request->last_rank)
		snprintf(given, sizeof(given), "%" PRId64, request->first_rank);
	else
		snprintf(given, sizeof(given), "%" PRId64 "..%" PRId64,
			 request->first_rank, request->last_rank);
	for (size_t i = 0; i < scope->n; i++)
		ranked += scope->profiles[i].has_rank;
	if (ranked == 0)
		return err_set(err, ERR_EMPTY,
			       "--rank %s: the recording does not say its rank", given);
	return err_set(err, ERR_EMPTY, "--rank %s: there are ranks %s", given,
		       list_numbers(scope, true));
}

static int narrow(struct scope *scope, const struct scope_request *request,
		  struct err *err)
{
	if (scope->n == 0 && request->run)
		return err_set(err, ERR_EMPTY, "no run '%s'", request->run);
	if (scope->n == 0)
		return err_set(err, ERR_EMPTY,
			       "the store holds no run; 'ptool ingest FILE' adds one");
	if (request->profile && !narrow_by(scope, is_named, request))
		return err_set(err, ERR_EMPTY,
			       "no profile '%s' in run '%s' (profiles: %s; "
			       "'ptool info' lists those of all runs)",
			       request->profile, scope->profiles[0].run,
			       list_numbers(scope, false));
	if (request->has_rank && !narrow_by(scope, is_of_rank, request))
		return no_rank(scope, request, err);
	return 0;
}

static void count_ranks(struct scope *scope)
{
	int64_t *ranks = xrealloc_array(NULL, scope->n + 1, sizeof(*ranks));
	size_t n = 0;

	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].has_rank)
			ranks[n++] = scope->profiles[i].rank;
	qsort(ranks, n, sizeof(*ranks), sort_compare_int64);
	scope->nranked = n;
	for (size_t i = 0; i < n; i++)
		scope->nranks += i == 0 || ranks[i] != ranks[i - 1];
	free(ranks);
}

static bool id_before(const void *context, uint32_t a, uint32_t b)
{
	const struct scope_profile *profiles = context;

	return profiles[a].id < profiles[b].id;
}

static void order_by_id(struct scope *scope)
{
	uint32_t *spare = xrealloc_array(NULL, scope->n + 1, sizeof(*spare));

	scope->by_id = arena_alloc(&scope->arena, (scope->n + 1) * sizeof(*spare));
	for (size_t i = 0; i < scope->n; i++)
		scope->by_id[i] = (uint32_t)i;
	sort_indexes(scope->by_id, scope->n, spare, id_before, scope->profiles);
	free(spare);
}

static void summarize(struct scope *scope)
{
	struct buf ids;

	buf_init(&ids, LIST_MAX);
	for (size_t i = 0; i < scope->n; i++)
		buf_addf(&ids, "%c%" PRId64, i ? ',' : '[', scope->profiles[i].id);
	buf_add_char(&ids, ']');
	scope->ids = arena_strdup(&scope->arena, ids.p);
	buf_release(&ids);
	count_ranks(scope);
	order_by_id(scope);
}

int scope_load(struct store *store, const struct scope_request *request,
	       struct scope *out, struct err *err)
{
	*out = (struct scope){ 0 };
	if (load_profiles(store, request, out, err) < 0 ||
	    narrow(out, request, err) < 0) {
		scope_release(out);
		return -1;
	}
	summarize(out);
	for (size_t i = 0; i < out->n; i++)
		if (!out->profiles[i].has_slices)
			store_forbid_slices(store);
	return 0;
}

void scope_of_profile(const struct scope_profile *profile, struct scope *out)
{
	*out = (struct scope){ .profiles = xmalloc(sizeof(*profile)), .n = 1 };
	*out->profiles = *profile;
	summarize(out);
}

void scope_release(struct scope *scope)
{
	free(scope->profiles);
	arena_release(&scope->arena);
	*scope = (struct scope){ 0 };
}

const struct scope_profile *scope_find(const struct scope *scope, int64_t profile_id)
{
	const struct scope_profile *p = scope->profiles;
	const uint32_t *by_id = scope->by_id;
	size_t at;

	SEARCH(at, 0, scope->n, p[by_id[at]].id < profile_id);
	return at < scope->n && p[by_id[at]].id == profile_id ? &p[by_id[at]] : NULL;
}

int scope_run_names(struct store *store, struct arena *arena, const char *const **out,
		    struct err *err)
{
	const char **names = NULL;
	size_t n = 0, cap = 0;

	struct query q = query_open(store, asset_query_views_run_names_sql, err);

	while (query_next(&q, err)) {
		names = xgrow(names, &cap, n + 2, sizeof(*names));
		names[n++] = sql_text(q.stmt, 0, arena);
	}
	int rc = query_end(&q);
	const char **list = arena_alloc(arena, (n + 1) * sizeof(*list));
	if (n > 0)
		memcpy(list, names, n * sizeof(*list));
	list[n] = NULL;
	*out = list;
	free(names);
	return rc;
}

static enum scope_kind kind_of(const struct scope_profile *profile)
{
	static const struct {
		const char *format;
		enum scope_kind kind;
	} kinds[] = {
		{ "pstats", SCOPE_CALL_GRAPHS },  { "samples", SCOPE_SAMPLES },
		{ "line_profiler", SCOPE_LINES }, { "memory_profiler", SCOPE_LINES },
		{ "scalene", SCOPE_LINES },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(profile->format, kinds[i].format) == 0)
			return kinds[i].kind;
	return SCOPE_TRACES;
}

bool scope_is_of_lines(const struct scope_profile *profile)
{
	return kind_of(profile) == SCOPE_LINES;
}

int scope_kind(const struct scope *scope, enum scope_kind *out, struct err *err)
{
	static const char *const names[NSCOPE_KINDS] = { "traces", "call graphs",
							 "sampled stacks",
							 "line profiles" };
	size_t n[NSCOPE_KINDS] = { 0 };

	for (size_t i = 0; i < scope->n; i++)
		n[kind_of(&scope->profiles[i])]++;
	*out = kind_of(&scope->profiles[0]);
	if (n[*out] == scope->n)
		return 0;
	enum scope_kind other = SCOPE_TRACES;
	while (other == *out || n[other] == 0)
		other++;
	enum scope_kind high = *out > other ? *out : other;
	enum scope_kind low = *out > other ? other : *out;
	return err_set(err, ERR_EMPTY,
		       "the run holds %s (%zu) and %s (%zu), which cannot be "
		       "added up: choose one with --profile ('ptool info' lists them)",
		       names[high], n[high], names[low], n[low]);
}

int scope_is_call_graph(const struct scope *scope, bool *is, struct err *err)
{
	enum scope_kind kind = SCOPE_TRACES;
	int rc = scope_kind(scope, &kind, err);

	*is = kind == SCOPE_CALL_GRAPHS;
	return rc;
}

bool scope_has_self(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++) {
		const struct scope_profile *p = &scope->profiles[i];
		bool is_lightning = p->dialect && strcmp(p->dialect, "lightning") == 0;
		if (kind_of(p) != SCOPE_LINES && !is_lightning)
			return true;
	}
	return false;
}

bool scope_is_tree(const struct scope *scope)
{
	return scope->n == 1 && scope->profiles[0].dialect &&
	       strcmp(scope->profiles[0].dialect, "importtime") == 0;
}

static bool is_of_format(const struct scope *scope, const char *format)
{
	for (size_t i = 0; i < scope->n; i++)
		if (strcmp(scope->profiles[i].format, format) != 0)
			return false;
	return true;
}

bool scope_is_printed(const struct scope *scope)
{
	return is_of_format(scope, "torch_table");
}

bool scope_is_sampled_memory(const struct scope *scope)
{
	return is_of_format(scope, "mprof");
}

bool scope_has_samples(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (kind_of(&scope->profiles[i]) == SCOPE_SAMPLES)
			return true;
	return false;
}

bool scope_has_memory(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].has_memory)
			return true;
	return false;
}

bool scope_has_slices(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (!scope->profiles[i].has_slices)
			return false;
	return true;
}

int scope_lacks_self(const char *what, struct err *err)
{
	return err_set(err, ERR_EMPTY,
		       "the report has only totals, no %s: 'ptool top' lists them", what);
}

bool scope_lacks_slices(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].slices && !scope->profiles[i].has_slices)
			return true;
	return false;
}

bool scope_is_xprof(const struct scope_profile *profile)
{
	return profile && strcmp(profile->format, "xprof") == 0;
}

bool scope_is_pipeline(const struct scope_profile *profile)
{
	return profile && strcmp(profile->format, PIPELINE_FORMAT) == 0;
}

const char *scope_in_torch(const struct scope *scope, const char *how)
{
	static const char *const of_torch[] = { "pytorch", "torch_table",
						"memory_snapshot", "memory_timeline" };

	for (size_t i = 0; i < sizeof(of_torch) / sizeof(*of_torch); i++)
		if (!scope->n || strcmp(scope->profiles[0].format, of_torch[i]) == 0)
			return how;
	return "";
}

struct cell scope_rank_cell(const struct scope_profile *profile)
{
	return profile->has_rank ? cell_int(profile->rank) : cell_null();
}
