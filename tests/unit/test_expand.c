/* The ceilings of base/expand.h: what compression and archives may expand to, and what
 * a profile and a run may hold; with small limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/expand.h"
#include "scratch.h"
#include "store/import.h"

#define ROOM       ((size_t)100 * 1000)
#define TRACE      "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}]"
#define MEMBERS    9
#define TRACE_ROOM ((size_t)2000)

/* Of a file or archive, of what is compressed twice, and of all files together. */
#define FREE        10000
#define FREE_NESTED 1000
#define FREE_RUN    15000

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

static struct outcome_of ingest_within(void **state, const char *const *paths, size_t n,
				       const struct read_options *read,
				       uint64_t max_expand)
{
	char *store = scratch_path(state, "a.db");
	struct import_options options = { .store = store,
					  .read = *read,
					  .max_expand = max_expand };
	struct import_events events = { .to = NULL };
	struct outcome_of o = { .err = ERR_INIT };

	o.rc = import_files(&options, paths, n, &events, &o.result, &o.err);
	o.is_there = scratch_exists(store);
	free(store);
	return o;
}

static struct outcome_of ingest(void **state, const char *const *paths, size_t n,
				uint64_t max_expand)
{
	struct limits small = usual_limits;

	small.expand_bytes = FREE;
	small.expand_nested_bytes = FREE_NESTED;
	small.expand_run_bytes = FREE_RUN;
	const struct read_options read = { .limits = &small };
	return ingest_within(state, paths, n, &read, max_expand);
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
	assert_true(zip->n < MEMBERS * TRACE_ROOM - FREE);
	char *path = write_file(state, "a.zip", zip);
	assert_refused(ingest(state, (const char *const[]){ path }, 1, 1),
		       "its members together expand to more than 1 times its size");
	assert_int_equal(0, ingest(state, (const char *const[]){ path }, 1, 20).rc);
	free(path);
	free(zip);
}

#define STEP(n, tid)                                                            \
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" #n \
	"\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #n ",\"dur\":1}"
#define KERNEL(device)                                                     \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":" #device \
	",\"tid\":7,\"ts\":1,\"dur\":1,\"args\":{\"device\":" #device ",\"stream\":7}}"

#define CATEGORY \
	"{\"ph\":\"X\",\"cat\":\"c%d\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}"

/* One slice beyond each of what there may be two of. */
static void a_profile_has_so_many_tracks_devices_and_steps(void **state)
{
	char *path = scratch_path(state, "trace.json");
	const char *const paths[] = { path, path };
	struct limits few = usual_limits;
	struct read_options read = { .limits = &few };

	few.tracks = few.devices = few.steps = 2;
	scratch_write(path, "[" STEP(1, 1) "," STEP(2, 2) "]");
	assert_int_equal(0, ingest_within(state, paths, 1, &read, 0).rc);
	scratch_write(path,
		      "[" STEP(1, 1) "," STEP(2, 2) "," STEP(3, 3) "," STEP(4, 1) "]");
	struct outcome_of o = ingest_within(state, paths, 1, &read, 0);
	assert_int_equal(-1, o.rc);
	assert_int_equal(ERR_INPUT, o.err.kind);
	assert_string_equal("more than 2 threads and streams in one profile", o.err.text);
	few.tracks = 10;
	/* a third step is a range like others, and that is told */
	assert_int_equal(0, ingest_within(state, paths, 1, &read, 0).rc);
	read.strict = true;
	o = ingest_within(state, paths, 1, &read, 0);
	assert_int_equal(-1, o.rc);
	assert_string_equal("the recording has more than 1,000,000 steps", o.err.text);
	read.strict = false;
	scratch_write(path, "[" KERNEL(0) "," KERNEL(1) "," KERNEL(0) "]");
	assert_int_equal(0, ingest_within(state, paths, 1, &read, 0).rc);
	scratch_write(path, "[" KERNEL(0) "," KERNEL(1) "," KERNEL(2) "]");
	o = ingest_within(state, paths, 1, &read, 0);
	assert_int_equal(-1, o.rc);
	assert_string_equal("more than 2 devices in one profile", o.err.text);
	few.tracks = 2;
	scratch_write(path, "P1;T1;a 1\nP1;T2;a 1\nP1;T3;a 1\n");
	o = ingest_within(state, paths, 1, &read, 0);
	assert_int_equal(-1, o.rc);
	assert_string_equal("more than 2 threads in one profile", o.err.text);
	free(path);
}

/* A slice has the index of its category in 16 bits. */
static void a_profile_has_so_many_categories(void **state)
{
	char *path = scratch_path(state, "trace.json");
	const char *const paths[] = { path };
	const struct read_options read = { .strict = false };
	struct buf text;

	buf_init(&text, SIZE_MAX);
	for (int n = UINT16_MAX; n <= UINT16_MAX + 1; n++) {
		buf_clear(&text);
		for (int i = 0; i < n; i++)
			buf_addf(&text, "%c" CATEGORY, i ? ',' : '[', i);
		buf_addf(&text, "]%c", 0);
		scratch_write(path, text.p);
		struct outcome_of o = ingest_within(state, paths, 1, &read, 0);
		assert_int_equal(n > UINT16_MAX ? -1 : 0, o.rc);
		if (o.rc < 0)
			assert_string_equal("more than 65535 categories in one profile",
					    o.err.text);
	}
	buf_release(&text);
	free(path);
}

static void an_ingest_has_so_many_profiles(void **state)
{
	char *one = scratch_path(state, "1.json"), *two = scratch_path(state, "2.json");
	const char *const paths[] = { one, two };
	struct limits few = usual_limits;
	const struct read_options read = { .limits = &few };

	few.profiles = 1;
	scratch_write(one, TRACE);
	scratch_write(two, TRACE);
	assert_int_equal(0, ingest_within(state, paths, 1, &read, 0).rc);
	char *store = scratch_path(state, "a.db");
	assert_int_equal(0, remove(store));
	free(store);
	struct outcome_of o = ingest_within(state, paths, 2, &read, 0);
	assert_int_equal(-1, o.rc);
	assert_string_equal("more than 1 traces in one run", o.err.text);
	assert_false(o.is_there);
	free(one);
	free(two);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_file_may_expand_so_many_times_its_size),
		TEST(every_level_of_nested_compression_is_counted),
		TEST(all_files_together_may_not_expand_too_far),
		TEST(a_profile_has_so_many_tracks_devices_and_steps),
		TEST(a_profile_has_so_many_categories),
		TEST(an_ingest_has_so_many_profiles),
		TEST(the_members_of_an_archive_may_not_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
