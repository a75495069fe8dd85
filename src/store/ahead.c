/* A ring of files that threads read ahead: see ahead.h. */
#include "store/ahead.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bundle.h"
#include "base/workers.h"
#include "ingest/parts.h"

#define WAIT_NS     50000000            /* between two questions whether to wait on */
#define PIECE_BYTES ((uint64_t)8 << 20) /* of a file that are worth a thread */

/* A file that is being read, or was. */
struct slot {
	struct ahead *ahead;
	uint64_t number; /* of the file */
	struct input *in;
	unsigned threads; /* that read it */
	bool is_done;
	uint64_t consumed, held; /* bytes on disk; bytes of text */
	struct ahead_result result;
};

struct ahead {
	struct ahead_plan plan;
	unsigned jobs; /* threads at work at once at most */
	struct workers
		workers;      /* their mutex is for what follows, but results not done */
	unsigned busy;        /* threads at work */
	uint64_t first, next; /* files by number: not given back; to be begun */
	uint64_t held;        /* bytes of text of those between ... */
	uint64_t bytes_max;   /* ... and how many may be */
	struct slot *slots;   /* a file's is its number modulo nslots */
	unsigned nslots;
};

static struct slot *slot_of(const struct ahead *a, uint64_t number)
{
	return &a->slots[number % a->nslots];
}

/* Bytes that the next files will hold at least; more than the bound is all the same. */
static uint64_t weight(const struct ahead *a, const struct ahead_file *file)
{
	return file->size <= a->bytes_max ? file->size : a->bytes_max + 1;
}

/*
 * Of the two in front: the one that is written, and the one to be written next, which
 * has no room beside it when memory is short.
 */
static bool is_in_front(const struct ahead *a, uint64_t number)
{
	return number - a->first < (a->bytes_max < AHEAD_BYTES ? 1 : 2);
}

/* All of the following with the mutex held, until it says otherwise. */

/* How many files from the next one on could be read at once by that many threads. */
static unsigned files_abreast(const struct ahead *a, unsigned threads)
{
	uint64_t bytes = a->held;
	unsigned n = 0;

	for (uint64_t k = a->next;
	     n < threads && k < a->plan.nfiles && k - a->first < a->nslots; k++) {
		bytes += weight(a, &a->plan.files[k]);
		if (bytes > a->bytes_max && !is_in_front(a, k))
			break;
		n++;
	}
	return n;
}

/* Threads for the next file, or 0: none can begin it. */
static unsigned threads_for_next(const struct ahead *a)
{
	unsigned idle = a->busy < a->jobs ? a->jobs - a->busy : 0;
	unsigned abreast = files_abreast(a, idle);

	if (abreast == 0)
		return 0;
	/* As long as nothing is there to be written, the first one is waited for. */
	unsigned share = a->next == 0 ? idle : idle / abreast;
	uint64_t piece =
		a->plan.options.block_size ? a->plan.options.block_size : PIECE_BYTES;
	uint64_t pieces = a->plan.files[a->next].size / piece + 1;
	return pieces < share ? (unsigned)pieces : share;
}

static struct slot *begin_next(struct ahead *a, unsigned threads)
{
	struct slot *slot = slot_of(a, a->next);

	*slot = (struct slot){ .ahead = a, .number = a->next, .threads = threads };
	slot->held = weight(a, &a->plan.files[a->next]);
	a->held += slot->held;
	a->busy += threads;
	a->next++;
	return slot;
}

/* No bound holds back the two in front: what they wait for could only be themselves. */
static bool may_go_on(const struct slot *slot)
{
	const struct ahead *a = slot->ahead;

	return a->held <= a->bytes_max || is_in_front(a, slot->number);
}

/* Without the mutex, on the threads that read. */

static int on_stop(void *to, struct err *err)
{
	struct ahead *a = ((struct slot *)to)->ahead;

	workers_lock(&a->workers);
	bool is_stopping = a->workers.is_stopping;
	workers_unlock(&a->workers);
	return is_stopping ? err_set(err, ERR_INTERRUPT, "interrupted") : 0;
}

static int on_progress(void *to, uint64_t consumed, uint64_t size, struct err *err)
{
	struct slot *slot = to;
	struct ahead *a = slot->ahead;
	uint64_t text = input_offset(slot->in);

	(void)size;
	workers_lock(&a->workers);
	slot->consumed = consumed;
	if (text > slot->held) {
		a->held += text - slot->held;
		slot->held = text;
	}
	while (!a->workers.is_stopping && !may_go_on(slot))
		workers_wait(&a->workers);
	workers_unlock(&a->workers);
	return on_stop(slot, err);
}

/* What the slot's threads but one leave to others. */
static void release_threads(struct slot *slot)
{
	struct ahead *a = slot->ahead;

	workers_lock(&a->workers);
	a->busy -= slot->threads - 1;
	slot->threads = 1;
	workers_wake(&a->workers);
	workers_unlock(&a->workers);
}

static void read_input(struct slot *slot, const struct ahead_file *file)
{
	struct ahead_result *result = &slot->result;
	struct reading_how how = { .reader = slot->ahead->plan.reader,
				   .options = slot->ahead->plan.options,
				   .texts = &result->texts,
				   .spill = slot->ahead->plan.spill,
				   .progress = on_progress,
				   .to = slot,
				   .mtime_ns = file->mtime_ns,
				   .may_split = true };
	const struct import_source source = { .shown = file->shown,
					      .is_found = file->is_found };

	how.options.threads = slot->threads - 1;
	reading_read(&how, &source, slot->in, &result->reading);
	release_threads(slot);
	reading_settle(&how, &result->reading);
	if (result->reading.why.kind == ERR_NONE && !result->reading.split &&
	    on_stop(slot, &result->reading.why) == 0)
		loader_sum_up(result->reading.loader);
}

/* It may hold several, which are read one after the other, or has to wait for others. */
static bool is_of_reports(const struct slot *slot, struct bytes head)
{
	const struct ahead_plan *plan = &slot->ahead->plan;

	if (plan->reader)
		return plan->reader->begins != NULL;
	const struct reader *reader = reader_detect(head);
	return parts_may_be(head) || (reader ? reader->is_print : head.n >= PROBE_BYTES);
}

static void read_file(struct slot *slot)
{
	const struct ahead_file *file = &slot->ahead->plan.files[slot->number];
	struct ahead_result *result = &slot->result;
	struct err err = ERR_INIT; /* what is left alone is met again by who reads it */

	slot->in = input_open(file->shown, &err);
	intern_init_in(&result->texts, slot->ahead->plan.spill);
	result->expand = slot->ahead->plan.expand;
	result->is_left = true;
	if (!slot->in)
		return;
	input_set_stop(slot->in, on_stop, slot);
	input_set_expand(slot->in, &result->expand);
	struct bytes head = input_peek(slot->in, PROBE_BYTES, &err);
	head.n = head.n < PROBE_BYTES ? head.n : PROBE_BYTES;
	if (err.kind == ERR_NONE && !bundle_is(head) && !is_of_reports(slot, head)) {
		result->is_left = false;
		read_input(slot, file);
	}
	result->size =
		input_size(slot->in) ? input_size(slot->in) : input_consumed(slot->in);
	input_close(slot->in);
}

static void *run_thread(void *to)
{
	struct ahead *a = to;

	workers_lock(&a->workers);
	while (!a->workers.is_stopping && a->next < a->plan.nfiles) {
		unsigned threads = threads_for_next(a);
		if (threads == 0) {
			workers_wait(&a->workers);
			continue;
		}
		struct slot *slot = begin_next(a, threads);
		workers_unlock(&a->workers);
		read_file(slot);
		workers_lock(&a->workers);
		a->busy -= slot->threads;
		slot->is_done = true;
		workers_wake(&a->workers);
	}
	workers_unlock(&a->workers);
	return NULL;
}

/* The caller's side. */

struct ahead *ahead_new(const struct ahead_plan *plan)
{
	struct ahead *a = xcalloc(1, sizeof(*a));

	a->plan = *plan;
	a->bytes_max = AHEAD_BYTES;
	if (plan->options.memory_limit && plan->options.memory_limit < AHEAD_BYTES)
		a->bytes_max = plan->options.memory_limit;
	a->jobs = plan->options.threads + 1;
	a->nslots = a->jobs + 1;
	a->slots = xcalloc(a->nslots, sizeof(*a->slots));
	workers_init(&a->workers);
	/* One file, or one thread, is read best by the caller. */
	if (a->jobs > 1 && plan->nfiles > 1 &&
	    workers_start(&a->workers,
			  plan->nfiles < a->jobs ? (unsigned)plan->nfiles : a->jobs,
			  run_thread, a))
		return a;
	ahead_free(a);
	return NULL;
}

/* With the mutex held: frees the first one, which nobody works on.  Others may wait for that. */
static void forget_first(struct ahead *a)
{
	struct slot *slot = slot_of(a, a->first);

	if (a->next == a->first) { /* nobody began it */
		a->next++;
	} else {
		reading_release(&slot->result.reading);
		intern_release(&slot->result.texts);
		a->held -= slot->held;
	}
	a->first++;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	workers_release(&a->workers);
	while (a->first < a->next)
		forget_first(a);
	free(a->plan.files);
	free(a->slots);
	free(a);
}

/* With the mutex held, which is let go meanwhile: until the first one is done. */
static int wait_for_first(struct ahead *a, const struct ahead_wait *wait, struct err *err)
{
	int rc = 0;

	while (rc == 0 && (a->next == a->first || !slot_of(a, a->first)->is_done)) {
		workers_wait_ns(&a->workers, WAIT_NS);
		workers_unlock(&a->workers);
		rc = wait->ask(wait->to, err);
		workers_lock(&a->workers);
	}
	return rc;
}

/* With the mutex held: makes that file the first one, and waits for it. */
static int go_to(struct ahead *a, uint64_t number, const struct ahead_wait *wait,
		 struct err *err)
{
	while (a->first < number) {
		if (a->next > a->first && wait_for_first(a, wait, err) < 0)
			return -1;
		forget_first(a);
		workers_wake(&a->workers);
	}
	return wait_for_first(a, wait, err);
}

int ahead_take(struct ahead *a, const char *shown, const struct ahead_wait *wait,
	       struct ahead_result **out, struct err *err)
{
	uint64_t number = a->first; /* which only the caller moves */

	*out = NULL;
	while (number < a->plan.nfiles && a->plan.files[number].shown != shown)
		number++;
	if (number == a->plan.nfiles)
		return 0;
	workers_lock(&a->workers);
	int rc = go_to(a, number, wait, err);
	if (rc == 0) {
		*out = &slot_of(a, number)->result;
		a->busy++;
	}
	workers_unlock(&a->workers);
	return rc;
}

void ahead_give_back(struct ahead *a)
{
	workers_lock(&a->workers);
	a->busy--;
	forget_first(a);
	workers_wake(&a->workers);
	workers_unlock(&a->workers);
}

uint64_t ahead_consumed(struct ahead *a)
{
	uint64_t consumed = 0;

	if (!a)
		return 0;
	workers_lock(&a->workers);
	for (uint64_t k = a->first; k < a->next; k++)
		consumed += slot_of(a, k)->consumed;
	workers_unlock(&a->workers);
	return consumed;
}
