/*
 * ptool export --to parquet --table NAME: a table or view of the store, whole, as
 * `ptool sql 'SELECT * FROM NAME' --format parquet` writes it.
 */
#include "base/buf.h"
#include "cli/exporter.h"
#include "query/user_sql.h"
#include "report/renderer.h"

static void add_query(struct buf *sql, const char *name)
{
	buf_add_text(sql, "SELECT * FROM \"");
	for (; *name; name++) {
		if (*name == '"')
			buf_add_char(sql, '"');
		buf_add_char(sql, *name);
	}
	buf_add_char(sql, '"');
	buf_add_char(sql, '\0');
}

static int write_rows(struct user_sql *q, FILE *out, struct err *err)
{
	const struct render_opts opts = { .command = "export" };
	struct table *rows;
	int rc = user_sql_next(q, true, &rows, err);

	if (rc <= 0)
		return rc;
	rc = renderer_find("parquet")->render(rows, &opts, out, err);
	table_free(rows);
	return rc;
}

static int write_parquet(const struct export_request *request, FILE *out,
			 struct export_losses *losses, struct err *err)
{
	struct user_sql *q;
	struct buf sql;

	(void)losses; /* nothing */
	if (!request->table)
		return err_set(err, ERR_USAGE,
			       "--table NAME says which table; a command's own rows: "
			       "ptool top --format parquet");
	buf_init(&sql, SIZE_MAX);
	add_query(&sql, request->table);
	int rc = user_sql_open(request->store, sql.p, NULL, &q, err);
	if (rc == 0)
		rc = write_rows(q, out, err);
	user_sql_close(q);
	buf_release(&sql);
	return rc;
}

static const char *const suffixes[] = { ".parquet", NULL };

const struct exporter export_parquet = {
	.name = "parquet",
	.suffixes = suffixes,
	.is_binary = true,
	.takes_table = true,
	.write = write_parquet,
};
