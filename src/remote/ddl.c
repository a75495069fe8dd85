/* Tables of a ClickHouse database: see ddl.h. */
#include "remote/ddl.h"

#include <string.h>

#include "remote/tables.h"

/* Rows lie in the order in which questions want them: merged ones by name. */
static const struct {
	const char *table, *key;
} keys[] = {
	{ "profile", "run_id, profile_key, push_id" },
	{ "op_stat", "run_id, grain, kind, name, push_id, seq" },
	{ "annotation_stat", "run_id, name, push_id, seq" },
	{ "store_chunk", "run_id, push_id, seq" },
};

static const char *key_of(const char *table)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i].table, table) == 0)
			return keys[i].key;
	return "run_id, push_id, seq";
}

static const char *codec(const struct remote_column *c)
{
	if (c->type.kind != ROWBINARY_INT)
		return " CODEC(ZSTD(1))";
	bool rises = c->role == ROLE_SEQ || strcmp(c->name, "ts") == 0;
	return rises ? " CODEC(Delta, ZSTD(1))" : " CODEC(T64, ZSTD(1))";
}

static void add_column(const struct ddl_request *r, const struct remote_column *c,
		       struct buf *to)
{
	static const char *const types[] = { [ROWBINARY_INT] = "Int64",
					     [ROWBINARY_REAL] = "Float64",
					     [ROWBINARY_TEXT] = "String" };
	/* texts repeat: each call's row lists the ranks of its group, say */
	bool repeats = r->codecs && c->role == ROLE_TEXT;
	const char *open = repeats ? "LowCardinality(" : "", *close = repeats ? ")" : "";

	buf_addf(to,
		 c->type.nullable ? ",\n    %s %sNullable(%s)%s%s" : ",\n    %s %s%s%s%s",
		 c->name, open, types[c->type.kind], close, r->codecs ? codec(c) : "");
}

static void add_engine(const struct ddl_request *r, const char *table, struct buf *to)
{
	if (r->replicated)
		buf_addf(to,
			 "ReplicatedMergeTree('/clickhouse/tables/{shard}/%s/%s', "
			 "'{replica}')",
			 r->database, table);
	else
		buf_add_text(to, "MergeTree()");
	/* by month: thousands of partitions are what hurts ClickHouse */
	if (strcmp(table, "profile") != 0)
		buf_add_text(to, " PARTITION BY toYYYYMM(toDateTime(intDiv(push_id, "
				 "1000000000)))");
	buf_addf(to, " ORDER BY (%s)", key_of(table));
	if (strcmp(table, "store_chunk") == 0)
		buf_add_text(to, " SETTINGS index_granularity = 16");
	buf_add_text(to, ";\n");
}

/* `columns` behind those in `own`, which are written as they are. */
static void add_table(const struct ddl_request *r, const struct remote_table *t,
		      const char *own, struct buf *to)
{
	buf_addf(to, "CREATE TABLE IF NOT EXISTS %s%s (\n    %s", t->name,
		 r->cluster ? "_local" : "", own);
	for (size_t i = 0; i < t->n; i++)
		add_column(r, &t->columns[i], to);
	buf_add_text(to, "\n) ENGINE = ");
	add_engine(r, t->name, to);
	if (r->cluster)
		buf_addf(to,
			 "CREATE TABLE IF NOT EXISTS %s AS %s_local ENGINE = "
			 "Distributed(%s, %s, %s_local, %s);\n",
			 t->name, t->name, r->cluster, r->database, t->name,
			 strcmp(t->name, "profile") == 0 ? "profile_key" : "push_id");
}

int ddl_write(const struct ddl_request *request, struct buf *to, struct err *err)
{
	static const char of_push[] = "run_id UInt64, push_id UInt64";
	const struct remote_table chunk = { .name = "store_chunk" };
	struct remote_tables tables;
	int rc = remote_tables_load(&tables, err);

	if (rc == 0)
		add_table(request, &tables.profile, DDL_PROFILE_OWN, to);
	for (size_t i = 0; rc == 0 && i < tables.n; i++)
		add_table(request, &tables.items[i], of_push, to);
	if (rc == 0)
		add_table(request, &tables.slices, of_push, to);
	if (rc == 0)
		add_table(request, &chunk,
			  "run_id UInt64, push_id UInt64, seq Int64, data String", to);
	remote_tables_release(&tables);
	return rc;
}
