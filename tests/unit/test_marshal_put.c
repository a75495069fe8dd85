/* Python's marshal as it is written: bytes that CPython's own marshal reads alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/marshal_put.h"

struct written {
	char *p;
	size_t n;
	FILE *stream;
};

/* In its place: the stream keeps the addresses. */
static void open_written(struct written *w)
{
	w->stream = open_memstream(&w->p, &w->n);
	assert_non_null(w->stream);
}

/* Closes it, too. */
static void assert_written(struct written *w, struct str expected)
{
	assert_int_equal(0, fclose(w->stream));
	assert_int_equal(expected.n, w->n);
	assert_memory_equal(expected.p, w->p, expected.n);
	free(w->p);
}

static void assert_int(int64_t value, struct str expected)
{
	struct written w;

	open_written(&w);
	marshal_put_int(w.stream, value);
	assert_written(&w, expected);
}

static void assert_digits(const char *digits, struct str expected)
{
	struct written w;

	open_written(&w);
	marshal_put_digits(w.stream, str_of(digits));
	assert_written(&w, expected);
}

static void assert_text(struct str text, struct str expected)
{
	struct written w;

	open_written(&w);
	marshal_put_text(w.stream, text);
	assert_written(&w, expected);
}

static void numbers_of_32_bits_are_ints(void **state)
{
	(void)state;
	assert_int(0, STR_LIT("i\0\0\0\0"));
	assert_int(-2, STR_LIT("i\xfe\xff\xff\xff"));
	assert_int(INT32_MAX, STR_LIT("i\xff\xff\xff\x7f"));
	assert_int(INT32_MIN, STR_LIT("i\0\0\0\x80"));
}

static void longer_ones_are_longs_of_15_bits_a_digit(void **state)
{
	(void)state;
	assert_int(INT64_C(1) << 31, STR_LIT("l\3\0\0\0\0\0\0\0\2\0"));
	assert_int(-(INT64_C(1) << 45), STR_LIT("l\xfc\xff\xff\xff\0\0\0\0\0\0\1\0"));
	assert_int(INT64_MIN, STR_LIT("l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\x08\0"));
	assert_int(INT64_MAX, STR_LIT("l\5\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\0"));
}

static void digits_of_any_number_are_longs_without_zeros_in_front(void **state)
{
	(void)state;
	assert_digits("0", STR_LIT("l\0\0\0\0"));
	assert_digits("32768", STR_LIT("l\2\0\0\0\0\0\1\0"));
	assert_digits("-32769", STR_LIT("l\xfe\xff\xff\xff\1\0\1\0"));
	assert_digits("1267650600228229401496703205376", /* 2**100 */
		      STR_LIT("l\7\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04"));
}

static void texts_are_interned_ones_in_utf_8(void **state)
{
	(void)state;
	assert_text(STR_LIT(""), STR_LIT("t\0\0\0\0"));
	assert_text(STR_LIT("caf\xc3\xa9"), STR_LIT("t\5\0\0\0caf\xc3\xa9"));
}

static void bytes_that_are_no_utf_8_become_surrogates(void **state)
{
	(void)state;
	assert_text(STR_LIT("a\xff\x80z"),
		    STR_LIT("t\10\0\0\0a\xed\xb3\xbf\xed\xb2\x80z"));
}

static void reals_are_ieee_doubles(void **state)
{
	struct written w;

	(void)state;
	open_written(&w);
	marshal_put_real(w.stream, -2.5);
	assert_written(&w, STR_LIT("g\0\0\0\0\0\0\x04\xc0"));
}

static void dicts_and_tuples_hold_what_follows(void **state)
{
	struct written w;

	(void)state;
	open_written(&w);
	marshal_put_dict(w.stream);
	marshal_put_tuple(w.stream, 1);
	marshal_put_int(w.stream, 1);
	marshal_put_tuple(w.stream, 0);
	marshal_put_end(w.stream);
	assert_written(&w, STR_LIT("{(\1\0\0\0i\1\0\0\0(\0\0\0\0"
				   "0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_32_bits_are_ints),
		cmocka_unit_test(longer_ones_are_longs_of_15_bits_a_digit),
		cmocka_unit_test(digits_of_any_number_are_longs_without_zeros_in_front),
		cmocka_unit_test(texts_are_interned_ones_in_utf_8),
		cmocka_unit_test(bytes_that_are_no_utf_8_become_surrogates),
		cmocka_unit_test(reals_are_ieee_doubles),
		cmocka_unit_test(dicts_and_tuples_hold_what_follows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
