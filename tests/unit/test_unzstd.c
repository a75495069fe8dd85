/* zstd as a decoder: frames made by libzstd itself, whole, cut and broken. */
#include "decoding.h"

#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/decoder.h"
#include "base/input.h"

#define KIB   ((size_t)1024)
#define BLOCK (128 * KIB)

/* Text that compresses and does not repeat itself; the caller frees it. */
static uint8_t *some_text(size_t n)
{
	uint8_t *p = xmalloc(n);
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (uint8_t)('a' + (x >> 24) % 11);
	}
	return p;
}

/* A stream under construction: owned bytes, and how a frame is to be made. */
struct zst {
	uint8_t *p;
	size_t n;
	bool checksum;
	int window_log; /* 0: what the level wants */
};

static void add_bytes(struct zst *z, const void *p, size_t n)
{
	z->p = xrealloc_array(z->p, z->n + n, 1);
	memcpy(z->p + z->n, p, n);
	z->n += n;
}

static void add_frame(struct zst *z, const void *plain, size_t n)
{
	size_t room = ZSTD_compressBound(n);
	uint8_t *out = xmalloc(room);
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer to = { out, room, 0 };
	ZSTD_inBuffer from = { plain, n, 0 };

	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, z->checksum);
	if (z->window_log)
		ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, z->window_log);
	/* Not in one call: a stream's header tells no size. */
	assert_false(ZSTD_isError(ZSTD_compressStream2(c, &to, &from, ZSTD_e_continue)));
	assert_int_equal(0, ZSTD_compressStream2(c, &to, &from, ZSTD_e_end));
	ZSTD_freeCCtx(c);
	add_bytes(z, out, to.pos);
	free(out);
}

/* 300 bytes, which are not text, in a frame to be skipped. */
static void add_skippable(struct zst *z)
{
	uint8_t frame[8 + 300] = { 0x5a, 0x2a, 0x4d, 0x18, 300 & 0xff, 300 >> 8 };

	memset(frame + 8, 0xfd, 300);
	add_bytes(z, frame, sizeof(frame));
}

static void assert_reads(struct bytes zst, struct bytes plain)
{
	struct input *in = input_from_memory(zst);

	assert_int_equal(plain.n, read_to_end(in, plain));
	assert_null(input_damage(in));
	assert_int_equal(zst.n, input_consumed(in));
	input_close(in);
}

/* How many bytes of `plain` come out with this damage. */
static size_t read_damaged(struct bytes zst, struct bytes plain, const char *damage)
{
	struct input *in = input_from_memory(zst);

	size_t n = read_to_end(in, plain);
	assert_non_null(input_damage(in));
	assert_string_equal(damage, input_damage(in));
	input_close(in);
	return n;
}

static void frames_with_and_without_checksum_are_read(void **state)
{
	(void)state;
	const size_t n = 5000 * KIB;
	uint8_t *text = some_text(n);

	for (int checksum = 0; checksum <= 1; checksum++) {
		struct zst z = { .checksum = checksum };
		add_frame(&z, text, n);
		assert_reads(VIEW(z.p, z.n), VIEW(text, n));
		free(z.p);
	}
	free(text);
}

static void several_frames_and_skippable_ones_are_one_stream(void **state)
{
	(void)state;
	struct zst z = { .checksum = true };

	add_skippable(&z);
	add_frame(&z, "one ", 4);
	add_frame(&z, "", 0);
	add_skippable(&z);
	add_skippable(&z);
	add_frame(&z, "two ", 4);
	add_frame(&z, "three", 5);
	add_skippable(&z);
	assert_reads(VIEW(z.p, z.n), BYTES("one two three"));
	free(z.p);
}

static void what_does_not_shrink_is_read(void **state)
{
	(void)state;
	const size_t n = 400 * KIB;
	uint8_t *noise = xmalloc(n);
	uint32_t x = 7;
	struct zst z = { .checksum = true };

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		noise[i] = (uint8_t)x;
	}
	add_frame(&z, noise, n);
	assert_true(z.n > n);
	assert_reads(VIEW(z.p, z.n), VIEW(noise, n));
	free(z.p);
	free(noise);
}

static void zstd_may_come_and_go_in_pieces_of_any_size(void **state)
{
	(void)state;
	uint8_t *text = some_text(3000);
	struct zst z = { .checksum = true };

	add_frame(&z, text, 1000);
	add_skippable(&z);
	z.checksum = false;
	add_frame(&z, text + 1000, 2000);
	for (size_t most = 1; most <= z.n; most += 1 + most / 20) {
		for (size_t room = 1; room <= 4000; room *= 3)
			assert_decodes(&unzstd_decoder,
				       (struct dribble){ VIEW(z.p, z.n), most }, room,
				       VIEW(text, 3000));
	}
	free(z.p);
	free(text);
}

/* Frames of one block each: what was read is always a whole number of them. */
static void a_stream_cut_anywhere_gives_the_blocks_before_the_cut(void **state)
{
	(void)state;
	const size_t part = 500, parts = 6;
	size_t ends[6];
	uint8_t *text = some_text(part * parts);
	struct zst z = { .checksum = true };

	for (size_t i = 0; i < parts; i++) {
		add_frame(&z, text + i * part, part);
		ends[i] = z.n;
	}
	for (size_t cut = 4, whole = 0; cut < z.n; cut++) {
		if (cut == ends[whole]) {
			whole++;
			assert_reads(VIEW(z.p, cut), VIEW(text, whole * part));
			continue;
		}
		size_t n = read_damaged(VIEW(z.p, cut), VIEW(text, part * parts),
					"zstd stream ends early");
		/* only the checksum may be behind the block */
		assert_in_range(n, whole * part,
				(whole + (cut + 4 >= ends[whole])) * part);
	}
	free(z.p);
	free(text);
}

static void a_cut_costs_the_block_that_it_is_in_and_no_more(void **state)
{
	(void)state;
	const size_t n = 40 * BLOCK;
	uint8_t *text = some_text(n);
	struct zst z = { .checksum = true };

	add_frame(&z, text, n);
	for (size_t cut = 100; cut < z.n; cut += z.n / 37) {
		size_t made = read_damaged(VIEW(z.p, cut), VIEW(text, n),
					   "zstd stream ends early");
		size_t due = (size_t)((double)n * (double)cut / (double)z.n);
		assert_int_equal(0, made % BLOCK);
		assert_true(made + 2 * BLOCK >= due);
	}
	free(z.p);
	free(text);
}

/* Where the block's header stands: 3 bytes with the size in the upper 21 bits. */
static size_t find_block(const struct zst *z, unsigned number)
{
	size_t at = 6; /* the magic, a header without sizes, the window */

	while (number--)
		at += 3 + (((size_t)z->p[at] | (size_t)z->p[at + 1] << 8 |
			    (size_t)z->p[at + 2] << 16) >>
			   3);
	return at;
}

static void a_broken_block_costs_what_is_behind_it(void **state)
{
	(void)state;
	const size_t n = 8 * BLOCK;
	uint8_t *text = some_text(n);

	for (unsigned number = 0; number < 8; number++) {
		struct zst z = { .checksum = true };
		add_frame(&z, text, n);
		z.p[find_block(&z, number)] |= 3 << 1; /* a type that is reserved */
		assert_int_equal(number * BLOCK,
				 read_damaged(VIEW(z.p, z.n), VIEW(text, n),
					      "zstd stream is corrupt"));
		free(z.p);
	}
	free(text);
}

static void a_wrong_checksum_is_told_after_the_bytes(void **state)
{
	(void)state;
	uint8_t *text = some_text(300 * KIB);
	struct zst z = { .checksum = true };

	add_frame(&z, text, 300 * KIB);
	for (size_t i = z.n - 4; i < z.n; i++) {
		z.p[i] ^= 0x10;
		assert_int_equal(300 * KIB,
				 read_damaged(VIEW(z.p, z.n), VIEW(text, 300 * KIB),
					      "zstd checksum does not match"));
		z.p[i] ^= 0x10;
	}
	free(z.p);
	free(text);
}

static void what_follows_the_last_frame_is_told(void **state)
{
	(void)state;
	static const struct {
		struct bytes tail;
		const char *damage;
	} tails[] = {
		{ { (const uint8_t *)"\0", 1 }, "zstd stream is followed by zero bytes" },
		{ { (const uint8_t *)"\0\0\0\0\0\0", 6 },
		  "zstd stream is followed by zero bytes" },
		{ { (const uint8_t *)"\0\0\0\0\0x", 6 },
		  "zstd stream is followed by garbage" },
		{ { (const uint8_t *)"junk", 4 }, "zstd stream is followed by garbage" },
		{ { (const uint8_t *)"ju", 2 }, "zstd stream is followed by garbage" },
		{ { (const uint8_t *)"\x28\xb5\x2f", 3 }, "zstd stream ends early" },
	};

	for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
		struct zst z = { .checksum = true };
		add_frame(&z, "trace", 5);
		add_bytes(&z, tails[i].tail.p, tails[i].tail.n);
		assert_int_equal(
			5, read_damaged(VIEW(z.p, z.n), BYTES("trace"), tails[i].damage));
		free(z.p);
	}
}

/* The frame before it is not lost. */
static void a_window_that_no_machine_should_give_is_refused(void **state)
{
	(void)state;
	uint8_t *text = some_text(1000);

	for (int log = 27; log <= 28; log++) {
		struct zst z = { .window_log = log };
		add_frame(&z, text, 500);
		z.window_log = log;
		add_frame(&z, text + 500, 500);
		if (log == 27)
			assert_reads(VIEW(z.p, z.n), VIEW(text, 1000));
		else
			assert_int_equal(
				0, read_damaged(VIEW(z.p, z.n), VIEW(text, 1000),
						"zstd frame wants a window of more than "
						"128 MiB (compress it again without "
						"--long)"));
		free(z.p);
	}
	free(text);
}

static void a_dictionary_that_is_not_there_is_told(void **state)
{
	(void)state;
	/* magic, a header with a 1-byte dictionary id, window, id; an empty last block */
	static const uint8_t frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x01,
					 0x00, 0x07, 0x01, 0x00, 0x00 };

	assert_int_equal(0, read_damaged(VIEW(frame, sizeof(frame)), BYTES(""),
					 "zstd frame needs a dictionary"));
}

static void a_flipped_bit_is_told_and_gives_no_other_bytes(void **state)
{
	(void)state;
	uint8_t *text = some_text(1500);
	struct zst z = { .checksum = true };
	struct err err = ERR_INIT;

	add_frame(&z, text, 1500);
	for (size_t bit = (size_t)8 * 4; bit < 8 * z.n; bit++) {
		z.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		struct input *in = input_from_memory(VIEW(z.p, z.n));
		struct bytes got = input_peek(in, BLOCK + KIB, &err);
		bool same = got.n == 1500 && memcmp(got.p, text, 1500) == 0;
		/* a bit of the header may say the same in another way, or nothing */
		if (!input_damage(in))
			assert_true(same);
		assert_int_equal(ERR_NONE, err.kind);
		input_close(in);
		z.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	free(z.p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_with_and_without_checksum_are_read),
		cmocka_unit_test(several_frames_and_skippable_ones_are_one_stream),
		cmocka_unit_test(what_does_not_shrink_is_read),
		cmocka_unit_test(zstd_may_come_and_go_in_pieces_of_any_size),
		cmocka_unit_test(a_stream_cut_anywhere_gives_the_blocks_before_the_cut),
		cmocka_unit_test(a_cut_costs_the_block_that_it_is_in_and_no_more),
		cmocka_unit_test(a_broken_block_costs_what_is_behind_it),
		cmocka_unit_test(a_wrong_checksum_is_told_after_the_bytes),
		cmocka_unit_test(what_follows_the_last_frame_is_told),
		cmocka_unit_test(a_window_that_no_machine_should_give_is_refused),
		cmocka_unit_test(a_dictionary_that_is_not_there_is_told),
		cmocka_unit_test(a_flipped_bit_is_told_and_gives_no_other_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
