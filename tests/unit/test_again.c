/* Values that are printed again (ingest/again.h): the answers are json_value's. */
#include "reading.h"

#include "base/alloc.h"
#include "ingest/again.h"

/* What the memory and the tokenizer say of a text, of which `n` bytes are the window. */
static void assert_same(struct again *a, uint16_t *last, const char *text, size_t n,
			bool is_last)
{
	char *bytes = xcalloc(1, n + JSON_PADDING);
	struct json j, plain;
	struct json_value value = { 0 }, expected = { 0 };

	memcpy(bytes, text, n);
	j = (struct json){ .p = bytes, .end = bytes + n, .last = is_last };
	plain = j;
	enum json_status status = json_value(&plain, &expected);
	assert_int_equal(again_value(a, 3, last, &j, &value), status);
	assert_int_equal(j.flaws, plain.flaws);
	if (status == JSON_OK) {
		assert_ptr_equal(j.p, plain.p);
		assert_ptr_equal(value.text.p, expected.text.p);
		assert_int_equal(value.text.n, expected.text.n);
		assert_int_equal(value.type, expected.type);
	}
	free(bytes);
}

/* Than what is remembered. */
static const char longer[] =
	"[\"01234567890123456789012345678901234567890123456789012345678901234\", "
	"\"01234567890123456789012345678901234567890123456789012345678901234\"]";

static const char *const texts[] = {
	"[]",
	"[1]",
	"{}",
	"[1, 2]",
	"[[32, 1024], [1024], []] ",
	"{\"a\": [1, {\"b\": null}]}",
	"[\"\\q\"]",     /* a flaw, each time */
	"[\"\x01\", 1]", /* another */
	"[NaN]",
	"[\"]\", \"}\"]",
	"[1, 2], \"k\": 3",
	"[1,",
	"[1 2]",
	longer,
};

#define NTEXTS (sizeof(texts) / sizeof(*texts))

static void answers_do_not_depend_on_what_came_before(void **state)
{
	struct again *a = xcalloc(1, sizeof(*a));
	uint16_t last = 0;

	(void)state;
	for (size_t round = 0; round < 3; round++)
		for (size_t i = 0; i < NTEXTS; i++)
			for (size_t k = 0; k < NTEXTS; k++) {
				assert_same(a, &last, texts[i], strlen(texts[i]), true);
				assert_same(a, &last, texts[k], strlen(texts[k]), false);
			}
	free(a);
}

static void no_byte_behind_the_window_is_believed(void **state)
{
	struct again *a = xcalloc(1, sizeof(*a));
	const char *text = "[[32, 1024], [1024], []]";
	uint16_t last = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_same(a, &last, text, strlen(text), true);
	for (size_t n = 1; n <= strlen(text); n++) {
		assert_same(a, &last, text, n, true);
		assert_same(a, &last, text, strlen(text), true);
		assert_same(a, &last, text, n, false);
		assert_same(a, &last, text, strlen(text), true);
	}
	free(a);
}

static void what_follows_in_turn_is_not_read_again(void **state)
{
	struct again *a = xcalloc(1, sizeof(*a));
	uint16_t last = 0;

	(void)state;
	for (int round = 0; round < 100; round++)
		for (size_t i = 0; i < 6; i++)
			assert_same(a, &last, texts[i], strlen(texts[i]), true);
	assert_true(a->hits > 500);
	assert_int_equal(a->n, 1 + 6);
	free(a);
}

static void a_full_memory_and_ever_new_values_do_no_harm(void **state)
{
	struct again *a = xcalloc(1, sizeof(*a));
	uint16_t last = 0;
	char text[32];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "[%d, %d]", i, i % 7);
		assert_same(a, &last, text, strlen(text), true);
	}
	assert_int_equal(a->n, AGAIN_MAX);
	assert_true(a->is_off);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_do_not_depend_on_what_came_before),
		cmocka_unit_test(no_byte_behind_the_window_is_believed),
		cmocka_unit_test(what_follows_in_turn_is_not_read_again),
		cmocka_unit_test(a_full_memory_and_ever_new_values_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
