/* The chain of blame: see gap_chain.h. */
#include "query/gaps/gap_chain.h"

#include <sqlite3.h>

#include "query/query.h"

ASSET(asset_query_views_gap_chain_sql);

#define LINE_MAX_BYTES ((size_t)1 << 20)

int gap_chain_open(struct store *store, struct text_pool *texts, struct gap_chain *out,
		   struct err *err)
{
	*out = (struct gap_chain){ .texts = texts };
	buf_init(&out->line, LINE_MAX_BYTES);
	return query_prepare(store, asset_query_views_gap_chain_sql, &out->stmt, err);
}

void gap_chain_close(struct gap_chain *c)
{
	sqlite3_finalize(c->stmt);
	c->stmt = NULL;
	buf_release(&c->line);
}

/* The slice's name, and its caller: a slice before it, or 0. */
static int read_link(struct gap_chain *c, int64_t *slice_id, uint32_t *name,
		     struct err *err)
{
	int64_t name_id = 0, parent_id = 0;
	int rc;

	sqlite3_reset(c->stmt);
	query_bind_int(c->stmt, ":id", *slice_id);
	while ((rc = sql_step(c->stmt, err)) > 0) {
		name_id = sqlite3_column_int64(c->stmt, 0);
		parent_id = sqlite3_column_int64(c->stmt, 1);
	}
	if (rc < 0)
		return -1;
	*slice_id = parent_id < *slice_id ? parent_id : 0;
	return text_pool_number(c->texts, name_id, name, err);
}

int gap_chain_text(struct gap_chain *c, int64_t slice_id, struct str *out,
		   struct err *err)
{
	uint32_t names[GAP_CHAIN_MAX];
	size_t n = 0;

	buf_clear(&c->line);
	while (slice_id > 0 && n < GAP_CHAIN_MAX)
		if (read_link(c, &slice_id, &names[n++], err) < 0)
			return -1;
	if (slice_id > 0)
		buf_add_text(&c->line, "... > ");
	while (n-- > 0) {
		buf_add_str(&c->line, text_pool_str(c->texts, names[n]));
		if (n)
			buf_add_text(&c->line, " > ");
	}
	*out = buf_str(&c->line);
	return 0;
}
