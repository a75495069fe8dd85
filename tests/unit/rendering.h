/* What the tests of renderers share: render into memory, and tables that misbehave. */
#ifndef PTOOL_TEST_RENDERING_H
#define PTOOL_TEST_RENDERING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memtable.h"
#include "report/renderer.h"

#define NCOLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))
#define TEXT(literal)     cell_text(STR_LIT(literal))

/* The whole output; the caller frees it.  Rendering must succeed. */
static inline char *render_with(const char *format, struct table *t,
				const struct render_opts *opts)
{
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	assert_int_equal(0, renderer_find(format)->render(t, opts, out, &err));
	assert_int_equal(ERR_NONE, err.kind);
	fclose(out);
	return text;
}

static inline void assert_renders(const char *format, struct memtable *m,
				  const char *expected)
{
	struct render_opts opts = { .command = "top" };
	char *text = render_with(format, &m->table, &opts);

	assert_string_equal(expected, text);
	free(text);
	table_free(&m->table);
}

/* A table of one column that counts up to `nrows`, then fails if it has a message. */
struct counting_table {
	struct table table;
	int64_t at, nrows;
	const char *failure;
	FILE *watched; /* NULL, or where each row must have been written... */
	long written;  /* ...by the time that the next one is asked for */
};

static inline int counting_next(struct table *t, struct cell *cells, struct err *err)
{
	struct counting_table *c = (struct counting_table *)t;

	if (c->watched) {
		assert_true(ftell(c->watched) > c->written);
		c->written = ftell(c->watched);
	}
	if (c->at == c->nrows)
		return c->failure ? err_set(err, ERR_INPUT, "%s", c->failure) : 0;
	cells[0] = cell_int(c->at++);
	return 1;
}

static inline struct counting_table counting_table(int64_t nrows, const char *failure)
{
	static const struct column columns[] = { { "n", "N", UNIT_COUNT } };

	return (struct counting_table){
		.table = { .columns = columns,
			   .ncolumns = 1,
			   .next = counting_next,
			   .total_rows = nrows },
		.nrows = nrows,
		.failure = failure,
	};
}

static inline void assert_full_disk_is_told(const char *format)
{
	struct render_opts opts = { .command = "top" };
	struct counting_table c = counting_table(100000, NULL);
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/full", "w");

	assert_non_null(out);
	assert_int_equal(-1, renderer_find(format)->render(&c.table, &opts, out, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("write: No space left on device", err.text);
	fclose(out);
}

static inline void assert_failing_table_is_told(const char *format)
{
	struct render_opts opts = { .command = "top" };
	struct counting_table c = counting_table(3, "slice table is corrupt");
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	assert_int_equal(-1, renderer_find(format)->render(&c.table, &opts, out, &err));
	assert_int_equal(ERR_INPUT, err.kind);
	assert_string_equal("slice table is corrupt", err.text);
	fclose(out);
}

/* Each row is on its way before the next is pulled: nothing is collected. */
static inline void assert_streams(const char *format)
{
	struct render_opts opts = { .command = "top" };
	struct counting_table c = counting_table(1000, NULL);
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	fputc('\n', out); /* ndjson has written nothing before its first row */
	c.watched = out;
	assert_int_equal(0, renderer_find(format)->render(&c.table, &opts, out, &err));
	assert_int_equal(1000, c.at);
	fclose(out);
	free(text);
}

#endif
