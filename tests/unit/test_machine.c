/* What control groups and affinity leave: of both versions, in groups within groups. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/machine.h"
#include "scratch.h"

static void make_folder(void **state, const char *name)
{
	char *path = scratch_path(state, name);

	assert_int_equal(0, mkdir(path, 0777));
	free(path);
}

static void make_file(void **state, const char *name, const char *text)
{
	char *path = scratch_path(state, name);

	scratch_write(path, text);
	free(path);
}

static void the_least_of_a_group_and_those_around_it_counts(void **state)
{
	make_folder(state, "a");
	make_folder(state, "a/b");
	make_file(state, "a/memory.max", "1000\n");
	make_file(state, "a/b/memory.max", "max\n");
	assert_int_equal(1000, machine_memory_limit("0::/a/b\n", *state));
	make_file(state, "a/b/memory.max", "500\n");
	assert_int_equal(500, machine_memory_limit("0::/a/b", *state));
	assert_int_equal(1000, machine_memory_limit("0::/a\n", *state));
}

static void in_a_container_the_root_counts(void **state)
{
	make_file(state, "memory.max", "700\n");
	assert_int_equal(700, machine_memory_limit("0::/docker/1234\n", *state));
	assert_int_equal(700, machine_memory_limit("0::/\n", *state));
}

static void version_1_has_a_hierarchy_of_memory(void **state)
{
	const char list[] = "7:pids:/a\n4:cpu,memory:/a\n1:name=systemd:/a\n0::/\n";

	make_folder(state, "memory");
	make_folder(state, "memory/a");
	make_file(state, "memory/memory.limit_in_bytes", "9223372036854771712\n");
	make_file(state, "memory/a/memory.limit_in_bytes", "600\n");
	assert_int_equal(600, machine_memory_limit(list, *state));
}

static void without_a_limit_there_is_none(void **state)
{
	static const char *const lists[] = { "",       "\n",   "0:",  "0::",        "::",
					     "4:cpu:", "0::/", "xyz", "4:memory:/a" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		assert_true(machine_memory_limit(lists[i], *state) == UINT64_MAX);
	make_file(state, "memory.max", "max\n");
	assert_true(machine_memory_limit("0::/\n", *state) == UINT64_MAX);
}

static void a_quota_is_processors_rounded_up(void **state)
{
	const char list[] = "6:cpuset:/b\n4:cpu,cpuacct:/a\n";

	make_folder(state, "a");
	make_file(state, "cpu.max", "max 100000\n");
	make_file(state, "a/cpu.max", "150000 100000\n");
	assert_int_equal(2, machine_cores_limit("0::/a\n", *state));
	assert_true(machine_cores_limit("0::/\n", *state) == UINT64_MAX);
	make_file(state, "a/cpu.max", "50000 0\n");
	assert_true(machine_cores_limit("0::/a\n", *state) == UINT64_MAX);
	make_folder(state, "cpu");
	make_folder(state, "cpu/a");
	make_file(state, "cpu/a/cpu.cfs_quota_us", "-1\n");
	make_file(state, "cpu/a/cpu.cfs_period_us", "100000\n");
	assert_true(machine_cores_limit(list, *state) == UINT64_MAX);
	make_file(state, "cpu/a/cpu.cfs_quota_us", "300000\n");
	assert_int_equal(3, machine_cores_limit(list, *state));
	assert_true(machine_cores_limit("4:cpuset,cpuacct:/a\n", *state) == UINT64_MAX);
}

static void only_processors_that_we_may_use_count(void **state)
{
	cpu_set_t before, one;
	size_t first = 0;

	(void)state;
	assert_int_equal(0, sched_getaffinity(0, sizeof(before), &before));
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(0, sched_setaffinity(0, sizeof(one), &one));
	assert_int_equal(1, machine_cores());
	assert_int_equal(0, sched_setaffinity(0, sizeof(before), &before));
	assert_in_range(machine_cores(), 1, CPU_COUNT(&before));
}

static void the_machine_has_some_memory(void **state)
{
	(void)state;
	assert_in_range(machine_memory(), 1 << 20, UINT64_MAX >> 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_least_of_a_group_and_those_around_it_counts),
		TEST(in_a_container_the_root_counts),
		TEST(version_1_has_a_hierarchy_of_memory),
		TEST(without_a_limit_there_is_none),
		TEST(a_quota_is_processors_rounded_up),
		TEST(only_processors_that_we_may_use_count),
		TEST(the_machine_has_some_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
