/* Hashes of tables: other ones after each begin, and of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

#define MOST 200 /* longer than all that is hashed in one go */

static void the_fixed_one_is_the_same_everywhere(void **state)
{
	(void)state;
	assert_int_equal(hash_fixed("", 0), UINT64_C(0x9e3779b9e17d05ac));
	assert_int_equal(hash_fixed("torch/nn", 8), UINT64_C(0x4fff07ac46bf2614));
	assert_int_equal(hash_fixed("torch/nn/modules", 16),
			 UINT64_C(0x85669ae675a20d14));
}

/* A copy of its own size, so that a sanitizer sees a byte that is read behind it. */
static uint64_t hash_of(const unsigned char *bytes, size_t n)
{
	unsigned char *copy = malloc(n + !n);

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	uint64_t hash = hash_bytes(copy, n);
	free(copy);
	return hash;
}

static void each_byte_and_the_length_count(void **state)
{
	unsigned char bytes[MOST];

	(void)state;
	memset(bytes, 'a', sizeof(bytes));
	for (size_t n = 0; n < MOST; n++) {
		uint64_t hash = hash_of(bytes, n);
		assert_int_not_equal(hash, hash_of(bytes, n + 1));
		for (size_t i = 0; i < n; i++) {
			bytes[i] = 'b';
			assert_int_not_equal(hash, hash_of(bytes, n));
			bytes[i] = 'a';
		}
	}
}

static void words_that_change_places_count(void **state)
{
	unsigned char bytes[MOST], swapped[MOST];

	(void)state;
	for (size_t i = 0; i < MOST; i++)
		bytes[i] = (unsigned char)('0' + (i / 8));
	for (size_t n = 16; n <= MOST; n += 8)
		for (size_t a = 0; a < n; a += 8)
			for (size_t b = a + 8; b < n; b += 8) {
				memcpy(swapped, bytes, n);
				memcpy(swapped + a, bytes + b, 8);
				memcpy(swapped + b, bytes + a, 8);
				assert_int_not_equal(hash_of(bytes, n),
						     hash_of(swapped, n));
			}
}

/* Nobody can make a file whose names all have one hash. */
static void each_begin_gives_others(void **state)
{
	uint64_t fixed = hash_fixed("a", 1);

	for (int i = 0; i < 3; i++) {
		uint64_t bytes_before = hash_bytes("aten::mm", 8);
		uint64_t number_before = hash_u64(42);
		hash_begin();
		assert_int_not_equal(hash_bytes("aten::mm", 8), bytes_before);
		assert_int_not_equal(hash_u64(42), number_before);
	}
	assert_int_equal(hash_fixed("a", 1), fixed);
	each_byte_and_the_length_count(state);
	words_that_change_places_count(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fixed_one_is_the_same_everywhere),
		cmocka_unit_test(each_byte_and_the_length_count),
		cmocka_unit_test(words_that_change_places_count),
		cmocka_unit_test(each_begin_gives_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
