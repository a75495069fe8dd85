/* JSON that is written again: what each kind of damage becomes (ingest/mend.c). */
#include "reading.h"

#include "base/alloc.h"
#include "ingest/chrome.h"
#include "ingest/mend.h"

#define A       "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1}"
#define B       "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":9,\"dur\":1}"
#define SLICE_A "slice thread 1/2 \"a\" 1000+1000\n"
#define SLICE_B "slice thread 1/2 \"b\" 9000+1000\n"

/* What an event or a value becomes; NULL: it has no reading. */
static void assert_becomes(bool is_event, const char *text, const char *expected)
{
	struct str window = in_window(text);
	struct json j = json_of(window);
	struct mend m;

	mend_init(&m);
	enum json_status status = is_event ? mend_event(&m, &j) : mend_value(&m, &j);
	if (expected) {
		assert_int_equal(status, JSON_OK);
		assert_string_equal(m.text.p, expected);
	} else {
		assert_int_equal(status, JSON_BAD);
	}
	mend_release(&m);
}

static void assert_event(const char *text, const char *expected)
{
	assert_becomes(true, text, expected);
}

static void assert_value(const char *text, const char *expected)
{
	assert_becomes(false, text, expected);
}

static void sound_text_stays_what_it_is(void **state)
{
	(void)state;
	assert_event(A, A);
	assert_value("[1,-2.5e3,\"x\",{\"a\":[]},null,true,false]",
		     "[1,-2.5e3,\"x\",{\"a\":[]},null,true,false]");
	assert_value("{\"a\":\"\\u00e9\\n\\\"\"}", "{\"a\":\"\xc3\xa9\\u000a\\\"\"}");
}

static void a_quote_ends_a_string_where_the_object_can_go_on(void **state)
{
	(void)state;
	assert_event("{\"name\": \"say \"hi\"\", \"pid\": 1}",
		     "{\"name\":\"say \\\"hi\\\"\",\"pid\":1}");
	assert_event("{\"name\": \"{\"device\": \"cpu\"}\", \"pid\": 1}",
		     "{\"name\":\"{\\\"device\\\": \\\"cpu\\\"}\",\"pid\":1}");
	/* what looks like members has keys that no event has */
	assert_event(
		"{\"name\": \"{\"device\": \"cpu\", \"n\": \"1\"}\", \"pid\": 1}",
		"{\"name\":\"{\\\"device\\\": \\\"cpu\\\", \\\"n\\\": \\\"1\\\"}\",\"pid\":1}");
	assert_event("{\"name\": \"a\", b\", \"pid\": 1}",
		     "{\"name\":\"a\\\", b\",\"pid\":1}");
	assert_event("{\"name\": \"\"b\"\", \"pid\": 1}",
		     "{\"name\":\"\\\"b\\\"\",\"pid\":1}");
	assert_event("{\"name\": \"f( \"x\"\", \"pid\": 1}",
		     "{\"name\":\"f( \\\"x\\\"\",\"pid\":1}");
	assert_event("{\"a\"b\": 1, \"name\": \"n\"}", "{\"a\\\"b\":1,\"name\":\"n\"}");
	assert_event(
		"{\"args\": {\"k\": \"{\"a\": 1, \"b\": \"x\", \"c\": 2}\", \"n\": 3}}",
		"{\"args\":{\"k\":\"{\\\"a\\\": 1, \\\"b\\\": \\\"x\\\", "
		"\\\"c\\\": 2}\",\"n\":3}}");
	assert_value("[\"a \"b\" c\", \"d\"]", "[\"a \\\"b\\\" c\",\"d\"]");
}

static void a_backslash_before_the_last_quote_is_no_escape(void **state)
{
	(void)state;
	assert_event("{\"name\": \"C:\\dir\\\", \"pid\": 1}",
		     "{\"name\":\"C:\\\\dir\\\\\",\"pid\":1}");
	assert_event("{\"name\": \"say \\\"hi\\\" \"x\"\", \"pid\": 1}",
		     "{\"name\":\"say \\\"hi\\\" \\\"x\\\"\",\"pid\":1}");
}

static void what_python_prints_is_read(void **state)
{
	(void)state;
	assert_event(
		"{'name': 'it\\'s \"q\"', 'args': {'a': None, 'b': [True, 1.5]}}",
		"{\"name\":\"it's \\\"q\\\"\",\"args\":{\"a\":null,\"b\":[true,1.5]}}");
	assert_event("{'name': 'a\\x41\\n\\U0001f680\\\\'}",
		     "{\"name\":\"aA\\u000a\xf0\x9f\x9a\x80\\\\\"}");
	assert_event("{'name': \"it's\", 'pid': 1}", "{\"name\":\"it's\",\"pid\":1}");
	assert_event("{'name': 'it's', 'pid': 1}", "{\"name\":\"it's\",\"pid\":1}");
	assert_event("{'name': 'never closed, \"pid\": 1}, {\"ph\": \"X\"}", NULL);
}

static void keys_may_lack_their_quotes(void **state)
{
	(void)state;
	assert_event("{\"ts\": 1, ttid\": 0}", "{\"ts\":1,\"ttid\":0}");
	assert_event("{\"ts\": 1, External id\": 0}", "{\"ts\":1,\"External id\":0}");
	assert_event("{\"ts\": 1, \"tid: 0}", "{\"ts\":1,\"tid\":0}");
	assert_event("{name: 'x', args : {a_1: [2]}}",
		     "{\"name\":\"x\",\"args\":{\"a_1\":[2]}}");
	assert_event("{\"ts\": 1, two words: 0}", NULL);
}

/* An event with n strings whose ends are looked for up to the next event. */
static void add_endless(struct buf *text, unsigned n)
{
	buf_add_text(text, "{\"ph\":\"X\",");
	for (unsigned i = 0; i < n; i++)
		buf_add_text(text, "\"name\":\"a\"( ");
	buf_add_text(text, "\"name\":\"z},{\"ph\":\"X\"}");
	buf_add(text, (char[JSON_PADDING]){ 0 }, JSON_PADDING);
}

static enum json_status mend_endless(unsigned n, uint64_t *in_vain, size_t *size)
{
	struct buf text;
	struct mend m;

	buf_init(&text, (size_t)1 << 24);
	add_endless(&text, n);
	*size = text.n - JSON_PADDING;
	struct json j = json_of((struct str){ text.p, *size });
	mend_init(&m);
	enum json_status status = mend_event(&m, &j);
	*in_vain = m.in_vain;
	mend_release(&m);
	buf_release(&text);
	return status;
}

static void what_is_looked_at_in_vain_has_a_limit(void **state)
{
	const uint64_t at_first = (uint64_t)4 << 20;
	uint64_t in_vain;
	size_t size;

	(void)state;
	assert_int_equal(JSON_BAD, mend_endless(100, &in_vain, &size));
	assert_in_range(in_vain, 50 * size, 800 * size);
	for (unsigned n = 10000; n <= 40000; n *= 4) {
		assert_int_equal(JSON_BAD, mend_endless(n, &in_vain, &size));
		assert_in_range(in_vain, at_first,
				at_first + (MEND_VAIN_FOR_EACH + MEND_ATTEMPTS) * size);
	}
}

static void zero_bytes_between_tokens_are_passed_over(void **state)
{
	static const char text[] = "{\"a\"\0:\0\0 1\0,\"b\":[\0 2]}";
	char window[sizeof(text) + JSON_PADDING] = { 0 };
	struct mend m;

	(void)state;
	memcpy(window, text, sizeof(text));
	struct json j = json_of((struct str){ window, sizeof(text) - 1 });
	mend_init(&m);
	assert_int_equal(mend_value(&m, &j), JSON_OK);
	assert_string_equal(m.text.p, "{\"a\":1,\"b\":[2]}");
	assert_int_equal(m.nflaws, 1);
	assert_int_equal(m.flaws[0].finding, FINDING_NUL_BYTES);
	assert_int_equal(m.flaws[0].at, 4);
	mend_release(&m);
}

static void commas_may_be_too_many_or_too_few(void **state)
{
	(void)state;
	assert_value("{\"a\":1,,\"b\":2,}", "{\"a\":1,\"b\":2}");
	assert_value("{\"a\":\"x\" \"b\":2}", "{\"a\":\"x\",\"b\":2}");
	assert_value("[,1 2,[3,],]", "[1,2,[3]]");
	assert_value("{\"a\":1 b:2}", NULL);
}

static void numbers_are_spelt_as_json_wants(void **state)
{
	(void)state;
	assert_value("[+1,007,-.5,1.,1.e5,NaN,N/A,-inf,undefined,]",
		     "[1,7,-0.5,1.0,1.0e5,null,null,null,null]");
}

static void lines_of_a_log_between_members_are_passed_over(void **state)
{
	(void)state;
	assert_event(
		"{\"ts\":1,\nINFO: 2024-11-21 10:00:00 1:1 x.cpp:12] say \"x\"\n\"dur\":2}",
		"{\"ts\":1,\"dur\":2}");
	assert_event("{\"name\":\"n\",\n[W1121 a.cpp:1] {x}\n  W2\n\"dur\":2\nbye\n}",
		     "{\"name\":\"n\",\"dur\":2}");
	assert_event("{\"ts\":1, WARNING: a b \"dur\":2}", "{\"ts\":1,\"dur\":2}");
	assert_event("{\"name\":\"a \"b\"\",\nINFO: x y\n\"dur\":2}",
		     "{\"name\":\"a \\\"b\\\"\",\"dur\":2}");
	/* not over the next event */
	assert_event("{\"ts\":1 oops\n{\"ph\":\"X\"}]}", NULL);
}

static void what_is_cut_is_no_value(void **state)
{
	static const char *const cut[] = { "{\"a\":1", "{\"a\":{\"b\":[1,", "{'a", "{a",
					   "[\"x" };

	(void)state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		struct json j = json_of(in_window(cut[i]));
		struct mend m;

		mend_init(&m);
		assert_int_equal(mend_value(&m, &j), JSON_BAD);
		assert_true(j.ended);
		mend_release(&m);
	}
}

/* In single quotes, which are mended. */
static enum json_status mend_text_of(size_t n)
{
	char *text = xcalloc(n + 2 + JSON_PADDING, 1);
	struct json j = json_of((struct str){ text, n + 2 });
	struct mend m;

	memset(text, 'a', n + 2);
	text[0] = text[n + 1] = '\'';
	mend_init(&m);
	enum json_status status = mend_value(&m, &j);
	mend_release(&m);
	free(text);
	return status;
}

static void a_text_of_more_than_32_mib_is_not_mended(void **state)
{
	(void)state;
	assert_int_equal(JSON_OK, mend_text_of((size_t)32 << 20));
	assert_int_equal(JSON_BAD, mend_text_of(((size_t)32 << 20) + 1));
}

static void damaged_events_leave_their_neighbours_alone(void **state)
{
	(void)state;
	assert_facts(
		"[" A ",{\"ph\":\"i\",\"name\":\"{\"d\": \"c\", \"e\": 1}\",\"pid\":1,"
		"\"tid\":2,\"ts\":5}," B "]",
		SLICE_A "slice thread 1/2 \"{\\x22d\\x22: \\x22c\\x22, \\x22e\\x22: 1}\" "
			"5000+0 instant\nfinding name_repaired @54\n" SLICE_B);
	assert_facts("[" A ",{\"ph\":\"i\",\"name\":\"n\",\"pid\":1,\"tid\":2,ts\":5}," B
		     "]",
		     SLICE_A "slice thread 1/2 \"n\" 5000+0 instant\n"
			     "finding bare_key @54\n" SLICE_B);
	assert_facts("[" A ",\nINFO: x\n" B ",\n WARN: y {1}\n," B "]",
		     SLICE_A "finding stray_text @55\n" SLICE_B
			     "finding stray_text @118\n" SLICE_B);
	assert_facts("{\"a\": \"x \"y\" z\", \"b\": N/A, 'c': [None],\n"
		     "INFO: 2024-01-01 foo\n\"traceEvents\":[" A "]}",
		     "finding name_repaired @6\nmetadata a: \"x \\\"y\\\" z\"\n"
		     "metadata b: \"N/A\"\nfinding not_finite @22\n"
		     "finding single_quotes @25\nmetadata c: \"[None]\"\n"
		     "finding number_syntax @32\n"
		     "finding stray_text @38\n" SLICE_A);
}

static void assert_bytes(const char *json, size_t n, const char *facts)
{
	assert_lines((struct str){ json, n }, &(struct read_options){ .strict = false },
		     false, facts);
}

#define ASSERT_BYTES(json, facts) assert_bytes(json, sizeof(json) - 1, facts)

static void zero_bytes_at_the_end_are_a_crash_or_nothing(void **state)
{
	(void)state;
	ASSERT_BYTES("{\"traceEvents\":[" A "]}\0\0\n\0\0",
		     SLICE_A "finding nul_bytes @70\n");
	ASSERT_BYTES("{\"traceEvents\":[" A ",\0\0" B "]}",
		     SLICE_A "finding nul_bytes @69\n" SLICE_B);
	ASSERT_BYTES("{\"traceEvents\":[" A ",\0\0\0", SLICE_A "finding truncated @69\n");
	ASSERT_BYTES("{\"traceEvents\":[" A ",{\"ph\":\"X\",\"ts\":12\0\0\0\0",
		     SLICE_A "finding truncated @69\n");
	ASSERT_BYTES("{\"traceEvents\":[" A ",{\"ph\":\"X\",\"name\":\"ab\0\0\0\0",
		     SLICE_A "finding truncated @69\n");
}

static void what_an_event_lacks_or_has_twice_is_told(void **state)
{
	(void)state;
	assert_flawed("[" A
		      ",{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"ts\":1,\"dur\":1}]",
		      SLICE_A "finding no_thread @54\nslice thread 1/0 \"a\" 1000+1000\n",
		      54, "an event has no pid or no tid");
	/* told from the first thread on, and never where there is none */
	assert_flawed("[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}," A "]",
		      "slice thread 0/0 \"a\" 1000+1000\nfinding no_thread @1\n" SLICE_A,
		      1, "an event has no pid or no tid");
	/* an instant of all processes belongs to no thread */
	assert_sound("[" A ",{\"ph\":\"i\",\"name\":\"a\",\"s\":\"g\",\"ts\":1}]",
		     SLICE_A "slice thread 0/0 \"a\" 1000+0 instant\n");
	assert_sound(
		"[{\"ph\":\"X\",\"name\":\"a\",\"pid\":9,\"pid\":1,\"tid\":2,\"ts\":1,"
		"\"dur\":1}]",
		"finding duplicate_key @1 \"event\"\n" SLICE_A);
	assert_flawed(
		"[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,"
		"\"args\":3}]",
		"finding args_not_object @1\n" SLICE_A, 1,
		"the args of an event are not an object");
	assert_sound(
		"[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,"
		"\"args\":\"__stripped__\"}]",
		SLICE_A);
	assert_sound(
		"[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,"
		"\"args\":null}]",
		SLICE_A);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_text_stays_what_it_is),
		cmocka_unit_test(a_quote_ends_a_string_where_the_object_can_go_on),
		cmocka_unit_test(a_backslash_before_the_last_quote_is_no_escape),
		cmocka_unit_test(what_python_prints_is_read),
		cmocka_unit_test(keys_may_lack_their_quotes),
		cmocka_unit_test(what_is_looked_at_in_vain_has_a_limit),
		cmocka_unit_test(zero_bytes_between_tokens_are_passed_over),
		cmocka_unit_test(commas_may_be_too_many_or_too_few),
		cmocka_unit_test(numbers_are_spelt_as_json_wants),
		cmocka_unit_test(lines_of_a_log_between_members_are_passed_over),
		cmocka_unit_test(what_is_cut_is_no_value),
		cmocka_unit_test(a_text_of_more_than_32_mib_is_not_mended),
		cmocka_unit_test(damaged_events_leave_their_neighbours_alone),
		cmocka_unit_test(zero_bytes_at_the_end_are_a_crash_or_nothing),
		cmocka_unit_test(what_an_event_lacks_or_has_twice_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
