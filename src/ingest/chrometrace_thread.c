/* Threads of a py-spy chrometrace: see chrometrace.h. */
#include "ingest/chrometrace.h"

#include <stdlib.h>

#include "base/array.h"

/* Says what a thread's series is: as py-spy names those of its speedscope files. */
static int tell_series(struct chrometrace *c, struct chrometrace_thread *thread,
		       struct err *err)
{
	struct series_fact fact = { .measure = TEXT_NONE,
				    .unit = SAMPLE_NS,
				    .is_ordered = true,
				    .is_evented = true,
				    .start_at = NUMBER_NONE,
				    .end_at = NUMBER_NONE };

	buf_clear(&c->key);
	buf_addf(&c->key, "Thread %lld", (long long)thread->tid);
	if (thread->who != CHROMETRACE_NONE) {
		buf_add_text(&c->key, " \"");
		buf_add_str(&c->key, c->sampled[thread->who].thread);
		buf_add_char(&c->key, '"');
	}
	if (stacks_text(&c->stacks, buf_str(&c->key), 0, &fact.name, err) < 0)
		return -1;
	thread->series = c->stacks.sink->series(c->stacks.sink, thread->series, &fact);
	return 0;
}

static int begin_thread(struct chrometrace *c, const struct chrometrace_event *e,
			struct err *err)
{
	struct chrometrace_thread thread = { .pid = e->pid,
					     .tid = e->tid,
					     .ts_ns = e->ts_ns,
					     .series = SAMPLE_NONE,
					     .who = CHROMETRACE_NONE };

	if (c->nthreads == CHROMETRACE_NONE - 1)
		return err_at(err, e->offset, "too many threads");
	if (tell_series(c, &thread, err) < 0)
		return -1;
	idmap_add(&c->by_tid, e->tid, (uint32_t)c->nthreads);
	*ARRAY_PUSH(c->threads, c->nthreads, c->threads_cap) = thread;
	return 0;
}

static int find_thread(struct chrometrace *c, const struct chrometrace_event *e,
		       struct chrometrace_thread **out, struct err *err)
{
	size_t probe = idmap_first(&c->by_tid, e->tid);
	uint32_t at = idmap_next(&c->by_tid, &probe);

	if (at == UINT32_MAX) {
		at = (uint32_t)c->nthreads;
		if (begin_thread(c, e, err) < 0)
			return -1;
	}
	*out = &c->threads[at];
	return 0;
}

/* Frames that say it, or else the event. */
static int find_sampled(struct chrometrace *c, const struct chrometrace_thread *thread,
			uint64_t offset, uint32_t *out, struct err *err)
{
	struct folded_thread who = FOLDED_THREAD_INIT;
	const struct chrometrace_open *top = &thread->open[thread->nopen - 1];

	if (top->who != CHROMETRACE_NONE)
		who = c->sampled[top->who];
	if (who.fact.pid == NUMBER_NONE)
		who.fact.pid = thread->pid;
	if (who.fact.tid == NUMBER_NONE)
		who.fact.tid = thread->tid;
	return folded_sampled(&c->stacks, &who, offset, out, err);
}

/* What the thread's frames have had until then. */
static int tell_until(struct chrometrace *c, struct chrometrace_thread *thread,
		      int64_t ns, uint64_t offset, struct err *err)
{
	struct sample_fact sample = { .series = thread->series,
				      .samples = NUMBER_NONE,
				      .ts_ns = thread->ts_ns,
				      .offset = offset };

	if (__builtin_sub_overflow(ns, thread->ts_ns, &sample.weight))
		return err_at(err, offset, "the times overflow 64 bits");
	thread->ts_ns = ns;
	if (thread->nopen == 0 || sample.weight == 0)
		return 0;
	sample.stack = thread->open[thread->nopen - 1].stack;
	if (find_sampled(c, thread, offset, &sample.thread, err) < 0)
		return -1;
	c->nsamples++;
	return c->stacks.sink->sample(c->stacks.sink, &sample, err);
}

/* Its place in c->frames. */
static uint32_t key_of(struct chrometrace *c, const struct stacks_frame *frame)
{
	buf_clear(&c->key);
	buf_addf(&c->key, "%lld %zu\n", (long long)frame->line, frame->file.n);
	buf_add_str(&c->key, frame->file);
	buf_add_str(&c->key, frame->name);
	return intern_add(&c->frames, buf_str(&c->key));
}

static int open_frame(struct chrometrace *c, struct chrometrace_thread *thread,
		      const struct chrometrace_event *e, struct err *err)
{
	static const struct chrometrace_open outermost = { 0, SAMPLE_NONE,
							   CHROMETRACE_NONE };
	struct chrometrace_open open =
		thread->nopen ? thread->open[thread->nopen - 1] : outermost;
	struct sink *sink = c->stacks.sink;
	struct folded_thread who = FOLDED_THREAD_INIT;
	size_t known = c->frames.n;
	struct frame_fact fact;

	open.key = key_of(c, &e->frame);
	struct str text =
		str_behind(intern_str(&c->frames, open.key),
			   intern_str(&c->frames, open.key).n - e->frame.name.n);
	if (open.key == known) {
		if (stacks_frame(&c->stacks, &e->frame, e->offset, &fact, err) < 0)
			return -1;
		*ARRAY_AT(c->numbers, c->numbers_cap, open.key) =
			sink->frame(sink, SAMPLE_NONE, &fact);
	}
	if (open.who != CHROMETRACE_NONE)
		who = c->sampled[open.who];
	if (open.stack == SAMPLE_NONE && e->frame.file.n == 0 &&
	    folded_py_spy(&text, &who) && text.n == 0) {
		open.who = (uint32_t)c->nsampled;
		*ARRAY_PUSH(c->sampled, c->nsampled, c->sampled_cap) = who;
		if (who.thread.n)
			thread->who = open.who;
	} else {
		open.stack = sink->stack(sink, open.stack, c->numbers[open.key]);
	}
	*ARRAY_PUSH(thread->open, thread->nopen, thread->open_cap) = open;
	return 0;
}

static int close_frame(struct chrometrace *c, struct chrometrace_thread *thread,
		       const struct chrometrace_event *e, struct err *err)
{
	if (thread->nopen == 0)
		return err_at(err, e->offset,
			      "event %llu ends '" STR_FMT "', and no frame is open",
			      (unsigned long long)e->number, STR_ARG(e->frame.name));
	if (thread->open[thread->nopen - 1].key != key_of(c, &e->frame))
		return err_at(err, e->offset,
			      "event %llu ends '" STR_FMT "', which is not the innermost",
			      (unsigned long long)e->number, STR_ARG(e->frame.name));
	thread->nopen--;
	return 0;
}

int chrometrace_event(struct chrometrace *c, const struct chrometrace_event *e,
		      struct err *err)
{
	struct chrometrace_thread *thread;

	if (find_thread(c, e, &thread, err) < 0)
		return -1;
	if (e->ts_ns < thread->ts_ns)
		return err_at(err, e->offset, "event %llu is before the one before it",
			      (unsigned long long)e->number);
	if (tell_until(c, thread, e->ts_ns, e->offset, err) < 0)
		return -1;
	c->is_mixed |= thread->pid != e->pid;
	thread->pid = e->pid;
	c->last_ns = e->ts_ns > c->last_ns ? e->ts_ns : c->last_ns;
	return e->phase == 'B' ? open_frame(c, thread, e, err)
			       : close_frame(c, thread, e, err);
}

static int end_thread(struct chrometrace *c, struct chrometrace_thread *thread,
		      struct err *err)
{
	if (stacks_tell(&c->stacks, FINDING_FRAME_NOT_CLOSED, 0, STR_LIT(""), err) < 0)
		return -1;
	return tell_until(c, thread, c->last_ns, 0, err);
}

int chrometrace_end(struct chrometrace *c, bool is_cut, struct err *err)
{
	for (size_t i = 0; i < c->nthreads; i++) {
		struct chrometrace_thread *thread = &c->threads[i];
		if (!is_cut && thread->nopen && end_thread(c, thread, err) < 0)
			return -1;
		if (thread->who != CHROMETRACE_NONE && tell_series(c, thread, err) < 0)
			return -1;
	}
	return 0;
}

void chrometrace_init(struct chrometrace *c, struct sink *sink,
		      const struct read_options *options)
{
	*c = (struct chrometrace){ .last_ns = INT64_MIN };
	stacks_init(&c->stacks, sink, options);
	intern_init(&c->frames);
	idmap_init(&c->by_tid, 16);
	buf_init(&c->key, SIZE_MAX);
}

void chrometrace_release(struct chrometrace *c)
{
	for (size_t i = 0; i < c->nthreads; i++)
		free(c->threads[i].open);
	free(c->threads);
	free(c->numbers);
	free(c->sampled);
	buf_release(&c->key);
	idmap_release(&c->by_tid);
	intern_release(&c->frames);
	stacks_release(&c->stacks);
}
