/* The end for want of memory, and streams into memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

#define THREADS 8

static pthread_barrier_t barrier;

static void *run_out(void *unused)
{
	pthread_barrier_wait(&barrier);
	return xdie_of_memory() ? unused : NULL;
}

/* As one that removes files: the others have time to come. */
static void tidy_up(void)
{
	usleep(50000);
}

static void die_together(void)
{
	pthread_t thread;

	assert_int_equal(at_quick_exit(tidy_up), 0);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, run_out, NULL);
	pause();
}

static void threads_that_run_out_of_memory_together_say_so_once(void **state)
{
	static const char line[] = "ptool: out of memory\n";
	char said[1024] = "";
	int fds[2], status = 0;
	size_t n = 0;
	ssize_t got;

	(void)state;
	assert_int_equal(0, pipe(fds));
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		die_together();
	}
	close(fds[1]);
	while ((got = read(fds[0], said + n, sizeof(said) - 1 - n)) > 0)
		n += (size_t)got;
	close(fds[0]);
	assert_int_equal(pid, waitpid(pid, &status, 0));
	assert_true(WIFEXITED(status));
	assert_int_equal(5, WEXITSTATUS(status));
	assert_string_equal(line, said);
}

static void a_stream_into_memory_keeps_all(void **state)
{
	char *text;
	size_t n;
	FILE *stream = xopen_memory(&text, &n);

	(void)state;
	assert_int_equal(0, fclose(stream));
	assert_int_equal(0, n);
	assert_string_equal("", text);
	free(text);
	stream = xopen_memory(&text, &n);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(8, fprintf(stream, "%07d\n", i));
	assert_int_equal(0, fflush(stream));
	assert_int_equal(800000, n);
	putc(0, stream);
	putc('x', stream);
	assert_int_equal(0, fclose(stream));
	assert_int_equal(800002, n);
	assert_memory_equal("0000000\n0000001\n", text, 16);
	assert_memory_equal("0099999\n\0x", text + 799992, 11);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_run_out_of_memory_together_say_so_once),
		cmocka_unit_test(a_stream_into_memory_keeps_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
