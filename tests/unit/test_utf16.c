/* UTF-16 as a decoder: every character, either byte order, cut anywhere. */
#include "decoding.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/decoder.h"
#include "base/input.h"
#include "base/utf8.h"

#define UNITS(u) (u), sizeof(u) / sizeof(*(u))
#define FFFD     "\xef\xbf\xbd"

/* The units as bytes; the caller frees them. */
static uint8_t *wide(const uint16_t *units, size_t n, bool is_big)
{
	uint8_t *p = xmalloc(2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		p[2 * i + is_big] = (uint8_t)units[i];
		p[2 * i + !is_big] = (uint8_t)(units[i] >> 8);
	}
	return p;
}

static void assert_input(struct bytes bytes, bool is_utf16, struct bytes text)
{
	struct err err = ERR_INIT;
	struct input *in = input_from_memory(bytes);

	struct bytes got = input_peek(in, text.n + 1, &err);
	assert_int_equal(text.n, got.n);
	if (text.n)
		assert_memory_equal(text.p, got.p, text.n);
	assert_int_equal(is_utf16, input_is_utf16(in));
	assert_int_equal(ERR_NONE, err.kind);
	assert_null(input_damage(in));
	input_close(in);
}

/* In both byte orders, behind a mark, these units are that text. */
static void assert_converts(const uint16_t *units, size_t n, struct bytes text)
{
	uint16_t *marked = xmalloc((n + 1) * sizeof(*marked));

	marked[0] = 0xfeff;
	for (size_t i = 0; i < n; i++)
		marked[i + 1] = units[i];
	for (int is_big = 0; is_big <= 1; is_big++) {
		uint8_t *p = wide(marked, n + 1, is_big);
		assert_input(VIEW(p, 2 * (n + 1)), true, text);
		free(p);
	}
	free(marked);
}

static void text_behind_a_mark_becomes_utf8_without_it(void **state)
{
	(void)state;
	static const uint16_t units[] = { 'a', 0xe9, 0x20ac, 0xd83d, 0xde00, '\n' };

	assert_converts(UNITS(units), BYTES("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n"));
	assert_converts(units, 0, BYTES(""));
}

/* A second mark is a character like others.  A zero first would make it UTF-32. */
static void every_code_point_is_converted(void **state)
{
	(void)state;
	size_t n = 1;
	uint16_t *units = xmalloc(sizeof(*units) * 2 * 0x110000);

	units[0] = 0xfeff;
	for (uint32_t code = 1; code < 0x110000; code++) {
		if (code < 0x10000 && (code < 0xd800 || code >= 0xe000))
			units[n++] = (uint16_t)code;
		if (code >= 0x10000) {
			units[n++] = (uint16_t)(0xd800 + ((code - 0x10000) >> 10));
			units[n++] = (uint16_t)(0xdc00 + (code & 0x3ff));
		}
	}
	uint8_t *p = wide(units, n, false);
	struct err err = ERR_INIT;
	struct input *in = input_from_memory(VIEW(p, 2 * n));
	for (uint32_t code = 1, got; code < 0x110000; code++) {
		if (code >= 0xd800 && code < 0xe000)
			continue;
		struct bytes b = input_peek(in, 4, &err);
		size_t len = utf8_decode((struct str){ (const char *)b.p, b.n }, &got);
		assert_int_equal(code, got);
		input_skip(in, len);
	}
	assert_int_equal(0, input_peek(in, 1, &err).n);
	input_close(in);
	free(p);
	free(units);
}

static void halves_that_stand_alone_are_replaced_each(void **state)
{
	(void)state;
	static const uint16_t low[] = { 'a', 0xdc00, 'b' };
	static const uint16_t high[] = { 'a', 0xd800, 'b' };
	static const uint16_t highs[] = { 0xd800, 0xd801, 0xdc01, 0xdbff, 0xdbff };
	static const uint16_t lows[] = { 0xdc00, 0xdfff, 0xd800, 0xdc00 };
	static const uint16_t wide_behind[] = { 0xd800, 0x20ac };

	assert_converts(UNITS(low), BYTES("a" FFFD "b"));
	assert_converts(UNITS(high), BYTES("a" FFFD "b"));
	assert_converts(UNITS(highs), BYTES(FFFD "\xf0\x90\x90\x81" FFFD FFFD));
	assert_converts(UNITS(lows), BYTES(FFFD FFFD "\xf0\x90\x80\x80"));
	assert_converts(UNITS(wide_behind), BYTES(FFFD "\xe2\x82\xac"));
}

static void a_last_odd_byte_is_replaced(void **state)
{
	(void)state;
	assert_input(BYTES("\xff\xfe"
			   "a\0b"),
		     true, BYTES("a" FFFD));
	assert_input(BYTES("\xfe\xff"
			   "\0a\xd8"),
		     true, BYTES("a" FFFD));
	assert_input(BYTES("\xfe\xff"
			   "\0a\xd8\x3d\xde"),
		     true, BYTES("a" FFFD FFFD));
	assert_input(BYTES("\xff\xfe"
			   "a"),
		     true, BYTES(FFFD));
}

static void json_needs_no_mark(void **state)
{
	(void)state;
	static const char *const texts[] = { "{\"traceEvents\": []}",
					     "[{\"ph\": 1}]",
					     " \r\n\t [ \n{ ",
					     "{ \"a",
					     "{'a': 1}",
					     "[[",
					     "[]",
					     "{}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		size_t n = strlen(texts[i]);
		uint16_t units[64];
		for (size_t at = 0; at < n; at++)
			units[at] = (uint16_t)texts[i][at];
		for (int is_big = 0; is_big <= 1; is_big++) {
			uint8_t *p = wide(units, n, is_big);
			assert_input(VIEW(p, 2 * n), true,
				     VIEW((const uint8_t *)texts[i], n));
			free(p);
		}
	}
}

static void what_only_looks_like_it_is_left_alone(void **state)
{
	(void)state;
	static const struct bytes others[] = {
		{ (const uint8_t *)"", 0 },
		{ (const uint8_t *)"\xff", 1 },
		{ (const uint8_t *)"{", 1 },
		{ (const uint8_t *)"{\0", 2 },
		{ (const uint8_t *)"{\0\"", 3 },
		{ (const uint8_t *)"{\"a\0", 4 },
		{ (const uint8_t *)"[\0[", 3 },
		{ (const uint8_t *)"a\0b\0", 4 },
		{ (const uint8_t *)"{\0\0\0", 4 },
		{ (const uint8_t *)"{\0\x22\x20", 4 },
		{ (const uint8_t *)"\xff\xfe\0\0{\0\0\0", 8 }, /* UTF-32 */
		{ (const uint8_t *)"\xef\xbb\xbf{\"a\"", 7 },
		{ (const uint8_t *)"{}", 2 },
		{ (const uint8_t *)" \0 \0 \0", 6 },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_input(others[i], false, others[i]);
}

/* 1: as bytes come from a slow pipe; room for less than a character. */
static void it_may_come_and_go_in_pieces_of_any_size(void **state)
{
	(void)state;
	static const uint16_t units[] = { 0xfeff, 'a',    0xd83d, 0xde00, 0xd83d, 0xd83d,
					  0xde00, 0x20ac, 0xdc00, 0xe9,   0xd800 };
	struct bytes text = BYTES("a\xf0\x9f\x98\x80" FFFD
				  "\xf0\x9f\x98\x80\xe2\x82\xac" FFFD "\xc3\xa9" FFFD);
	uint8_t *p = wide(UNITS(units), true);

	for (size_t most = 1; most <= 8; most++) {
		for (size_t room = 1; room <= 12; room++) {
			struct dribble source = { VIEW(p, sizeof(units)), most };
			assert_decodes(&utf16_decoder, source, room, text);
		}
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_behind_a_mark_becomes_utf8_without_it),
		cmocka_unit_test(every_code_point_is_converted),
		cmocka_unit_test(halves_that_stand_alone_are_replaced_each),
		cmocka_unit_test(a_last_odd_byte_is_replaced),
		cmocka_unit_test(json_needs_no_mark),
		cmocka_unit_test(what_only_looks_like_it_is_left_alone),
		cmocka_unit_test(it_may_come_and_go_in_pieces_of_any_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
