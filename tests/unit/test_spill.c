/* Arrays with a limit: the same content wherever they lie, and no file to be seen. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/spill.h"
#include "ingest/pickle.h"
#include "scratch.h"

#define LIMIT ((uint64_t)1 << 20)

/* A growing array of numbers that can be checked. */
struct row {
	uint64_t *at;
	size_t n, cap;
	uint64_t first;
};

static void extend(struct spill *s, struct row *r, size_t n)
{
	while (r->n < n) {
		r->at = spill_grow(s, r->at, &r->cap, r->n + 1, sizeof(*r->at));
		r->at[r->n] = r->first + r->n;
		r->n++;
	}
}

static void check_row(const struct row *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->at[i] != r->first + i)
			fail_msg("number %zu is %ju", i, (uintmax_t)r->at[i]);
}

static struct spill *open_in(void **state, uint64_t limit)
{
	char *prefix = scratch_path(state, "store.tmp.1");
	struct spill *s = spill_open(limit, prefix);

	free(prefix);
	return s;
}

static void assert_is_fine(struct spill *s)
{
	struct err err = ERR_INIT;

	assert_int_equal(0, spill_check(s, &err));
	assert_int_equal(ERR_NONE, err.kind);
}

static void without_a_spill_it_is_the_heap(void **state)
{
	struct row r = { 0 };
	(void)state;

	extend(NULL, &r, 100000);
	check_row(&r);
	assert_is_fine(NULL);
	assert_int_equal(0, spill_in_files(NULL));
	free(r.at);
	spill_free(NULL, spill_alloc(NULL, 3, 5));
	spill_free(NULL, NULL);
	spill_close(NULL);
}

static void below_the_limit_there_is_no_file(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct row r = { 0 };

	extend(s, &r, 60000);
	assert_int_equal(0, spill_in_files(s));
	check_row(&r);
	spill_free(s, r.at);
	spill_close(s);
}

static void above_the_limit_arrays_lie_in_files_without_a_name(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct row rows[5] = { 0 };

	for (size_t n = 1; n < 1000000; n += 1 + n / 3)
		for (size_t i = 0; i < 5; i++) {
			rows[i].first = i << 40;
			extend(s, &rows[i], n);
		}
	assert_true(spill_in_files(s) > (uint64_t)5 * 8 * 500000);
	assert_int_equal(0, scratch_nfiles(state));
	assert_is_fine(s);
	for (size_t i = 0; i < 5; i++) {
		check_row(&rows[i]);
		spill_free(s, rows[i].at);
	}
	assert_int_equal(0, spill_in_files(s));
	spill_close(s);
}

/* What was freed makes room, and its pages are not seen again. */
static void new_arrays_are_of_zeroes(void **state)
{
	struct spill *s = open_in(state, LIMIT);

	for (int round = 0; round < 3; round++)
		for (size_t n = 1; n < (size_t)8 << 20; n *= 7) {
			unsigned char *p = spill_alloc(s, n, 1);
			for (size_t i = 0; i < n; i++)
				if (p[i])
					fail_msg("byte %zu of %zu is %u", i, n, p[i]);
			memset(p, 0xff, n);
			spill_free(s, p);
		}
	spill_close(s);
}

static void what_begins_on_the_heap_may_grow(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct row r = { .at = xmalloc(16 * sizeof(uint64_t)), .cap = 16 };

	extend(s, &r, 500000);
	check_row(&r);
	spill_free(s, r.at);
	spill_free(s, xmalloc(7));
	spill_close(s);
}

static void closing_frees_what_is_left(void **state)
{
	struct spill *s = open_in(state, LIMIT);

	spill_alloc(s, 300, 1000);
	spill_alloc(s, 3000, 1000);
	spill_close(s);
	assert_int_equal(0, scratch_nfiles(state));
}

/* Resident pages of files, of all the process: the third number of /proc/self/statm. */
static long resident_file_pages(void)
{
	long pages = 0;
	FILE *in = fopen("/proc/self/statm", "r");

	if (!in || fscanf(in, "%*d %*d %ld", &pages) != 1)
		fail_msg("/proc/self/statm cannot be read");
	fclose(in);
	return pages;
}

static void pages_of_files_leave_memory(void **state)
{
	const long most_pages = (8 << 20) / sysconf(_SC_PAGESIZE); /* spill.c: ROOM_MIN */
	struct spill *s = open_in(state, LIMIT);
	struct row r = { .first = 7 };
	long before = resident_file_pages();

	extend(s, &r, 4000000);
	check_row(&r); /* all of it comes back */
	assert_true(resident_file_pages() > before + most_pages);
	spill_pass(s);
	assert_in_range(resident_file_pages(), 0, before + most_pages);
	check_row(&r);
	spill_free(s, r.at);
	spill_close(s);
}

static void a_file_that_cannot_be_made_is_an_error_that_waits(void **state)
{
	struct row r = { 0 }, other = { 0 };
	struct err err = ERR_INIT;
	char *prefix = scratch_path(state, "none/x");
	struct spill *s = spill_open(LIMIT, prefix);

	free(prefix);
	extend(s, &r, 1000000);
	extend(s, &other, 100000);
	assert_int_equal(-1, spill_check(s, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("cannot write a temporary file beside it: "
			    "No such file or directory",
			    err.text);
	check_row(&r);
	check_row(&other);
	spill_free(s, r.at);
	spill_close(s);
}

/* The disk fills while an array lies in its file already. */
static void a_file_that_cannot_grow_is_an_error_that_waits(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct row r = { .first = 3 };
	struct rlimit before;
	struct err err = ERR_INIT;

	extend(s, &r, 1000000);
	assert_is_fine(s);
	assert_int_equal(0, getrlimit(RLIMIT_FSIZE, &before));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(
		0, setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1 << 20, before.rlim_max }));
	extend(s, &r, 3000000);
	uint64_t in_files = spill_in_files(s);
	extend(s, &r, 9000000);
	assert_int_equal(0, setrlimit(RLIMIT_FSIZE, &before));
	assert_int_equal(-1, spill_check(s, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_int_equal(in_files, spill_in_files(s));
	assert_true(in_files < 9000000 * sizeof(uint64_t));
	check_row(&r);
	spill_free(s, r.at);
	spill_close(s);
}

static void an_arena_spills_into_few_files(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct arena arena = { .spill = s };
	struct str texts[20];

	for (uint32_t i = 0; i < 400000; i++) {
		char text[40];
		int n = snprintf(text, sizeof(text), "text number %u", i);
		struct str copy = arena_copy(&arena, (struct str){ text, (size_t)n });
		if (i % 20000 == 0)
			texts[i / 20000] = copy;
	}
	assert_true(spill_in_files(s) > 2 * LIMIT);
	for (uint32_t i = 0; i < 20; i++) {
		char text[40];
		snprintf(text, sizeof(text), "text number %u", i * 20000);
		assert_string_equal(text, texts[i].p);
	}
	arena_release(&arena);
	assert_int_equal(0, spill_in_files(s));
	assert_ptr_equal(s, arena.spill);
	spill_close(s);
}

static void *grow_and_check(void *to)
{
	struct spill *s = to;

	for (uint64_t round = 0; round < 4; round++) {
		struct row r = { .first = (uint64_t)(uintptr_t)&round };
		uint32_t *zeroes = spill_alloc(s, 100000, sizeof(*zeroes));
		extend(s, &r, 300000);
		zeroes[round] = 1;
		check_row(&r);
		spill_free(s, zeroes);
		spill_free(s, r.at);
	}
	return NULL;
}

static void threads_share_it(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	pthread_t threads[4];

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(0, pthread_create(&threads[i], NULL, grow_and_check, s));
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_is_fine(s);
	assert_int_equal(0, spill_in_files(s));
	spill_close(s);
}

/* Texts are found and are the same wherever they lie. */
static void texts_spill(void **state)
{
	struct spill *s = open_in(state, LIMIT);
	struct intern texts;
	char text[32];

	intern_init_in(&texts, s);
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < 100000; i++) {
			snprintf(text, sizeof(text), "name %d", i);
			assert_int_equal(i, intern_add(&texts, str_of(text)));
		}
	assert_true(str_is(intern_str(&texts, 77777), "name 77777"));
	assert_true(spill_in_files(s) > LIMIT);
	assert_is_fine(s);
	intern_release(&texts);
	assert_int_equal(0, spill_in_files(s));
	spill_close(s);
}

/* A list of so many small numbers takes 48 times its bytes. */
static void the_objects_of_a_pickle_spill(void **state)
{
	enum { N = 50000 };
	struct spill *s = open_in(state, LIMIT);
	struct err err = ERR_INIT;
	struct pickle p;
	uint8_t *text = xmalloc(2 * N + 6), *to = text;

	*to++ = 0x80;
	*to++ = 2;
	*to++ = ']';
	*to++ = '(';
	for (int i = 0; i < N; i++) {
		*to++ = 'K';
		*to++ = (uint8_t)i;
	}
	*to++ = 'e';
	*to++ = '.';
	assert_int_equal(
		0,
		pickle_open_in(&p, (struct bytes){ text, (size_t)(to - text) }, s, &err));
	assert_int_equal(N, p.values[p.top].n);
	assert_true(spill_in_files(s) > LIMIT);
	pickle_release(&p);
	assert_int_equal(0, spill_in_files(s));
	spill_close(s);
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_spill_it_is_the_heap),
		TEST(below_the_limit_there_is_no_file),
		TEST(above_the_limit_arrays_lie_in_files_without_a_name),
		TEST(new_arrays_are_of_zeroes),
		TEST(what_begins_on_the_heap_may_grow),
		TEST(closing_frees_what_is_left),
		TEST(pages_of_files_leave_memory),
		TEST(a_file_that_cannot_be_made_is_an_error_that_waits),
		TEST(a_file_that_cannot_grow_is_an_error_that_waits),
		TEST(an_arena_spills_into_few_files),
		TEST(texts_spill),
		TEST(the_objects_of_a_pickle_spill),
		TEST(threads_share_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
