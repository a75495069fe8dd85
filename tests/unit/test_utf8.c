/* UTF-8 for drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void assert_decodes(struct str text, size_t len, uint32_t expected)
{
	uint32_t code = 0;

	assert_int_equal(len, utf8_decode(text, &code));
	assert_int_equal(expected, code);
}

static void assert_visible(const char *expected, struct str text)
{
	struct buf out;

	buf_init(&out, 1000);
	utf8_add_visible(&out, text);
	assert_string_equal(expected, buf_str(&out).p);
	buf_release(&out);
}

static void assert_shortened(const char *expected, const char *text, size_t cells)
{
	struct buf out;

	buf_init(&out, 1000);
	utf8_add_shortened(&out, str_of(text), cells);
	assert_string_equal(expected, buf_str(&out).p);
	assert_true(utf8_width(buf_str(&out)) <= cells);
	buf_release(&out);
}

static void well_formed_sequences_decode(void **state)
{
	(void)state;
	assert_decodes(STR_LIT("a"), 1, 'a');
	assert_decodes(STR_LIT("\xc3\xa9"), 2, 0xe9);
	assert_decodes(STR_LIT("\xe2\x80\xa6"), 3, 0x2026);
	assert_decodes(STR_LIT("\xf0\x9f\x94\xa5"), 4, 0x1f525);
	assert_decodes(STR_LIT("\xf4\x8f\xbf\xbf"), 4, 0x10ffff);
	assert_decodes(STR_LIT("\0"), 1, 0);
	assert_decodes(STR_LIT(""), 0, UTF8_INVALID);
}

static void each_ill_formed_byte_is_one_invalid_character(void **state)
{
	(void)state;
	assert_decodes(STR_LIT("\x80"), 1, UTF8_INVALID);
	assert_decodes(STR_LIT("\xff\xff"), 1, UTF8_INVALID);
	assert_decodes(STR_LIT("\xc0\xaf"), 1, UTF8_INVALID);         /* overlong '/' */
	assert_decodes(STR_LIT("\xe0\x80\xaf"), 1, UTF8_INVALID);     /* overlong '/' */
	assert_decodes(STR_LIT("\xf0\x80\x80\xaf"), 1, UTF8_INVALID); /* overlong '/' */
	assert_decodes(STR_LIT("\xed\xa0\x80"), 1, UTF8_INVALID);     /* a surrogate */
	assert_decodes(STR_LIT("\xf4\x90\x80\x80"), 1, UTF8_INVALID); /* U+110000 */
	assert_decodes(STR_LIT("\xe2\x80"), 1, UTF8_INVALID);         /* cut */
	assert_decodes(STR_LIT("\xe2(\xa6"), 1, UTF8_INVALID);
}

static void width_counts_terminal_cells(void **state)
{
	(void)state;
	assert_int_equal(0, utf8_width(STR_LIT("")));
	assert_int_equal(8, utf8_width(STR_LIT("aten::mm")));
	assert_int_equal(5, utf8_width(STR_LIT("\xc3\xa9tape")));
	assert_int_equal(5, utf8_width(STR_LIT("e\xcc\x81tape"))); /* combining acute */
	assert_int_equal(4, utf8_width(STR_LIT("训练")));
	assert_int_equal(2, utf8_width(STR_LIT("한")));
	assert_int_equal(2, utf8_width(STR_LIT("\xf0\x9f\x94\xa5")));
	assert_int_equal(3, utf8_width(STR_LIT("a\xff\xfe")));
	assert_int_equal(2, utf8_width(str_of("\u26a1")));
	assert_int_equal(1, utf8_width(str_of("\u26a0")));
	assert_int_equal(2, utf8_width(str_of("\U0001f7e2")));
	assert_int_equal(1, utf8_width(str_of("\u0e01\u0e34\u0e48"))); /* Thai */
	assert_int_equal(1, utf8_width(str_of("\u0915\u094d")));       /* Hindi */
}

static void controls_become_visible(void **state)
{
	(void)state;
	assert_visible("", STR_LIT(""));
	assert_visible("aten::mm <训练>", STR_LIT("aten::mm <训练>"));
	assert_visible("a\\nb\\tc\\rd", STR_LIT("a\nb\tc\rd"));
	assert_visible("\\x1b[2J\\x00\\x7f", STR_LIT("\x1b[2J\0\x7f"));
	assert_visible("\\x9b31m", STR_LIT("\x9b"
					   "31m"));
	assert_visible("\\u009b\\u2028", STR_LIT("\xc2\x9b\xe2\x80\xa8"));
	assert_visible("\\u202eexe\\u2066", STR_LIT("\xe2\x80\xae"
						    "exe\xe2\x81\xa6"));
}

static void what_nobody_would_see_becomes_visible(void **state)
{
	(void)state;
	assert_visible("a\\u200bb\\u00adc\\ufeff", str_of("a\u200bb\u00adc\ufeff"));
	assert_visible("\\U000e0041\\ufe0f\\u3164", str_of("\U000e0041\ufe0f\u3164"));
	assert_visible("a\\u00a0b c", str_of("a\u00a0b c"));
	assert_visible("\\uffff\\U0001fffe", str_of("\uffff\U0001fffe"));
}

static void a_letter_keeps_two_marks(void **state)
{
	(void)state;
	assert_visible("e\u0301 \u0915\u094d\u0937",
		       str_of("e\u0301 \u0915\u094d\u0937"));
	assert_visible("e\u0323\u0302", str_of("e\u0323\u0302"));
	assert_visible("Z\u0301\u0302\\u0303\\u0304b\u0301",
		       str_of("Z\u0301\u0302\u0303\u0304b\u0301"));
	assert_visible("\\u0301a.\\u0301", str_of("\u0301a.\u0301"));
	assert_visible("\\u200b\\u0301", str_of("\u200b\u0301"));
}

static void assert_valid(const char *want, struct str text, size_t room)
{
	struct buf out;

	buf_init(&out, room);
	assert_int_equal(utf8_add_valid(&out, text), room == SIZE_MAX);
	assert_string_equal(out.p ? out.p : "", want);
	buf_release(&out);
}

static void what_is_no_utf8_is_replaced(void **state)
{
	(void)state;
	assert_valid("", STR_LIT(""), SIZE_MAX);
	assert_valid("aten::mm \u4e16 \x1b[m", STR_LIT("aten::mm \u4e16 \x1b[m"),
		     SIZE_MAX);
	assert_valid("a\ufffdb\ufffd\ufffd\ufffd\ufffd",
		     STR_LIT("a\xff"
			     "b\xed\xa0\x80\xe2"),
		     SIZE_MAX);
	assert_valid("aten:", STR_LIT("aten::mm"), 5);
	assert_valid("ab", STR_LIT("ab\xff"), 4);
}

/* All of a text is not looked at again for each character that has room: that takes hours. */
static void what_has_no_room_is_left_out(void **state)
{
	const size_t n = (size_t)16 << 20, room = (size_t)1 << 20;
	char *text = malloc(n);
	struct buf out;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	buf_init(&out, room);
	assert_false(utf8_add_valid(&out, (struct str){ text, n }));
	assert_int_equal(out.n, room);
	buf_release(&out);
	free(text);
}

static void assert_blanked(const char *want, struct str text)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	assert_int_equal(utf8_add_blanked(&out, text), strcmp(want, text.p) != 0);
	assert_string_equal(out.p, want);
	buf_release(&out);
}

static void what_ends_a_line_is_blanked(void **state)
{
	(void)state;
	assert_blanked("a \u4e16\u200b b", STR_LIT("a \u4e16\u200b b"));
	assert_blanked("a  b   c ", STR_LIT("a\r\nb\u2028\u2029\xc2\x85"
					    "c\xff"));
}

static void what_fits_is_not_shortened(void **state)
{
	(void)state;
	assert_shortened("aten::mm", "aten::mm", 8);
	assert_shortened("训练", "训练", 4);
	assert_shortened("", "", 1);
}

static void the_middle_gives_way_to_an_ellipsis(void **state)
{
	(void)state;
	assert_shortened("aten::c…ackward", "aten::convolution_backward", 15);
	assert_shortened("aten::c…ckward", "aten::convolution_backward", 14);
	assert_shortened("a…d", "abcd", 3);
	assert_shortened("a…", "abcd", 2);
	assert_shortened("…", "abcd", 1);
}

static void no_character_is_cut_in_two(void **state)
{
	(void)state;
	assert_shortened("训…播", "训练循环传播", 5);
	assert_shortened("训…播", "训练循环传播", 6);
	assert_shortened("训…", "训练循环传播", 4);
	assert_shortened("e\xcc\x81…e\xcc\x81", "e\xcc\x81xxe\xcc\x81", 3);
	assert_shortened("a…\xff", "a\xfe\xfd\xff", 3);
}

static void a_mark_does_not_move_to_the_ellipsis(void **state)
{
	(void)state;
	/* A wide character with a mark lies across the cut: both go. */
	assert_shortened("ab…c",
			 "abxxx训\xcc\x81"
			 "c",
			 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed_sequences_decode),
		cmocka_unit_test(each_ill_formed_byte_is_one_invalid_character),
		cmocka_unit_test(width_counts_terminal_cells),
		cmocka_unit_test(controls_become_visible),
		cmocka_unit_test(what_nobody_would_see_becomes_visible),
		cmocka_unit_test(a_letter_keeps_two_marks),
		cmocka_unit_test(what_is_no_utf8_is_replaced),
		cmocka_unit_test(what_has_no_room_is_left_out),
		cmocka_unit_test(what_ends_a_line_is_blanked),
		cmocka_unit_test(what_fits_is_not_shortened),
		cmocka_unit_test(the_middle_gives_way_to_an_ellipsis),
		cmocka_unit_test(no_character_is_cut_in_two),
		cmocka_unit_test(a_mark_does_not_move_to_the_ellipsis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
