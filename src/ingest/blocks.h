/*
 * An input's text in blocks that threads work on ahead, while their owner takes
 * them in file order.  A block ends where an event seems to begin; whether one
 * does is for the owner to verify, who can also read on from any place without
 * blocks.  Only the owner's thread reads the input.
 */
#ifndef PTOOL_INGEST_BLOCKS_H
#define PTOOL_INGEST_BLOCKS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/input.h"
#include "base/str.h"

#define BLOCK_BYTES ((size_t)1 << 20)

struct blocks;

struct block {
	struct str text; /* borrowed until the block is dropped; JSON_PADDING behind it */
	uint64_t offset; /* of the text in the input */
	void *result;    /* what `work` made of it; kept, to be filled again */
};

/* What threads do. */
struct block_work {
	void *to;
	/* The state of one thread, and its end. */
	void *(*begin)(void *to);
	void (*end)(void *state);
	/* Makes block->result of block->text; result is NULL at first, or used before. */
	void (*work)(void *state, struct block *block);
	void (*free_result)(void *result);
};

struct blocks_plan {
	unsigned threads;  /* beside the owner's */
	size_t block_size; /* bytes: 0 is BLOCK_BYTES */
	/* Bytes of the text before the last place where an event seems to begin; 0: none. */
	size_t (*cut)(void *to, struct str text);
	struct block_work work;
};

/* Begins at the input's place; `in` is borrowed until blocks_free. */
struct blocks *blocks_new(struct input *in, const struct blocks_plan *plan);
/* Waits for the threads; accepts NULL. */
void blocks_free(struct blocks *b);
/*
 * The first block that was not dropped, its work done: 1; 0: the input is at
 * its end; -1: it cannot be read, err is set.
 */
int blocks_next(struct blocks *b, const struct block **out, struct err *err);
/* Drops all that begin before that offset. */
void blocks_drop(struct blocks *b, uint64_t before);
/* Does a block behind the first one begin there? */
bool blocks_begin_at(const struct blocks *b, uint64_t offset);
/*
 * The text from a place in the first block to the input's end, without the
 * blocks' cuts.  Blocks that it passes by far are dropped; those that it has
 * not passed stay.  The caller closes it.
 */
struct input *blocks_rest(struct blocks *b, uint64_t from);

#endif
