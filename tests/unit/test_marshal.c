/* Python's marshal (ingest/marshal.h): objects as any version writes them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/marshal.h"

/* A literal with NULs in it. */
#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static struct marshal_value read_value(struct marshal *m, struct bytes text)
{
	struct err err = ERR_INIT;

	if (marshal_open(m, text, &err) < 0)
		fail_msg("refused at byte %lld: %s", (long long)err.offset, err.text);
	assert_int_equal(m->end, text.n);
	assert_int_equal(marshal_behind(m, 0), text.n);
	return marshal_at(m, 0);
}

static void assert_refused(struct bytes text, int64_t offset, const char *said)
{
	struct err err = ERR_INIT;
	struct marshal m;

	assert_int_equal(-1, marshal_open(&m, text, &err));
	assert_string_equal(said, err.text);
	assert_int_equal(offset, err.offset);
	marshal_release(&m);
}

static void assert_number(struct bytes text, int64_t number, bool is_big)
{
	struct marshal m;
	struct marshal_value v = read_value(&m, text);

	assert_int_equal(MARSHAL_INT, v.type);
	assert_true(number == v.number);
	assert_int_equal(is_big, v.is_big);
	marshal_release(&m);
}

static void integers_have_32_or_64_bits_or_digits(void **state)
{
	(void)state;
	assert_number(BYTES("i\xfe\xff\xff\xff"), -2, false);
	assert_number(BYTES("I\0\0\0\0\x02\0\0\0"), INT64_C(8589934592), false);
	assert_number(BYTES("l\x03\0\0\0\0\0\0\0\x04\0"), INT64_C(4294967296), false);
	assert_number(BYTES("l\xff\xff\xff\xff\x05\0"), -5, false);
	assert_number(BYTES("l\0\0\0\0"), 0, false);
	assert_number(BYTES("l\x05\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x07\0"),
		      INT64_MAX, false);
	assert_number(BYTES("l\x05\0\0\0\0\0\0\0\0\0\0\0\x08\0"), INT64_MAX, true);
	assert_number(BYTES("l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\x08\0"), -INT64_MAX, true);
}

static void assert_digits(struct bytes text, const char *digits)
{
	struct marshal m;
	struct marshal_value v = read_value(&m, text);
	struct buf out;

	buf_init(&out, 1000);
	assert_true(marshal_add_digits(&m, &v, &out));
	assert_string_equal(digits, out.p);
	buf_release(&out);
	marshal_release(&m);
}

static void digits_of_a_large_integer_are_exact(void **state)
{
	(void)state;
	assert_digits(BYTES("l\x05\0\0\0\0\0\0\0\0\0\0\0\x08\0"), "9223372036854775808");
	assert_digits(BYTES("l\xfb\xff\xff\xff\x01\0\0\0\0\0\0\0\x08\0"),
		      "-9223372036854775809");
	assert_digits(BYTES("l\x05\0\0\0\0\0\0\0\x1c\x40\xaf\x63\x2d\0"),
		      "52779355320893833216");
}

static void an_integer_beyond_all_reals_is_infinite(void **state)
{
	static uint8_t text[5 + 2 * 80] = "l\x50\0\0\0";
	struct marshal m;
	struct buf out;

	(void)state;
	text[sizeof(text) - 2] = 1;
	struct marshal_value v = read_value(&m, (struct bytes){ text, sizeof(text) });
	assert_true(v.is_big && isinf(v.real));
	buf_init(&out, 1000);
	assert_false(marshal_add_digits(&m, &v, &out));
	buf_release(&out);
	marshal_release(&m);
}

static void assert_real(struct bytes text, double real)
{
	struct marshal m;
	struct marshal_value v = read_value(&m, text);

	assert_true(v.real >= real && v.real <= real);
	marshal_release(&m);
}

static void the_real_of_an_integer_is_the_nearest(void **state)
{
	(void)state;
	/* 10^25, and 2^65 + 2^12 with and without 1: a tie, and what is above it */
	assert_real(BYTES("l\x06\0\0\0\0\0\0\x14\x21\x05\xa0\x30\x51\x59\x08\x01"), 1e25);
	assert_real(BYTES("l\x05\0\0\0\0\x10\0\0\0\0\0\0\x20\0"), 0x1p65);
	assert_real(BYTES("l\x05\0\0\0\x01\x10\0\0\0\0\0\0\x20\0"), 0x1.0000000000001p65);
	assert_real(BYTES("l\xfb\xff\xff\xff\x01\x10\0\0\0\0\0\0\x20\0"),
		    -0x1.0000000000001p65);
}

static void reals_are_binary_or_text(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = { { "1.5", 1.5 },
		     { "1e3", 1000 },
		     { "-0.25", -0.25 },
		     { "1e999", (double)INFINITY } };
	struct marshal m;
	char bytes[64];

	(void)state;
	struct marshal_value v = read_value(&m, BYTES("g\0\0\0\0\0\0\xf8\x3f"));
	assert_true(v.type == MARSHAL_FLOAT && v.real >= 1.5 && v.real <= 1.5);
	marshal_release(&m);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int n = snprintf(bytes, sizeof(bytes), "f%c%s", (int)strlen(rows[i].text),
				 rows[i].text);
		v = read_value(&m, (struct bytes){ (uint8_t *)bytes, (size_t)n });
		assert_true(v.real >= rows[i].value && v.real <= rows[i].value);
		marshal_release(&m);
	}
	v = read_value(&m, BYTES("f\x03nan"));
	assert_true(isnan(v.real));
	marshal_release(&m);
}

static void the_text_of_a_real_is_as_python_reads_it(void **state)
{
	const char *const said = "the text of a float is not a number";

	(void)state;
	assert_refused(BYTES("f\x05"
			     "0x1p3"),
		       1, said);
	assert_refused(BYTES("f\0"), 1, said);
	assert_refused(BYTES("f\x05 1.5 "), 1, said);
	assert_refused(BYTES("f\x03"
			     "1,5"),
		       1, said);
	assert_refused(BYTES("f\x03"
			     "1_0"),
		       1, said);
}

static void assert_text(struct bytes text, bool is_exact, const char *wanted)
{
	struct marshal m;
	struct marshal_value v = read_value(&m, text);
	struct buf out;

	buf_init(&out, 1000);
	buf_add_text(&out, "");
	assert_int_equal(MARSHAL_STRING, v.type);
	assert_int_equal(is_exact, marshal_add_text(&v, &out));
	assert_string_equal(wanted, out.p);
	buf_release(&out);
	marshal_release(&m);
}

static void texts_of_all_versions_become_utf8(void **state)
{
	(void)state;
	assert_text(BYTES("z\x03"
			  "abc"),
		    true, "abc");
	assert_text(BYTES("Z\x01\xe9"), true, "\xc3\xa9");
	assert_text(BYTES("a\x02\0\0\0\xe9x"), true, "\xc3\xa9x");
	assert_text(BYTES("u\x02\0\0\0\xc3\xa9"), true, "\xc3\xa9");
	assert_text(BYTES("t\x02\0\0\0\xc3\xa9"), true, "\xc3\xa9");
	/* Python 2's, in some other encoding */
	assert_text(BYTES("s\x02\0\0\0\xe9!"), true, "\xc3\xa9!");
	assert_text(BYTES("u\x02\0\0\0\xff!"), false, "\xef\xbf\xbd!");
	assert_text(BYTES("u\x04\0\0\0\xed\xb2\x80!"), false, "\xef\xbf\xbd!");
}

static void bytes_of_a_file_name_come_back(void **state)
{
	struct marshal m;
	struct marshal_value v =
		read_value(&m, BYTES("u\x08\0\0\0a\xed\xb2\x80\xed\xb3\xbf/"));
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	assert_true(marshal_add_file_name(&v, &out));
	assert_string_equal("a\x80\xff/", out.p);
	marshal_release(&m);
	v = read_value(&m, BYTES("u\x02\0\0\0\xc3\xa9"));
	assert_false(marshal_add_file_name(&v, &out));
	buf_release(&out);
	marshal_release(&m);
}

/* Numbers are given when a type byte is read: a container's before its items'. */
static void a_reference_means_the_object_with_its_number(void **state)
{
	struct marshal m;
	struct marshal_value v =
		read_value(&m, BYTES("\xa9\x03\xda\x01xr\x01\0\0\0r\0\0\0\0"));

	(void)state;
	assert_int_equal(3, v.n);
	size_t second = marshal_behind(&m, v.items);
	v = marshal_at(&m, second);
	assert_int_equal(MARSHAL_STRING, v.type);
	assert_int_equal(2, v.at);
	v = marshal_at(&m, marshal_behind(&m, second));
	assert_int_equal(MARSHAL_TUPLE, v.type);
	assert_int_equal(0, v.at);
	marshal_release(&m);
}

static void python_2_counts_interned_strings_apart(void **state)
{
	struct marshal m;
	struct marshal_value v =
		read_value(&m, BYTES("(\x03\0\0\0t\x01\0\0\0xs\x01\0\0\0yR\0\0\0\0"));

	(void)state;
	size_t at = marshal_behind(&m, marshal_behind(&m, v.items));
	v = marshal_at(&m, at);
	assert_int_equal(5, v.at);
	assert_true(str_is(v.bytes, "x"));
	marshal_release(&m);
}

static void damage_names_its_byte(void **state)
{
	(void)state;
	assert_refused(BYTES(""), 0, "truncated: the object at byte 0 is not complete");
	assert_refused(BYTES("{z\x01"
			     "a"),
		       4, "truncated: the object at byte 4 is not complete");
	assert_refused(BYTES("u\x09\0\0\0ab"), 1,
		       "9 items or bytes are announced, 2 bytes are left");
	assert_refused(BYTES("(\xff\xff\xff\x7fN"), 1,
		       "2147483647 items or bytes are announced, 1 bytes are left");
	assert_refused(BYTES("[\xff\xff\xff\xff"), 1, "a count of -1");
	assert_refused(BYTES("l\0\0\0\x80\0\0"), 1,
		       "a number of 2147483648 digits runs past the end");
	assert_refused(BYTES("l\x01\0\0\0\xff\xff"), 5,
		       "a digit of a number is out of range");
	assert_refused(BYTES("l\x01\0\0\0\0\0"), 1, "a number begins with a zero");
	assert_refused(BYTES("\xa9\x01r\x01\0\0\0"), 3, "a reference to object 1 of 1");
	assert_refused(BYTES("R\0\0\0\0"), 1, "a reference to object 0 of 0");
	assert_refused(BYTES(")\x01"
			     "0"),
		       2, "a NULL in place of an object");
	assert_refused(BYTES("?"), 0, "unknown type code 0x3f");
}

static void nesting_has_an_end(void **state)
{
	static uint8_t text[2 * 2001 + 1];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(text); i += 2) {
		text[i] = ')';
		text[i + 1] = 1;
	}
	text[sizeof(text) - 1] = 'N';
	assert_refused((struct bytes){ text, sizeof(text) }, 4002,
		       "nested too deep (more than 2000 levels)");
	struct marshal m;
	read_value(&m, (struct bytes){ text + 2, sizeof(text) - 2 });
	marshal_release(&m);
}

#define INT1  "\x01\0\0\0"
#define EMPTY ")\0"
#define S0    "s\0\0\0\0"

static void assert_code(struct bytes text, const char *name, const char *file,
			int64_t line)
{
	struct marshal m;
	struct marshal_value v = read_value(&m, text);

	assert_int_equal(MARSHAL_CODE, v.type);
	struct marshal_code code = marshal_code(&m, &v);
	assert_true(str_is(code.name.bytes, name));
	assert_true(str_is(code.file.bytes, file));
	assert_int_equal(line, code.line);
	marshal_release(&m);
}

static void code_objects_of_all_layouts_have_a_name_a_file_and_a_line(void **state)
{
	(void)state;
	/* 3.11: five ints; the name stands before its qualified form */
	assert_code(BYTES("c" INT1 INT1 INT1 INT1 INT1 S0 EMPTY EMPTY EMPTY S0 "z\x01"
			  "fz\x01"
			  "nz\x03"
			  "C.n\x07\0\0\0" S0 S0),
		    "n", "f", 7);
	/* 3.8: six */
	assert_code(
		BYTES("c" INT1 INT1 INT1 INT1 INT1 INT1 S0 EMPTY EMPTY EMPTY EMPTY EMPTY
		      "z\x01"
		      "fz\x01"
		      "n\x07\0\0\0" S0),
		"n", "f", 7);
	/* 3.0: five */
	assert_code(BYTES("c" INT1 INT1 INT1 INT1 INT1 S0 EMPTY EMPTY EMPTY EMPTY EMPTY
			  "u\x01\0\0\0"
			  "fu\x01\0\0\0"
			  "n\x07\0\0\0" S0),
		    "n", "f", 7);
	/* 2.7: four; short strings of bytes are interned */
	assert_code(BYTES("c" INT1 INT1 INT1 INT1 "t\x01\0\0\0x"
			  "(\0\0\0\0"
			  "(\0\0\0\0"
			  "(\0\0\0\0"
			  "(\0\0\0\0"
			  "(\0\0\0\0"
			  "s\x01\0\0\0"
			  "ft\x01\0\0\0"
			  "n\x07\0\0\0"
			  "R\0\0\0\0"),
		    "n", "f", 7);
	assert_refused(BYTES("c" INT1 INT1 "z\x01"
			     "f"),
		       1, "a code object of an unknown version of Python");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_have_32_or_64_bits_or_digits),
		cmocka_unit_test(digits_of_a_large_integer_are_exact),
		cmocka_unit_test(an_integer_beyond_all_reals_is_infinite),
		cmocka_unit_test(the_real_of_an_integer_is_the_nearest),
		cmocka_unit_test(reals_are_binary_or_text),
		cmocka_unit_test(the_text_of_a_real_is_as_python_reads_it),
		cmocka_unit_test(texts_of_all_versions_become_utf8),
		cmocka_unit_test(bytes_of_a_file_name_come_back),
		cmocka_unit_test(a_reference_means_the_object_with_its_number),
		cmocka_unit_test(python_2_counts_interned_strings_apart),
		cmocka_unit_test(damage_names_its_byte),
		cmocka_unit_test(nesting_has_an_end),
		cmocka_unit_test(
			code_objects_of_all_layouts_have_a_name_a_file_and_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
