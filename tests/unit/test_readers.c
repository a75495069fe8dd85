/* Which reader takes a file, by its first bytes alone (ingest/readers.c and the probes). */
#include "reading.h"

static enum probe sureness(const char *head)
{
	const struct reader *reader = reader_find("chrome");

	return reader->probe((struct bytes){ (const uint8_t *)head, strlen(head) });
}

static void a_trace_is_known_by_its_keys(void **state)
{
	(void)state;
	assert_int_equal(sureness("{\"traceEvents\": ["), PROBE_SURE);
	assert_int_equal(sureness("{\n \"schemaVersion\": 1,\n \"deviceProperties\": ["),
			 PROBE_LIKELY);
	assert_int_equal(sureness("[{\"name\": \"a\", \"ph\": \"X\""), PROBE_LIKELY);
	assert_int_equal(sureness("\xef\xbb\xbf \n[{\"ph\":\"X\"}]"), PROBE_LIKELY);
}

static void other_json_may_be_one(void **state)
{
	(void)state;
	assert_int_equal(sureness("{"), PROBE_MAYBE);
	assert_int_equal(sureness("[]"), PROBE_MAYBE);
	assert_int_equal(sureness("{\"nodes\": []}"), PROBE_MAYBE);
}

static void what_is_no_json_container_is_none(void **state)
{
	(void)state;
	assert_int_equal(sureness(""), PROBE_NO);
	assert_int_equal(sureness(" \n"), PROBE_NO);
	assert_int_equal(sureness("plain text with \"traceEvents\""), PROBE_NO);
	assert_int_equal(sureness("\"ph\""), PROBE_NO);
	assert_int_equal(sureness("\x1f\x8b{\"traceEvents\""), PROBE_NO);
	assert_null(reader_detect((struct bytes){ (const uint8_t *)"text", 4 }));
}

static void the_surest_reader_is_taken(void **state)
{
	const char *head = "{\"traceEvents\": [";
	const struct reader *reader =
		reader_detect((struct bytes){ (const uint8_t *)head, strlen(head) });

	(void)state;
	assert_non_null(reader);
	assert_string_equal(reader->name, "chrome");
	for (size_t i = 0; readers[i]; i++)
		assert_true(readers[i]->probe((struct bytes){
				    (const uint8_t *)head, strlen(head) }) <= PROBE_SURE);
}

static void readers_are_found_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; readers[i]; i++)
		assert_ptr_equal(reader_find(readers[i]->name), readers[i]);
	assert_null(reader_find("no such format"));
	assert_null(reader_find(""));
}

static void every_reader_says_what_it_reads_in_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; readers[i]; i++) {
		assert_true(strlen(readers[i]->help) > 0);
		assert_null(strchr(readers[i]->help, '\n'));
	}
}

static void every_finding_is_documented(void **state)
{
	(void)state;
	for (size_t i = 0; i < NFINDINGS; i++) {
		const struct finding_kind *kind = &finding_kinds[i];

		assert_non_null(kind->code);
		assert_true(strlen(kind->what) > 0 && strlen(kind->done) > 0);
		assert_null(strchr(kind->what, '\n'));
		assert_int_equal(
			strspn(kind->code, "abcdefghijklmnopqrstuvwxyz_0123456789"),
			strlen(kind->code));
		assert_non_null(severity_name(kind->severity));
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(kind->code, finding_kinds[other].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_is_known_by_its_keys),
		cmocka_unit_test(other_json_may_be_one),
		cmocka_unit_test(what_is_no_json_container_is_none),
		cmocka_unit_test(the_surest_reader_is_taken),
		cmocka_unit_test(readers_are_found_by_name),
		cmocka_unit_test(every_reader_says_what_it_reads_in_one_line),
		cmocka_unit_test(every_finding_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
