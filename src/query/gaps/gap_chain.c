/* The chain of blame: see gap_chain.h. */
#include "query/gaps/gap_chain.h"

#include <sqlite3.h>

#include "query/query.h"
#include "trace/fact.h"

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

/* Parts of paths that are not the user's: of packages, of Python, of nobody. */
bool gap_frame_is_own(struct str name)
{
	static const char *const foreign[] = { "site-packages/", "dist-packages/",
					       "lib/python",     "multiprocessing/",
					       "concurrent/",    "importlib",
					       "torchinductor_", "/triton/" };
	static const char *const heads[] = { "<",
					     "torch/",
					     "nn.Module:",
					     "threading.py(",
					     "contextlib.py(",
					     "runpy.py(",
					     "functools.py(",
					     "enum.py(",
					     "typing.py(",
					     "transformers/",
					     "triton/",
					     "lightning/",
					     "numpy/",
					     "accelerate/",
					     "torchvision/" };

	if (!str_contains(name, STR_LIT(".py(")))
		return false;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (str_contains(name, str_of(foreign[i])))
			return false;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (str_starts_with(name, str_of(heads[i])))
			return false;
	return true;
}

struct link {
	int64_t caller_id; /* a slice before it, or 0 */
	uint32_t name;
	int class;
};

static int read_link(struct gap_chain *c, int64_t slice_id, struct link *out,
		     struct err *err)
{
	int64_t name_id = 0, parent_id = 0;
	int rc;

	*out = (struct link){ .name = TEXT_NONE };
	sqlite3_reset(c->stmt);
	query_bind_int(c->stmt, ":id", slice_id);
	while ((rc = sql_step(c->stmt, err)) > 0) {
		name_id = sqlite3_column_int64(c->stmt, 0);
		parent_id = sqlite3_column_int64(c->stmt, 1);
		out->class = sqlite3_column_int(c->stmt, 2);
	}
	if (rc < 0)
		return -1;
	out->caller_id = parent_id < slice_id ? parent_id : 0;
	return text_pool_number(c->texts, name_id, &out->name, err);
}

int gap_chain_text(struct gap_chain *c, int64_t slice_id, struct str *out, uint32_t *own,
		   struct err *err)
{
	uint32_t names[GAP_CHAIN_MAX];
	struct link link;
	size_t n = 0, far = 0;

	*own = TEXT_NONE;
	buf_clear(&c->line);
	for (; slice_id > 0 && far < GAP_CHAIN_FAR &&
	       (far < GAP_CHAIN_MAX || *own == TEXT_NONE);
	     slice_id = link.caller_id, far++) {
		if (read_link(c, slice_id, &link, err) < 0)
			return -1;
		if (n < GAP_CHAIN_MAX)
			names[n++] = link.name;
		if (*own == TEXT_NONE && link.class == CLASS_PYTHON &&
		    gap_frame_is_own(text_pool_str(c->texts, link.name)))
			*own = link.name;
	}
	if (slice_id > 0 || far > n)
		buf_add_text(&c->line, "... > ");
	while (n-- > 0) {
		buf_add_str(&c->line, text_pool_str(c->texts, names[n]));
		if (n)
			buf_add_text(&c->line, " > ");
	}
	*out = buf_str(&c->line);
	return 0;
}
