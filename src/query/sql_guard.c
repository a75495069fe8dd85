/*
 * What a user's query may use: see sql_guard.h.  The lists say what is allowed,
 * so that what another SQLite adds is refused until somebody has looked at it.
 * Virtual tables have their list in store/sql.c, for every connection.
 */
#include "query/sql_guard.h"

#include <sqlite3.h>
#include <stddef.h>
#include <time.h>

#include "store/store.h"

#define NS_PER_S      INT64_C(1000000000)
#define LIMIT_MAX_S   (INT64_MAX / NS_PER_S / 4)
#define STEPS_BETWEEN 1000 /* of SQLite's machine, between two looks at the clock */

/* clang-format off */
/* Names of SQLite up to 3.50, sorted; each computes from its arguments alone. */
static const char *const functions[] = {
	"->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh",
	"avg", "ceil", "ceiling", "changes", "char", "coalesce", "concat", "concat_ws",
	"cos", "cosh", "count", "cume_dist", "current_date", "current_time",
	"current_timestamp", "date", "datetime", "degrees", "dense_rank", "exp",
	"first_value", "floor", "format", "glob", "group_concat", "hex", "if", "ifnull",
	"iif", "instr", "json", "json_array", "json_array_insert", "json_array_length",
	"json_error_position", "json_extract", "json_group_array", "json_group_object",
	"json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
	"json_remove", "json_replace", "json_set", "json_type", "json_valid", "julianday",
	"lag", "last_insert_rowid", "last_value", "lead", "length", "like", "likelihood",
	"likely", "ln", "log", "log10", "log2", "lower", "ltrim", "max", "median", "min",
	"mod", "nth_value", "ntile", "nullif", "octet_length", "percent_rank", "percentile",
	"percentile_cont", "percentile_disc", "pi", "pow", "power", "printf", "quote",
	"radians", "random", "randomblob", "rank", "replace", "round", "row_number",
	"rtrim", "sign", "sin", "sinh", "soundex", "sqlite_compileoption_get",
	"sqlite_compileoption_used", "sqlite_source_id", "sqlite_version", "sqrt",
	"strftime", "string_agg", "substr", "substring", "subtype", "sum", "tan", "tanh",
	"time", "timediff", "total", "total_changes", "trim", "trunc", "typeof", "unhex",
	"unicode", "unistr", "unistr_quote", "unixepoch", "unlikely", "upper", "zeroblob",
};

/* Those that only tell.  Most take what they tell of; others would set it. */
static const struct {
	const char *name;
	bool has_argument;
} pragmas[] = {
	{ "application_id", false },	 { "case_sensitive_like", true },
	{ "collation_list", false },	 { "compile_options", false },
	{ "data_version", false },	 { "database_list", false },
	{ "encoding", false },		 { "foreign_key_check", true },
	{ "foreign_key_list", true },	 { "freelist_count", false },
	{ "function_list", false },	 { "index_info", true },
	{ "index_list", true },		 { "index_xinfo", true },
	{ "integrity_check", true },	 { "module_list", false },
	{ "page_count", false },	 { "page_size", false },
	{ "pragma_list", false },	 { "quick_check", true },
	{ "schema_version", false },	 { "table_info", true },
	{ "table_list", true },		 { "table_xinfo", true },
	{ "user_version", false },
};
/* clang-format on */

static bool function_is_allowed(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (sqlite3_stricmp(functions[i], name) == 0)
			return true;
	return false;
}

static bool pragma_is_allowed(const char *name, const char *argument)
{
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(*pragmas); i++)
		if (sqlite3_stricmp(pragmas[i].name, name) == 0)
			return !argument || pragmas[i].has_argument;
	return false;
}

static int refuse(struct sql_guard *g, const char *kind, const char *name)
{
	g->kind = kind;
	sqlite3_snprintf(sizeof(g->name), g->name, "%s", name);
	return SQLITE_DENY;
}

static int authorize(void *to, int action, const char *first, const char *second,
		     const char *database, const char *inner)
{
	struct sql_guard *g = to;

	(void)database;
	(void)inner;
	switch (action) {
	case SQLITE_FUNCTION:
		return function_is_allowed(second) ? SQLITE_OK
						   : refuse(g, "function", second);
	case SQLITE_PRAGMA:
		return pragma_is_allowed(first, second) ? SQLITE_OK
							: refuse(g, "PRAGMA", first);
	case SQLITE_ATTACH:
		return refuse(g, "ATTACH", first ? first : "");
	case SQLITE_CREATE_VTABLE:
		return refuse(g, "CREATE VIRTUAL TABLE", first);
	case SQLITE_READ:
		return store_may(g->store, action, first) ? SQLITE_OK : SQLITE_DENY;
	default:
		/* the caller refuses what writes: sqlite3_stmt_readonly() */
		return SQLITE_OK;
	}
}

void sql_guard_set(struct sql_guard *g, struct store *store)
{
	g->store = store;
	g->kind = NULL;
	sqlite3_set_authorizer(store_db(store), authorize, g);
}

void sql_guard_unset(struct sqlite3 *db)
{
	sqlite3_set_authorizer(db, NULL, NULL);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

bool sql_guard_is_late(struct sql_guard *g)
{
	g->is_late = g->deadline_ns && now_ns() > g->deadline_ns;
	return g->is_late;
}

static int look_at_clock(void *to)
{
	return sql_guard_is_late(to);
}

void sql_guard_limit(struct sql_guard *g, struct sqlite3 *db, int64_t limit_s)
{
	g->limit_s = limit_s;
	sqlite3_progress_handler(db, 0, NULL, NULL); /* that of the store */
	if (limit_s == 0 || limit_s > LIMIT_MAX_S)
		return;
	g->deadline_ns = now_ns() + limit_s * NS_PER_S;
	sqlite3_progress_handler(db, STEPS_BETWEEN, look_at_clock, g);
}

void sql_guard_limit_memory(struct sql_guard *g, struct sqlite3 *db, int64_t bytes)
{
	g->memory_bytes = bytes;
	sqlite3_hard_heap_limit64(bytes);
	bytes /= SQL_GUARD_VALUE_SHARE;
	if (bytes < sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1))
		sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)bytes);
}

void sql_guard_remove(struct sqlite3 *db)
{
	sqlite3_hard_heap_limit64(0);
	sql_guard_unset(db);
	sqlite3_progress_handler(db, 0, NULL, NULL);
}
