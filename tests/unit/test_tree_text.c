/* Indents and paths of trees, however deep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "query/tree_text.h"

static void assert_indent(size_t depth, int width, const char *expected)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	tree_text_indent(&out, depth, width);
	buf_add_char(&out, '|');
	assert_int_equal(strlen(expected), out.n);
	assert_memory_equal(expected, out.p, out.n);
	buf_release(&out);
}

static void an_indent_leaves_room_for_names_and_then_says_the_depth(void **state)
{
	(void)state;
	assert_indent(0, 80, "|");
	assert_indent(2, 80, "  |");
	assert_indent(10, 80, "          |");
	assert_indent(11, 80, "          [11] |");
	assert_indent(64000, 80, "          [64000] |");
	assert_indent(5, 20, "    [5] |");
	assert_indent(2, 120, "    |");
	assert_indent(16, 120, "                              [16] |");
	assert_indent(12, 0, "                        |");
}

static void assert_path(struct tree_path *p, size_t depth, const char *name,
			const char *expected)
{
	struct str path = tree_path_next(p, depth, str_of(name));

	assert_int_equal(strlen(expected), path.n);
	assert_memory_equal(expected, path.p, path.n);
}

static void a_path_is_all_names_from_the_top(void **state)
{
	struct tree_path p;

	(void)state;
	tree_path_init(&p);
	assert_path(&p, 0, "a", "a");
	assert_path(&p, 1, "b", "a;b");
	assert_path(&p, 2, "c", "a;b;c");
	assert_path(&p, 1, "d", "a;d");
	assert_path(&p, 2, "", "a;d;");
	assert_path(&p, 0, "e", "e");
	tree_path_release(&p);
}

static void a_very_long_path_says_how_many_names_it_lacks(void **state)
{
	struct tree_path p;
	char last[2 * TREE_PATH_LEVELS + 32];
	size_t most = TREE_PATH_LEVELS, end;

	(void)state;
	tree_path_init(&p);
	for (size_t depth = 0; depth + 1 < most; depth++)
		tree_path_next(&p, depth, STR_LIT("x"));
	for (end = 0; end < 2 * (most - 1); end += 2) {
		last[end] = 'x';
		last[end + 1] = ';';
	}
	memcpy(last + end, "y", 2);
	assert_path(&p, most - 1, "y", last);
	memcpy(last + end, "(1 more);z", 11);
	assert_path(&p, most, "z", last);
	memcpy(last + end, "(2 more);z", 11);
	assert_path(&p, most + 1, "z", last);
	memcpy(last + end, "w", 2);
	assert_path(&p, most - 1, "w", last);
	tree_path_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_indent_leaves_room_for_names_and_then_says_the_depth),
		cmocka_unit_test(a_path_is_all_names_from_the_top),
		cmocka_unit_test(a_very_long_path_says_how_many_names_it_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
