/* An input in blocks that threads work on ahead (ingest/blocks.h).  Runs under TSAN. */
#include "reading.h"

#include "base/alloc.h"
#include "ingest/blocks.h"

/* Lines of numbers; a block ends behind a line. */
#define LINES 5000

static size_t cut(void *to, struct str text)
{
	(void)to;
	while (text.n && text.p[text.n - 1] != '\n')
		text.n--;
	return text.n;
}

static void *begin(void *to)
{
	(void)to;
	return xcalloc(1, sizeof(int));
}

/* The result is the sum of the block's numbers. */
static void work(void *state, struct block *block)
{
	int64_t *sum = block->result ? block->result : xcalloc(1, sizeof(*sum));

	++*(int *)state;
	*sum = 0;
	for (size_t i = 0, number = 0; i < block->text.n; i++) {
		char c = block->text.p[i];
		number = c == '\n' ? 0 : number * 10 + (size_t)(c - '0');
		if (c != '\n' && (i + 1 == block->text.n || block->text.p[i + 1] == '\n'))
			*sum += (int64_t)number;
	}
	block->result = sum;
}

static struct blocks_plan plan_of(unsigned threads, size_t size)
{
	return (struct blocks_plan){
		.threads = threads,
		.block_size = size,
		.cut = cut,
		.work = { .begin = begin, .end = free, .work = work, .free_result = free }
	};
}

static struct buf number_lines(void)
{
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	for (int i = 0; i < LINES; i++)
		buf_addf(&text, "%d\n", i);
	return text;
}

static struct input *input_of(const struct buf *text)
{
	return input_from_memory((struct bytes){ (const uint8_t *)text->p, text->n });
}

static void blocks_come_in_their_order_whole(void **state)
{
	struct buf text = number_lines();

	(void)state;
	for (unsigned threads = 0; threads < 4; threads++) {
		for (size_t size = 8; size < text.n * 2; size *= 3) {
			struct blocks_plan plan = plan_of(threads, size);
			struct input *in = input_of(&text);
			struct blocks *b = blocks_new(in, &plan);
			const struct block *block;
			struct err err = ERR_INIT;
			uint64_t at = 0;
			int64_t sum = 0;
			while (blocks_next(b, &block, &err) > 0) {
				assert_int_equal(block->offset, at);
				assert_memory_equal(block->text.p, text.p + at,
						    block->text.n);
				assert_true(block->text.p[block->text.n - 1] == '\n');
				assert_int_equal(block->text.p[block->text.n], 0);
				at += block->text.n;
				sum += *(const int64_t *)block->result;
				blocks_drop(b, at);
			}
			assert_int_equal(err.kind, ERR_NONE);
			assert_int_equal(at, text.n);
			assert_int_equal(sum, (int64_t)LINES * (LINES - 1) / 2);
			blocks_free(b);
			input_close(in);
		}
	}
	buf_release(&text);
}

/* All that the input has from its place on. */
static void assert_rest(struct input *rest, const char *expected, size_t n)
{
	struct err err = ERR_INIT;
	struct bytes all = input_peek(rest, n + 1, &err);

	assert_int_equal(err.kind, ERR_NONE);
	assert_int_equal(all.n, n);
	assert_memory_equal(all.p, expected, n);
}

static void the_rest_is_the_text_without_cuts(void **state)
{
	struct buf text = number_lines();
	const struct block *block;
	struct err err = ERR_INIT;

	(void)state;
	for (uint64_t from = 0; from < 40; from += 7) {
		struct blocks_plan plan = plan_of(2, 40);
		struct input *in = input_of(&text);
		struct blocks *b = blocks_new(in, &plan);
		assert_int_equal(blocks_next(b, &block, &err), 1);
		struct input *rest = blocks_rest(b, from);
		assert_rest(rest, text.p + from, text.n - from);
		input_close(rest);
		blocks_free(b);
		input_close(in);
	}
	buf_release(&text);
}

static void blocks_go_on_behind_a_part_of_the_rest(void **state)
{
	struct buf text = number_lines();
	struct blocks_plan plan = plan_of(1, 100);
	struct input *in = input_of(&text);
	struct blocks *b = blocks_new(in, &plan);
	const struct block *block;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(blocks_next(b, &block, &err), 1);
	uint64_t second = block->text.n;
	assert_false(blocks_begin_at(b, 0));
	struct input *rest = blocks_rest(b, 3);
	input_set_window(rest, 16, (size_t)1 << 20);
	assert_true(input_peek(rest, 1, &err).n > 0);
	input_close(rest);
	assert_true(blocks_begin_at(b, second));
	blocks_drop(b, second);
	assert_int_equal(blocks_next(b, &block, &err), 1);
	assert_int_equal(block->offset, second);
	assert_memory_equal(block->text.p, text.p + second, block->text.n);
	blocks_free(b);
	input_close(in);
	buf_release(&text);
}

static ssize_t fail_at_second(void *from, uint8_t *to, size_t n, struct err *err)
{
	int *calls = from;

	if (++*calls > 1)
		return err_set(err, ERR_IO, "the disk is gone");
	assert_true(n >= 2);
	to[0] = '1';
	to[1] = '\n';
	return 2;
}

static void a_source_that_fails_is_told_behind_its_blocks(void **state)
{
	struct blocks_plan plan = plan_of(1, 2);
	int calls = 0;
	struct input *in = input_from_source(fail_at_second, &calls, 0);
	struct blocks *b = blocks_new(in, &plan);
	const struct block *block;
	struct err err = ERR_INIT;
	int rc;

	(void)state;
	while ((rc = blocks_next(b, &block, &err)) > 0)
		blocks_drop(b, block->offset + block->text.n);
	assert_int_equal(rc, -1);
	assert_string_equal(err.text, "the disk is gone");
	blocks_free(b);
	input_close(in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_come_in_their_order_whole),
		cmocka_unit_test(the_rest_is_the_text_without_cuts),
		cmocka_unit_test(blocks_go_on_behind_a_part_of_the_rest),
		cmocka_unit_test(a_source_that_fails_is_told_behind_its_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
