/* --format table: what a person at a terminal sees. */
#include "rendering.h"

#include <math.h>

#include "base/utf8.h"
#include "report/people.h"

static const struct column op_columns[] = {
	{ "name", "Name", UNIT_TEXT },
	{ "calls", "Calls", UNIT_COUNT },
	{ "self_cpu_ns", "Self CPU", UNIT_NS },
	{ "is_async", "Async", UNIT_BOOL },
};

static void add_op(struct memtable *m, const char *name, int64_t calls, int64_t self_ns)
{
	struct cell row[] = { cell_text(str_of(name)), cell_int(calls), cell_int(self_ns),
			      cell_int(0) };

	memtable_add_row(m, row);
}

static struct memtable *op_table(void)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	add_op(m, "aten::convolution_backward", 1432, 812345678);
	add_op(m, "aten::mm", 7, 450000);
	return m;
}

static struct memtable *one_cell(struct column column, struct cell cell)
{
	static struct column columns[1];

	columns[0] = column;
	struct memtable *m = memtable_new(columns, 1);
	memtable_add_row(m, &cell);
	return m;
}

static void numbers_go_right_and_text_left(void **state)
{
	(void)state;
	assert_renders("table", op_table(),
		       "Name                        Calls   Self CPU  Async\n"
		       "aten::convolution_backward  1,432  812.346ms  no\n"
		       "aten::mm                        7  450.000us  no\n"
		       "\n"
		       "2 rows\n");
}

static void caption_stands_above_and_footer_and_notes_below(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	add_op(m, "aten::mm", 7, 450);
	memtable_add_note(m, "3 events skipped: no \"ts\"");
	memtable_add_note(m, "2 ranks");
	m->table.caption = "trace.json: 3 steps";
	m->table.total_rows = 1432;
	m->table.share = "93.1% of self CPU time";
	assert_renders("table", m,
		       "trace.json: 3 steps\n"
		       "\n"
		       "Name      Calls  Self CPU (ns)  Async\n"
		       "aten::mm      7            450  no\n"
		       "\n"
		       "1 of 1,432 rows, 93.1% of self CPU time\n"
		       "note: 3 events skipped: no \"ts\"\n"
		       "note: 2 ranks\n");
}

static void no_rows_is_a_heading_and_zero_rows(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	assert_renders("table", m, "Name  Calls  Self CPU (ns)  Async\n0 rows\n");
}

static void one_row_is_a_row(void **state)
{
	(void)state;
	assert_renders("table",
		       one_cell((struct column){ "n", "N", UNIT_COUNT }, cell_int(3)),
		       "N\n3\n\n1 row\n");
}

static void of_an_unknown_total_the_first_are_shown(void **state)
{
	struct memtable *m =
		one_cell((struct column){ "n", "N", UNIT_COUNT }, cell_int(3));

	(void)state;
	m->table.total_rows = -1;
	assert_renders("table", m, "N\n3\n\nfirst 1 row; -n 0 shows all\n");
}

static void null_is_a_dash(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));
	struct cell row[] = { cell_null(), cell_null(), cell_null(), cell_null() };

	(void)state;
	add_op(m, "aten::mm", 7, 450);
	memtable_add_row(m, row);
	assert_renders("table", m,
		       "Name      Calls  Self CPU (ns)  Async\n"
		       "aten::mm      7            450  no\n"
		       "-             -              -  -\n"
		       "\n"
		       "2 rows\n");
}

static void the_largest_number_chooses_the_unit_of_its_column(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	add_op(m, "a", 1, -2500000000);
	add_op(m, "b", 1, 40000000);
	assert_renders("table", m,
		       "Name  Calls  Self CPU (s)  Async\n"
		       "a         1        -2.500  no\n"
		       "b         1         0.040  no\n"
		       "\n"
		       "2 rows\n");
}

static void numbers_a_thousand_times_others_have_units_of_their_own(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	add_op(m, "the recording", 1, 578889000);
	add_op(m, "nothing", 1, 0);
	add_op(m, "aten::view", 1, 992);
	add_op(m, "aten::mm", 1, 9120);
	assert_renders("table", m,
		       "Name           Calls   Self CPU  Async\n"
		       "the recording      1  578.889ms  no\n"
		       "nothing            1          0  no\n"
		       "aten::view         1      992ns  no\n"
		       "aten::mm           1    9.120us  no\n"
		       "\n"
		       "4 rows\n");
}

static void moments_keep_one_unit(void **state)
{
	static const struct column columns[] = { { "start_ns", "Start", UNIT_TIME } };
	struct memtable *m = memtable_new(columns, 1);
	struct cell first = cell_int(9000), last = cell_int(578889000);

	(void)state;
	memtable_add_row(m, &first);
	memtable_add_row(m, &last);
	assert_renders("table", m, "Start (ms)\n     0.009\n   578.889\n\n2 rows\n");
}

static void notes_are_broken_at_blanks_where_the_terminal_ends(void **state)
{
	struct render_opts opts = { .command = "top", .width = 30 };
	struct memtable *m =
		one_cell((struct column){ "n", "N", UNIT_COUNT }, cell_int(3));

	(void)state;
	memtable_add_note(m, "two ranks added up; --by rank shows them separately");
	memtable_add_note(m, "a-word-that-is-wider-than-any-terminal of ours");
	char *text = render_with("table", &m->table, &opts);
	assert_string_equal("N\n3\n\n1 row\n"
			    "note: two ranks added up; --by\n"
			    "      rank shows them\n"
			    "      separately\n"
			    "note: a-word-that-is-wider-tha\n"
			    "      n-any-terminal of ours\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void prose_has_no_labels_and_goes_on_below_its_text(void **state)
{
	struct render_opts opts = { .command = "advise", .width = 30 };
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	m->table.caption = "no problem found";
	m->table.is_prose = true;
	memtable_add_note(m, "HIGH    Idle time: the device waits");
	memtable_add_note(m, "        Try: launch less often than this");
	memtable_add_note(m, "3 rules need what this recording lacks");
	char *text = render_with("table", &m->table, &opts);
	assert_string_equal("no problem found\n\n"
			    "HIGH    Idle time: the device\n"
			    "        waits\n"
			    "        Try: launch less often\n"
			    "        than this\n"
			    "3 rules need what this\n"
			    "recording lacks\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void captions_are_broken_at_blanks_with_more_lines_under_them(void **state)
{
	static const char *const under[] = { "median change +47.0% (95% CI +8.4% to +9%)",
					     "no outlier", NULL };
	struct render_opts opts = { .command = "diff", .width = 30 };
	struct memtable *m =
		one_cell((struct column){ "n", "N", UNIT_COUNT }, cell_int(3));

	(void)state;
	m->table.caption = "slower by 60.1%: step 77.491 ms -> 124.067 ms";
	m->table.under = under;
	char *text = render_with("table", &m->table, &opts);
	assert_string_equal("slower by 60.1%: step 77.491\n"
			    "ms -> 124.067 ms\n"
			    "median change +47.0% (95% CI\n"
			    "+8.4% to +9%)\n"
			    "no outlier\n"
			    "\nN\n3\n\n1 row\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void a_heading_that_says_percent_names_no_unit_again(void **state)
{
	(void)state;
	assert_renders("table",
		       one_cell((struct column){ "p", "Self CPU %", UNIT_PERCENT },
				cell_real(93.104)),
		       "Self CPU %\n     93.10\n\n1 row\n");
	assert_renders(
		"table",
		one_cell((struct column){ "p", "Busy", UNIT_PERCENT }, cell_real(7)),
		"Busy (%)\n    7.00\n\n1 row\n");
}

static void sql_results_are_bare(void **state)
{
	static const struct column columns[] = { { "id", "id", UNIT_ANY },
						 { "what", "what", UNIT_ANY },
						 { "mean", "mean", UNIT_ANY } };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));
	struct cell one[] = { cell_int(1234567), cell_int(5), cell_real(0.1) };
	struct cell two[] = { cell_int(8), TEXT("x"), cell_real((double)NAN) };

	(void)state;
	memtable_add_row(m, one);
	memtable_add_row(m, two);
	assert_renders("table", m,
		       "     id  what  mean\n"
		       "1234567  5      0.1\n"
		       "      8  x        -\n"
		       "\n"
		       "2 rows\n");
}

static void a_moment_scales_as_a_duration(void **state)
{
	(void)state;
	assert_renders(
		"table",
		one_cell((struct column){ "ts", "Start", UNIT_TIME }, cell_int(12345000)),
		"Start (ms)\n    12.345\n\n1 row\n");
}

static void names_give_way_in_their_middle(void **state)
{
	struct memtable *m = op_table();
	struct render_opts opts = { .width = 46 };
	char *text = render_with("table", &m->table, &opts);

	(void)state;
	assert_string_equal("Name                   Calls   Self CPU  Async\n"
			    "aten::conv…n_backward  1,432  812.346ms  no\n"
			    "aten::mm                   7  450.000us  no\n"
			    "\n"
			    "2 rows\n",
			    text);
	free(text);
	table_free(&m->table);
}

/* Terminal cells of the widest line. */
static size_t widest_line(const char *text)
{
	size_t widest = 0;

	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		size_t width = utf8_width((struct str){ line, n });
		if (width > widest)
			widest = width;
		line += n + (line[n] == '\n');
	}
	return widest;
}

static void a_400_character_kernel_fits_any_usual_terminal(void **state)
{
	char kernel[401];

	(void)state;
	for (size_t i = 0; i < 400; i++)
		kernel[i] = "at::native::vectorized_elementwise_kernel<4>"[i % 44];
	kernel[400] = '\0';
	for (int width = 37; width < 450; width++) {
		struct memtable *m = op_table();
		struct render_opts opts = { .width = width };
		add_op(m, kernel, 1, 1);
		char *text = render_with("table", &m->table, &opts);
		/* 400 for the name, 25 for the rest */
		assert_int_equal(width < 425 ? width : 425, widest_line(text));
		assert_non_null(strstr(text, "812.346"));
		free(text);
		table_free(&m->table);
	}
}

#define LONG_NAME 65536

/* In rows of a long name, another that differs at its end, and a short one. */
static void a_long_name_is_kept_and_shortened_once(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));
	char name[LONG_NAME + 1] = "";
	struct people p;
	struct err err = ERR_INIT;

	(void)state;
	memset(name, 'k', LONG_NAME);
	for (int64_t i = 0; i < 300; i++) {
		name[LONG_NAME - 1] = i % 3 == 0 ? 'a' : 'b';
		add_op(m, i % 3 == 2 ? "aten::mm" : name, i, i);
	}
	assert_int_equal(0, people_collect(&p, &m->table, &err));
	assert_int_equal(LONG_NAME, p.columns[0].width);
	people_shorten(&p, &p.columns[0], 12, NULL);
	assert_int_equal(12, p.columns[0].width);
	for (size_t row = 0; row < 300; row++) {
		static const char *const texts[] = { "kkkkkk…kkkka", "kkkkkk…kkkkb",
						     "aten::mm" };
		assert_true(str_is(people_cell(&p, row, 0), texts[row % 3]));
		assert_int_equal(CELL_INT, memtable_row(p.rows, row)[1].type);
	}
	/* 200 of them have 13 MB */
	assert_true(p.arena.total + p.rows->arena.total < (size_t)8 * LONG_NAME);
	people_release(&p);
	table_free(&m->table);
}

/* In a column of names, of which none is shortened, and in one of numbers. */
static void a_long_cell_pads_no_other_row(void **state)
{
	static const struct column columns[] = { { "device", "Dev", UNIT_ID },
						 { "name", "Name", UNIT_TEXT },
						 { "calls", "Calls", UNIT_COUNT } };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));
	struct render_opts opts = { .whole_names = true };
	char name[LONG_NAME + 1] = "";

	(void)state;
	memset(name, 'k', LONG_NAME);
	for (int64_t i = 0; i < 500; i++) {
		struct cell row[] = { i == 1 ? cell_text(str_of(name)) : cell_int(7),
				      i == 2 ? cell_text(str_of(name)) : TEXT("mm"),
				      cell_int(i) };
		memtable_add_row(m, row);
	}
	char *text = render_with("table", &m->table, &opts);
	size_t line = strcspn(text, "\n") + 1; /* 512 cells, 2 blanks and so on */
	assert_memory_equal(text + line + 511, "7  mm  ", 7);
	assert_int_equal(512 + 2 + 512 + 2 + 5, strcspn(text + line, "\n"));
	assert_true(strlen(text) < 1000000);
	free(text);
	opts = (struct render_opts){ .width = 120 };
	memtable_rewind(&m->table);
	text = render_with("table", &m->table, &opts);
	assert_true(strlen(text) < 1000000);
	free(text);
	table_free(&m->table);
}

static void numbers_wider_than_the_terminal_stay_whole(void **state)
{
	struct memtable *m = op_table();
	struct render_opts opts = { .width = 5 };
	char *text = render_with("table", &m->table, &opts);

	(void)state;
	assert_string_equal("Name      Calls   Self CPU  Async\n"
			    "aten…ard  1,432  812.346ms  no\n"
			    "aten::mm      7  450.000us  no\n"
			    "\n"
			    "2 rows\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void names_that_would_read_the_same_keep_what_tells_them_apart(void **state)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT } };
	static const char *const names[] = {
		"a_rather_long_prefix_of_both_A_and_a_long_end",
		"a_rather_long_prefix_of_both_B_and_a_long_end",
		"a_rather_long_prefix<int>_and_a_long_end",
		"a_rather_long_prefix<int>_and_a_long_end",
		"a_rather_long_prefix<float>_and_a_long_end",
	};
	struct render_opts opts = { .width = 30 };
	struct memtable *m = memtable_new(columns, 1);

	(void)state;
	for (size_t i = 0; i < NCOLUMNS(names); i++) {
		struct cell name = cell_text(str_of(names[i]));
		memtable_add_row(m, &name);
	}
	char *text = render_with("table", &m->table, &opts);
	assert_string_equal("Name\n"
			    "a_rather_long_…nd_a_long_end…A\n"
			    "a_rather_long_…nd_a_long_end…B\n"
			    "a_rather_long…d_a_long_end…int\n"
			    "a_rather_long…d_a_long_end…int\n"
			    "a_rather_lon…_a_long_end…float\n"
			    "\n"
			    "5 rows\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void a_number_in_a_text_column_is_not_shortened(void **state)
{
	static const struct column columns[] = { { "x", "x", UNIT_ANY } };
	struct memtable *m = memtable_new(columns, 1);
	struct cell number = cell_int(INT64_MAX),
		    text = TEXT("a text longer than the number");
	struct render_opts opts = { .width = 10 };

	(void)state;
	memtable_add_row(m, &number);
	memtable_add_row(m, &text);
	char *out = render_with("table", &m->table, &opts);
	assert_string_equal("x\n9223372036854775807\na text lo…he number\n\n2 rows\n",
			    out);
	free(out);
	table_free(&m->table);
}

static void wide_characters_keep_columns_aligned(void **state)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));

	(void)state;
	add_op(m, "训练::mm", 1, 2);
	add_op(m, "e\xcc\x81tape", 1, 2);
	assert_renders("table", m,
		       "Name      Calls  Self CPU (ns)  Async\n"
		       "训练::mm      1              2  no\n"
		       "e\xcc\x81tape         1              2  no\n"
		       "\n"
		       "2 rows\n");
}

static void a_hostile_name_cannot_drive_the_terminal(void **state)
{
	static const struct column columns[] = { { "x", "x\033[31m", UNIT_TEXT } };
	struct cell name = TEXT("\033[2J\a\n\x9b\xc2\x9b\xe2\x80\xae");
	struct memtable *m = memtable_new(columns, 1);

	(void)state;
	memtable_add_row(m, &name);
	memtable_add_note(m, "in file a\rb");
	m->table.caption = "a\033]0;title";
	m->table.share = "5%\v";
	assert_renders("table", m,
		       "a\\x1b]0;title\n"
		       "\n"
		       "x\\x1b[31m\n"
		       "\\x1b[2J\\x07\\n\\x9b\\u009b\\u202e\n"
		       "\n"
		       "1 row, 5%\\x0b\n"
		       "note: in file a\\rb\n");
}

static void colour_is_a_bold_heading_and_dim_notes(void **state)
{
	struct memtable *m =
		one_cell((struct column){ "n", "N", UNIT_COUNT }, cell_int(3));
	struct render_opts opts = { .color = true };

	(void)state;
	memtable_add_note(m, "2 ranks");
	char *text = render_with("table", &m->table, &opts);
	assert_string_equal("\033[1mN\033[0m\n3\n\n1 row\n\033[2mnote: 2 ranks\033[0m\n",
			    text);
	free(text);
	table_free(&m->table);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_full_disk_is_told("table");
}

static void a_failing_table_keeps_its_message(void **state)
{
	(void)state;
	assert_failing_table_is_told("table");
}

/* Names may have a megabyte; a line shows a hundred bytes of them. */
static void shorten_a_part(struct buf *out, struct str text, size_t cells)
{
	assert_true(text.n <= (size_t)64 * 1024);
	utf8_add_shortened(out, text, cells);
}

static void of_a_long_text_the_ends_are_shortened(void **state)
{
	const struct render_opts opts = { .width = 12,
					  .name_max = 12,
					  .shorten = shorten_a_part };
	const struct column column = { "name", "Name", UNIT_TEXT };
	struct buf text;

	(void)state;
	buf_init(&text, SIZE_MAX);
	buf_add(&text, "\0ab", 3);
	for (int i = 0; i < 100000; i++)
		buf_add_text(&text, "\xe6\x97\xa5");
	buf_add(&text, "c\0d", 3);
	struct memtable *m = one_cell(column, cell_text(buf_str(&text)));
	char *table = render_with("table", &m->table, &opts);
	assert_string_equal("Name\n\\x00ab\xe2\x80\xa6\\x00d\n\n1 row\n", table);
	memtable_rewind(&m->table);
	char *markdown = render_with("markdown", &m->table, &opts);
	assert_non_null(strstr(markdown, "| \\\\x00ab\xe2\x80\xa6\\\\x00d |"));
	free(markdown);
	free(table);
	table_free(&m->table);
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_right_and_text_left),
		cmocka_unit_test(caption_stands_above_and_footer_and_notes_below),
		cmocka_unit_test(no_rows_is_a_heading_and_zero_rows),
		cmocka_unit_test(one_row_is_a_row),
		cmocka_unit_test(of_an_unknown_total_the_first_are_shown),
		cmocka_unit_test(null_is_a_dash),
		cmocka_unit_test(the_largest_number_chooses_the_unit_of_its_column),
		cmocka_unit_test(numbers_a_thousand_times_others_have_units_of_their_own),
		cmocka_unit_test(moments_keep_one_unit),
		cmocka_unit_test(notes_are_broken_at_blanks_where_the_terminal_ends),
		cmocka_unit_test(prose_has_no_labels_and_goes_on_below_its_text),
		cmocka_unit_test(
			captions_are_broken_at_blanks_with_more_lines_under_them),
		cmocka_unit_test(a_heading_that_says_percent_names_no_unit_again),
		cmocka_unit_test(sql_results_are_bare),
		cmocka_unit_test(a_moment_scales_as_a_duration),
		cmocka_unit_test(names_give_way_in_their_middle),
		cmocka_unit_test(a_400_character_kernel_fits_any_usual_terminal),
		cmocka_unit_test(a_long_name_is_kept_and_shortened_once),
		cmocka_unit_test(a_long_cell_pads_no_other_row),
		cmocka_unit_test(numbers_wider_than_the_terminal_stay_whole),
		cmocka_unit_test(
			names_that_would_read_the_same_keep_what_tells_them_apart),
		cmocka_unit_test(a_number_in_a_text_column_is_not_shortened),
		cmocka_unit_test(wide_characters_keep_columns_aligned),
		cmocka_unit_test(a_hostile_name_cannot_drive_the_terminal),
		cmocka_unit_test(colour_is_a_bold_heading_and_dim_notes),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_failing_table_keeps_its_message),
		cmocka_unit_test(of_a_long_text_the_ends_are_shortened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
