/* --format markdown: what people paste into an issue. */
#include "rendering.h"

static struct memtable *one_text(struct str text)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT } };
	struct cell cell = cell_text(text);
	struct memtable *m = memtable_new(columns, 1);

	memtable_add_row(m, &cell);
	return m;
}

static void assert_cell(struct str text, const char *expected)
{
	struct render_opts opts = { .command = "top" };
	struct memtable *m = one_text(text);
	char *out = render_with("markdown", &m->table, &opts);
	char page[256];

	snprintf(page, sizeof(page), "| Name |\n| --- |\n| %s |\n\n1 row\n", expected);
	assert_string_equal(page, out);
	free(out);
	table_free(&m->table);
}

static void a_table_says_what_the_peoples_table_says(void **state)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT },
						 { "calls", "Calls", UNIT_COUNT },
						 { "self_cpu_ns", "Self CPU", UNIT_NS } };
	struct cell mm[] = { TEXT("aten::mm"), cell_int(1432), cell_int(12345678) };
	struct cell add[] = { TEXT("aten::add"), cell_int(2), cell_null() };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));

	(void)state;
	memtable_add_row(m, mm);
	memtable_add_row(m, add);
	memtable_add_note(m, "3 events skipped");
	memtable_add_note(m, "2 ranks");
	m->table.caption = "trace.json";
	m->table.total_rows = 1432;
	m->table.share = "93.1% of self CPU time";
	assert_renders("markdown", m,
		       "trace.json\n"
		       "\n"
		       "| Name | Calls | Self CPU (ms) |\n"
		       "| --- | ---: | ---: |\n"
		       "| aten::mm | 1,432 | 12.346 |\n"
		       "| aten::add | 2 | - |\n"
		       "\n"
		       "2 of 1,432 rows, 93.1% of self CPU time\n"
		       "\n"
		       "* 3 events skipped\n"
		       "* 2 ranks\n");
}

static void a_table_without_rows_has_its_heading(void **state)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT } };

	(void)state;
	assert_renders("markdown", memtable_new(columns, 1),
		       "| Name |\n| --- |\n\n0 rows\n");
}

static void a_caption_without_rows_says_it_all(void **state)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT } };
	struct memtable *m = memtable_new(columns, 1);

	(void)state;
	static const char *const under[] = { "p = 1", "no outlier", NULL };
	m->table.caption = "nothing changed";
	m->table.under = under;
	memtable_add_note(m, "2 ranks");
	assert_renders("markdown", m,
		       "nothing changed\n\np = 1\n\nno outlier\n\n* 2 ranks\n");
}

static void pipes_and_newlines_do_not_end_a_cell(void **state)
{
	(void)state;
	assert_cell(STR_LIT("a|b\nc"), "a\\|b\\\\nc");
	assert_cell(STR_LIT("a\\|b"), "a\\\\\\|b");
}

static void tags_and_entities_stay_text(void **state)
{
	(void)state;
	assert_cell(STR_LIT("<lambda>"), "\\<lambda>");
	assert_cell(STR_LIT("&lt;"), "\\&lt;");
}

static void underlines_are_escaped_only_where_they_mean_emphasis(void **state)
{
	(void)state;
	assert_cell(STR_LIT("aten::max_pool2d"), "aten::max_pool2d");
	assert_cell(STR_LIT("__init__"), "\\_\\_init\\_\\_");
	assert_cell(STR_LIT("char*"), "char\\*");
}

static void shapes_are_plain_and_links_are_not_links(void **state)
{
	(void)state;
	assert_cell(STR_LIT("[[8, 3], []]"), "[[8, 3], []]");
	assert_cell(STR_LIT("[x](http://y)"), "[x\\](http://y)");
}

static void names_are_not_shortened_to_a_terminal(void **state)
{
	static const char name[] = "void at::native::vectorized_elementwise_kernel";
	struct render_opts opts = { .command = "top", .width = 10 };
	struct memtable *m = one_text(str_of(name));
	char *out = render_with("markdown", &m->table, &opts);

	(void)state;
	assert_non_null(strstr(out, name));
	free(out);
	table_free(&m->table);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_full_disk_is_told("markdown");
}

static void a_failing_table_keeps_its_message(void **state)
{
	(void)state;
	assert_failing_table_is_told("markdown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_says_what_the_peoples_table_says),
		cmocka_unit_test(a_table_without_rows_has_its_heading),
		cmocka_unit_test(a_caption_without_rows_says_it_all),
		cmocka_unit_test(pipes_and_newlines_do_not_end_a_cell),
		cmocka_unit_test(tags_and_entities_stay_text),
		cmocka_unit_test(underlines_are_escaped_only_where_they_mean_emphasis),
		cmocka_unit_test(shapes_are_plain_and_links_are_not_links),
		cmocka_unit_test(names_are_not_shortened_to_a_terminal),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_failing_table_keeps_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
