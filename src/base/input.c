/* A window that slides over a source and the decoders on top of it: see input.h. */
#include "base/input.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/expand.h"
#include "base/layers.h"
#include "base/source.h"
#include "base/spill.h"

#define FIRST_WINDOW ((size_t)1 << 20)
#define MAX_WINDOW   ((size_t)1 << 30)
#define LEAST_WINDOW 2

struct input {
	struct source *source; /* owned; NULL: from input_from_source() */
	input_read_fn *read;
	void *from;
	input_damage_fn *damage; /* NULL: the source never is */
	uint64_t consumed, size;
	struct expand *expand; /* borrowed; NULL: nobody counts */
	uint8_t *window;       /* NULL before the first peek, then
			    cap + INPUT_PADDING bytes; zeros behind `end` */
	size_t cap, max;
	size_t start, end;   /* the unread bytes within the window */
	uint64_t offset;     /* of `start` */
	struct spill *spill; /* borrowed, or NULL: of a large window */
	bool is_plain;       /* nothing is to be decoded */
	bool sniffed, at_end;
	struct err failure; /* a read error stays */
	struct layers *layers;
};

static void end_window(struct input *in)
{
	memset(in->window + in->end, 0, INPUT_PADDING);
}

static void resize_window(struct input *in, size_t cap)
{
	size_t room = in->window ? in->cap + INPUT_PADDING : 0;

	if (in->spill && cap > FIRST_WINDOW)
		in->window =
			spill_grow(in->spill, in->window, &room, cap + INPUT_PADDING, 1);
	else
		in->window = xrealloc_array(in->window, cap + INPUT_PADDING, 1);
	in->cap = cap;
}

/* The source, as an input_read_fn that counts. */
static ssize_t read_source(void *input, uint8_t *to, size_t n, struct err *err)
{
	struct input *in = input;
	ssize_t got = in->read(in->from, to, n, err);

	if (got > 0)
		in->consumed += (uint64_t)got;
	if (got <= 0 || !in->expand)
		return got;
	if (in->expand->archive) /* which made it */
		return expand_add(in->expand, (uint64_t)got, false, err) < 0 ? -1 : got;
	expand_set_read(in->expand, in->consumed);
	return got;
}

struct input *input_from_source(input_read_fn *read, void *from, uint64_t size)
{
	struct input *in = xcalloc(1, sizeof(*in));

	in->read = read;
	in->from = from;
	in->layers = layers_new(read_source, in);
	in->size = size;
	in->cap = FIRST_WINDOW;
	in->max = MAX_WINDOW;
	return in;
}

static struct input *input_of(struct source *source)
{
	struct input *in = input_from_source(source_read, source, source_size(source));

	in->source = source;
	return in;
}

struct input *input_from_memory(struct bytes bytes)
{
	return input_of(source_of_memory(bytes));
}

struct input *input_open(const char *path, struct err *err)
{
	struct source *source = source_open(path, err);

	return source ? input_of(source) : NULL;
}

void input_set_window(struct input *in, size_t size, size_t max)
{
	assert(!in->sniffed && size >= LEAST_WINDOW && max >= size);
	in->cap = size;
	in->max = max;
}

void input_set_stop(struct input *in, input_stop_fn *stop, void *to)
{
	if (in->source)
		source_set_stop(in->source, stop, to);
}

void input_set_plain(struct input *in)
{
	assert(!in->sniffed);
	in->is_plain = true;
}

void input_set_expand(struct input *in, struct expand *expand)
{
	assert(!in->sniffed);
	in->expand = expand;
	layers_set_expand(in->layers, expand);
}

void input_set_spill(struct input *in, struct spill *spill)
{
	in->spill = spill;
}

void input_keep(struct input *in)
{
	assert(!in->sniffed && in->source && in->spill);
	if (!source_can_seek(in->source))
		source_keep(in->source, spill_file(in->spill));
}

void input_forget(struct input *in)
{
	if (in->source)
		source_forget(in->source);
}

struct input *input_again(struct input *in, struct err *err)
{
	struct source *source = in->source;

	if (source_rewind(source, err) < 0)
		return NULL;
	in->source = NULL;
	in->at_end = true;
	return input_of(source);
}

void input_set_damage(struct input *in, input_damage_fn *damage)
{
	in->damage = damage;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	layers_free(in->layers);
	source_close(in->source);
	spill_free(in->spill, in->window);
	free(in);
}

static int sniff(struct input *in, struct err *err)
{
	resize_window(in, in->cap);
	in->sniffed = true;
	if (in->is_plain || layers_find(in->layers, err) == 0)
		return 0;
	in->failure = *err;
	return -1;
}

/* More bytes behind `end`, or at_end, or -1. */
static int pull(struct input *in, size_t n, struct err *err)
{
	ssize_t got = layers_read(in->layers, in->window + in->end, n, err);

	if (got < 0) {
		in->failure = *err;
		return -1;
	}
	in->end += (size_t)got;
	in->at_end = got == 0;
	return 0;
}

/*
 * Room behind `end`.  The unread tail moves to the front when what is free
 * behind it is too little for `want` or for a read worth its call.
 */
static int make_room(struct input *in, size_t want, struct err *err)
{
	size_t unread = in->end - in->start;
	size_t room = in->cap - in->end;

	if (room >= want - unread && room >= in->cap / 8)
		return 0;
	if (in->start) {
		memmove(in->window, in->window + in->start, unread);
		in->start = 0;
		in->end = unread;
	}
	if (unread < in->cap)
		return 0;
	if (in->cap >= in->max)
		return err_at(err, in->offset, "one piece of more than %zu bytes",
			      in->max);
	resize_window(in, in->cap < in->max / 2 ? in->cap * 2 : in->max);
	return 0;
}

/* What there is to be decoded is known, and nothing has failed. */
static int ready(struct input *in, struct err *err)
{
	if (in->failure.kind != ERR_NONE) {
		*err = in->failure;
		return -1;
	}
	return in->sniffed ? 0 : sniff(in, err);
}

static int fill(struct input *in, size_t want, struct err *err)
{
	if (ready(in, err) < 0)
		return -1;
	while (in->end - in->start < want && !in->at_end) {
		if (make_room(in, want, err) < 0 || pull(in, in->cap - in->end, err) < 0)
			return -1;
	}
	return 0;
}

struct bytes input_peek(struct input *in, size_t want, struct err *err)
{
	if (!in->sniffed || (in->end - in->start < want && !in->at_end)) {
		int rc = fill(in, want, err);
		end_window(in);
		if (rc < 0)
			return (struct bytes){ in->window + in->end, 0 };
	}
	return (struct bytes){ in->window + in->start, in->end - in->start };
}

int input_whole(struct input *in, const char *what, struct bytes *out, struct err *err)
{
	*out = input_peek(in, INPUT_WHOLE_MAX, err);
	if (err->kind == ERR_NONE && out->n < INPUT_WHOLE_MAX)
		return 0;
	out->n = 0;
	return err->kind == ERR_NONE
		       ? err_at(err, INPUT_WHOLE_MAX, "%s of more than 1 GiB", what)
		       : -1;
}

void input_skip(struct input *in, size_t n)
{
	assert(n <= in->end - in->start);
	in->start += n;
	in->offset += n;
}

/* As input_read, of what lies in the window. */
static ssize_t read_window(struct input *in, uint8_t *to, size_t n)
{
	size_t unread = in->end - in->start;

	if (n > unread)
		n = unread;
	memcpy(to, in->window + in->start, n);
	input_skip(in, n);
	return (ssize_t)n;
}

ssize_t input_read(struct input *in, uint8_t *to, size_t n, struct err *err)
{
	if (ready(in, err) < 0)
		return -1;
	if (in->start < in->end)
		return read_window(in, to, n);
	ssize_t got = in->at_end ? 0 : layers_read(in->layers, to, n, err);
	if (got < 0)
		in->failure = *err;
	in->at_end = got <= 0;
	if (got <= 0)
		return got;
	in->offset += (uint64_t)got;
	in->start = in->end = 0;
	end_window(in);
	return got;
}

uint64_t input_offset(const struct input *in)
{
	return in->offset;
}

bool input_can_seek(const struct input *in)
{
	return in->sniffed && in->source && source_can_seek(in->source) &&
	       layers_are_none(in->layers);
}

int input_seek(struct input *in, uint64_t offset, struct err *err)
{
	uint64_t begin = in->offset - in->start; /* of the window */

	assert(input_can_seek(in) && offset <= in->size);
	if (offset >= begin && offset - begin <= in->end) {
		in->start = (size_t)(offset - begin);
		in->offset = offset;
		return 0;
	}
	if (source_seek(in->source, offset, err) < 0)
		return -1;
	layers_restart(in->layers);
	in->at_end = false;
	in->start = in->end = 0;
	in->offset = in->consumed = offset;
	end_window(in);
	return 0;
}

uint64_t input_consumed(const struct input *in)
{
	return in->consumed;
}

uint64_t input_size(const struct input *in)
{
	return in->size;
}

const char *input_damage(const struct input *in)
{
	const char *damage = in->damage ? in->damage(in->from) : NULL;

	return damage ? damage : layers_damage(in->layers);
}

bool input_is_utf16(const struct input *in)
{
	return layers_are_utf16(in->layers);
}
