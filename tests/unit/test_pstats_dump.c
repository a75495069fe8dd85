/* Profile dumps (ingest/pstats_dump.c): what is told of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "recording_sink.h"

/* Pieces of marshal, version 4. */
#define KEY(file, line, name) ")\x03" file "i" line "\0\0\0" name
#define A       \
	"z\x01" \
	"a"
#define F       \
	"z\x01" \
	"f"
#define G       \
	"z\x01" \
	"g"
#define INT(n)              "i" n "\0\0\0"
#define HALF                "g\0\0\0\0\0\0\xe0\x3f"
#define ONE                 "g\0\0\0\0\0\0\xf0\x3f"
#define VALUE(cc, nc, rest) ")\x05" INT(cc) INT(nc) HALF ONE "{" rest "0"
#define CALL(nc, cc)        ")\x04" INT(nc) INT(cc) HALF ONE
#define KEY_F               KEY(A, "\x07", F)
#define KEY_G               KEY(A, "\x09", G)
#define RULES               " rules all_slices fudge=0\n"
#define LITERAL(text)       ((struct str){ text, sizeof(text) - 1 })

static void assert_told(struct str dump, const char *expected)
{
	struct read_options options = { .strict = false };
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	assert_string_equal(
		reader_detect((struct bytes){ (const uint8_t *)dump.p, dump.n })->name,
		"pstats");
	if (recording_read_as(&r, reader_find("pstats"), dump, &options, &err) < 0)
		fail_msg("refused at byte %lld: %s", (long long)err.offset, err.text);
	assert_string_equal(expected, recording_text(&r));
	assert_false(r.is_ill);
	recording_release(&r);
}

static void assert_refused(struct str dump, bool strict, int64_t offset, const char *said)
{
	struct read_options options = { .strict = strict };
	struct recording r;
	struct err err = ERR_INIT;

	recording_init(&r);
	assert_int_equal(
		-1, recording_read_as(&r, reader_find("pstats"), dump, &options, &err));
	assert_string_equal(said, err.text);
	assert_int_equal(offset, err.offset);
	assert_int_equal(ERR_INPUT, err.kind);
	assert_false(r.is_ill);
	recording_release(&r);
}

/* A function's primitive calls come first, a caller's second. */
static void counts_of_a_function_and_of_a_caller_stand_in_another_order(void **state)
{
	(void)state;
	assert_told(
		LITERAL("{" KEY_F VALUE("\x02", "\x05", KEY_G CALL("\x04", "\x01")) "0"),
		"function \"a\":7 \"f\" calls=5/2 self=0.5 total=1\n"
		"call from \"a\":9 \"g\" calls=4/1 self=0.5 total=1\n"
		"profile pstats cprofile" RULES);
}

static void profile_counts_the_calls_alone(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F VALUE("\x02", "\x02", KEY_G INT("\x02")) "0"),
		    "function \"a\":7 \"f\" calls=2/2 self=0.5 total=1\n"
		    "call from \"a\":9 \"g\" calls=2\n"
		    "profile pstats profile" RULES);
}

static void one_caller_may_have_both_forms(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F VALUE("\x02", "\x02",
					    KEY_G CALL("\x01", "\x01")
						    KEY_F INT("\x02")) "0"),
		    "function \"a\":7 \"f\" calls=2/2 self=0.5 total=1\n"
		    "call from \"a\":9 \"g\" calls=1/1 self=0.5 total=1\n"
		    "call from \"a\":7 \"f\" calls=2\n"
		    "profile pstats cprofile" RULES);
}

static void fours_that_python_2_6_concatenated_are_added(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F VALUE("\x02", "\x02",
					    KEY_G ")\x08" INT("\x01") INT("\x01")
						    HALF ONE INT("\x03") INT("\x02")
							    ONE ONE) "0"),
		    "function \"a\":7 \"f\" calls=2/2 self=0.5 total=1\n"
		    "finding callers_concatenated @58\n"
		    "call from \"a\":9 \"g\" calls=4/3 self=1.5 total=2\n"
		    "profile pstats cprofile" RULES);
}

static void more_time_in_itself_than_in_all_tells_of_threads(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F ")\x05" INT("\x02") INT("\x05") ONE HALF
			    "{" KEY_G CALL("\x04", "\x01") "00"),
		    "function \"a\":7 \"f\" calls=5/2 self=1 total=0.5\n"
		    "call from \"a\":9 \"g\" calls=4/1 self=0.5 total=1\n"
		    "finding threads_mixed @1\n"
		    "profile pstats cprofile" RULES);
	/* the bias of profile.Profile, which has no stack of C */
	assert_told(LITERAL("{" KEY_F ")\x05" INT("\x02") INT("\x05") ONE HALF
			    "{" KEY_G INT("\x02") "00"),
		    "function \"a\":7 \"f\" calls=5/2 self=1 total=0.5\n"
		    "call from \"a\":9 \"g\" calls=2\n"
		    "profile pstats profile" RULES);
}

static void producers_whose_counts_mislead_are_told(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F VALUE("\x05", "\x01", "") "0"),
		    "function \"a\":7 \"f\" calls=5/1 self=0.5 total=1\n"
		    "finding counts_swapped @0\n"
		    "profile pstats yappi" RULES);
	assert_told(LITERAL("{" KEY_F ")\x05"
			    "i\xff\xff\xff\xffi\xff\xff\xff\xff" HALF ONE "{0"
			    "0"),
		    "function \"a\":7 \"f\" calls=-1/-1 self=0.5 total=1\n"
		    "finding counts_missing @0\n"
		    "profile pstats pyinstrument" RULES);
	assert_told(LITERAL("{)\x01z\x0b__sampled__T" KEY_F VALUE("\x02", "\x05",
								  KEY_G INT("\x04")) "0"),
		    "function \"a\":7 \"f\" calls=5/2 self=0.5 total=1\n"
		    "call from \"a\":9 \"g\" calls=4\n"
		    "finding counts_are_samples @0\n"
		    "profile pstats sampling" RULES);
}

static void a_shared_key_is_one_function(void **state)
{
	(void)state;
	assert_told(LITERAL("{\xa9\x03" A "i\x07\0\0\0" F VALUE(
			    "\x01", "\x01", "r\0\0\0\0" INT("\x01")) "0"),
		    "function \"a\":7 \"f\" calls=1/1 self=0.5 total=1\n"
		    "call from \"a\":7 \"f\" calls=1\n"
		    "profile pstats profile" RULES);
}

/* `python -m profile` has the script itself as a function's name. */
static void a_code_object_is_a_name_without_address(void **state)
{
	(void)state;
	assert_told(
		LITERAL("{)\x03z\x07profilei\0\0\0\0c"
			"\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0"
			"s\0\0\0\0)\0)\0)\0s\0\0\0\0z\x04w.pyz\x08<module>z\x08<module>\x01\0\0\0s\0\0\0\0s\0\0\0\0" VALUE(
				"\x01", "\x01", "") "0"),
		"function \"profile\":0 \"<code object <module>, file \\x22w.py\\x22, line 1>\" "
		"calls=1/1 self=0.5 total=1\n"
		"profile pstats profile" RULES);
}

static void counts_beyond_64_bits_keep_their_digits(void **state)
{
	(void)state;
	assert_told(
		LITERAL("{" KEY_F ")\x05l\x05\0\0\0\0\0\0\0\0\0\0\0\x08\0" INT("\x01")
				HALF ONE "{0"
					 "0"),
		"finding count_range @16\n"
		"function \"a\":7 \"f\" calls=9223372036854775808/1 self=0.5 total=1\n"
		"finding counts_swapped @0\n"
		"profile pstats yappi" RULES);
}

static void what_follows_the_dict_is_told(void **state)
{
	(void)state;
	assert_told(LITERAL("{" KEY_F VALUE("\x01", "\x01", "") "0more"),
		    "function \"a\":7 \"f\" calls=1/1 self=0.5 total=1\n"
		    "finding trailing_bytes @47\n"
		    "profile pstats cprofile" RULES);
}

static void wrong_shapes_name_the_entry(void **state)
{
	(void)state;
	assert_refused(LITERAL("{0"), false, 0,
		       "the profile holds no functions: was the profiler ever enabled?");
	assert_refused(LITERAL("[\0\0\0\0"), false, 0,
		       "not a profile: the file holds a list, and a dict is expected");
	assert_refused(LITERAL("{" F VALUE("\x01", "\x01", "") "0"), false, 1,
		       "a key is a string; (file, line, name) is expected");
	assert_refused(
		LITERAL("{" KEY_F ")\x01N"
			"0"),
		false, 14,
		"the value of a:7(f) is a tuple of another shape; (primitive calls, calls, "
		"self, total, callers) is expected");
	assert_refused(LITERAL("{" KEY_F ")\x05NN" HALF ONE "{0"
			       "0"),
		       false, 17, "the count of calls of a:7(f) is None, not a number");
	assert_refused(LITERAL("{" KEY_F ")\x05" INT("\x01") INT("\x01") HALF ONE "N"
										  "0"),
		       false, 44, "the callers of a:7(f) are None, not a dict");
	assert_refused(
		LITERAL("{" KEY_F VALUE("\x01", "\x01", KEY_G F) "0"), false, 58,
		"a caller of a:7(f) has a string; a count or (calls, primitive calls, self, "
		"total) is expected");
}

static void a_copy_in_text_mode_is_guessed(void **state)
{
	(void)state;
	assert_refused(LITERAL("{" KEY(A, "\r\n", F) "\r\n\r\n"), false, 11,
		       "unknown type code 0x00; was the file copied in text mode?");
}

static void strict_mode_wants_no_warning(void **state)
{
	(void)state;
	assert_refused(LITERAL("{" KEY_F VALUE("\x01", "\x01", "") "0more"), true, 47,
		       "something follows the end of the trace");
}

/* A dump in the making of a terminal, of JSON, of nothing. */
static void other_bytes_are_no_dump(void **state)
{
	static const char *const texts[] = { "{\"a\": 1}",
					     "{ }",
					     "{}",
					     "{'a': 1}",
					     "{traceEvents: []}",
					     "[1, 2]",
					     "[]",
					     "",
					     "int main(void)",
					     "case",
					     "(see below)",
					     "<html>",
					     "0\n",
					     "None" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct bytes head = { (const uint8_t *)texts[i], strlen(texts[i]) };
		const struct reader *reader = reader_detect(head);
		if (reader && strcmp(reader->name, "pstats") == 0)
			fail_msg("taken for a dump: %s", texts[i]);
	}
	/* JSON in which NULs stand */
	const struct bytes nuls = { (const uint8_t *)"[\0\0\0\0\0{\"ph\":1}]", 16 };
	const struct bytes more = { (const uint8_t *)"{\n\0\0\0\0\"a\":1}", 12 };
	assert_string_equal("chrome", reader_detect(nuls)->name);
	assert_string_equal("chrome", reader_detect(more)->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			counts_of_a_function_and_of_a_caller_stand_in_another_order),
		cmocka_unit_test(profile_counts_the_calls_alone),
		cmocka_unit_test(one_caller_may_have_both_forms),
		cmocka_unit_test(fours_that_python_2_6_concatenated_are_added),
		cmocka_unit_test(more_time_in_itself_than_in_all_tells_of_threads),
		cmocka_unit_test(producers_whose_counts_mislead_are_told),
		cmocka_unit_test(a_shared_key_is_one_function),
		cmocka_unit_test(a_code_object_is_a_name_without_address),
		cmocka_unit_test(counts_beyond_64_bits_keep_their_digits),
		cmocka_unit_test(what_follows_the_dict_is_told),
		cmocka_unit_test(wrong_shapes_name_the_entry),
		cmocka_unit_test(a_copy_in_text_mode_is_guessed),
		cmocka_unit_test(strict_mode_wants_no_warning),
		cmocka_unit_test(other_bytes_are_no_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
