/*
 * A ring of blocks: the owner cuts them off the input and works on one itself
 * when it would have to wait.  See blocks.h.
 */
#include "ingest/blocks.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/json.h"

#define SLOTS_AHEAD 4 /* blocks that wait for a thread or for their turn */
#define UNCUT_MAX   ((size_t)64 << 20) /* bytes without any place to cut at */

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
	pthread_t *threads;
	unsigned nthreads;
	pthread_mutex_t mutex; /* what follows, down to the states of slots */
	pthread_cond_t cut, done;
	bool is_stopping;
	uint64_t first, todo,
		end; /* blocks by number: the oldest, to be taken next, not cut yet */
	struct slot *slots; /* a block's is its number modulo nslots */
	unsigned nslots;
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
	pthread_mutex_unlock(&b->mutex);
	b->plan.work.work(state, &slot->block);
	pthread_mutex_lock(&b->mutex);
	slot->state = SLOT_DONE;
	pthread_cond_signal(&b->done);
}

static void *run_thread(void *to)
{
	struct blocks *b = to;
	void *state = b->plan.work.begin(b->plan.work.to);
	struct slot *slot;

	pthread_mutex_lock(&b->mutex);
	while (!b->is_stopping) {
		if ((slot = take(b)))
			work_on(b, slot, state);
		else
			pthread_cond_wait(&b->cut, &b->mutex);
	}
	pthread_mutex_unlock(&b->mutex);
	b->plan.work.end(state);
	return NULL;
}

/* Once there is work for them; as many as the system gives: the owner can do all alone. */
static void start_threads(struct blocks *b)
{
	b->threads = xcalloc(b->plan.threads + 1, sizeof(*b->threads));
	while (b->nthreads < b->plan.threads &&
	       pthread_create(&b->threads[b->nthreads], NULL, run_thread, b) == 0)
		b->nthreads++;
}

struct blocks *blocks_new(struct input *in, const struct blocks_plan *plan)
{
	struct blocks *b = xcalloc(1, sizeof(*b));

	b->in = in;
	b->plan = *plan;
	if (b->plan.block_size == 0)
		b->plan.block_size = BLOCK_BYTES;
	b->nslots = plan->threads + SLOTS_AHEAD;
	b->slots = xcalloc(b->nslots, sizeof(*b->slots));
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->cut, NULL);
	pthread_cond_init(&b->done, NULL);
	b->own_state = plan->work.begin(plan->work.to);
	return b;
}

void blocks_free(struct blocks *b)
{
	if (!b)
		return;
	pthread_mutex_lock(&b->mutex);
	b->is_stopping = true;
	pthread_cond_broadcast(&b->cut);
	pthread_mutex_unlock(&b->mutex);
	for (unsigned i = 0; i < b->nthreads; i++)
		pthread_join(b->threads[i], NULL);
	b->plan.work.end(b->own_state);
	for (unsigned i = 0; i < b->nslots; i++) {
		if (b->slots[i].block.result)
			b->plan.work.free_result(b->slots[i].block.result);
		free(b->slots[i].text);
	}
	pthread_cond_destroy(&b->done);
	pthread_cond_destroy(&b->cut);
	pthread_mutex_destroy(&b->mutex);
	free(b->slots);
	free(b->threads);
	free(b);
}

/* The next block's text at the input's place; empty at its end, or after a failure. */
static struct str next_text(struct blocks *b)
{
	struct err err = ERR_INIT;

	for (size_t want = b->plan.block_size;; want *= 2) {
		struct bytes bytes = input_peek(b->in, want, &err);
		struct str text = { (const char *)bytes.p, bytes.n };
		if (err.kind != ERR_NONE) {
			b->failure = err;
			text.n = 0;
		}
		if (text.n < want)
			return text;
		size_t n = b->plan.cut(b->plan.work.to, (struct str){ text.p, want });
		if (n || want >= UNCUT_MAX)
			return (struct str){ text.p, n ? n : want };
	}
}

/* Cuts off one block, for which there is room. */
static void cut_block(struct blocks *b)
{
	struct slot *slot = slot_of(b, b->end);
	struct str text = next_text(b);

	assert(b->end - b->first < b->nslots);
	if (text.n == 0) {
		b->at_end = true;
		return;
	}
	slot->text = xgrow(slot->text, &slot->cap, text.n + JSON_PADDING, 1);
	memcpy(slot->text, text.p, text.n);
	memset(slot->text + text.n, 0, JSON_PADDING);
	slot->block.text = (struct str){ slot->text, text.n };
	slot->block.offset = input_offset(b->in);
	input_skip(b->in, text.n);
	pthread_mutex_lock(&b->mutex);
	slot->state = SLOT_CUT;
	b->end++;
	pthread_cond_signal(&b->cut);
	pthread_mutex_unlock(&b->mutex);
	if (!b->threads && b->end > 1)
		start_threads(b);
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
	pthread_mutex_lock(&b->mutex);
	while (slot->state != SLOT_DONE) {
		if ((other = take(b)))
			work_on(b, other, b->own_state);
		else
			pthread_cond_wait(&b->done, &b->mutex);
	}
	pthread_mutex_unlock(&b->mutex);
	*out = &slot->block;
	return 1;
}

/* Drops the oldest block, whatever became of it. */
static void drop_first(struct blocks *b)
{
	struct slot *slot = slot_of(b, b->first);

	pthread_mutex_lock(&b->mutex);
	while (slot->state == SLOT_TAKEN)
		pthread_cond_wait(&b->done, &b->mutex);
	b->first++;
	if (b->todo < b->first)
		b->todo = b->first;
	pthread_mutex_unlock(&b->mutex);
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
