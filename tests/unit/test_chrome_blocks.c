/* A trace says the same however it is read: in blocks by threads, through small windows, whole. */
#include "reading.h"

#include "ingest/chrome.h"

#define CALL(name, ts) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":" ts ",\"dur\":1,\"pid\":1,\"tid\":1}"
#define SHOWN(name, ts) "slice thread 1/1 \"" name "\" " ts "000+1000\n"
#define FEW             200  /* events between two that have to do with each other */
#define BLANKS          3000 /* more than one is looked for in front of an event */

static void add_blanks(struct buf *json, size_t n)
{
	buf_add_blanks(json, n);
}

/* Calls of another name, each behind the comma of the one before, and its own. */
static void add_calls(struct buf *json, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_add_text(json, CALL("between", "5") ",\n");
}

/* What is said of the text; release it. */
static struct recording said(const struct buf *json, const struct read_options *options,
			     size_t window)
{
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	if (recording_read(&r, buf_str(json), options, window, &err) < 0)
		fail_msg("refused at byte %lld: %s", (long long)err.offset, err.text);
	assert_false(r.is_ill);
	return r;
}

static void assert_same(const struct buf *json, const struct read_options *options,
			size_t window, const char *whole)
{
	struct recording r = said(json, options, window);

	assert_string_equal(recording_text(&r), whole);
	recording_release(&r);
}

/* Whole, by blocks and by windows: `line` is said so many times.  Releases the text. */
static void assert_alike(struct buf *json, const char *line, size_t times)
{
	static const size_t sizes[] = { 60, 100, 300, 1000, 4000, 100000, 1 << 20 };
	struct recording whole = said(json, &(struct read_options){ .strict = false }, 0);
	size_t n = 0;

	for (const char *p = recording_text(&whole); (p = strstr(p, line)); p++)
		n++;
	if (n != times)
		fail_msg("%zu times, not %zu: %s", n, times, line);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (unsigned threads = 1; threads < 4; threads++)
			assert_same(json,
				    &(struct read_options){ .threads = threads,
							    .block_size = sizes[i] },
				    0, recording_text(&whole));
		assert_same(json, &(struct read_options){ .strict = false }, sizes[i],
			    recording_text(&whole));
	}
	recording_release(&whole);
	buf_release(json);
}

static struct buf text_of(const char *first)
{
	struct buf json;

	buf_init(&json, (size_t)1 << 24);
	buf_add_text(&json, first);
	return json;
}

static void a_row_of_xprof_has_its_name_before_its_process(void **state)
{
	struct buf json = text_of(
		"{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,"
		"\"tid\":4,\"args\":{\"name\":\"Stream #14\"}},\n");

	(void)state;
	add_calls(&json, FEW);
	buf_add_text(&json, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,"
			    "\"args\":{\"name\":\"/device:GPU:0\"}},\n");
	buf_add_text(&json, "{\"ph\":\"X\",\"name\":\"fusion\",\"pid\":3,\"tid\":4,"
			    "\"ts\":1,\"dur\":1}]}");
	assert_alike(&json, "slice stream 3/4 \"fusion\"", 1);
}

static void a_block_may_end_before_a_comma(void **state)
{
	struct buf json = text_of("[" CALL("a", "1"));

	(void)state;
	add_blanks(&json, (size_t)9 << 19); /* that is cut after 4 MiB, anywhere */
	buf_add_text(&json, "," CALL("b", "2") "]");
	assert_alike(&json, "finding", 0);
}

static void blanks_before_an_event_do_not_hide_it(void **state)
{
	struct buf json = text_of("[" CALL("a", "1") ",\nno event,");

	(void)state;
	add_blanks(&json, BLANKS);
	buf_add_text(&json, CALL("b", "2") "\n");
	add_blanks(&json, BLANKS);
	buf_add_text(&json, CALL("c", "3") "]");
	assert_alike(&json, SHOWN("b", "2"), 1);
}

/* However much of it happens to be in memory. */
static void a_key_may_have_a_mebibyte(void **state)
{
	struct buf json = text_of("{\"traceEvents\":[");

	(void)state;
	add_calls(&json, FEW);
	for (int i = 0; i < 150000; i++)
		buf_add_text(&json, "stray text");
	buf_add_text(&json, ",\n" CALL("a", "1") "],\n\"");
	for (int i = 0; i < 110000; i++)
		buf_add_text(&json, "a long key");
	buf_add_text(&json, "\": [1, {\"b\": \",\"}], \"kept\": {\"rank\": 3}}");
	assert_alike(&json, "metadata kept: {\"rank\": 3}", 1);
}

#define OP(name, ts, concrete, dims)                                             \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"ts\":" ts      \
	",\"dur\":1,\"pid\":1,\"tid\":1,\"args\":{\"Concrete Inputs\":" concrete \
	",\"Input Dims\":" dims                                                  \
	",\"Input type\":[\"TensorList\",\"TensorList\",\"Scalar\""              \
	"]}}"
#define NO_VALUES "[\"\",\"\",\"\"]"
#define LISTS     "[[[4,5],[6,7]],[[4,5],[6,7]],[]]"

/* The values of one operator are spelt as those of the other one with its lists. */
static void values_and_lists_of_tensors_are_two_things(void **state)
{
	struct buf json =
		text_of("[" OP("aten::_embedding_bag", "1", "[" NO_VALUES "," LISTS "]",
			       "[[3,3],[]]") ",\n");

	(void)state;
	add_calls(&json, FEW);
	buf_add_text(&json, OP("aten::_foreach_mul", "2", NO_VALUES, LISTS) "]");
	assert_alike(&json, "values=\"[[4,5],[6,7]];[[4,5],[6,7]];\"", 1);
}

static void a_name_with_escapes_is_what_it_says(void **state)
{
	struct buf json =
		text_of("[" OP("aten::\\u005fforeach_mul", "1", NO_VALUES, LISTS) ",\n");

	(void)state;
	add_calls(&json, FEW);
	buf_add_text(&json, OP("aten::_foreach_mul", "2", NO_VALUES, LISTS) "]");
	assert_alike(&json, "values=\"[[4,5],[6,7]];[[4,5],[6,7]];\"", 2);
}

/* Nothing of the trace is lost behind a last entry that cannot be read; `depth` is of lists in it. */
static void assert_goes_on(const char *first, size_t depth, const char *rest)
{
	struct buf json = text_of("{\"traceEvents\":[");

	add_calls(&json, FEW);
	buf_add_text(&json, first);
	for (size_t i = 0; i < 2 * depth; i++)
		buf_add_char(&json, i < depth ? '[' : ']');
	buf_add_text(&json, rest);
	buf_add_text(&json, "\n],\"list\":[{\"name\":\"no event\"}],\"text\":\"");
	for (int i = 0; i < 100000; i++)
		buf_add_char(&json, ']');
	buf_add_text(&json, "\",\"kept\":3}\n");
	struct recording r = said(&json, &(struct read_options){ .strict = false }, 0);
	assert_int_equal(r.nfindings, 1);
	recording_release(&r);
	assert_alike(&json, "metadata kept: 3\n", 1);
}

static void what_follows_a_last_entry_that_is_skipped_is_read(void **state)
{
	(void)state;
	assert_goes_on("{\"ph\":\"X\",\"name\":\"]}],\",\"dur\":", 0, "}");
	assert_goes_on("xyz", 0, "");
	assert_goes_on("{\"ph\":\"X\",\"a\":", JSON_DEPTH_MAX + 1, "}");
}

/* Behind a list's end that is none, at such a distance that it counts, and farther. */
static void an_event_behind_a_false_end_is_read_where_it_is_near(void **state)
{
	static const size_t distances[] = { 65400, 65536, 70000 };

	(void)state;
	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		struct buf json = text_of("{\"traceEvents\":[");
		add_calls(&json, FEW);
		buf_add_text(&json, "xyz ],\"k\": 1,");
		add_blanks(&json, distances[i]);
		buf_add_text(&json, CALL("b", "2") "]}\n");
		assert_alike(&json, SHOWN("b", "2"), distances[i] < 65500);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_of_xprof_has_its_name_before_its_process),
		cmocka_unit_test(a_block_may_end_before_a_comma),
		cmocka_unit_test(blanks_before_an_event_do_not_hide_it),
		cmocka_unit_test(a_key_may_have_a_mebibyte),
		cmocka_unit_test(values_and_lists_of_tensors_are_two_things),
		cmocka_unit_test(a_name_with_escapes_is_what_it_says),
		cmocka_unit_test(what_follows_a_last_entry_that_is_skipped_is_read),
		cmocka_unit_test(an_event_behind_a_false_end_is_read_where_it_is_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
