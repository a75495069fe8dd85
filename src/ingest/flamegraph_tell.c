/* What a flame graph says, once it is known who calls whom: stacks and their samples. */
#include "base/array.h"
#include "ingest/flamegraph.h"

/* Words that counts may have, and what one is: billionths of a second or bytes. */
static const struct unit {
	const char *word;
	enum sample_unit unit;
	int64_t each;
} units[] = {
	{ "samples", SAMPLE_COUNT, 1 },
	{ "ns", SAMPLE_NS, 1 },
	{ "nanoseconds", SAMPLE_NS, 1 },
	{ "us", SAMPLE_NS, 1000 },
	{ "us.", SAMPLE_NS, 1000 }, /* as torch's documentation has it */
	{ "microseconds", SAMPLE_NS, 1000 },
	{ "ms", SAMPLE_NS, 1000000 },
	{ "milliseconds", SAMPLE_NS, 1000000 },
	{ "s", SAMPLE_NS, 1000000000 },
	{ "seconds", SAMPLE_NS, 1000000000 },
	{ "bytes", SAMPLE_BYTES, 1 },
};

/* NULL: a word of the user's own. */
static const struct unit *unit_of(struct str word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (str_is(word, units[i].word))
			return &units[i];
	return NULL;
}

/* The sink's number of the frame that has this name. */
static int find_frame(struct flamegraph *f, const struct flame_frame *frame,
		      uint32_t *number, struct err *err)
{
	const struct stacks_frame parsed =
		stacks_parse(intern_str(&f->names, frame->text), false);
	struct frame_fact fact;

	if (f->numbers[frame->text] == FLAME_NONE) {
		if (stacks_frame(&f->stacks, &parsed, frame->offset, &fact, err) < 0)
			return -1;
		f->numbers[frame->text] =
			f->stacks.sink->frame(f->stacks.sink, SAMPLE_NONE, &fact);
	}
	*number = f->numbers[frame->text];
	return 0;
}

/* Is it one of the outermost frames that say who was sampled? */
static bool take_thread(struct flamegraph *f, struct flame_frame *frame)
{
	struct flame_thread thread = { FOLDED_THREAD_INIT, FLAME_NONE };
	struct str text = intern_str(&f->names, frame->text);

	if (frame->who != FLAME_NONE)
		thread.who = f->sampled[frame->who].who;
	if (frame->stack != SAMPLE_NONE || !folded_py_spy(&text, &thread.who) || text.n)
		return false;
	frame->who = (uint32_t)f->nsampled;
	*ARRAY_PUSH(f->sampled, f->nsampled, f->sampled_cap) = thread;
	return true;
}

/* Its stack and who was sampled: its caller's, and one more frame. */
static int tell_frame(struct flamegraph *f, struct flame_frame *frame,
		      const struct flame_frame *caller, struct err *err)
{
	struct sink *sink = f->stacks.sink;
	uint32_t number;

	frame->stack = caller ? caller->stack : SAMPLE_NONE;
	frame->who = caller ? caller->who : FLAME_NONE;
	if ((frame->is_all && !caller) || take_thread(f, frame))
		return 0;
	if (find_frame(f, frame, &number, err) < 0)
		return -1;
	frame->stack = sink->stack(sink, frame->stack, number);
	return 0;
}

static uint32_t tell_series(struct flamegraph *f, const struct unit *unit,
			    struct err *err)
{
	struct series_fact fact = { .name = TEXT_NONE,
				    .measure = TEXT_NONE,
				    .unit = unit ? unit->unit : SAMPLE_COUNT,
				    .is_default = true,
				    .is_rounded = f->is_inexact,
				    .start_at = NUMBER_NONE,
				    .end_at = NUMBER_NONE };

	if (!unit && f->unit.n &&
	    stacks_text(&f->stacks, f->unit, 0, &fact.name, err) < 0)
		return SAMPLE_NONE;
	return f->stacks.sink->series(f->stacks.sink, SAMPLE_NONE, &fact);
}

static int find_thread(struct flamegraph *f, const struct flame_frame *frame,
		       uint32_t *number, struct err *err)
{
	struct flame_thread *thread =
		frame->who == FLAME_NONE ? NULL : &f->sampled[frame->who];

	if (thread && thread->number == FLAME_NONE &&
	    folded_sampled(&f->stacks, &thread->who, frame->offset, &thread->number,
			   err) < 0)
		return -1;
	*number = thread ? thread->number : SAMPLE_NONE;
	return 0;
}

static int tell_sample(struct flamegraph *f, const struct flame_frame *frame,
		       const struct unit *unit, struct sample_fact *sample,
		       struct err *err)
{
	if (find_thread(f, frame, &sample->thread, err) < 0)
		return -1;
	sample->stack = frame->stack;
	sample->offset = frame->offset;
	sample->samples = unit == &units[0] ? frame->own : NUMBER_NONE;
	if (__builtin_mul_overflow(frame->own, unit ? unit->each : 1, &sample->weight))
		return stacks_tell(&f->stacks, FINDING_WEIGHT_RANGE, frame->offset,
				   intern_str(&f->names, frame->text), err);
	return f->stacks.sink->sample(f->stacks.sink, sample, err);
}

int flame_tell(struct flamegraph *f, const uint32_t *callers, struct err *err)
{
	const struct unit *unit = unit_of(f->unit);
	struct sample_fact sample = { .series = tell_series(f, unit, err),
				      .ts_ns = NUMBER_NONE };

	if (sample.series == SAMPLE_NONE)
		return -1;
	for (size_t i = 0; f->frames && i < f->nframes; i++) {
		struct flame_frame *frame = &f->frames[i];
		const struct flame_frame *caller =
			callers[i] == FLAME_NONE ? NULL : &f->frames[callers[i]];
		if (tell_frame(f, frame, caller, err) < 0 ||
		    (frame->own > 0 && tell_sample(f, frame, unit, &sample, err) < 0))
			return -1;
	}
	return 0;
}
