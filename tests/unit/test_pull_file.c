/* The pieces of a store that a server sends: in their order, and none that expands too far. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/zstd_pack.h"
#include "remote/pull_file.h"
#include "remote/push_file.h"

#define MEBIBYTE ((int64_t)PUSH_FILE_PIECE)

static const struct limits small = { .expand_bytes = 4 * (uint64_t)PUSH_FILE_PIECE };

static struct pull_file begin(int64_t wanted)
{
	struct pull_file f = { .fd = memfd_create("pulled", MFD_CLOEXEC),
			       .path = "a.db",
			       .limits = &small,
			       .wanted = wanted };

	assert_true(f.fd >= 0);
	pull_file_begin(&f);
	return f;
}

static int64_t end(struct pull_file *f)
{
	struct stat st;

	assert_int_equal(0, fstat(f->fd, &st));
	pull_file_end(f);
	close(f->fd);
	return st.st_size;
}

/* A piece of so many bytes: noise or zeroes. */
static int take(struct pull_file *f, int64_t seq, size_t n, bool is_noise,
		struct err *err)
{
	char *bytes = xcalloc(n, 1);
	struct buf packed;
	uint64_t random = 88172645463325252u + (uint64_t)seq;

	for (size_t i = 0; is_noise && i < n; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		bytes[i] = (char)random;
	}
	buf_init(&packed, 2 * PUSH_FILE_PIECE);
	assert_int_equal(0, zstd_pack((struct str){ bytes, n }, &packed, err));
	const struct rowbinary_cell cells[] = { { .number = seq },
						{ .text = buf_str(&packed) } };
	int rc = pull_file_take(f, cells, err);
	buf_release(&packed);
	free(bytes);
	return rc;
}

static void pieces_are_written_one_after_the_other(void **state)
{
	(void)state;
	struct pull_file f = begin(6 * MEBIBYTE + 7);
	struct err err = ERR_INIT;

	for (int i = 0; i < 6; i++)
		assert_int_equal(0, take(&f, i, PUSH_FILE_PIECE, true, &err));
	assert_int_equal(0, take(&f, 6, 7, true, &err));
	assert_int_equal(-1, pull_file_check(&f, "another sum", &err));
	assert_int_equal(6 * MEBIBYTE + 7, end(&f));
}

static void pieces_that_expand_without_end_are_refused(void **state)
{
	(void)state;
	struct pull_file f = begin(INT64_MAX);
	struct err err = ERR_INIT;

	for (int i = 0; i < 4; i++)
		assert_int_equal(0, take(&f, i, PUSH_FILE_PIECE, false, &err));
	assert_int_equal(-1, take(&f, 4, PUSH_FILE_PIECE, false, &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_string_equal("the store in the database expands to more than 200 times "
			    "what the server sends",
			    err.text);
	assert_int_equal(4 * MEBIBYTE, end(&f));
}

static void a_piece_that_is_missing_or_too_much_is_refused(void **state)
{
	(void)state;
	struct pull_file f = begin(MEBIBYTE);
	struct err err = ERR_INIT;

	assert_int_equal(-1, take(&f, 1, 7, true, &err));
	assert_string_equal("the store in the database is damaged", err.text);
	assert_int_equal(0, end(&f));
	f = begin(MEBIBYTE);
	assert_int_equal(0, take(&f, 0, PUSH_FILE_PIECE, true, &err));
	assert_int_equal(-1, take(&f, 1, 1, true, &err));
	assert_int_equal(MEBIBYTE, end(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_written_one_after_the_other),
		cmocka_unit_test(pieces_that_expand_without_end_are_refused),
		cmocka_unit_test(a_piece_that_is_missing_or_too_much_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
