/* The text of torch's table: what real recordings do not have (torch-profiler.md a.11). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "report/torch_table.h"

/* The caller frees it. */
static char *print(const struct torch_table *table)
{
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	assert_int_equal(0, torch_table_print(table, out, &err));
	fclose(out);
	return text;
}

/* Line `number`, from 0, without the blanks that end it; the caller frees it. */
static char *line_of(const struct torch_table *table, int number)
{
	char *text = print(table), *p = text;

	for (int i = 0; i < number && p; i++)
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	assert_non_null(p);
	if (!p)
		return NULL; /* analyzers do not know that the assertion never returns */
	size_t n = strcspn(p, "\n");
	while (n && p[n - 1] == ' ')
		n--;
	char *line = xstrndup(p, n);
	free(text);
	return line;
}

static void assert_line(const struct torch_table *table, int number, const char *expected)
{
	char *line = line_of(table, number);

	assert_string_equal(expected, line);
	free(line);
}

static struct torch_row row_of(const char *name)
{
	return (struct torch_row){ .name = str_of(name),
				   .calls = 2,
				   .self_cpu_us = 1500,
				   .total_cpu_us = 3000 };
}

static struct torch_table table_of(const struct torch_row *rows, size_t n)
{
	return (struct torch_table){
		.rows = rows, .nrows = n, .row_limit = -1, .max_name_width = 55
	};
}

static void no_rows_print_nothing(void **state)
{
	struct torch_table t = table_of(NULL, 0);
	char *text = print(&t);

	(void)state;
	assert_string_equal("", text);
	free(text);
}

static void a_table_is_ruled_and_sums_up_its_self_times(void **state)
{
	struct torch_row row = row_of("aten::mm");
	struct torch_table t = table_of(&row, 1);
	char *text = print(&t);

	(void)state;
	assert_string_equal(
		"------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"        Name    Self CPU %      Self CPU   CPU total %     CPU total  "
		"CPU time avg    # of Calls  \n"
		"------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"    aten::mm       100.00%       1.500ms       200.00%       3.000ms  "
		"     1.500ms             2  \n"
		"------------  ------------  ------------  ------------  ------------  "
		"------------  ------------  \n"
		"Self CPU time total: 1.500ms\n",
		text);
	free(text);
}

static void device_columns_come_with_device_time(void **state)
{
	struct torch_row rows[] = { row_of("aten::mm"), row_of("gemm") };
	struct torch_table t = table_of(rows, 2);

	(void)state;
	rows[0].total_device_us = rows[0].self_device_us = 8;
	rows[1] = (struct torch_row){ .name = STR_LIT("gemm"),
				      .calls = 4,
				      .self_device_us = 8,
				      .total_device_us = 8,
				      .is_device_work = true };
	t.device = "XPU";
	assert_line(
		&t, 1,
		"        Name    Self CPU %      Self CPU   CPU total %     CPU total  "
		"CPU time avg      Self XPU    Self XPU %     XPU total  XPU time avg    # of Calls");
	assert_line(
		&t, 4,
		"        gemm         0.00%       0.000us         0.00%       0.000us  "
		"     0.000us       8.000us       100.00%       8.000us       2.000us             4");
	assert_line(&t, 7, "Self XPU time total: 8.000us");
}

static void a_total_of_nothing_has_no_shares(void **state)
{
	struct torch_row row = { .name = STR_LIT("[memory]"), .calls = 1 };
	struct torch_table t = table_of(&row, 1);

	(void)state;
	assert_line(
		&t, 3,
		"    [memory]           NaN       0.000us           NaN       0.000us  "
		"     0.000us             1");
}

static void what_is_asynchronous_has_a_bare_zero_for_its_share(void **state)
{
	struct torch_row rows[] = { row_of("a"), row_of("nccl:all_reduce") };
	struct torch_table t = table_of(rows, 2);

	(void)state;
	rows[1].is_async = true;
	rows[1].self_cpu_us = 0;
	assert_line(
		&t, 4,
		"    nccl:all_reduce         0.00%       0.000us             0       3.000ms  "
		"     1.500ms             2");
}

static void memory_is_scaled_each_cell_by_itself(void **state)
{
	struct torch_row row = row_of("aten::mm");
	struct torch_table t = table_of(&row, 1);

	(void)state;
	t.memory = true;
	row.cpu_bytes = -1536;
	row.self_cpu_bytes = 1023;
	assert_line(
		&t, 3,
		"    aten::mm       100.00%       1.500ms       200.00%       3.000ms  "
		"     1.500ms      -1.50 KB        1023 B             2");
	t.old_memory_units = true;
	row.cpu_bytes = INT64_C(3) << 30;
	row.device_bytes = row.self_device_bytes = 5 << 20;
	t.device = "CUDA";
	assert_line(
		&t, 1,
		"        Name    Self CPU %      Self CPU   CPU total %     CPU total  "
		"CPU time avg       CPU Mem  Self CPU Mem      CUDA Mem  Self CUDA Mem    # of Calls");
	assert_line(
		&t, 3,
		"    aten::mm       100.00%       1.500ms       200.00%       3.000ms  "
		"     1.500ms       3.00 Gb        1023 b       5.00 Mb       5.00 Mb             2");
}

static void names_are_counted_in_characters_and_cut_early(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_int_equal(3, torch_length(STR_LIT("a\xc3\xa9\xe6\xbc\xa2")));
	assert_true(str_is(torch_name(&arena, STR_LIT("1234567"), 11), "1234567"));
	/* eight characters would fit eleven, torch cuts them all the same */
	assert_true(str_is(torch_name(&arena, STR_LIT("12345678"), 11), "12345678..."));
	assert_true(str_is(torch_name(&arena, STR_LIT("123456789"), 11), "12345678..."));
	assert_true(str_is(torch_name(&arena, STR_LIT("123456789"), 0), "123456789"));
	assert_true(str_is(torch_name(&arena, STR_LIT("123456789"), 2), "..."));
	arena_release(&arena);
}

static void paths_keep_their_ends(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_true(str_is(torch_path(&arena, STR_LIT("/a/bc.py(1): f"), 14),
			   "/a/bc.py(1): f"));
	assert_true(str_is(torch_path(&arena, STR_LIT("/a/bc.py(1): f"), 13),
			   "...c.py(1): f"));
	arena_release(&arena);
}

static void shapes_are_a_column_when_any_row_has_some(void **state)
{
	struct torch_row rows[] = { row_of("a"), row_of("b") };
	struct torch_table t = table_of(rows, 2);

	(void)state;
	rows[0].shapes = rows[1].shapes = STR_LIT("[]");
	assert_line(
		&t, 3,
		"    a        50.00%       1.500ms       100.00%       3.000ms       1.500ms"
		"             2");
	rows[1].shapes = STR_LIT("[[8, 3], []]");
	assert_line(
		&t, 3,
		"    a        50.00%       1.500ms       100.00%       3.000ms       1.500ms"
		"             2                []");
}

static void a_stack_goes_on_below_its_row(void **state)
{
	struct torch_row row = row_of("a");
	struct torch_table t = table_of(&row, 1);

	(void)state;
	row.stack = STR_LIT("m.py(1): f;m.py(2): g;m.py(3): h");
	assert_line(
		&t, 3,
		"    a       100.00%       1.500ms       200.00%       3.000ms       1.500ms"
		"             2  m.py(1): f");
	assert_line(
		&t, 4,
		"                                                                           "
		"                m.py(2): g");
	assert_line(&t, 6, "");
	assert_line(&t, 8, "Self CPU time total: 1.500ms");
	row.stack = STR_LIT("1;2;3;4;5;6;7");
	t.short_stacks = true; /* up to torch 1.13: five frames */
	assert_line(&t, 10, "Self CPU time total: 1.500ms");
}

static void flops_share_one_scale_and_stand_under_the_wrong_title_with_stacks(
	void **state)
{
	struct torch_row rows[] = { row_of("a"), row_of("b"), row_of("c") };
	struct torch_table t = table_of(rows, 3);

	(void)state;
	t.flops = true;
	rows[0].flops = 5000000;
	rows[1].flops = 1500;
	assert_line(
		&t, 1,
		" Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg"
		"    # of Calls  Total KFLOPs");
	assert_line(
		&t, 3,
		"    a        33.33%       1.500ms        66.67%       3.000ms       1.500ms"
		"             2      5000.000");
	assert_line(
		&t, 5,
		"    c        33.33%       1.500ms        66.67%       3.000ms       1.500ms"
		"             2            --");
	rows[0].stack = STR_LIT("m.py(1): f");
	assert_line(
		&t, 3,
		"    a        33.33%       1.500ms        66.67%       3.000ms       1.500ms"
		"             2  5000.000          m.py(1): f");
}

static void limits_count_printed_rows_and_the_sums_all_of_them(void **state)
{
	struct torch_row rows[] = { row_of("a"), row_of("b"), row_of("c") };
	struct torch_table t = table_of(rows, 3);

	(void)state;
	rows[0].has_parent = true;
	t.top_level = true;
	t.header = "my header";
	t.row_limit = 1;
	assert_line(&t, 1, "my header");
	assert_line(&t, 3, "This report only display top-level ops statistics");
	assert_line(
		&t, 7,
		"    b        33.33%       1.500ms        66.67%       3.000ms       1.500ms"
		"             2");
	assert_line(&t, 9, "Self CPU time total: 4.500ms");
}

static void one_unit_of_time_can_be_forced(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_true(str_is(torch_time(&arena, 1500, NULL), "1.500ms"));
	assert_true(str_is(torch_time(&arena, 1500, "us"), "1500.000us"));
	assert_true(str_is(torch_time(&arena, 1500, "s"), "0.002s"));
	assert_true(str_is(torch_time(&arena, -2e6, NULL), "-2000000.000us"));
	assert_true(str_is(torch_time(&arena, 1e6, NULL), "1.000s"));
	arena_release(&arena);
}

static void a_name_cannot_drive_the_terminal(void **state)
{
	struct torch_row row = row_of("\033[2Jx");
	struct torch_table t = table_of(&row, 1);
	char *text = print(&t);

	(void)state;
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "\\x1b[2Jx"));
	free(text);
}

static void a_full_disk_is_told(void **state)
{
	struct torch_row row = row_of("a");
	struct torch_table t = table_of(&row, 1);
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(-1, torch_table_print(&t, out, &err));
	assert_int_equal(ERR_IO, err.kind);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_rows_print_nothing),
		cmocka_unit_test(a_table_is_ruled_and_sums_up_its_self_times),
		cmocka_unit_test(device_columns_come_with_device_time),
		cmocka_unit_test(a_total_of_nothing_has_no_shares),
		cmocka_unit_test(what_is_asynchronous_has_a_bare_zero_for_its_share),
		cmocka_unit_test(memory_is_scaled_each_cell_by_itself),
		cmocka_unit_test(names_are_counted_in_characters_and_cut_early),
		cmocka_unit_test(paths_keep_their_ends),
		cmocka_unit_test(shapes_are_a_column_when_any_row_has_some),
		cmocka_unit_test(a_stack_goes_on_below_its_row),
		cmocka_unit_test(
			flops_share_one_scale_and_stand_under_the_wrong_title_with_stacks),
		cmocka_unit_test(limits_count_printed_rows_and_the_sums_all_of_them),
		cmocka_unit_test(one_unit_of_time_can_be_forced),
		cmocka_unit_test(a_name_cannot_drive_the_terminal),
		cmocka_unit_test(a_full_disk_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
