/*
 * An event list read by several threads.  Each takes blocks of text (blocks.h)
 * and keeps what their events say (batch.h); in file order it is said to the
 * sink.  A block counts only when the one before it ends exactly where it
 * begins and it holds whole events alone.  All else, every damage too, is read
 * here as it is without threads, until an event begins where a block does: the
 * sink is told the same whatever the threads and blocks.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/batch.h"
#include "ingest/blocks.h"
#include "ingest/chrome.h"

/* What a thread makes of a block. */
struct part {
	struct batch batch;
	struct kineto_told told;
	struct intern keys[NLEVELS]; /* that its events have */
	bool has_phase, threads_seen;
	uint64_t nevents;
	enum list_end end;  /* LIST_FAILED: not of whole events alone */
	uint64_t closed_at; /* LIST_CLOSED: behind the ']' */
};

static void *begin_thread(void *to)
{
	const struct chrome *reader = to;
	struct chrome *c = xcalloc(1, sizeof(*c));

	c->options = reader->options;
	c->list_start = reader->list_start;
	c->unpadded = reader->unpadded;
	c->is_ahead = true;
	buf_init(&c->scratch, CHROME_SCRATCH_MAX);
	kineto_init(&c->kineto);
	return c;
}

static void end_thread(void *state)
{
	struct chrome *c = state;

	kineto_release(&c->kineto);
	xprof_release(&c->xprof);
	buf_release(&c->scratch);
	free(c);
}

static void free_part(void *result)
{
	struct part *part = result;

	batch_release(&part->batch);
	member_keys_release(part->keys);
	free(part);
}

/* An empty one. */
static struct part *part_of(struct block *block)
{
	struct part *part = block->result;

	if (part) {
		batch_clear(&part->batch);
		member_keys_release(part->keys);
	} else {
		part = xcalloc(1, sizeof(*part));
		batch_init(&part->batch);
		block->result = part;
	}
	member_keys_init(part->keys);
	return part;
}

/* As if nothing had been read yet: what it says must be its own. */
static void restart(struct chrome *c, const struct block *block, struct part *part)
{
	c->sink = batch_sink(&part->batch);
	c->nevents = 0;
	c->has_phase = false;
	c->threadless = (struct threadless){ 0 };
	memset(c->tracks, 0, sizeof(c->tracks));
	memset(&c->event.members, 0, sizeof(c->event.members));
	c->event.members.keys = part->keys;
	kineto_restart(&c->kineto);
	xprof_release(&c->xprof);
	window_init_text(&c->window, block->text, block->offset);
	c->window.j.strict = c->options->strict;
}

static void read_block(void *state, struct block *block)
{
	struct chrome *c = state;
	struct part *part = part_of(block);
	struct separator s = { .first = block->offset == c->list_start, .commas = 1 };
	struct err err = ERR_INIT;

	restart(c, block, part);
	part->end = event_list_read(c, &s, &err);
	if ((part->end == LIST_CUT && s.first) || !chrome_is_plain(c))
		part->end = LIST_FAILED;
	part->closed_at = window_at(&c->window, c->window.j.p);
	part->nevents = c->nevents;
	part->told = c->kineto.told;
	part->has_phase = c->has_phase;
	part->threads_seen = c->threadless.threads_seen;
}

/* Can the part be told as it is? */
static bool is_whole(const struct chrome *c, const struct part *part)
{
	bool tells_threads = part->threads_seen && c->threadless.n;

	return part->end != LIST_FAILED && chrome_is_plain(c) && !tells_threads;
}

/* What the block says, told to the sink. */
static int tell(struct chrome *c, const struct part *part, struct err *err)
{
	member_keys_add(c->event_keys, part->keys);
	kineto_add(&c->kineto.told, &part->told);
	c->nevents += part->nevents;
	c->has_phase |= part->has_phase;
	c->threadless.threads_seen |= part->threads_seen;
	if (batch_replay(&part->batch, c->sink, err) < 0)
		return -1;
	return c->sink->tick(c->sink, input_consumed(c->window.whole),
			     input_size(c->window.whole), err);
}

/* The window goes on at that place, without blocks. */
static void read_on(struct chrome *c, uint64_t from)
{
	input_close(c->rest);
	c->rest = blocks_rest(c->blocks, from);
	window_enter(&c->window, c->rest, from);
}

/* Without threads, until blocks can take over: as event_list_read. */
static enum list_end read_alone(struct chrome *c, uint64_t from, bool first,
				struct err *err)
{
	struct separator s = { .first = first, .commas = 1 };

	read_on(c, from);
	return event_list_read(c, &s, err);
}

static enum list_end read_all(struct chrome *c, uint64_t at, struct err *err)
{
	const struct block *block;
	bool first = true;
	int rc;

	while ((rc = blocks_next(c->blocks, &block, err)) > 0) {
		const struct part *part = block->result;
		enum list_end end = part->end;
		if (!is_whole(c, part)) {
			end = read_alone(c, at, first, err);
			at = window_at(&c->window, c->window.j.p);
			if (end != LIST_AT_BLOCK)
				return end;
			blocks_drop(c->blocks, at);
			first = false;
			continue;
		}
		if (tell(c, part, err) < 0)
			return LIST_FAILED;
		at = end == LIST_CLOSED ? part->closed_at : at + block->text.n;
		if (end == LIST_CLOSED) {
			read_on(c, at);
			return end;
		}
		blocks_drop(c->blocks, at);
		first = false;
	}
	read_on(c, at);
	return rc < 0 ? LIST_FAILED : LIST_CUT;
}

static size_t cut(void *to, struct str text)
{
	(void)to;
	return event_list_cut(text);
}

enum list_end event_blocks_read(struct chrome *c, struct err *err)
{
	struct separator s = { .first = true, .commas = 1 };

	/* Of two lists in a trace, which is damage, the second one has no need of threads. */
	if (c->options->threads == 0 || c->blocks)
		return event_list_read(c, &s, err);
	window_leave(&c->window);
	c->list_start = c->window.offset;
	const struct blocks_plan plan = {
		.threads = c->options->threads,
		.block_size = c->options->block_size,
		.cut = cut,
		.work = { .to = c,
			  .begin = begin_thread,
			  .end = end_thread,
			  .work = read_block,
			  .free_result = free_part },
	};
	c->blocks = blocks_new(c->window.in, &plan);
	c->by_blocks = true;
	enum list_end end = read_all(c, c->list_start, err);
	c->by_blocks = false;
	return end;
}

void event_blocks_release(struct chrome *c)
{
	input_close(c->rest);
	blocks_free(c->blocks);
}
