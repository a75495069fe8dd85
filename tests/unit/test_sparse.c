/* Arrays with gaps: what nobody asked for takes no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sparse.h"

static size_t count_pages(const struct sparse *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->npages; i++)
		n += s->pages[i] != NULL;
	return n;
}

static void items_are_zero_until_they_are_set(void **state)
{
	struct sparse s = { .npages = 0 };

	(void)state;
	for (size_t i = 0; i < (size_t)3 * SPARSE_PAGE; i += SPARSE_PAGE / 2) {
		assert_int_equal(0, *SPARSE_AT(&s, uint32_t, i));
		*SPARSE_AT(&s, uint32_t, i) = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < (size_t)3 * SPARSE_PAGE; i += SPARSE_PAGE / 2)
		assert_int_equal(i + 1, *SPARSE_AT(&s, uint32_t, i));
	assert_int_equal(0, *SPARSE_AT(&s, uint32_t, 1));
	sparse_release(&s);
	assert_int_equal(0, *SPARSE_AT(&s, uint32_t, 0));
	sparse_release(&s);
}

static void large_numbers_take_a_page_each(void **state)
{
	struct sparse s = { .npages = 0 };

	(void)state;
	uint64_t *first = SPARSE_AT(&s, uint64_t, 7);
	*first = UINT64_MAX;
	*SPARSE_AT(&s, uint64_t, (size_t)1000 * SPARSE_PAGE) = 5;
	*SPARSE_AT(&s, uint64_t, (size_t)1001 * SPARSE_PAGE - 1) = 6;
	assert_int_equal(2, count_pages(&s));
	assert_ptr_equal(first, SPARSE_AT(&s, uint64_t, 7));
	assert_true(*first == UINT64_MAX);
	sparse_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_zero_until_they_are_set),
		cmocka_unit_test(large_numbers_take_a_page_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
