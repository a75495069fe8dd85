/* Folded stacks as texts: see folded.h. */
#include "ingest/folded.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ingest/spilled.h"

#define MEMORY_BYTES ((size_t)128 << 20) /* of lines that are remembered */

static int take_thread(struct folded *f, struct str *rest, uint64_t offset, uint32_t *out,
		       struct err *err)
{
	struct folded_thread who = FOLDED_THREAD_INIT;

	bool has_tid = str_starts_with(*rest, STR_LIT("tid:"));

	*out = SAMPLE_NONE;
	if (!folded_thread(rest, &who))
		return 0;
	f->of_sampling |= has_tid;
	return folded_sampled(f->stacks, &who, offset, out, err);
}

/* The sink's number of a frame. */
static int find_frame(struct folded *f, struct str text, uint64_t offset, uint32_t *frame,
		      struct err *err)
{
	size_t known = f->frames.n;
	uint32_t at = intern_add(&f->frames, text);
	struct frame_fact fact;

	if (at == known) {
		const struct stacks_frame parsed = stacks_parse(text, f->of_sampling);
		if (stacks_frame(f->stacks, &parsed, offset, &fact, err) < 0)
			return -1;
		f->numbers = spill_grow(f->frames.text.spill, f->numbers, &f->numbers_cap,
					at + 1U, sizeof(*f->numbers));
		f->numbers[at] =
			f->stacks->sink->frame(f->stacks->sink, SAMPLE_NONE, &fact);
	}
	*frame = f->numbers[at];
	return 0;
}

/* Sets f->cuts to the ends of the text's frames; how many they are. */
static size_t cut_frames(struct folded *f, struct str text)
{
	uint64_t hash = 0;
	size_t n = 0;

	for (size_t at = 0; at < text.n || (at > 0 && at == text.n);) {
		const char *end = memchr(text.p + at, ';', text.n - at);
		size_t size = end ? (size_t)(end - text.p) - at : text.n - at;
		hash = hash_u64(hash + hash_bytes(text.p + at, size));
		f->cuts = xgrow(f->cuts, &f->cuts_cap, n + 1, sizeof(*f->cuts));
		f->cuts[n++] = (struct folded_cut){ at + size, hash };
		at += size + 1;
	}
	return n;
}

/* The prefix of that hash, or NULL.  Whether its text is the same is to be seen. */
static const struct folded_prefix *prefix_of(const struct folded *f, uint64_t hash)
{
	size_t at;
	uint32_t place = slots_first(&f->prefix_slots, hash, &at);

	while (place != SLOT_FREE && f->prefixes[place].hash != hash)
		place = slots_next(&f->prefix_slots, hash, &at);
	return place == SLOT_FREE ? NULL : &f->prefixes[place];
}

/*
 * The first of n frames that is not known together with all before it, for a binary
 * search: mostly one of the last, so that steps to the left grow from there.  Where a
 * prefix is known, all shorter ones are.
 */
static size_t search_prefixes(const struct folded *f, size_t n,
			      const struct folded_prefix **longest)
{
	size_t known = n, beyond = n + 1;

	for (size_t step = 1; step <= n; step *= 2)
		slots_prefetch(&f->prefix_slots, f->cuts[n - step].hash);
	for (size_t step = 1; known > 0; step *= 2) {
		*longest = prefix_of(f, f->cuts[known - 1].hash);
		if (*longest)
			break;
		beyond = known;
		known = known > step ? known - step : 0;
	}
	while (beyond - known > 1) {
		size_t middle = known + (beyond - known) / 2;
		const struct folded_prefix *prefix =
			prefix_of(f, f->cuts[middle - 1].hash);
		if (prefix) {
			known = middle;
			*longest = prefix;
		} else {
			beyond = middle;
		}
	}
	return known;
}

/* How many of the frames an older text begins with, too, and the stack that they are. */
static size_t known_frames(const struct folded *f, struct str text, size_t n,
			   uint32_t *stack)
{
	const struct folded_prefix *longest = NULL;
	size_t known = search_prefixes(f, n, &longest);

	*stack = SAMPLE_NONE;
	if (!longest ||
	    !str_equal(longest->text, (struct str){ text.p, f->cuts[known - 1].end }))
		return 0;
	*stack = longest->stack;
	return known;
}

/* What is beyond the most would be forgotten at the next text. */
static void add_prefix(struct folded *f, struct str text, uint64_t hash, uint32_t stack)
{
	if (f->remembered > f->remembered_max)
		return;
	f->remembered += sizeof(*f->prefixes);
	f->prefixes = xgrow(f->prefixes, &f->prefixes_cap, f->nprefixes + 1,
			    sizeof(*f->prefixes));
	f->prefixes[f->nprefixes] = (struct folded_prefix){ hash, text, stack };
	slots_add(&f->prefix_slots, hash, (uint32_t)f->nprefixes++);
}

/* text: in `lines`, so that it stays. */
static int find_stack(struct folded *f, struct str text, uint64_t offset, uint32_t *stack,
		      struct err *err)
{
	struct sink *sink = f->stacks->sink;
	size_t n = cut_frames(f, text), known = known_frames(f, text, n, stack);
	uint32_t frame;

	for (size_t i = known; i < n; i++) {
		size_t at = i ? f->cuts[i - 1].end + 1 : 0, end = f->cuts[i].end;
		if (find_frame(f, (struct str){ text.p + at, end - at }, offset, &frame,
			       err) < 0)
			return -1;
		*stack = sink->stack(sink, *stack, frame);
		add_prefix(f, (struct str){ text.p, end }, f->cuts[i].hash, *stack);
	}
	return 0;
}

static void forget_lines(struct folded *f)
{
	intern_release(&f->lines);
	intern_init(&f->lines);
	slots_release(&f->prefix_slots);
	f->nprefixes = 0;
	f->remembered = 0;
}

int folded_find(struct folded *f, struct str text, uint64_t hash, uint64_t offset,
		struct meaning *out, struct err *err)
{
	if (f->remembered > f->remembered_max)
		forget_lines(f);
	spill_tick(f->frames.text.spill, f->nfound++);
	size_t known = f->lines.n;
	uint32_t at = intern_add_hashed(&f->lines, text, hash);
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
	/* with what finds them, lines take several times their texts */
	uint64_t part = stacks->options->memory_limit / 4;

	*f = (struct folded){ .stacks = stacks, .remembered_max = MEMORY_BYTES };
	if (part && part < MEMORY_BYTES)
		f->remembered_max = part;
	intern_init(&f->lines);
	intern_init_in(&f->frames, stacks->options->spill);
	slots_init(&f->prefix_slots, NULL);
}

void folded_release(struct folded *f)
{
	intern_release(&f->lines);
	spill_free(f->frames.text.spill, f->numbers);
	intern_release(&f->frames);
	free(f->meanings);
	free(f->prefixes);
	free(f->cuts);
	slots_release(&f->prefix_slots);
}
