/* Sources that are no file, decoders on top of each other, and going to a byte. */
#include "decoding.h"

#include <fcntl.h>
#include <zlib.h>
#include <zstd.h>

#include "base/input.h"
#include "scratch.h"

#define TEXT "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2}]}"
#define ROOM ((size_t)4096)

/* Owned bytes. */
struct packed {
	uint8_t p[ROOM];
	size_t n;
};

static struct packed packed_of(struct bytes plain)
{
	struct packed packed = { .n = plain.n };

	assert_true(plain.n <= ROOM);
	memcpy(packed.p, plain.p, plain.n);
	return packed;
}

static struct packed gzip(struct packed plain)
{
	struct packed packed = { .n = 0 };
	z_stream z = { .next_in = plain.p,
		       .avail_in = (uInt)plain.n,
		       .next_out = packed.p,
		       .avail_out = ROOM };

	assert_int_equal(Z_OK,
			 deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_FIXED));
	assert_int_equal(Z_STREAM_END, deflate(&z, Z_FINISH));
	packed.n = z.total_out;
	deflateEnd(&z);
	return packed;
}

static struct packed zstd(struct packed plain)
{
	struct packed packed = { .n = 0 };

	packed.n = ZSTD_compress(packed.p, ROOM, plain.p, plain.n, 3);
	assert_false(ZSTD_isError(packed.n));
	return packed;
}

static struct packed utf16(struct packed plain)
{
	struct packed packed = { .n = 2 * plain.n };

	for (size_t i = 0; i < plain.n; i++)
		packed.p[2 * i + 1] = plain.p[i];
	return packed;
}

static void assert_reads(const struct packed *packed, const char *damage)
{
	struct input *in = input_from_memory(VIEW(packed->p, packed->n));

	assert_false(input_can_seek(in));
	input_set_window(in, 2, ROOM);
	size_t n = read_to_end(in, BYTES(TEXT));
	assert_int_equal(n, input_offset(in));
	if (damage) {
		assert_non_null(input_damage(in));
		assert_string_equal(damage, input_damage(in));
	} else {
		assert_int_equal(sizeof(TEXT) - 1, n);
		assert_null(input_damage(in));
	}
	input_close(in);
}

static void compression_within_compression_is_removed_some_levels_deep(void **state)
{
	(void)state;
	struct packed text = packed_of(BYTES(TEXT));
	struct packed one = zstd(gzip(text));
	struct packed two = gzip(zstd(text));
	struct packed three = gzip(gzip(zstd(text)));

	assert_reads(&one, NULL);
	assert_reads(&two, NULL);
	assert_reads(&three, NULL);
}

static void more_levels_than_anybody_needs_are_refused(void **state)
{
	(void)state;
	struct packed four = gzip(zstd(gzip(zstd(packed_of(BYTES(TEXT))))));
	struct input *in = input_from_memory(VIEW(four.p, four.n));

	for (int again = 0; again <= 1; again++) {
		struct err err = ERR_INIT;
		assert_int_equal(0, input_peek(in, 1, &err).n);
		assert_int_equal(ERR_INPUT, err.kind);
		assert_int_equal(0, err.offset);
		assert_string_equal("compressed more than 3 times over", err.text);
	}
	input_close(in);
}

static void utf16_is_converted_within_compression_and_not_around_it(void **state)
{
	(void)state;
	struct packed wide = zstd(gzip(gzip(utf16(packed_of(BYTES(TEXT))))));
	struct packed inside = { .n = 6, .p = { 0xff, 0xfe, 0x1f, 0, 0x8b, 0 } };
	struct err err = ERR_INIT;

	assert_reads(&wide, NULL);
	struct input *in = input_from_memory(VIEW(inside.p, inside.n));
	assert_int_equal(3, input_peek(in, 10, &err).n);
	assert_memory_equal("\x1f\xc2\x8b", input_peek(in, 10, &err).p, 3);
	input_close(in);
}

/* A cut of the outer stream cuts the inner one too; it is not that one's fault. */
static void the_outermost_damage_is_the_one_that_is_told(void **state)
{
	(void)state;
	struct packed outer = gzip(zstd(packed_of(BYTES(TEXT))));
	struct packed cut = zstd(packed_of(BYTES(TEXT)));

	outer.n -= 12;
	assert_reads(&outer, "gzip stream ends early");
	cut.n -= 12;
	struct packed inner = gzip(cut);
	assert_reads(&inner, "zstd stream ends early");
}

/* A source that gives at most `most` bytes at once, and fails after `good` bytes. */
struct breaking {
	struct bytes left;
	size_t most, good;
	unsigned calls_too_many;
	bool is_over;
};

static ssize_t breaking_read(void *source, uint8_t *to, size_t n, struct err *err)
{
	struct breaking *d = source;

	d->calls_too_many += d->is_over;
	n = n < d->most ? n : d->most;
	n = n < d->left.n ? n : d->left.n;
	d->is_over = n == 0 || n > d->good;
	if (n > d->good)
		return err_set(err, ERR_IO, "cannot read: it is broken");
	memcpy(to, d->left.p, n);
	d->left.p += n;
	d->left.n -= n;
	d->good -= n;
	return (ssize_t)n;
}

static const char *breaking_damage(const void *source)
{
	return ((const struct breaking *)source)->left.n ? NULL : "it went dry";
}

static void any_source_can_be_an_input(void **state)
{
	(void)state;
	struct packed text = packed_of(BYTES(TEXT));
	struct packed packed[] = { text, gzip(text), zstd(text), utf16(text) };

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		for (size_t most = 1; most < 100; most++) {
			struct breaking source = { .left = VIEW(packed[i].p, packed[i].n),
						   .most = most,
						   .good = SIZE_MAX };
			struct input *in =
				input_from_source(breaking_read, &source, packed[i].n);
			input_set_damage(in, breaking_damage);
			assert_null(input_damage(in));
			assert_int_equal(sizeof(TEXT) - 1, read_to_end(in, BYTES(TEXT)));
			assert_string_equal("it went dry", input_damage(in));
			assert_int_equal(packed[i].n, input_consumed(in));
			assert_int_equal(packed[i].n, input_size(in));
			assert_false(input_can_seek(in));
			input_close(in);
			assert_int_equal(0, source.calls_too_many);
		}
	}
}

/* Whatever was on its way, the user must know that there was more. */
static void a_source_that_fails_is_told_and_not_asked_again(void **state)
{
	(void)state;
	struct packed text = packed_of(BYTES(TEXT));
	struct packed packed[] = { text, gzip(text), zstd(text), utf16(text) };

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		for (size_t good = 0; good < packed[i].n; good++) {
			struct err err = ERR_INIT;
			struct breaking source = { .left = VIEW(packed[i].p, packed[i].n),
						   .most = 1,
						   .good = good };
			struct input *in = input_from_source(breaking_read, &source, 0);
			for (int again = 0; again <= 1; again++) {
				err = (struct err)ERR_INIT;
				assert_int_equal(0, input_peek(in, ROOM, &err).n);
				assert_int_equal(ERR_IO, err.kind);
				assert_string_equal("cannot read: it is broken",
						    err.text);
			}
			input_close(in);
			assert_int_equal(0, source.calls_too_many);
		}
	}
}

/* Goes back and forth, from within the window and from outside of it. */
static void assert_seeks(struct input *in, const uint8_t *plain, size_t n)
{
	struct err err = ERR_INIT;
	uint32_t x = 1;

	input_set_window(in, 100, 1000);
	assert_int_equal(n, input_size(in));
	assert_false(input_can_seek(in));
	assert_true(input_peek(in, 1, &err).n > 0);
	assert_true(input_can_seek(in));
	for (int i = 0; i < 1000; i++) {
		x = x * 1664525 + 1013904223;
		size_t at = i % 50 == 0 ? n : (x >> 8) % n;
		size_t want = 1 + x % 300;
		assert_int_equal(0, input_seek(in, at, &err));
		assert_int_equal(at, input_offset(in));
		struct bytes got = input_peek(in, want, &err);
		assert_true(got.n >= want || got.n == n - at);
		assert_memory_equal(plain + at, got.p, got.n);
		for (size_t zero = 0; zero < INPUT_PADDING; zero++)
			assert_int_equal(0, got.p[got.n + zero]);
		input_skip(in, got.n / 2);
		assert_int_equal(at + got.n / 2, input_offset(in));
	}
	assert_int_equal(ERR_NONE, err.kind);
	input_close(in);
}

static void files_and_memory_can_be_gone_through_in_any_order(void **state)
{
	const size_t n = 20000;
	struct err err = ERR_INIT;
	char *path = scratch_path(state, "file");
	FILE *out = fopen(path, "wb");
	uint8_t *plain = xmalloc(n);

	for (size_t i = 0; i < n; i++)
		plain[i] = (uint8_t)('a' + i * i % 23);
	assert_int_equal(n, fwrite(plain, 1, n, out));
	assert_int_equal(0, fclose(out));
	assert_seeks(input_from_memory(VIEW(plain, n)), plain, n);
	assert_seeks(input_open(path, &err), plain, n);

	/* standard input, from where it stands */
	int saved = dup(STDIN_FILENO);
	int fd = open(path, O_RDONLY);
	assert_int_equal(STDIN_FILENO, dup2(fd, STDIN_FILENO));
	assert_int_equal(77, lseek(STDIN_FILENO, 77, SEEK_SET));
	assert_seeks(input_open("-", &err), plain + 77, n - 77);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(fd);
	free(plain);
	free(path);
}

static void what_is_decoded_or_comes_from_a_pipe_has_one_order(void **state)
{
	(void)state;
	struct err err = ERR_INIT;
	struct packed text = packed_of(BYTES(TEXT));
	struct packed packed[] = { gzip(text), zstd(text), utf16(text) };
	int ends[2];

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		struct input *in = input_from_memory(VIEW(packed[i].p, packed[i].n));
		input_peek(in, 1, &err);
		assert_false(input_can_seek(in));
		input_close(in);
	}
	assert_int_equal(0, pipe(ends));
	assert_int_equal(1, write(ends[1], "x", 1));
	close(ends[1]);
	int saved = dup(STDIN_FILENO);
	assert_int_equal(STDIN_FILENO, dup2(ends[0], STDIN_FILENO));
	struct input *in = input_open("-", &err);
	assert_int_equal(1, input_peek(in, 1, &err).n);
	assert_false(input_can_seek(in));
	input_close(in);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			compression_within_compression_is_removed_some_levels_deep),
		cmocka_unit_test(more_levels_than_anybody_needs_are_refused),
		cmocka_unit_test(utf16_is_converted_within_compression_and_not_around_it),
		cmocka_unit_test(the_outermost_damage_is_the_one_that_is_told),
		cmocka_unit_test(any_source_can_be_an_input),
		cmocka_unit_test(a_source_that_fails_is_told_and_not_asked_again),
		cmocka_unit_test(files_and_memory_can_be_gone_through_in_any_order),
		cmocka_unit_test(what_is_decoded_or_comes_from_a_pipe_has_one_order),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
