/* The container of the Trace Event Format, whole and damaged (ingest/chrome.c, event_list.c). */
#include "reading.h"

#include "ingest/chrome.h"

#define A       "{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1}" /* 36 bytes */
#define B       "{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,\"dur\":1}"
#define SLICE_A "slice thread 0/0 \"a\" 1000+1000\n"
#define SLICE_B "slice thread 0/0 \"b\" 2000+1000\n"

static void an_array_of_events_is_a_trace(void **state)
{
	(void)state;
	assert_sound("[" A "," B "]", SLICE_A SLICE_B);
	assert_sound(" \r\n\t[ " A " ,\n" B "\n]\n\n", SLICE_A SLICE_B);
}

static void the_bracket_behind_an_array_may_be_missing(void **state)
{
	(void)state;
	assert_sound("[" A "," B, SLICE_A SLICE_B);
	assert_sound("[" A ",", SLICE_A);
	assert_sound("[\n" A ",\n" B ",\n", SLICE_A SLICE_B);
}

static void an_object_with_traceEvents_is_a_trace(void **state)
{
	(void)state;
	assert_sound("{\"traceEvents\":[" A "," B "]}", SLICE_A SLICE_B);
	assert_sound(" { \"traceEvents\" : [ ] } ", "");
}

static void a_byte_order_mark_is_passed_over_and_told(void **state)
{
	(void)state;
	assert_sound("\xef\xbb\xbf[" A "]", "finding byte_order_mark @0\n" SLICE_A);
	assert_sound("\xef\xbb\xbf {\"traceEvents\":[" A "]}",
		     "finding byte_order_mark @0\n" SLICE_A);
}

static void every_other_key_is_metadata_before_and_behind_the_events(void **state)
{
	(void)state;
	assert_sound(
		"{\"schemaVersion\": 1, \"a\\u0041\": \"x\\n\", \"traceEvents\": [" A "],"
		"\"list\": [1, {\"b\": []}], \"no\": null, \"real\": -1.5e3, \"yes\": true}",
		"metadata schemaVersion: 1\n"
		"metadata a\\u0041: \"x\\n\"\n" SLICE_A
		"metadata list: [1, {\"b\": []}]\n"
		"metadata no: null\n"
		"metadata real: -1.5e3\n"
		"metadata yes: true\n");
}

static void the_events_may_come_in_two_lists(void **state)
{
	(void)state;
	assert_sound("{\"traceEvents\":[" A "],\"traceEvents\":[" B "]}",
		     SLICE_A "finding duplicate_key @68 \"traceEvents\"\n" SLICE_B);
}

static void metadata_that_is_not_json_is_kept_as_a_json_string(void **state)
{
	(void)state;
	assert_flawed("{\"a\": [NaN, \"\t\"], \"b\xff\": 01, \"traceEvents\": [" A
		      "], \"c\": 1}",
		      "metadata a: \"[NaN, \\\"\\u0009\\\"]\"\n"
		      "finding control_character @6\n"
		      "finding not_finite @6\n"
		      "metadata b\xef\xbf\xbd: \"01\"\n"
		      "finding utf8 @24\n"
		      "finding number_syntax @24\n" SLICE_A "metadata c: 1\n",
		      7, "NaN or Infinity in place of a number");
}

static void data_that_no_view_uses_is_told(void **state)
{
	(void)state;
	assert_sound("{\"traceEvents\":[" A "],\"stackFrames\":{\"1\":{\"name\":\"f\"}},"
		     "\"samples\":[1],\"traceAnnotations\":[]}",
		     SLICE_A "finding unused_section @68 \"stackFrames\"\n"
			     "metadata stackFrames: {\"1\":{\"name\":\"f\"}}\n"
			     "finding unused_section @97 \"samples\"\n"
			     "metadata samples: [1]\n"
			     "metadata traceAnnotations: []\n");
}

static void large_metadata_is_passed_over(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;
	struct buf json;

	(void)state;
	buf_init(&json, (size_t)1 << 24);
	buf_add_text(&json, "{\"big\":{\"a]\":[\"\\\"}\"");
	while (json.n < (size_t)3 << 20)
		buf_add_text(&json, ",{\"text\":\"[{\\\\\"}");
	buf_add_text(&json, "]},\"traceEvents\":[" A "]}");
	for (int strict = 0; strict < 2; strict++) {
		recording_init(&r);
		assert_int_equal(
			recording_read(&r, buf_str(&json),
				       &(struct read_options){ .strict = strict }, 0,
				       &err),
			0);
		assert_string_equal(recording_text(&r),
				    "finding metadata_size @7 \"big\"\n" SLICE_A
				    "profile chrome  rules all_slices fudge=0\n");
		recording_release(&r);
	}
	buf_release(&json);
}

/* What `json` says with limits of 12 bytes for a text and 200 for an event. */
static void assert_limited(const char *json, bool strict, const char *expected)
{
	struct limits small = usual_limits;
	const struct read_options options = { .strict = strict, .limits = &small };
	struct recording r;
	struct err err = ERR_INIT;

	small.text_bytes = 12;
	small.event_bytes = 200;
	recording_init(&r);
	int rc = recording_read(&r, str_of(json), &options, 64, &err);
	assert_string_equal(expected, rc < 0 ? err.text : recording_text(&r));
	recording_release(&r);
}

#define NAMED(name) "[{\"ph\":\"X\",\"name\":\"" name "\",\"ts\":1,\"dur\":1}," B "]"
#define FORTY       "........................................"
#define PROFILE     "profile chrome  rules all_slices fudge=0\n"

static void what_is_too_long_is_cut_or_skipped_and_told(void **state)
{
	(void)state;
	assert_limited(NAMED("twelve bytes"), true,
		       "slice thread 0/0 \"twelve bytes\" 1000+1000\n" SLICE_B PROFILE);
	/* not within a character */
	assert_limited(NAMED("eleven byte\u00fc and more"), false,
		       "slice thread 0/0 \"eleven byte\" 1000+1000\n"
		       "finding text_size @1\n" SLICE_B PROFILE);
	assert_limited(NAMED("thirteen byte"), true,
		       "a name or another text is longer than 1 MiB");
	assert_limited(NAMED(FORTY FORTY FORTY FORTY FORTY FORTY FORTY FORTY FORTY),
		       false, "finding event_size @1\n" SLICE_B PROFILE);
	assert_limited(NAMED(FORTY FORTY FORTY FORTY FORTY FORTY FORTY FORTY FORTY), true,
		       "an event is larger than 64 MiB");
}

#define LIST   "{\"traceEvents\":[" A "," /* 53 bytes */
#define KEPT   "metadata kept: 3\n"
#define BEHIND "],\"kept\":3}"

static void a_last_event_that_is_too_large_costs_itself_only(void **state)
{
	(void)state;
	assert_limited(LIST
		       "{\"ph\":\"X\",\"name\":\"" FORTY FORTY FORTY FORTY FORTY FORTY
		       "]}" FORTY "\"}" BEHIND,
		       false, SLICE_A "finding event_size @53\n" KEPT PROFILE);
	assert_limited(
		LIST "{\"ph\":\"X\",\"name\":\"" FORTY FORTY FORTY FORTY FORTY FORTY
		     "]}" FORTY,
		false,
		SLICE_A "finding event_size @53\nfinding truncated @353\n" PROFILE);
}

static void a_last_event_that_is_broken_costs_itself_only(void **state)
{
	(void)state;
	assert_flawed(LIST "{\"ph\":\"X\",\"dur\":}" BEHIND,
		      SLICE_A "finding event_syntax @53\n" KEPT, 69,
		      "a value was expected");
	/* what looks like the list's end stands within a string */
	assert_flawed(LIST "{\"ph\":\"X\",\"name\":\"]}],\\\"k\",\"dur\":} " BEHIND,
		      SLICE_A "finding event_syntax @53\n" KEPT, 86,
		      "a value was expected");
	/* entries that are not read either, and a bracket too many */
	assert_facts(LIST "{\"ph\":}}, xyz, [1}]\n" BEHIND,
		     SLICE_A "finding event_syntax @53\n" KEPT);
	assert_flawed(LIST "xyz" BEHIND, SLICE_A "finding stray_text @53\n" KEPT, 53,
		      "a value was expected");
	assert_flawed(LIST "xyz]}\n", SLICE_A "finding stray_text @53\n", 53,
		      "a value was expected");
	/* nothing of the object is lost with the ']' */
	assert_facts(LIST "{\"ph\":}" BEHIND "}", SLICE_A
		     "finding event_syntax @53\n" KEPT "finding trailing_bytes @71\n");
}

static void an_event_behind_what_looks_like_the_end_is_read(void **state)
{
	(void)state;
	assert_facts(LIST
		     "{\"ph\":\"X\",\"x\":,\"args\":{\"a\":1}}],\"dur\":1}," B BEHIND,
		     SLICE_A "finding event_syntax @53\n" SLICE_B KEPT);
}

static void a_file_cut_within_its_last_event_is_cut(void **state)
{
	(void)state;
	assert_facts(LIST "{\"ph\":,\"args\":{\"a\":[1],\"b\":2",
		     SLICE_A "finding event_syntax @53\nfinding truncated @81\n");
	assert_facts(LIST "{\"ph\":\"X\",\"name\":\"]}]," FORTY,
		     SLICE_A "finding truncated @53\n");
}

static void what_is_no_trace_is_refused_in_one_line(void **state)
{
	(void)state;
	assert_no_trace("", 0, "the file is empty");
	assert_no_trace(" \n\t ", 0, "the file is empty");
	assert_no_trace("\xef\xbb\xbf", 0, "the file is empty");
	assert_no_trace("plain text", 0, "not a JSON trace");
	assert_no_trace("  \"text\"", 2, "not a JSON trace");
	assert_no_trace("12", 0, "not a JSON trace");
	assert_no_trace("{}", 0, "not a trace: the JSON object has no traceEvents");
	assert_no_trace(
		"{\"nodes\": [{\"id\": 1}]}", 0,
		"not a trace: the JSON object has no traceEvents (its keys: nodes)");
	assert_no_trace("{\"traceEvents\": {}}", 0, "traceEvents is not an array");
	assert_no_trace("[]", 0, "not a trace: the JSON array has no events");
	assert_no_trace("[ ]\n", 0, "not a trace: the JSON array has no events");
	assert_error("[1, 2, [3]]", false, 0,
		     "not a trace: the JSON array has no "
		     "events");
	assert_error("[1, 2, [3]]", true, 1,
		     "an entry of the event list is not an event");
}

static void a_file_cut_within_its_first_event_is_refused(void **state)
{
	(void)state;
	assert_error("[{\"ph\":\"X\",\"na", false, 0,
		     "the file ends inside its first event");
	assert_error("{\"a\":1,\"traceEv", false, 0,
		     "the file ends inside its first event");
	assert_facts("{\"traceEvents\":[{\"ph", "finding truncated @16\n");
}

static void gzip_is_undone_and_its_damage_told(void **state)
{
	/* "[" A "]" through gzip -9n */
	static const unsigned char gz[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x8b,
		0xae, 0x56, 0x2a, 0xc8, 0x50, 0xb2, 0x52, 0x8a, 0x50, 0xd2, 0x51,
		0xca, 0x4b, 0xcc, 0x4d, 0x05, 0x32, 0x13, 0x81, 0xcc, 0x92, 0x62,
		0x25, 0x2b, 0x43, 0x1d, 0xa5, 0x94, 0xd2, 0x22, 0x20, 0x5d, 0x1b,
		0x0b, 0x00, 0x1f, 0x60, 0xd7, 0x4e, 0x26, 0x00, 0x00, 0x00,
	};
	struct recording r;
	struct err err = ERR_INIT;
	struct read_options options = { .strict = false };

	(void)state;
	recording_init(&r);
	assert_int_equal(recording_read(&r, (struct str){ (const char *)gz, sizeof(gz) },
					&options, 0, &err),
			 0);
	assert_string_equal(recording_text(&r),
			    SLICE_A "profile chrome  rules all_slices fudge=0\n");
	recording_release(&r);
	recording_init(&r);
	assert_int_equal(recording_read(&r,
					(struct str){ (const char *)gz, sizeof(gz) - 4 },
					&options, 0, &err),
			 0);
	assert_string_equal(recording_text(&r),
			    SLICE_A "finding compression @38\n"
				    "profile chrome  rules all_slices fudge=0\n");
	recording_release(&r);
	recording_init(&r);
	assert_int_equal(recording_read(&r, (struct str){ (const char *)gz, 12 },
					&options, 0, &err),
			 -1);
	assert_string_equal(err.text, "gzip stream ends early");
	recording_release(&r);
}

/* The ASCII text in UTF-16 at `to`. */
static struct str in_utf16(const char *text, bool is_big, char *to)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		to[2 * i + is_big] = text[i];
		to[2 * i + !is_big] = 0;
	}
	return (struct str){ to, 2 * n };
}

static void utf_16_is_read_and_told_and_strictly_refused(void **state)
{
	static const char text[] = " [" A "," B "]";
	struct read_options tolerant = { .strict = false }, strict = { .strict = true };
	char wide[2 * sizeof(text)];

	(void)state;
	for (int is_big = 0; is_big <= 1; is_big++) {
		struct recording r;
		struct err err = ERR_INIT;
		struct str json = in_utf16(text, is_big, wide);
		assert_lines(json, &tolerant, false,
			     "finding utf16 @0\n" SLICE_A SLICE_B);
		recording_init(&r);
		assert_int_equal(recording_read(&r, json, &strict, 0, &err), -1);
		assert_string_equal(err.text, "the text is UTF-16");
		assert_int_equal(err.offset, 0);
		recording_release(&r);
	}
}

static void the_object_form_wants_its_end(void **state)
{
	(void)state;
	assert_flawed("{\"traceEvents\":[" A "," B "]",
		      SLICE_A SLICE_B "finding truncated @90\n", 90,
		      "the file is cut off");
	assert_flawed("{\"traceEvents\":[" A, SLICE_A "finding truncated @52\n", 52,
		      "the file is cut off");
	assert_flawed("{\"traceEvents\":[" A "],\"k\":[1",
		      SLICE_A "finding truncated @58\n", 58, "the file is cut off");
}

static void half_an_event_is_told_in_both_shapes(void **state)
{
	(void)state;
	assert_flawed("[" A ",{\"ph\":\"X\",\"na", SLICE_A "finding truncated @38\n", 38,
		      "the file is cut off");
	assert_flawed("{\"traceEvents\":[" A ",{\"ph\":\"X\",\"na",
		      SLICE_A "finding truncated @53\n", 53, "the file is cut off");
	/* objects in its args are no events */
	assert_flawed("[" A
		      ",{\"ph\":\"X\",\"args\":{\"l\":[{\"name\":1},{\"name\":2},{\"na",
		      SLICE_A "finding truncated @38\n", 38, "the file is cut off");
}

static void a_broken_event_costs_itself_only(void **state)
{
	(void)state;
	assert_flawed("[{\"ph\":\"X\",\"name\":,\"ts\":1}," A "]",
		      "finding event_syntax @1\n" SLICE_A, 18, "a value was expected");
	assert_flawed("[" A ",{\"ph\":\"X\",\"args\":{\"a\":1],\"ts\":1}," B "]",
		      SLICE_A "finding event_syntax @38\n" SLICE_B, 61,
		      "',' or '}' was expected");
	assert_flawed(
		"[{\"ph\":\"X\",\"args\":{\"a\":[1,2},\"ts\":1},\n  {\n\"ph\":\"X\",\"name\":"
		"\"a\",\"ts\":1,\"dur\":1}]",
		"finding event_syntax @1\n" SLICE_A, 27, "',' or ']' was expected");
}

static void an_event_that_swallows_the_next_ones_costs_itself_only(void **state)
{
	(void)state;
	/* the ] and both } are lost */
	assert_flawed(
		"[{\"ph\":\"X\",\"args\":{\"a\":[1,\n" A ",\n" B "]",
		"finding event_syntax @1\n" SLICE_A SLICE_B, 1,
		"an event or another entry is not valid JSON, or is nested too deep");
}

static void unescaped_quotes_in_a_name_are_kept(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"X\",\"name\":\"{\"device\": \"cpu\"}\",\"ts\":1,\"dur\":1}]",
		"slice thread 0/0 \"{\\x22device\\x22: \\x22cpu\\x22}\" 1000+1000\n"
		"finding name_repaired @1\n",
		21, "',' or '}' was expected");
}

static void flaws_are_kept_and_told_for_each_event(void **state)
{
	(void)state;
	assert_flawed(
		"[{\"ph\":\"i\",\"ts\":1,\"name\":\"C:\\path\"},{\"ph\":\"i\",\"ts\":2,"
		"\"name\":\"a\nb\"},{\"ph\":\"i\",\"ts\":3,\"name\":\"\xff\"},"
		"{\"ph\":\"i\",\"ts\":04,\"name\":\"d\"},"
		"{\"ph\":\"i\",\"ts\":5,\"name\":\"e\",\"args\":{\"v\":NaN}},"
		"{\"ph\":\"i\",\"ts\":6,\"name\":\"\\ud83d\"}]",
		"slice thread 0/0 \"C:\\x5cpath\" 1000+0 instant\n"
		"finding escape @1\n"
		"slice thread 0/0 \"a\\x0ab\" 2000+0 instant\n"
		"finding control_character @36\n"
		"slice thread 0/0 \"\xef\xbf\xbd\" 3000+0 instant\n"
		"finding utf8 @67\n"
		"slice thread 0/0 \"d\" 4000+0 instant\n"
		"finding number_syntax @96\n"
		"slice thread 0/0 \"e\" 5000+0 instant\n"
		"finding not_finite @126\n"
		"slice thread 0/0 \"\xef\xbf\xbd\" 6000+0 instant\n"
		"finding escape @172\n",
		28, "a string contains an invalid escape");
}

static void entries_that_are_no_events_are_told(void **state)
{
	(void)state;
	assert_flawed("[null," A ",[1,{}],\"x\",12,true,NaN]",
		      "finding event_not_object @1\n" SLICE_A
		      "finding event_not_object @43\n"
		      "finding event_not_object @50\n"
		      "finding event_not_object @54\n"
		      "finding event_not_object @57\n"
		      "finding event_not_object @62\n",
		      1, "an entry of the event list is not an event");
}

static void commas_too_many_and_too_few_are_told(void **state)
{
	(void)state;
	assert_flawed("[" A "," B ",]", SLICE_A SLICE_B "finding extra_comma @75\n", 75,
		      "a comma has nothing after it");
	assert_flawed("[" A ",," B "]", SLICE_A "finding extra_comma @38\n" SLICE_B, 38,
		      "a comma has nothing after it");
	assert_flawed("[," A "]", "finding extra_comma @1\n" SLICE_A, 1,
		      "a comma has nothing after it");
	assert_flawed("[" A B "]", SLICE_A "finding missing_comma @37\n" SLICE_B, 37,
		      "two entries have no comma between them");
}

static void the_object_goes_on_behind_what_is_wrong_in_it(void **state)
{
	(void)state;
	assert_flawed("{\"a\":1,\"traceEvents\":[" A "],}",
		      "metadata a: 1\n" SLICE_A "finding extra_comma @59\n", 60,
		      "a key was expected");
	assert_flawed("{\"a\":1,,\"traceEvents\":[" A "]}",
		      "metadata a: 1\nfinding extra_comma @6\n" SLICE_A, 7,
		      "a key was expected");
	assert_flawed("{\"a\":1 \"traceEvents\":[" A "]}",
		      "metadata a: 1\nfinding missing_comma @6\n" SLICE_A, 7,
		      "',' or '}' was expected");
	assert_flawed("{oops:[1,}],\"traceEvents\":[" A "]}",
		      "finding bare_key @1\nfinding event_syntax @6 \"oops\"\n"
		      "finding stray_text @10\n" SLICE_A,
		      1, "a key was expected");
	assert_flawed("{\"a\":[1,{\"b\":}],\"traceEvents\":[" A "]}",
		      "finding event_syntax @5 \"a\"\n" SLICE_A, 13,
		      "a value was expected");
	assert_flawed("{\"traceEvents\":[" A "]],\"b\":2}",
		      SLICE_A "finding stray_text @53\nmetadata b: 2\n", 53,
		      "',' or '}' was expected");
}

static void bytes_behind_the_end_are_told(void **state)
{
	(void)state;
	assert_flawed("[" A "] {}",
		      SLICE_A
		      "finding trailing_bytes @39 \"a second JSON text follows, which "
		      "was not read\"\n",
		      39, "something follows the end of the trace");
	assert_flawed("{\"traceEvents\":[" A "]}}",
		      SLICE_A "finding trailing_bytes @54\n", 54,
		      "something follows the end of the trace");
}

static void an_event_of_many_megabytes_is_read(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;
	struct buf json;

	(void)state;
	buf_init(&json, (size_t)1 << 24);
	buf_add_text(&json, "[" A ",{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"args\":{\"k\":\"");
	while (json.n < (size_t)5 << 20)
		buf_add_text(&json, "0123456789abcdef");
	buf_add_text(&json, "\"},\"name\":\"b\"}]");
	recording_init(&r);
	assert_int_equal(recording_read(&r, buf_str(&json),
					&(struct read_options){ .strict = true }, 0,
					&err),
			 0);
	assert_string_equal(recording_text(&r),
			    SLICE_A SLICE_B "profile chrome  rules all_slices fudge=0\n");
	recording_release(&r);
	buf_release(&json);
}

static void blanks_may_be_longer_than_a_window(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;
	struct buf json;

	(void)state;
	buf_init(&json, (size_t)1 << 24);
	for (int i = 0; i < 3; i++) {
		for (size_t end = json.n + (3 << 20); json.n < end;)
			buf_add_text(&json, "                \n");
		buf_add_text(&json, i == 0 ? "[" : i == 1 ? A : "]x");
	}
	recording_init(&r);
	assert_int_equal(recording_read(&r, buf_str(&json),
					&(struct read_options){ .strict = false }, 0,
					&err),
			 0);
	assert_int_equal(r.nslices, 1);
	assert_int_equal(r.nfindings, 1);
	assert_true(r.nticks > 8);
	recording_release(&r);
	buf_release(&json);
}

static void a_sink_that_fails_stops_the_reader(void **state)
{
	struct recording r;
	struct err err = ERR_INIT;

	(void)state;
	recording_init(&r);
	r.fail_after = 1;
	assert_int_equal(recording_read(&r, STR_LIT("[" A "," B "," A "]"),
					&(struct read_options){ .strict = false }, 0,
					&err),
			 -1);
	assert_string_equal(err.text, "the sink is full");
	assert_string_equal(recording_text(&r), SLICE_A);
	recording_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_of_events_is_a_trace),
		cmocka_unit_test(the_bracket_behind_an_array_may_be_missing),
		cmocka_unit_test(an_object_with_traceEvents_is_a_trace),
		cmocka_unit_test(a_byte_order_mark_is_passed_over_and_told),
		cmocka_unit_test(utf_16_is_read_and_told_and_strictly_refused),
		cmocka_unit_test(
			every_other_key_is_metadata_before_and_behind_the_events),
		cmocka_unit_test(the_events_may_come_in_two_lists),
		cmocka_unit_test(metadata_that_is_not_json_is_kept_as_a_json_string),
		cmocka_unit_test(data_that_no_view_uses_is_told),
		cmocka_unit_test(large_metadata_is_passed_over),
		cmocka_unit_test(what_is_too_long_is_cut_or_skipped_and_told),
		cmocka_unit_test(a_last_event_that_is_too_large_costs_itself_only),
		cmocka_unit_test(a_last_event_that_is_broken_costs_itself_only),
		cmocka_unit_test(an_event_behind_what_looks_like_the_end_is_read),
		cmocka_unit_test(a_file_cut_within_its_last_event_is_cut),
		cmocka_unit_test(what_is_no_trace_is_refused_in_one_line),
		cmocka_unit_test(a_file_cut_within_its_first_event_is_refused),
		cmocka_unit_test(gzip_is_undone_and_its_damage_told),
		cmocka_unit_test(the_object_form_wants_its_end),
		cmocka_unit_test(half_an_event_is_told_in_both_shapes),
		cmocka_unit_test(a_broken_event_costs_itself_only),
		cmocka_unit_test(an_event_that_swallows_the_next_ones_costs_itself_only),
		cmocka_unit_test(unescaped_quotes_in_a_name_are_kept),
		cmocka_unit_test(flaws_are_kept_and_told_for_each_event),
		cmocka_unit_test(entries_that_are_no_events_are_told),
		cmocka_unit_test(commas_too_many_and_too_few_are_told),
		cmocka_unit_test(the_object_goes_on_behind_what_is_wrong_in_it),
		cmocka_unit_test(bytes_behind_the_end_are_told),
		cmocka_unit_test(an_event_of_many_megabytes_is_read),
		cmocka_unit_test(blanks_may_be_longer_than_a_window),
		cmocka_unit_test(a_sink_that_fails_stops_the_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
