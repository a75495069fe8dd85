/*
 * Is the schema ours: see schema_check.h.  SQLite keeps the text of each CREATE
 * statement as it was written, without the comments before and after it, so the
 * rows of sqlite_schema are compared with the statements of schema.sql.  Comments
 * and the kind of blanks do not count: a ptool that words a comment otherwise
 * writes the same schema.
 */
#include "store/schema_check.h"

#include <sqlite3.h>
#include <stdbool.h>

#include "base/asset.h"
#include "base/str.h"
#include "store/sql.h"

#define OBJECTS_MAX 128
/* What SQLite may read before it is refused: ours has 60 statements below 8 KiB. */
#define STATEMENT_MAX 65536
#define STEPS_MAX     10000

/* A CREATE statement of schema.sql: borrowed from it. */
struct object {
	struct str sql, type, name; /* type: "TABLE" */
	bool is_found;
};

struct schema {
	struct object objects[OBJECTS_MAX];
	size_t n;
};

/* The rest after blanks and comments. */
static struct str skip_blanks(struct str s)
{
	while (s.n &&
	       (*s.p == ' ' || *s.p == '\n' || (s.n > 1 && memcmp(s.p, "--", 2) == 0))) {
		const char *end = *s.p == '-' ? memchr(s.p, '\n', s.n) : s.p + 1;
		if (!end)
			end = s.p + s.n;
		s.n -= (size_t)(end - s.p);
		s.p = end;
	}
	return s;
}

static bool is_same(struct str a, struct str b)
{
	bool in_text = false; /* between ', where blanks and comments are none */

	if (str_equal(a, b)) /* as almost always */
		return true;
	while (a.n && b.n) {
		struct str x = in_text ? a : skip_blanks(a);
		struct str y = in_text ? b : skip_blanks(b);
		if ((x.n == a.n) != (y.n == b.n)) /* blanks in one of them */
			return false;
		if (x.n == 0 || y.n == 0 || *x.p != *y.p)
			return x.n == 0 && y.n == 0;
		in_text ^= *x.p == '\'';
		a = (struct str){ x.p + 1, x.n - 1 };
		b = (struct str){ y.p + 1, y.n - 1 };
	}
	return skip_blanks(a).n == 0 && skip_blanks(b).n == 0;
}

/* Where its ';' is, which comments and texts may have, too. */
static const char *statement_end(const char *p)
{
	while (*p && *p != ';') {
		if (p[0] == '-' && p[1] == '-')
			p += strcspn(p, "\n");
		else if (*p == '\'')
			p += 1 + strcspn(p + 1, "'");
		if (*p)
			p++;
		p += strcspn(p, ";-'");
	}
	return p;
}

static struct str word_at(const char **p)
{
	*p += strspn(*p, " ");
	struct str word = { *p, strcspn(*p, " \n(") };
	*p += word.n;
	return word;
}

static struct object object_of(struct str sql)
{
	const char *p = sql.p;

	word_at(&p); /* CREATE */
	struct str type = word_at(&p);
	return (struct object){ sql, type, word_at(&p), false };
}

static void schema_load(struct schema *schema, struct str rest)
{
	schema->n = 0;
	while ((rest = skip_blanks(rest)).n && schema->n < OBJECTS_MAX) {
		size_t n = (size_t)(statement_end(rest.p) - rest.p);
		schema->objects[schema->n++] = object_of((struct str){ rest.p, n });
		n += n < rest.n; /* its ';' */
		rest = (struct str){ rest.p + n, rest.n - n };
	}
}

static struct object *find(struct schema *schema, struct str name)
{
	for (size_t i = 0; i < schema->n; i++)
		if (str_equal(schema->objects[i].name, name))
			return &schema->objects[i];
	return NULL;
}

static bool is_type(struct str type, struct str word)
{
	return type.n == word.n && sqlite3_strnicmp(type.p, word.p, (int)type.n) == 0;
}

/* The index of UNIQUE, which has no text. */
static bool is_of_unique(struct str type, struct str name, struct str sql)
{
	return sql.n == 0 && str_is(type, "index") &&
	       str_is(name, "sqlite_autoindex_run_1");
}

static int refuse(struct err *err, struct str type, struct str name, const char *what)
{
	return err_set(
		err, ERR_INPUT,
		"not the schema of a ptool store: the %.16s '%.80s' %s; ingest the trace again",
		type.p, name.p, what);
}

static int check_row(struct schema *schema, struct sqlite3_stmt *stmt, struct err *err)
{
	struct str type = sql_bytes(stmt, 0), name = sql_bytes(stmt, 1),
		   sql = sql_bytes(stmt, 2);

	if (is_of_unique(type, name, sql))
		return 0;
	struct object *object = find(schema, name);
	if (!object || object->is_found)
		return refuse(err, type, name, "was not made by ptool");
	/* SQLite reads a statement to the first NUL only */
	if (!is_type(type, object->type) || !is_same(sql, object->sql) ||
	    memchr(sql.p, '\0', sql.n))
		return refuse(err, type, name, "was changed");
	object->is_found = true;
	return 0;
}

static int compare(struct sqlite3 *db, struct str text, struct err *err)
{
	struct schema schema;
	struct sqlite3_stmt *stmt;
	int rc;

	if (sql_prepare(db, "SELECT type, name, sql FROM sqlite_schema", &stmt, err) < 0)
		return -1;
	schema_load(&schema, text);
	while ((rc = sql_step(stmt, err)) > 0 &&
	       (rc = check_row(&schema, stmt, err)) == 0)
		;
	sqlite3_finalize(stmt);
	for (size_t i = 0; i < schema.n && rc == 0; i++)
		if (!schema.objects[i].is_found)
			rc = err_set(err, ERR_INPUT,
				     "not the schema of a ptool store: '" STR_FMT
				     "' is missing; ingest the trace again",
				     STR_ARG(schema.objects[i].name));
	return rc;
}

static int stop(void *is_stopped)
{
	*(bool *)is_stopped = true;
	return 1;
}

int schema_check_as(struct sqlite3 *db, struct str schema, struct err *err)
{
	bool is_stopped = false;
	int longest = sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, STATEMENT_MAX);

	sqlite3_progress_handler(db, STEPS_MAX, stop, &is_stopped);
	int rc = compare(db, schema, err);
	sqlite3_progress_handler(db, 0, NULL, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, longest);
	if (rc < 0 && is_stopped)
		return err_set(
			err, ERR_INPUT,
			"not the schema of a ptool store: it has too many tables; ingest the trace "
			"again");
	return rc;
}

static struct str own_schema(void)
{
	return (struct str){ (const char *)asset_store_schema_sql,
			     asset_store_schema_sql_len };
}

int schema_check(struct sqlite3 *db, struct err *err)
{
	return schema_check_as(db, own_schema(), err);
}

static int run(struct sqlite3 *db, struct str sql, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, sql.p, (int)sql.n, &stmt, NULL) != SQLITE_OK)
		return sql_error(db, err);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

int schema_make(struct sqlite3 *db, bool of_tables, struct err *err)
{
	struct schema schema;

	schema_load(&schema, own_schema());
	for (size_t i = 0; i < schema.n; i++)
		if (str_is(schema.objects[i].type, "TABLE") == of_tables &&
		    run(db, schema.objects[i].sql, err) < 0)
			return -1;
	return 0;
}
