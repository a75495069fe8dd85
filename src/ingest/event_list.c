/*
 * The list of events of a Chrome trace.  It streams: the window holds at least
 * one event, and a broken one costs itself only.
 *
 * Several threads take blocks of its text (blocks.h) and keep what their events say
 * (batch.h); in file order it is said to the sink.  A block counts only when the one
 * before it ends exactly where it begins and it holds whole events alone.  All else,
 * every damage too, is read as it is without threads, until an event begins where a
 * block does: the sink is told the same whatever the threads and blocks.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "ingest/batch.h"
#include "ingest/blocks.h"
#include "ingest/chrome.h"

#define RUN_OF_BLANKS "                " /* 16 */

/* The input's last bytes are zeros: a file system that crashed wrote no others. */
static bool ends_in_zeros(const struct window *w)
{
	return w->j.end > w->start && !w->j.end[-1];
}

/*
 * The entry at `start` has no reading, as j and its p tell: counts it and goes
 * on at the next event (1) or at the list's end (0).  Strict mode ends here (-1).
 */
static int skip_entry(struct chrome *c, const char *start, int status, struct err *err)
{
	struct window *w = &c->window;
	uint64_t offset = window_at(w, start);
	struct str rest = window_rest(w, start);
	char shown[CHROME_EXCERPT_MAX];
	bool ended = w->j.ended;
	bool is_large = status == JSON_MORE && rest.n >= event_max(c);
	enum finding finding = is_large        ? FINDING_EVENT_SIZE
			       : *start == '{' ? FINDING_EVENT_SYNTAX
					       : FINDING_STRAY_TEXT;

	if (c->is_ahead)
		return chrome_doubt(c);
	if (c->options->strict && !ended)
		return err_at(err, window_at(w, w->j.p), "%s",
			      w->j.what ? w->j.what
					: finding_kinds[FINDING_EVENT_SIZE].what);
	/* The window moves on, the excerpt must not. */
	struct str excerpt = { shown, rest.n < CHROME_EXCERPT_MAX ? rest.n
								  : CHROME_EXCERPT_MAX };
	memcpy(shown, rest.p, excerpt.n);
	/* However the input is made, the time to read it grows with its size only. */
	c->wasted += (uint64_t)(w->j.p - start);
	bool hurry = c->wasted > CHROME_WASTE_MAX + 8 * offset;
	int rc = event_list_go_on(c, start, hurry, err);
	w->j.flaws = 0;
	if (rc < 0)
		return -1;
	rc = rc == 0 && (ended || ends_in_zeros(w))
		     ? chrome_truncated(c, offset, excerpt, err)
		     : chrome_finding_at(c, finding, offset, STR_LIT(""), excerpt, err);
	return rc < 0 ? -1 : *w->j.p != ']';
}

/* The event at j.p: says what it means (0) or what is wrong with it (1); -1: err is set. */
static int read_event(struct chrome *c, struct err *err)
{
	struct json *j = &c->window.j;
	const char *start;
	bool repaired = false;

	int status = window_parse(&c->window, event_list_parse, &c->event, event_max(c),
				  &start, err);
	if (status == JSON_BAD && !j->strict && !c->is_ahead) {
		status = repair_event(c, &start, err);
		repaired = status == JSON_OK;
	}
	if (status != JSON_OK)
		return status < 0 ? -1 : skip_entry(c, start, status, err);
	c->event.offset = window_at(&c->window, start);
	c->nevents++;
	if (phase_event(c, err) < 0)
		return -1;
	if (repaired)
		return repair_findings(c, start, err);
	return j->flaws ? chrome_flaws(c, c->event.offset, c->event.text, err) : 0;
}

static enum json_status parse_value(struct json *j, void *value)
{
	return json_value(j, value);
}

/* An entry of the event list that is no object: as read_event. */
static int read_other(struct chrome *c, struct err *err)
{
	struct json_value value;
	const char *start;

	int status =
		window_parse(&c->window, parse_value, &value, event_max(c), &start, err);
	if (status != JSON_OK)
		return status < 0 ? -1 : skip_entry(c, start, status, err);
	if (c->is_ahead)
		return chrome_doubt(c);
	c->window.j.flaws = 0;
	c->foreign.has_other = true;
	c->foreign.has_scalar |= value.type != JSON_ARRAY;
	return chrome_finding_at(c, FINDING_EVENT_NOT_OBJECT,
				 window_at(&c->window, start), STR_LIT(""), value.text,
				 err);
}

static int finding_here(struct chrome *c, enum finding finding, struct err *err)
{
	const struct window *w = &c->window;
	struct str rest = window_rest(w, w->j.p);

	if (c->is_ahead &&
	    rest.n <= CHROME_EXCERPT_MAX) /* a part of the excerpt is elsewhere */
		return chrome_doubt(c);
	return chrome_finding_at(c, finding, window_at(w, w->j.p), STR_LIT(""), rest,
				 err);
}

/*
 * Zero bytes at j.p, and the blanks among them.  Those behind which nothing
 * stands are the input's end.
 */
static int pass_zeros(struct chrome *c, struct err *err)
{
	struct window *w = &c->window;
	uint64_t offset = window_at(w, w->j.p);
	struct str excerpt = { "", 0 };

	if (c->is_ahead)
		return chrome_doubt(c);
	if (c->options->strict)
		return finding_here(c, FINDING_NUL_BYTES, err);
	if (window_pass_zeros(w, err) < 0)
		return -1;
	if (w->j.p == w->j.end && c->is_object)
		return chrome_truncated(c, offset, excerpt, err);
	return chrome_finding_at(c, FINDING_NUL_BYTES, offset, STR_LIT(""), excerpt, err);
}

/* The next thing at j.p.  1: the list's end was passed; 0: go on; -1: err is set. */
static int read_next(struct chrome *c, struct separator *s, struct err *err)
{
	struct json *j = &c->window.j;
	int rc = 0;

	switch (*j->p) {
	case ']':
		if (s->commas && !s->first)
			rc = finding_here(c, FINDING_EXTRA_COMMA, err);
		j->p++;
		return rc < 0 ? -1 : 1;
	case ',':
		if (s->commas)
			rc = finding_here(c, FINDING_EXTRA_COMMA, err);
		s->commas++;
		j->p++;
		return rc;
	case '\0':
		return pass_zeros(c, err);
	default:
		if (!s->commas && *j->p == '{')
			rc = finding_here(c, FINDING_MISSING_COMMA, err);
		if (rc == 0)
			rc = *j->p == '{' ? read_event(c, err) : read_other(c, err);
		/* What was skipped took its comma with it. */
		*s = (struct separator){ .first = false, .commas = rc > 0 };
		return rc < 0 ? -1 : 0;
	}
}

/* Can blocks that were read ahead take over here? */
static bool is_block(const struct chrome *c, const struct separator *s)
{
	const struct json *j = &c->window.j;

	return c->by_blocks && chrome_is_plain(c) && s->commas && !s->first &&
	       *j->p == '{' && blocks_begin_at(c->blocks, window_at(&c->window, j->p));
}

/* As json_skip_blanks(), faster where there are many: JSON_PADDING follows the window. */
static const char *skip_blanks(const char *p)
{
	while (memcmp(p, RUN_OF_BLANKS, sizeof(RUN_OF_BLANKS) - 1) == 0)
		p += sizeof(RUN_OF_BLANKS) - 1;
	return json_skip_blanks(p);
}

static enum list_end event_list_read(struct chrome *c, struct separator *s,
				     struct err *err)
{
	struct window *w = &c->window;
	int rc;

	do {
		if (window_keep_filled(w, err) < 0)
			return LIST_FAILED;
		enum json_status status = JSON_OK;
		w->j.p = skip_blanks(w->j.p);
		if (w->j.p >= w->j.end)
			status = json_blanks(&w->j);
		if (status == JSON_BAD || (status == JSON_MORE && c->is_ahead))
			return LIST_CUT;
		if (is_block(c, s))
			return LIST_AT_BLOCK;
		rc = status == JSON_MORE ? 0 : read_next(c, s, err);
	} while (rc == 0);
	return rc > 0 ? LIST_CLOSED : LIST_FAILED;
}

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
	c->last_track.used = false;
	layouts_clear(&c->event.layouts);
	c->event.keys = part->keys;
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
	if ((part->end == LIST_CUT && (s.first || !s.commas)) || !chrome_is_plain(c))
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
static int tell(struct chrome *c, struct part *part, struct err *err)
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
		struct part *part = block->result;
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
