/* Folded stacks as texts: see folded.h. */
#include "ingest/folded.h"

#include <stdlib.h>

#include "base/alloc.h"

#define MEMORY_BYTES ((size_t)128 << 20) /* of lines that are remembered */

static int take_thread(struct folded *f, struct str *rest, uint64_t offset, uint32_t *out,
		       struct err *err)
{
	struct folded_thread who = FOLDED_THREAD_INIT;

	*out = SAMPLE_NONE;
	return folded_thread(rest, &who)
		       ? folded_sampled(f->stacks, &who, offset, out, err)
		       : 0;
}

/* The sink's number of a frame. */
static int find_frame(struct folded *f, struct str text, uint64_t offset, uint32_t *frame,
		      struct err *err)
{
	size_t known = f->frames.n;
	uint32_t at = intern_add(&f->frames, text);
	struct frame_fact fact;

	if (at == known) {
		const struct stacks_frame parsed = stacks_parse(text);
		if (stacks_frame(f->stacks, &parsed, offset, &fact, err) < 0)
			return -1;
		f->numbers =
			xgrow(f->numbers, &f->numbers_cap, at + 1U, sizeof(*f->numbers));
		f->numbers[at] =
			f->stacks->sink->frame(f->stacks->sink, SAMPLE_NONE, &fact);
	}
	*frame = f->numbers[at];
	return 0;
}

/* How many places of the newest stack this one has too: their text, and the ';' behind. */
static size_t common_places(const struct folded *f, struct str text)
{
	size_t most = text.n < f->newest.n ? text.n : f->newest.n, same = 0, n = 0;

	while (same < most && text.p[same] == f->newest.p[same])
		same++;
	while (n < f->nplaces && f->places[n].end < same)
		n++;
	return n;
}

/* text: in `lines`, so that it stays. */
static int find_stack(struct folded *f, struct str text, uint64_t offset, uint32_t *stack,
		      struct err *err)
{
	struct sink *sink = f->stacks->sink;
	size_t at = 0;
	uint32_t frame;

	f->nplaces = common_places(f, text);
	*stack = SAMPLE_NONE;
	if (f->nplaces) {
		*stack = f->places[f->nplaces - 1].stack;
		at = f->places[f->nplaces - 1].end + 1;
	}
	f->newest = text;
	while (at < text.n || (at > 0 && at == text.n)) {
		const char *end = memchr(text.p + at, ';', text.n - at);
		size_t n = end ? (size_t)(end - text.p) - at : text.n - at;
		if (find_frame(f, (struct str){ text.p + at, n }, offset, &frame, err) <
		    0)
			return -1;
		*stack = sink->stack(sink, *stack, frame);
		f->places = xgrow(f->places, &f->places_cap, f->nplaces + 1,
				  sizeof(*f->places));
		f->places[f->nplaces++] = (struct place){ at + n, *stack };
		at += n + 1;
	}
	return 0;
}

static void forget_lines(struct folded *f)
{
	intern_release(&f->lines);
	intern_init(&f->lines);
	f->remembered = 0;
	f->nplaces = 0;
	f->newest = STR_LIT("");
}

int folded_find(struct folded *f, struct str text, uint64_t offset, struct meaning *out,
		struct err *err)
{
	if (f->remembered > MEMORY_BYTES)
		forget_lines(f);
	size_t known = f->lines.n;
	uint32_t at = intern_add(&f->lines, text);
	if (at < known) {
		*out = f->meanings[at];
		return 0;
	}
	f->remembered += text.n;
	struct str rest = intern_str(&f->lines, at);
	if (take_thread(f, &rest, offset, &out->thread, err) < 0 ||
	    find_stack(f, rest, offset, &out->stack, err) < 0)
		return -1;
	f->meanings = xgrow(f->meanings, &f->meanings_cap, at + 1U, sizeof(*f->meanings));
	f->meanings[at] = *out;
	return 0;
}

void folded_init(struct folded *f, struct stacks *stacks)
{
	*f = (struct folded){ .stacks = stacks, .newest = STR_LIT("") };
	intern_init(&f->lines);
	intern_init(&f->frames);
}

void folded_release(struct folded *f)
{
	intern_release(&f->lines);
	intern_release(&f->frames);
	free(f->meanings);
	free(f->numbers);
	free(f->places);
}
