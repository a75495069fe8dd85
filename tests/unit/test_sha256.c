/* SHA-256 against the examples of FIPS 180-4 and of NIST. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>

#include "base/sha256.h"

static const struct {
	const char *text, *hex;
	size_t times;
} examples[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 1 },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1 },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 1 },
	{ "a", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
	  1000000 },
};

static void digests_are_those_of_the_standard(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		struct sha256 s;
		char hex[SHA256_HEX];
		sha256_init(&s);
		for (size_t k = 0; k < examples[i].times; k++)
			sha256_add(&s, str_of(examples[i].text));
		sha256_end(&s, hex);
		assert_string_equal(examples[i].hex, hex);
	}
}

static void the_first_bits_are_a_number(void **state)
{
	(void)state;
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, str_of("abc"));
	assert_true(sha256_end_u64(&s) == UINT64_C(0xba7816bf8f01cfea));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_the_standard),
		cmocka_unit_test(the_first_bits_are_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
