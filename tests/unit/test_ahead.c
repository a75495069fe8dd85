/* Files that threads read before their turn (store/ahead.h).  Runs under TSAN. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "scratch.h"
#include "store/ahead.h"

#define FILES 9

static int go_on(void *to, struct err *err)
{
	(void)to;
	(void)err;
	return 0;
}

static int go_on_no_more(void *to, struct err *err)
{
	--*(int *)to;
	return *(int *)to < 0 ? err_set(err, ERR_INTERRUPT, "interrupted") : 0;
}

static const struct ahead_wait patient = { go_on, NULL };

/* A slice named after the number, in a file of that name; the caller frees the path. */
static char *write_trace(void **state, int number)
{
	char name[32], text[128];

	snprintf(name, sizeof(name), "%d.json", number);
	snprintf(text, sizeof(text),
		 "[{\"ph\":\"X\",\"name\":\"slice %d\",\"pid\":1,\"tid\":1,\"ts\":1,"
		 "\"dur\":2}]",
		 number);
	char *path = scratch_path(state, name);
	scratch_write(path, text);
	return path;
}

static void write_traces(void **state, char *paths[FILES])
{
	for (int i = 0; i < FILES; i++)
		paths[i] = write_trace(state, i);
}

static void free_paths(char *paths[FILES])
{
	for (int i = 0; i < FILES; i++)
		free(paths[i]);
}

/* All of a size that is not theirs. */
static struct ahead *read_within(char *const paths[FILES], unsigned jobs, uint64_t size,
				 uint64_t memory_limit)
{
	struct ahead_plan plan = { .files = xcalloc(FILES, sizeof(*plan.files)),
				   .nfiles = FILES,
				   .options.threads = jobs - 1,
				   .options.memory_limit = memory_limit };

	for (int i = 0; i < FILES; i++)
		plan.files[i] = (struct ahead_file){ .shown = paths[i], .size = size };
	return ahead_new(&plan);
}

static struct ahead *read_ahead(char *const paths[FILES], unsigned jobs, uint64_t size)
{
	return read_within(paths, jobs, size, 0);
}

static struct ahead_result *take(struct ahead *a, const char *path)
{
	struct err err = ERR_INIT;
	struct ahead_result *result;

	assert_int_equal(ahead_take(a, path, &patient, &result, &err), 0);
	return result;
}

static void assert_is_trace(const struct ahead_result *result, int number)
{
	char name[32];

	snprintf(name, sizeof(name), "slice %d", number);
	assert_non_null(result);
	assert_false(result->is_left);
	assert_int_equal(result->reading.why.kind, ERR_NONE);
	assert_false(loader_is_empty(result->reading.loader));
	assert_true(intern_has(&result->texts, str_of(name)));
}

static void files_come_in_their_order_each_with_its_own_texts(void **state)
{
	char *paths[FILES];

	write_traces(state, paths);
	for (unsigned jobs = 2; jobs < 12; jobs++) {
		struct ahead *a = read_ahead(paths, jobs, 1);
		assert_non_null(a);
		for (int i = 0; i < FILES; i++) {
			assert_is_trace(take(a, paths[i]), i);
			ahead_give_back(a);
		}
		ahead_free(a);
	}
	free_paths(paths);
}

static void a_file_is_what_the_pointer_says_and_those_before_it_are_forgotten(
	void **state)
{
	char *paths[FILES];
	char *other = scratch_path(state, "1.json");

	write_traces(state, paths);
	struct ahead *a = read_ahead(paths, 3, 1);
	assert_null(take(a, other));
	assert_is_trace(take(a, paths[FILES - 2]), FILES - 2);
	ahead_give_back(a);
	assert_null(take(a, paths[0]));
	assert_is_trace(take(a, paths[FILES - 1]), FILES - 1);
	ahead_give_back(a);
	ahead_free(a);
	free(other);
	free_paths(paths);
}

static void what_cannot_be_opened_is_left_and_what_is_no_trace_is_told(void **state)
{
	char *paths[FILES];

	write_traces(state, paths);
	assert_int_equal(unlink(paths[1]), 0);
	scratch_write(paths[2], "no trace");
	struct ahead *a = read_ahead(paths, 2, 1);
	assert_is_trace(take(a, paths[0]), 0);
	ahead_give_back(a);
	assert_true(take(a, paths[1])->is_left);
	ahead_give_back(a);
	struct ahead_result *told = take(a, paths[2]);
	assert_false(told->is_left);
	assert_int_equal(told->reading.why.kind, ERR_INPUT);
	ahead_give_back(a);
	ahead_free(a);
	free_paths(paths);
}

/* Memory for `bytes` of text; the file numbered `held` is not begun beside the first. */
static void check_held(void **state, uint64_t memory_limit, uint64_t bytes, int held)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	char *paths[FILES];

	write_traces(state, paths);
	assert_int_equal(unlink(paths[held]), 0);
	struct ahead *a = read_within(paths, 8, bytes, memory_limit);
	assert_is_trace(take(a, paths[0]), 0);
	/* Whoever began it by now has not found it. */
	nanosleep(&moment, NULL);
	free(write_trace(state, held));
	ahead_give_back(a);
	for (int i = 1; i < held; i++) {
		assert_is_trace(take(a, paths[i]), i);
		ahead_give_back(a);
	}
	assert_is_trace(take(a, paths[held]), held);
	ahead_free(a);
	free_paths(paths);
}

static void no_more_than_two_big_files_are_there_at_once(void **state)
{
	check_held(state, 0, AHEAD_BYTES + 1, 2);
}

static void with_little_memory_it_is_one_file_and_what_fits_beside_it(void **state)
{
	check_held(state, 1, 2, 1);
	check_held(state, 1000, 400, 2);
}

static void who_waits_can_stop_it(void **state)
{
	char *paths[FILES];
	int questions = 0;
	const struct ahead_wait wait = { go_on_no_more, &questions };
	struct ahead_result *result;
	struct err err = ERR_INIT;

	write_traces(state, paths);
	struct ahead *a = read_ahead(paths, 2, 1);
	/* So far behind the first one that it cannot be there. */
	assert_int_equal(ahead_take(a, paths[FILES - 1], &wait, &result, &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPT);
	assert_null(result);
	ahead_free(a);
	free_paths(paths);
}

static void one_thread_reads_nothing_ahead(void **state)
{
	char *paths[FILES];

	write_traces(state, paths);
	assert_null(read_ahead(paths, 1, 1));
	assert_int_equal(ahead_consumed(NULL), 0);
	free_paths(paths);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(files_come_in_their_order_each_with_its_own_texts),
		TEST(a_file_is_what_the_pointer_says_and_those_before_it_are_forgotten),
		TEST(what_cannot_be_opened_is_left_and_what_is_no_trace_is_told),
		TEST(no_more_than_two_big_files_are_there_at_once),
		TEST(with_little_memory_it_is_one_file_and_what_fits_beside_it),
		TEST(who_waits_can_stop_it),
		TEST(one_thread_reads_nothing_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
