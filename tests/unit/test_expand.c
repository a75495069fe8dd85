/* What compression and archives may expand to (base/expand.h), with small limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <zlib.h>

#include "base/expand.h"
#include "scratch.h"
#include "store/import.h"

#define ROOM       ((size_t)100 * 1000)
#define TRACE      "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]"
#define MEMBERS    9
#define TRACE_ROOM ((size_t)2000)

static const struct limits small = { .expand_bytes = 10000,
				     .expand_nested_bytes = 1000,
				     .expand_run_bytes = 15000 };

/* Owned bytes. */
struct packed {
	uint8_t p[ROOM];
	size_t n;
};

/* A trace with blanks behind it, as many bytes as that. */
static void make_trace(struct packed *out, size_t n)
{
	memset(out->p, ' ', n);
	memcpy(out->p, TRACE, sizeof(TRACE) - 1);
	out->n = n;
}

static void gzip(struct packed *of)
{
	static uint8_t to[ROOM];
	z_stream z = { .next_in = of->p,
		       .avail_in = (uInt)of->n,
		       .next_out = to,
		       .avail_out = ROOM };

	assert_int_equal(Z_OK, deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8,
					    Z_DEFAULT_STRATEGY));
	assert_int_equal(Z_STREAM_END, deflate(&z, Z_FINISH));
	of->n = z.total_out;
	memcpy(of->p, to, of->n);
	deflateEnd(&z);
}

static char *write_file(void **state, const char *name, const struct packed *bytes)
{
	char *path = scratch_path(state, name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(bytes->n, fwrite(bytes->p, 1, bytes->n, out));
	assert_int_equal(0, fclose(out));
	return path;
}

struct outcome_of {
	int rc;
	struct import_result result;
	struct err err;
	bool is_there; /* a store was made */
};

static struct outcome_of ingest(void **state, const char *const *paths, size_t n,
				uint64_t max_expand)
{
	char *store = scratch_path(state, "a.db");
	struct import_options options = { .store = store,
					  .limits = &small,
					  .max_expand = max_expand };
	struct import_events events = { .to = NULL };
	struct outcome_of o = { .err = ERR_INIT };

	o.rc = import_files(&options, paths, n, &events, &o.result, &o.err);
	o.is_there = scratch_exists(store);
	free(store);
	return o;
}

static void assert_refused(struct outcome_of o, const char *what)
{
	assert_int_equal(-1, o.rc);
	assert_int_equal(ERR_INPUT, o.err.kind);
	assert_true(o.result.is_refusal);
	assert_false(o.is_there);
	assert_non_null(strstr(o.err.text, what));
	assert_non_null(strstr(o.err.text, "'ptool ingest --max-expand N'"));
}

static void a_file_may_expand_so_many_times_its_size(void **state)
{
	struct packed *trace = xmalloc(sizeof(*trace));

	make_trace(trace, 40000);
	gzip(trace);
	char *path = write_file(state, "one.gz", trace);
	assert_refused(ingest(state, (const char *const[]){ path }, 1, 10),
		       "it expands to more than 10 times its size");
	/* some bytes are free whatever the factor */
	make_trace(trace, 9000);
	gzip(trace);
	char *tiny = write_file(state, "tiny.gz", trace);
	assert_int_equal(0, ingest(state, (const char *const[]){ tiny }, 1, 1).rc);
	assert_int_equal(0, ingest(state, (const char *const[]){ path }, 1, 1000).rc);
	free(path);
	free(tiny);
	free(trace);
}

/* The last level may make nothing of what the one below it expands to. */
static void every_level_of_nested_compression_is_counted(void **state)
{
	struct packed *empty = xcalloc(1, sizeof(*empty));

	gzip(empty);
	size_t n = empty->n;
	while (empty->n + n <= 20000) {
		memcpy(empty->p + empty->n, empty->p, n);
		empty->n += n;
	}
	gzip(empty);
	char *path = write_file(state, "empty.gz.gz", empty);
	assert_refused(ingest(state, (const char *const[]){ path }, 1, 10),
		       "it expands to more than 10 times its size");
	free(path);
	free(empty);
}

static void all_files_together_may_not_expand_too_far(void **state)
{
	struct packed *trace = xmalloc(sizeof(*trace));

	make_trace(trace, 9000);
	gzip(trace);
	char *one = write_file(state, "1.gz", trace),
	     *two = write_file(state, "2.gz", trace);
	assert_refused(ingest(state, (const char *const[]){ one, two }, 2, 1),
		       "the files up to this one expand to more than 1 times");
	assert_int_equal(0, ingest(state, (const char *const[]){ one, two }, 2, 100).rc);
	free(one);
	free(two);
	free(trace);
}

static void make_zip(struct packed *out)
{
	struct packed *trace = xmalloc(sizeof(*trace));
	struct archive *zip = archive_write_new();
	char name[] = "0.json";

	make_trace(trace, TRACE_ROOM);
	archive_write_set_format_zip(zip);
	archive_write_set_bytes_per_block(zip, 1);
	archive_write_open_memory(zip, out->p, ROOM, &out->n);
	for (int i = 0; i < MEMBERS; i++, name[0]++) {
		struct archive_entry *entry = archive_entry_new();
		archive_entry_set_pathname(entry, name);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_size(entry, TRACE_ROOM);
		assert_int_equal(ARCHIVE_OK, archive_write_header(zip, entry));
		assert_int_equal(TRACE_ROOM,
				 archive_write_data(zip, trace->p, TRACE_ROOM));
		archive_entry_free(entry);
	}
	archive_write_free(zip);
	free(trace);
}

/* Each of them may; nothing of them is stored. */
static void the_members_of_an_archive_may_not_together(void **state)
{
	struct packed *zip = xcalloc(1, sizeof(*zip));

	make_zip(zip);
	assert_true(zip->n < MEMBERS * TRACE_ROOM - small.expand_bytes);
	char *path = write_file(state, "a.zip", zip);
	assert_refused(ingest(state, (const char *const[]){ path }, 1, 1),
		       "its members together expand to more than 1 times its size");
	assert_int_equal(0, ingest(state, (const char *const[]){ path }, 1, 20).rc);
	free(path);
	free(zip);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_file_may_expand_so_many_times_its_size),
		TEST(every_level_of_nested_compression_is_counted),
		TEST(all_files_together_may_not_expand_too_far),
		TEST(the_members_of_an_archive_may_not_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
