/* --format csv and tsv: raw numbers, exact text. */
#include "rendering.h"

#include <errno.h>
#include <math.h>

#include "base/alloc.h"

static const struct column op_columns[] = {
	{ "name", "Name", UNIT_TEXT },
	{ "calls", "Calls", UNIT_COUNT },
	{ "self_cpu_ns", "Self CPU", UNIT_NS },
	{ "self_cpu_percent", "Self CPU %", UNIT_PERCENT },
	{ "is_async", "Async", UNIT_BOOL },
};

static struct memtable *op_table(void)
{
	struct memtable *m = memtable_new(op_columns, NCOLUMNS(op_columns));
	struct cell mm[] = { TEXT("aten::mm"), cell_int(1432), cell_int(12345678),
			     cell_real(93.1), cell_int(1) };
	struct cell add[] = { TEXT("aten::add"), cell_int(2), cell_null(), cell_null(),
			      cell_int(0) };

	memtable_add_row(m, mm);
	memtable_add_row(m, add);
	return m;
}

/* One text cell, as the only one or beside a number. */
static struct memtable *text_table(struct str text)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT },
						 { "n", "N", UNIT_ANY } };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));
	struct cell row[] = { cell_text(text), cell_int(1) };

	memtable_add_row(m, row);
	return m;
}

static struct memtable *real_table(double value)
{
	static const struct column columns[] = { { "ratio", "Ratio", UNIT_RATIO },
						 { "n", "N", UNIT_ANY } };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));
	struct cell row[] = { cell_real(value), cell_int(1) };

	memtable_add_row(m, row);
	return m;
}

static void csv_has_machine_names_and_raw_numbers(void **state)
{
	(void)state;
	assert_renders("csv", op_table(),
		       "name,calls,self_cpu_ns,self_cpu_percent,is_async\n"
		       "\"aten::mm\",1432,12345678,93.1,1\n"
		       "\"aten::add\",2,,,0\n");
}

static void tsv_is_the_same_with_tabs_and_no_quotes(void **state)
{
	(void)state;
	assert_renders("tsv", op_table(),
		       "name\tcalls\tself_cpu_ns\tself_cpu_percent\tis_async\n"
		       "aten::mm\t1432\t12345678\t93.1\t1\n"
		       "aten::add\t2\t\t\t0\n");
}

static void csv_doubles_quotes_and_keeps_commas_and_newlines(void **state)
{
	(void)state;
	assert_renders("csv", text_table(STR_LIT("say \"hi\", then\nleave")),
		       "name,n\n\"say \"\"hi\"\", then\nleave\",1\n");
}

/* A row is gathered before it is written, as far as it has room. */
static void texts_of_any_length_come_whole(void **state)
{
	static const struct {
		const char *format, *before, *after;
	} rows[] = { { "csv", "name,n\n\"", "\",1\n" },
		     { "tsv", "name\tn\n", "\t1\n" },
		     { "ndjson", "{\"name\":\"", "\",\"n\":1}\n" } };
	char text[9000];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t n = 0; n < sizeof(text); n += n % 1024 < 1000 ? 1000 - n % 1024 : 1)
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			char *expected = xasprintf("%s%.*s%s", rows[i].before, (int)n,
						   text, rows[i].after);
			assert_renders(rows[i].format,
				       text_table((struct str){ text, n }), expected);
			free(expected);
		}
}

static void csv_tells_empty_text_from_null(void **state)
{
	(void)state;
	assert_renders("csv", text_table((struct str){ NULL, 0 }), "name,n\n\"\",1\n");
	assert_renders("csv", text_table(STR_LIT("")), "name,n\n\"\",1\n");
}

static void csv_row_of_one_null_is_not_an_empty_line(void **state)
{
	static const struct column columns[] = { { "x", "x", UNIT_ANY } };
	struct memtable *m = memtable_new(columns, 1);
	struct cell null = cell_null();

	(void)state;
	memtable_add_row(m, &null);
	assert_renders("csv", m, "x\n\"\"\n");
}

static void csv_quotes_only_headers_that_need_it(void **state)
{
	static const struct column columns[] = { { "count(*)", "", UNIT_ANY },
						 { "max(a, b)", "", UNIT_ANY },
						 { "", "", UNIT_ANY } };

	(void)state;
	assert_renders("csv", memtable_new(columns, NCOLUMNS(columns)),
		       "count(*),\"max(a, b)\",\"\"\n");
}

static void tsv_escapes_what_would_break_a_line(void **state)
{
	(void)state;
	assert_renders("tsv", text_table(STR_LIT("a\tb\nc\rd\\e\"f\"")),
		       "name\tn\na\\tb\\nc\\rd\\\\e\"f\"\t1\n");
}

static void integers_are_exact_to_the_last_digit(void **state)
{
	static const struct column columns[] = { { "ts_ns", "Start", UNIT_TIME },
						 { "b", "B", UNIT_BYTES } };
	struct cell row[] = { cell_int(INT64_MAX), cell_int(INT64_MIN) };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));

	(void)state;
	memtable_add_row(m, row);
	assert_renders("csv", m, "ts_ns,b\n9223372036854775807,-9223372036854775808\n");
}

static void reals_are_the_shortest_that_read_back_the_same(void **state)
{
	(void)state;
	assert_renders("csv", real_table(0.1), "ratio,n\n0.1,1\n");
	assert_renders("csv", real_table(0.1 + 0.2), "ratio,n\n0.30000000000000004,1\n");
	assert_renders("tsv", real_table(1e300), "ratio\tn\n1e+300\t1\n");
}

static void not_a_number_is_empty(void **state)
{
	(void)state;
	assert_renders("csv", real_table((double)NAN), "ratio,n\n,1\n");
	assert_renders("tsv", real_table((double)NAN), "ratio\tn\n\t1\n");
}

static void a_count_beyond_int64_comes_as_its_text(void **state)
{
	static const struct column columns[] = { { "calls", "Calls", UNIT_COUNT } };
	struct cell calls = TEXT("36893488147419103232");
	struct memtable *m = memtable_new(columns, 1);

	(void)state;
	memtable_add_row(m, &calls);
	assert_renders("csv", m, "calls\n\"36893488147419103232\"\n");
}

static void rows_stream(void **state)
{
	(void)state;
	assert_streams("csv");
	assert_streams("tsv");
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_full_disk_is_told("csv");
	assert_full_disk_is_told("tsv");
}

static void a_failing_table_keeps_its_message(void **state)
{
	(void)state;
	assert_failing_table_is_told("csv");
	assert_failing_table_is_told("tsv");
}

static void the_errno_of_a_failed_write_is_left_to_the_caller(void **state)
{
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	fputs("x", out);
	errno = 0;
	assert_int_equal(-1, render_end(out, &err));
	assert_int_equal(ENOSPC, errno);
	fclose(out);
}

static void formats_are_found_by_name_and_suffix(void **state)
{
	(void)state;
	assert_string_equal("table", renderers[0]->name);
	assert_string_equal("csv", renderer_find("csv")->name);
	assert_null(renderer_find("xlsx"));
	assert_string_equal("csv", renderer_for_path("out.d/top.csv")->name);
	assert_string_equal("csv", renderer_for_path("TOP.CSV")->name);
	assert_string_equal("ndjson", renderer_for_path("top.ndjson")->name);
	assert_string_equal("ndjson", renderer_for_path("top.jsonl")->name);
	assert_string_equal("markdown", renderer_for_path("top.md")->name);
	assert_string_equal("table", renderer_for_path("top.txt")->name);
	assert_null(renderer_for_path("top"));
	assert_null(renderer_for_path("out.csv/top"));
	assert_null(renderer_for_path(".csv"));
	assert_null(renderer_for_path("top."));
	assert_null(renderer_for_path("top.json "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(csv_has_machine_names_and_raw_numbers),
		cmocka_unit_test(tsv_is_the_same_with_tabs_and_no_quotes),
		cmocka_unit_test(csv_doubles_quotes_and_keeps_commas_and_newlines),
		cmocka_unit_test(texts_of_any_length_come_whole),
		cmocka_unit_test(csv_tells_empty_text_from_null),
		cmocka_unit_test(csv_row_of_one_null_is_not_an_empty_line),
		cmocka_unit_test(csv_quotes_only_headers_that_need_it),
		cmocka_unit_test(tsv_escapes_what_would_break_a_line),
		cmocka_unit_test(integers_are_exact_to_the_last_digit),
		cmocka_unit_test(reals_are_the_shortest_that_read_back_the_same),
		cmocka_unit_test(not_a_number_is_empty),
		cmocka_unit_test(a_count_beyond_int64_comes_as_its_text),
		cmocka_unit_test(rows_stream),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_failing_table_keeps_its_message),
		cmocka_unit_test(the_errno_of_a_failed_write_is_left_to_the_caller),
		cmocka_unit_test(formats_are_found_by_name_and_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
