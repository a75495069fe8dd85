/* Rows as ClickHouse's RowBinary, written and read again in pieces of every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>

#include "remote/rowbinary.h"

static const struct rowbinary_type types[] = { { ROWBINARY_INT, false },
					       { ROWBINARY_TEXT, true },
					       { ROWBINARY_REAL, true } };

struct seen {
	uint64_t n;
	int64_t least, most;
	size_t bytes;
};

static int see(void *to, const struct rowbinary_cell *cells, struct err *err)
{
	struct seen *seen = to;

	(void)err;
	seen->n++;
	seen->least = seen->n == 1 ? cells[0].number : seen->least;
	seen->most = cells[0].number;
	seen->bytes += cells[1].is_null ? 0 : cells[1].text.n;
	assert_true(cells[2].is_null || (cells[2].real > 0.2 && cells[2].real < 0.3));
	return 0;
}

static int read_in_pieces(struct str bytes, size_t piece, uint64_t most,
			  struct seen *seen, struct err *err)
{
	struct rowbinary_reader r = {
		.types = types, .ntypes = 3, .most = most, .row = see, .to = seen
	};
	int rc = 0;

	rowbinary_begin(&r);
	while (rc == 0 && bytes.n) {
		size_t n = bytes.n < piece ? bytes.n : piece;
		rc = rowbinary_feed(&r, (struct str){ bytes.p, n }, err);
		bytes = str_behind(bytes, n);
	}
	return rowbinary_end(&r, rc < 0 ? &(struct err)ERR_INIT : err) < 0 ? -1 : rc;
}

/* Three rows, one with a text of 300 bytes, among them 0, 0xff and a quote. */
static void three_rows(struct buf *to)
{
	char odd[300];

	memset(odd, 0xff, sizeof(odd));
	odd[0] = '\0';
	odd[1] = '\'';
	buf_init(to, 4096);
	for (int i = 0; i < 3; i++) {
		rowbinary_put_int(to, INT64_MIN / (i + 1));
		rowbinary_put_null(to, i == 1);
		if (i != 1)
			rowbinary_put_text(to, (struct str){ odd, i ? sizeof(odd) : 0 });
		rowbinary_put_null(to, i == 0);
		if (i)
			rowbinary_put_real(to, 0.25);
	}
}

static void rows_come_back_in_pieces_of_every_size(void **state)
{
	(void)state;
	struct buf bytes;

	three_rows(&bytes);
	for (size_t piece = 1; piece <= bytes.n; piece++) {
		struct seen seen = { 0 };
		struct err err = ERR_INIT;
		assert_int_equal(0,
				 read_in_pieces(buf_str(&bytes), piece, 3, &seen, &err));
		assert_int_equal(3, seen.n);
		assert_int_equal(300, seen.bytes);
		assert_true(seen.least == INT64_MIN && seen.most == INT64_MIN / 3);
	}
	buf_release(&bytes);
}

static void an_answer_that_is_cut_is_an_error(void **state)
{
	(void)state;
	struct buf bytes;
	struct seen seen;

	three_rows(&bytes);
	for (size_t n = 1; n < bytes.n; n++) {
		struct err err = ERR_INIT;
		seen = (struct seen){ 0 };
		int rc = read_in_pieces((struct str){ bytes.p, n }, 7, 3, &seen, &err);
		/* between two rows it is not seen here: rows are counted by who asked */
		assert_true(rc == 0 ? seen.n < 3 : err.kind == ERR_IO);
	}
	buf_release(&bytes);
}

static void more_rows_than_there_are_end_the_reading(void **state)
{
	(void)state;
	struct buf bytes;
	struct seen seen = { 0 };
	struct err err = ERR_INIT;

	three_rows(&bytes);
	assert_int_equal(-1, read_in_pieces(buf_str(&bytes), 64, 2, &seen, &err));
	assert_int_equal(2, seen.n);
	assert_string_equal("the server sends more than the 2 rows that there are",
			    err.text);
	buf_release(&bytes);
}

static void more_bytes_than_there_is_room_for_end_the_reading(void **state)
{
	(void)state;
	struct buf bytes;
	struct seen seen = { 0 };
	struct err err = ERR_INIT;

	three_rows(&bytes);
	uint64_t room = 2 * bytes.n - 1;
	struct rowbinary_reader r = { .types = types,
				      .ntypes = 3,
				      .most = UINT64_MAX,
				      .room = &room,
				      .row = see,
				      .to = &seen };
	rowbinary_begin(&r);
	assert_int_equal(0, rowbinary_feed(&r, buf_str(&bytes), &err));
	assert_int_equal(bytes.n - 1, room);
	assert_int_equal(-1, rowbinary_feed(&r, buf_str(&bytes), &err));
	assert_int_equal(ERR_IO, err.kind);
	assert_int_equal(3, seen.n);
	rowbinary_end(&r, &err);
	assert_int_equal(8 + 1 + 1, rowbinary_least(types, 3));
	buf_release(&bytes);
}

static void a_text_of_a_length_beyond_reason_is_refused_at_once(void **state)
{
	(void)state;
	static const char huge[] = "\0\0\0\0\0\0\0\0"
				   "\0\xff\xff\xff\xff\xff\x0f";
	static const char endless[] = "\0\0\0\0\0\0\0\0"
				      "\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
	struct seen seen = { 0 };
	struct err err = ERR_INIT;

	assert_int_equal(-1, read_in_pieces((struct str){ huge, sizeof(huge) - 1 }, 99, 9,
					    &seen, &err));
	assert_string_equal("the server's answer is malformed", err.text);
	assert_int_equal(-1, read_in_pieces((struct str){ endless, sizeof(endless) - 1 },
					    99, 9, &seen, &err));
	assert_int_equal(0, seen.n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_in_pieces_of_every_size),
		cmocka_unit_test(an_answer_that_is_cut_is_an_error),
		cmocka_unit_test(more_rows_than_there_are_end_the_reading),
		cmocka_unit_test(more_bytes_than_there_is_room_for_end_the_reading),
		cmocka_unit_test(a_text_of_a_length_beyond_reason_is_refused_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
