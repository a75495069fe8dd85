/* The text of JSON strings (ingest/json_text.c): escapes undone, and text quoted again. */
#include "reading.h"

#include "ingest/json.h"

static void assert_unescaped(const char *text, const char *expected)
{
	struct buf into;

	buf_init(&into, 1 << 20);
	struct str plain = json_unescape(str_of(text), &into);
	assert_int_equal(plain.n, strlen(expected));
	assert_memory_equal(plain.p, expected, plain.n);
	assert_null(json_bad_utf8(plain));
	buf_release(&into);
}

static void text_without_escapes_is_borrowed(void **state)
{
	struct str text = STR_LIT("aten::mm \xe8\xae\xad");
	struct buf into;

	(void)state;
	buf_init(&into, 100);
	assert_ptr_equal(json_unescape(text, &into).p, text.p);
	assert_int_equal(json_unescape(STR_LIT(""), &into).n, 0);
	buf_release(&into);
}

static void every_escape_of_the_rfc_is_undone(void **state)
{
	(void)state;
	assert_unescaped("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t");
	assert_unescaped("\\u0041\\u00e9\\u00E9", "A\xc3\xa9\xc3\xa9");
	assert_unescaped("\\u8bad\\uffff", "\xe8\xae\xad\xef\xbf\xbf");
	assert_unescaped("a\\\\nb", "a\\nb");
}

static void a_pair_of_surrogates_is_one_character(void **state)
{
	(void)state;
	assert_unescaped("go \\ud83d\\ude80!", "go \xf0\x9f\x9a\x80!");
	assert_unescaped("\\uD800\\uDC00", "\xf0\x90\x80\x80");
	assert_unescaped("\\udbff\\udfff", "\xf4\x8f\xbf\xbf");
}

static void half_a_pair_becomes_fffd(void **state)
{
	(void)state;
	assert_unescaped("\\ud83d", "\xef\xbf\xbd");
	assert_unescaped("\\ude80x", "\xef\xbf\xbdx");
	assert_unescaped("\\ud83d\\u0041", "\xef\xbf\xbd"
					   "A");
	assert_unescaped("\\ud83d\\ud83d\\ude80", "\xef\xbf\xbd\xf0\x9f\x9a\x80");
}

static void an_unknown_escape_keeps_its_characters(void **state)
{
	(void)state;
	assert_unescaped("C:\\path\\q", "C:\\path\\q");
	assert_unescaped("\\u12", "\\u12");
	assert_unescaped("\\u12G4", "\\u12G4");
	assert_unescaped("\\U0001", "\\U0001");
	assert_unescaped("end\\", "end\\");
}

static void each_invalid_byte_becomes_fffd(void **state)
{
	(void)state;
	assert_unescaped("caf\xe9", "caf\xef\xbf\xbd");
	assert_unescaped("\xe8\xae|", "\xef\xbf\xbd\xef\xbf\xbd|");
	assert_unescaped("\xff\\n", "\xef\xbf\xbd\n");
}

static void the_first_bad_byte_and_escape_are_found(void **state)
{
	struct str text = STR_LIT("ok \xc3\xa9 \xc3 \xff");
	struct str escapes = STR_LIT("\\n\\\\q\\u0041\\ud83d\\ude80 \\q\\z");

	(void)state;
	assert_int_equal(json_bad_utf8(text) - text.p, 6);
	assert_null(json_bad_utf8(STR_LIT("")));
	assert_int_equal(json_bad_escape(escapes) - escapes.p, 24);
	assert_null(json_bad_escape(STR_LIT("no escape")));
	assert_int_equal(*json_bad_escape(STR_LIT("ab\\")), '\\');
}

static void assert_quoted(struct str text, const char *expected)
{
	struct buf out;

	buf_init(&out, 1000);
	json_quote(text, &out);
	assert_string_equal(out.p, expected);
	buf_release(&out);
}

static void any_text_can_be_quoted(void **state)
{
	(void)state;
	assert_quoted(STR_LIT(""), "\"\"");
	assert_quoted(STR_LIT("{\"a\": \"\\\"}"), "\"{\\\"a\\\": \\\"\\\\\\\"}\"");
	assert_quoted(STR_LIT("a\nb\0c\x1f"), "\"a\\u000ab\\u0000c\\u001f\"");
	assert_quoted(STR_LIT("\xc3\xa9\xff"), "\"\xc3\xa9\xef\xbf\xbd\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_without_escapes_is_borrowed),
		cmocka_unit_test(every_escape_of_the_rfc_is_undone),
		cmocka_unit_test(a_pair_of_surrogates_is_one_character),
		cmocka_unit_test(half_a_pair_becomes_fffd),
		cmocka_unit_test(an_unknown_escape_keeps_its_characters),
		cmocka_unit_test(each_invalid_byte_becomes_fffd),
		cmocka_unit_test(the_first_bad_byte_and_escape_are_found),
		cmocka_unit_test(any_text_can_be_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
