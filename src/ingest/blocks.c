/*
 * A ring of blocks: the owner cuts them off the input and works on one itself
 * when it would have to wait.  See blocks.h.
 */
#include "ingest/blocks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/workers.h"
#include "ingest/json.h"

#define SLOTS_AHEAD 4 /* blocks that wait for a thread or for their turn */
#define UNCUT_MAX   ((size_t)4 << 20) /* bytes without any place to cut at */

enum slot_state { SLOT_CUT, SLOT_TAKEN, SLOT_DONE };

struct slot {
	struct block block;
	char *text; /* owned, cap bytes */
	size_t cap;
	enum slot_state state;
};

struct blocks {
	struct input *in; /* borrowed; only the owner's thread reads it */
	struct blocks_plan plan;
	void *own_state;
	struct workers
		workers; /* their mutex is for what follows, but the slots' blocks */
	uint64_t first, todo,
		end; /* blocks by number: the oldest, to be taken next, not cut yet */
	struct slot *slots; /* a block's is its number modulo nslots */
	unsigned nslots;
	uint64_t offset; /* in the input: where the next block begins */
	char *carried;   /* owned: the bytes of it that were read with the one before */
	size_t ncarried, carried_cap;
	bool at_end; /* nothing is left to be cut */
	struct err failure;
	uint64_t rest; /* where blocks_rest goes on */
};

static struct slot *slot_of(const struct blocks *b, uint64_t number)
{
	return &b->slots[number % b->nslots];
}

static uint64_t block_end(const struct block *block)
{
	return block->offset + block->text.n;
}

/* With the mutex held: the next block that nobody has taken, or NULL. */
static struct slot *take(struct blocks *b)
{
	if (b->todo == b->end)
		return NULL;
	struct slot *slot = slot_of(b, b->todo++);
	slot->state = SLOT_TAKEN;
	return slot;
}

/* With the mutex held, which is let go meanwhile. */
static void work_on(struct blocks *b, struct slot *slot, void *state)
{
	workers_unlock(&b->workers);
	b->plan.work.work(state, &slot->block);
	workers_lock(&b->workers);
	slot->state = SLOT_DONE;
	workers_wake(&b->workers);
}

static void *run_thread(void *to)
{
	struct blocks *b = to;
	void *state = b->plan.work.begin(b->plan.work.to);
	struct slot *slot;

	workers_lock(&b->workers);
	while (!b->workers.is_stopping) {
		if ((slot = take(b)))
			work_on(b, slot, state);
		else
			workers_wait(&b->workers);
	}
	workers_unlock(&b->workers);
	b->plan.work.end(state);
	return NULL;
}

struct blocks *blocks_new(struct input *in, const struct blocks_plan *plan)
{
	struct blocks *b = xcalloc(1, sizeof(*b));

	b->in = in;
	b->offset = input_offset(in);
	b->plan = *plan;
	if (b->plan.block_size == 0)
		b->plan.block_size = BLOCK_BYTES;
	b->nslots = plan->threads + SLOTS_AHEAD;
	b->slots = xcalloc(b->nslots, sizeof(*b->slots));
	workers_init(&b->workers);
	b->own_state = plan->work.begin(plan->work.to);
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	workers_release(&b->workers);
	b->plan.work.end(b->own_state);
	for (unsigned i = 0; i < b->nslots; i++) {
		if (b->slots[i].block.result)
			b->plan.work.free_result(b->slots[i].block.result);
		free(b->slots[i].text);
	}
	free(b->carried);
	free(b->slots);
	free(b);
}

/* As many bytes of the input behind the first n of the slot's text that it has `want`. */
static size_t fill(struct blocks *b, struct slot *slot, size_t n, size_t want)
{
	struct err err = ERR_INIT;
	ssize_t got = 1;

	slot->text = xgrow(slot->text, &slot->cap, want + JSON_PADDING, 1);
	for (; n < want && got > 0; n += (size_t)got)
		got = input_read(b->in, (uint8_t *)slot->text + n, want - n, &err);
	if (got >= 0)
		return n;
	b->failure = err;
	return 0;
}

/* The bytes of the slot that are the next block's; 0 at the input's end, or after a failure. */
static size_t next_text(struct blocks *b, struct slot *slot)
{
	size_t n = b->ncarried, size = 0;

	slot->text = xgrow(slot->text, &slot->cap, n + JSON_PADDING, 1);
	if (n)
		memcpy(slot->text, b->carried, n);
	b->ncarried = 0;
	for (size_t want = b->plan.block_size; !size; want *= 2) {
		if (n < want)
			n = fill(b, slot, n, want);
		if (n < want)
			return n;
		size = b->plan.cut(b->plan.work.to, (struct str){ slot->text, want });
		if (!size && want >= UNCUT_MAX)
			size = want;
	}
	b->ncarried = n - size;
	b->carried = xgrow(b->carried, &b->carried_cap, b->ncarried, 1);
	if (b->ncarried)
		memcpy(b->carried, slot->text + size, b->ncarried);
	return size;
}

/* Cuts off one block, for which there is room. */
static void cut_block(struct blocks *b)
{
	struct slot *slot = slot_of(b, b->end);

	assert(b->end - b->first < b->nslots);
	size_t n = next_text(b, slot);
	if (n == 0) {
		b->at_end = true;
		return;
	}
	memset(slot->text + n, 0, JSON_PADDING);
	slot->block.text = (struct str){ slot->text, n };
	slot->block.offset = b->offset;
	b->offset += n;
	workers_lock(&b->workers);
	slot->state = SLOT_CUT;
	b->end++;
	workers_wake(&b->workers);
	workers_unlock(&b->workers);
	if (b->end == 2) /* there is work for them */
		workers_start(&b->workers, b->plan.threads, run_thread, b);
}

static bool has_room(const struct blocks *b)
{
	return !b->at_end && b->end - b->first < b->nslots;
}

int blocks_next(struct blocks *b, const struct block **out, struct err *err)
{
	struct slot *slot, *other;

	while (has_room(b))
		cut_block(b);
	if (b->first == b->end) {
		if (b->failure.kind == ERR_NONE)
			return 0;
		*err = b->failure;
		return -1;
	}
	slot = slot_of(b, b->first);
	workers_lock(&b->workers);
	while (slot->state != SLOT_DONE) {
		if ((other = take(b)))
			work_on(b, other, b->own_state);
		else
			workers_wait(&b->workers);
	}
	workers_unlock(&b->workers);
	*out = &slot->block;
	return 1;
}

/* Drops the oldest block, whatever became of it. */
static void drop_first(struct blocks *b)
{
	struct slot *slot = slot_of(b, b->first);

	workers_lock(&b->workers);
	while (slot->state == SLOT_TAKEN)
		workers_wait(&b->workers);
	b->first++;
	if (b->todo < b->first)
		b->todo = b->first;
	workers_unlock(&b->workers);
}

void blocks_drop(struct blocks *b, uint64_t before)
{
	while (b->first < b->end && slot_of(b, b->first)->block.offset < before)
		drop_first(b);
}

bool blocks_begin_at(const struct blocks *b, uint64_t offset)
{
	for (uint64_t i = b->first + 1; i < b->end; i++)
		if (slot_of(b, i)->block.offset == offset)
			return true;
	return false;
}

/* The block that holds the place where the rest goes on; NULL: none is left. */
static const struct block *block_of_rest(struct blocks *b)
{
	for (;;) {
		for (uint64_t i = b->first; i < b->end; i++) {
			const struct block *block = &slot_of(b, i)->block;
			if (b->rest < block_end(block))
				return block;
		}
		if (b->at_end)
			return NULL;
		if (!has_room(b))
			drop_first(b);
		cut_block(b);
	}
}

static ssize_t read_rest(void *from, uint8_t *to, size_t n, struct err *err)
{
	struct blocks *b = from;
	const struct block *block = block_of_rest(b);

	if (!block) {
		*err = b->failure;
		return b->failure.kind == ERR_NONE ? 0 : -1;
	}
	size_t at = (size_t)(b->rest - block->offset);
	if (n > block->text.n - at)
		n = block->text.n - at;
	memcpy(to, block->text.p + at, n);
	b->rest += n;
	return (ssize_t)n;
}

struct input *blocks_rest(struct blocks *b, uint64_t from)
{
	b->rest = from;
	struct input *rest = input_from_source(read_rest, b, 0);
	input_set_plain(rest);
	return rest;
}
