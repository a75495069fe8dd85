/* Pickles of plain data, and what they may not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/pickle.h"

#define BYTES(text) ((struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 })

static struct pickle read_well(struct bytes text)
{
	struct err err = ERR_INIT;
	struct pickle p;

	assert_int_equal(0, pickle_open(&p, text, &err));
	return p;
}

static void refused(struct bytes text, int64_t offset, const char *what)
{
	struct err err = ERR_INIT;
	struct pickle p;

	assert_int_equal(-1, pickle_open(&p, text, &err));
	pickle_release(&p);
	assert_string_equal(what, err.text);
	assert_int_equal(offset, err.offset);
	assert_int_equal(ERR_INPUT, err.kind);
}

static void one_int(struct bytes text, enum pickle_type type, int64_t number)
{
	struct pickle p = read_well(text);

	assert_int_equal(type, p.values[p.top].type);
	assert_int_equal(number, p.values[p.top].as.number);
	pickle_release(&p);
}

static void numbers_have_the_sign_and_size_of_their_opcode(void **state)
{
	(void)state;
	one_int(BYTES("\x80\2K\xff."), PICKLE_INT, 255);
	one_int(BYTES("\x80\2M\xff\xff."), PICKLE_INT, 65535);
	one_int(BYTES("\x80\2J\xff\xff\xff\xff."), PICKLE_INT, -1);
	one_int(BYTES("\x80\2J\0\0\0\x80."), PICKLE_INT, INT32_MIN);
	one_int(BYTES("\x80\2\x8a\0."), PICKLE_INT, 0);
	one_int(BYTES("\x80\2\x8a\1\xff."), PICKLE_INT, -1);
	one_int(BYTES("\x80\2\x8a\6\0\0\0\0\0\x7f."), PICKLE_INT,
		INT64_C(0x7f0000000000));
	one_int(BYTES("\x80\2\x8a\x8\0\0\0\0\0\0\0\x80."), PICKLE_INT, INT64_MIN);
	one_int(BYTES("\x80\2\x8a\x9\xff\xff\xff\xff\xff\xff\xff\x7f\0."), PICKLE_INT,
		INT64_MAX);
	one_int(BYTES("\x80\2\x8a\x9\0\0\0\0\0\0\0\x80\0."), PICKLE_BIG, INT64_MAX);
	one_int(BYTES("\x80\2\x8a\x9\0\0\0\0\0\0\0\0\x81."), PICKLE_BIG, INT64_MIN);
	one_int(BYTES("\x80\2\x88."), PICKLE_BOOL, 1);
}

static void a_float_is_big_endian(void **state)
{
	struct pickle p = read_well(BYTES("\x80\2G\x3f\xf8\0\0\0\0\0\0."));

	(void)state;
	assert_true(p.values[p.top].as.real == 1.5);
	pickle_release(&p);
}

/* pickle.dumps({"a": [1, (2, None)], "b": "a"}, 4), with its references. */
static void containers_hold_items_and_references(void **state)
{
	struct pickle p = read_well(BYTES("\x80\4}\x94(\x8c\1a\x94]\x94(K\1K\2N\x86\x94"
					  "e\x8c\1b\x94h\1u."));
	const struct pickle_value *dict = &p.values[p.top];

	(void)state;
	assert_int_equal(PICKLE_DICT, dict->type);
	assert_int_equal(4, dict->n);
	const struct pickle_item *key = &p.items[dict->first];
	const struct pickle_item *list = &p.items[key->next];
	assert_true(str_is(p.values[key->value].as.text, "a"));
	assert_int_equal(PICKLE_LIST, p.values[list->value].type);
	assert_int_equal(2, p.values[list->value].n);
	/* the last value is the first key, not a copy of it */
	assert_int_equal(key->value, p.items[dict->last].value);
	pickle_release(&p);
}

static void what_is_no_data_is_refused_by_its_name(void **state)
{
	(void)state;
	refused(BYTES("\x80\2cposix\nsystem\n."), 2,
		"refused: the pickle names posix.system (opcode GLOBAL); only plain data "
		"is read");
	refused(BYTES("\x80\4\x8c\2os\x8c\4exec\x93."), 12,
		"refused: the pickle names os.exec (opcode STACK_GLOBAL); only plain data "
		"is read");
	refused(BYTES("\x80\2)R."), 3, "refused: opcode REDUCE; only plain data is read");
	refused(BYTES("\x80\2N2."), 3, "refused: opcode DUP; only plain data is read");
	refused(BYTES("\x80\2\x93."), 2, "refused: opcode STACK_GLOBAL");
	refused(BYTES("\x80\2\xff."), 2, "unknown pickle opcode 0xff");
}

static void what_does_not_fit_together_is_refused(void **state)
{
	(void)state;
	refused(BYTES(""), 0, "no pickle of protocol 2 to 5");
	refused(BYTES("\x80\6N."), 0, "unsupported pickle protocol 6");
	refused(BYTES("\x80\2N"), 3, "the pickle ends early");
	refused(BYTES("\x80\2."), 2, "bad pickle: stack underflow");
	refused(BYTES("\x80\2NN."), 4, "bad pickle: more than one object");
	refused(BYTES("\x80\2]e."), 3, "bad pickle: no mark");
	refused(BYTES("\x80\2(e."), 3, "bad pickle: stack underflow");
	refused(BYTES("\x80\2}(Nu."), 5, "bad pickle: a key without a value");
	refused(BYTES("\x80\2}Na."), 4, "bad pickle: items for a dict, not a list");
	refused(BYTES("\x80\2](Na."), 5, "bad pickle: stack underflow");
	refused(BYTES("\x80\2h\5."), 2, "bad pickle: memo 5 is not defined");
	refused(BYTES("\x80\2Nr\xff\xff\xff\x7f."), 3,
		"bad pickle: memo index 2147483647 is too large");
	refused(BYTES("\x80\2X\xff\xff\xff\xff."), 2,
		"bad pickle: BINUNICODE of 4294967295 bytes, 1 are left");
	refused(BYTES("\x80\2\x8b\xff\xff\xff\xff."), 2,
		"bad pickle: LONG4 of a negative length");
	refused(BYTES("\x80\4\x95\xff\0\0\0\0\0\0\0N."), 2,
		"the pickle ends early: a frame of 255 bytes, 2 are left");
}

static void a_list_may_hold_itself_and_ends(void **state)
{
	struct pickle p = read_well(BYTES("\x80\4]\x94h\0a."));

	(void)state;
	assert_int_equal(1, p.nvalues);
	assert_int_equal(p.top, p.items[p.values[p.top].first].value);
	pickle_release(&p);
}

static void nesting_has_a_limit(void **state)
{
	uint8_t text[2 + PICKLE_DEPTH_MAX + 2] = { 0x80, 4 };

	(void)state;
	memset(text + 2, '(', PICKLE_DEPTH_MAX + 1);
	refused((struct bytes){ text, sizeof(text) }, 2 + PICKLE_DEPTH_MAX,
		"bad pickle: nested too deep");
}

/* Entries of a tuple, which all wait for its end; the tuple itself is one more. */
static void values_that_wait_have_a_limit(void **state)
{
	enum { MOST = 1000000 };
	size_t n = sizeof("\x80\4(") - 1 + MOST + 2;
	uint8_t *text = malloc(n);
	struct err err = ERR_INIT;
	struct pickle p;

	(void)state;
	assert_non_null(text);
	memset(text, 'N', n);
	text[0] = 0x80;
	text[1] = 4;
	text[2] = '(';
	text[n - 3] = 't';
	text[n - 2] = '.';
	assert_int_equal(0, pickle_open(&p, (struct bytes){ text, n - 1 }, &err));
	assert_int_equal(MOST - 1, p.values[p.top].n);
	pickle_release(&p);
	memset(text + 3, 'N', MOST + 1);
	refused((struct bytes){ text, n }, 3 + MOST, "bad pickle: nested too deep");
	free(text);
}

/* Lists of None, as many as 5 MB hold: 48 bytes of memory for each. */
static void memory_has_a_limit(void **state)
{
	enum { LISTS = 8, NONES = PICKLE_STACK_MAX / 2, LIST = NONES + 3 };
	size_t n = 2 + LISTS * LIST;
	uint8_t *text = malloc(n);
	struct err err = ERR_INIT;
	struct pickle p;

	(void)state;
	assert_non_null(text);
	text[0] = 0x80;
	text[1] = 4;
	for (size_t i = 0; i < LISTS; i++) {
		uint8_t *list = text + 2 + i * LIST;
		list[0] = ']';
		list[1] = '(';
		memset(list + 2, 'N', NONES);
		list[LIST - 1] = 'e';
	}
	assert_int_equal(-1, pickle_open(&p, (struct bytes){ text, n }, &err));
	assert_string_equal("the objects of the pickle take more than 125 MiB", err.text);
	assert_int_equal(ERR_INPUT, err.kind);
	pickle_release(&p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_the_sign_and_size_of_their_opcode),
		cmocka_unit_test(a_float_is_big_endian),
		cmocka_unit_test(containers_hold_items_and_references),
		cmocka_unit_test(what_is_no_data_is_refused_by_its_name),
		cmocka_unit_test(what_does_not_fit_together_is_refused),
		cmocka_unit_test(a_list_may_hold_itself_and_ends),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(values_that_wait_have_a_limit),
		cmocka_unit_test(memory_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
