/* --format json and ndjson: always valid JSON, null is never 0. */
#include "rendering.h"

#include <math.h>

static struct memtable *one_cell(enum unit unit, struct cell cell)
{
	static struct column columns[UNIT_ANY + 1];
	struct memtable *m;

	columns[unit] = (struct column){ "x", "X", unit };
	m = memtable_new(&columns[unit], 1);
	memtable_add_row(m, &cell);
	return m;
}

static void json_is_one_object(void **state)
{
	static const struct column columns[] = { { "name", "Name", UNIT_TEXT },
						 { "self_cpu_ns", "Self CPU", UNIT_NS } };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));
	struct cell mm[] = { TEXT("aten::mm"), cell_int(12345678) };
	struct cell add[] = { TEXT("aten::add"), cell_null() };

	(void)state;
	memtable_add_row(m, mm);
	memtable_add_row(m, add);
	memtable_add_note(m, "%d events skipped: no \"ts\"", 3);
	memtable_add_note(m, "2 ranks");
	m->table.total_rows = 1432;
	assert_renders(
		"json", m,
		"{\"command\":\"top\",\"columns\":[{\"name\":\"name\",\"unit\":\"text\"},"
		"{\"name\":\"self_cpu_ns\",\"unit\":\"ns\"}],\n"
		"\"rows\":[\n"
		"{\"name\":\"aten::mm\",\"self_cpu_ns\":12345678},\n"
		"{\"name\":\"aten::add\",\"self_cpu_ns\":null}\n"
		"],\n"
		"\"total_rows\":1432,"
		"\"notes\":[\"3 events skipped: no \\\"ts\\\"\",\"2 ranks\"]}\n");
}

static void json_without_rows_is_still_an_object(void **state)
{
	static const struct column columns[] = { { "n", "N", UNIT_COUNT } };
	struct memtable *m = memtable_new(columns, 1);

	(void)state;
	m->table.total_rows = -1;
	assert_renders(
		"json", m,
		"{\"command\":\"top\",\"columns\":[{\"name\":\"n\",\"unit\":\"count\"}],\n"
		"\"rows\":[],\n\"total_rows\":null,\"notes\":[]}\n");
}

static void ndjson_is_a_row_a_line(void **state)
{
	struct counting_table c = counting_table(3, NULL);
	struct render_opts opts = { .command = "top" };
	char *text = render_with("ndjson", &c.table, &opts);

	(void)state;
	assert_string_equal("{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n", text);
	free(text);
}

static void every_unit_has_its_word(void **state)
{
	static const struct column columns[] = {
		{ "a", "", UNIT_TEXT },  { "b", "", UNIT_COUNT },
		{ "c", "", UNIT_NS },    { "d", "", UNIT_TIME },
		{ "e", "", UNIT_BYTES }, { "f", "", UNIT_PERCENT },
		{ "g", "", UNIT_RATIO }, { "h", "", UNIT_BOOL },
		{ "i", "", UNIT_FLOPS }, { "j", "", UNIT_ANY },
	};

	(void)state;
	assert_renders(
		"json", memtable_new(columns, NCOLUMNS(columns)),
		"{\"command\":\"top\",\"columns\":[{\"name\":\"a\",\"unit\":\"text\"},"
		"{\"name\":\"b\",\"unit\":\"count\"},{\"name\":\"c\",\"unit\":\"ns\"},"
		"{\"name\":\"d\",\"unit\":\"time\"},{\"name\":\"e\",\"unit\":\"bytes\"},"
		"{\"name\":\"f\",\"unit\":\"percent\"},"
		"{\"name\":\"g\",\"unit\":\"ratio\"},{\"name\":\"h\",\"unit\":\"bool\"},"
		"{\"name\":\"i\",\"unit\":\"flops\"},{\"name\":\"j\",\"unit\":\"any\"}],\n"
		"\"rows\":[],\n\"total_rows\":0,\"notes\":[]}\n");
}

static void booleans_are_true_false_or_null(void **state)
{
	(void)state;
	assert_renders("ndjson", one_cell(UNIT_BOOL, cell_int(1)), "{\"x\":true}\n");
	assert_renders("ndjson", one_cell(UNIT_BOOL, cell_int(0)), "{\"x\":false}\n");
	assert_renders("ndjson", one_cell(UNIT_BOOL, cell_null()), "{\"x\":null}\n");
}

static void numbers_are_exact(void **state)
{
	(void)state;
	assert_renders("ndjson", one_cell(UNIT_NS, cell_int(INT64_MIN)),
		       "{\"x\":-9223372036854775808}\n");
	assert_renders("ndjson", one_cell(UNIT_RATIO, cell_real(0.1)), "{\"x\":0.1}\n");
	assert_renders("ndjson", one_cell(UNIT_COUNT, TEXT("36893488147419103232")),
		       "{\"x\":\"36893488147419103232\"}\n");
}

static void nan_and_infinity_are_null(void **state)
{
	(void)state;
	assert_renders("ndjson", one_cell(UNIT_RATIO, cell_real((double)NAN)),
		       "{\"x\":null}\n");
	assert_renders("ndjson", one_cell(UNIT_RATIO, cell_real((double)INFINITY)),
		       "{\"x\":null}\n");
	assert_renders("ndjson", one_cell(UNIT_RATIO, cell_real(-(double)INFINITY)),
		       "{\"x\":null}\n");
}

static void quotes_backslashes_and_controls_are_escaped(void **state)
{
	(void)state;
	assert_renders(
		"ndjson", one_cell(UNIT_TEXT, TEXT("\"\\/\b\f\n\r\t\0\x1b\x7f<lambda>")),
		"{\"x\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001b\\u007f<lambda>\"}\n");
}

static void valid_utf8_stays_and_each_invalid_byte_becomes_fffd(void **state)
{
	(void)state;
	assert_renders("ndjson",
		       one_cell(UNIT_TEXT, TEXT("\xe8\xae\xad\xf0\x9f\x94\xa5")),
		       "{\"x\":\"\xe8\xae\xad\xf0\x9f\x94\xa5\"}\n");
	assert_renders("ndjson", one_cell(UNIT_TEXT, TEXT("a\xff\xc0\x80z\xe8\xae")),
		       "{\"x\":\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"
		       "\xef\xbf\xbd\xef\xbf\xbd\"}\n");
	assert_renders("ndjson", one_cell(UNIT_TEXT, TEXT("\xed\xa0\x80")),
		       "{\"x\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}\n");
}

static void equal_column_names_stay_apart(void **state)
{
	static const struct column columns[] = { { "name", "", UNIT_ANY },
						 { "name", "", UNIT_ANY },
						 { "name", "", UNIT_ANY } };
	struct cell row[] = { cell_int(1), cell_int(2), cell_int(3) };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));

	(void)state;
	memtable_add_row(m, row);
	assert_renders("ndjson", m, "{\"name\":1,\"name_2\":2,\"name_3\":3}\n");
}

static void a_column_already_named_so_keeps_its_name(void **state)
{
	static const struct column columns[] = { { "name", "", UNIT_ANY },
						 { "name", "", UNIT_ANY },
						 { "name_2", "", UNIT_ANY } };
	struct cell row[] = { cell_int(1), cell_int(2), cell_int(3) };
	struct memtable *m = memtable_new(columns, NCOLUMNS(columns));

	(void)state;
	memtable_add_row(m, row);
	assert_renders("ndjson", m, "{\"name\":1,\"name_3\":2,\"name_2\":3}\n");
}

static void rows_stream(void **state)
{
	(void)state;
	assert_streams("json");
	assert_streams("ndjson");
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	assert_full_disk_is_told("json");
	assert_full_disk_is_told("ndjson");
}

static void a_failing_table_keeps_its_message(void **state)
{
	(void)state;
	assert_failing_table_is_told("json");
	assert_failing_table_is_told("ndjson");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_one_object),
		cmocka_unit_test(json_without_rows_is_still_an_object),
		cmocka_unit_test(ndjson_is_a_row_a_line),
		cmocka_unit_test(every_unit_has_its_word),
		cmocka_unit_test(booleans_are_true_false_or_null),
		cmocka_unit_test(numbers_are_exact),
		cmocka_unit_test(nan_and_infinity_are_null),
		cmocka_unit_test(quotes_backslashes_and_controls_are_escaped),
		cmocka_unit_test(valid_utf8_stays_and_each_invalid_byte_becomes_fffd),
		cmocka_unit_test(equal_column_names_stay_apart),
		cmocka_unit_test(a_column_already_named_so_keeps_its_name),
		cmocka_unit_test(rows_stream),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_failing_table_keeps_its_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
