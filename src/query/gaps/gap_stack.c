/* The stack of a thread: see gap_stack.h. */
#include "query/gaps/gap_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/gaps/gap_cause.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

#define SLOW_NS      INT64_C(1000000)
#define MEDIANS_MOST 10

/* What the name of a call says; each is asked once. */
enum { CALL_IS_ASKED = 1, CALL_COPIES = 2, CALL_TELLS_WAIT = 4 };

ASSET(asset_query_views_host_tracks_sql);

static bool is_call(enum slice_class class)
{
	return class == CLASS_RUNTIME || class == CLASS_DRIVER;
}

struct call {
	int64_t dur_ns, slice_id;
	int64_t name_id; /* string.id */
};

struct calls {
	struct call *items; /* owned */
	size_t n, cap;
	int64_t *slow; /* owned; names of those that are long, in order, each once */
	size_t nslow, slow_cap;
};

static int read_thread(struct calls *c, struct slice_pack *slices, struct err *err)
{
	const struct packed_slice *slice = &slices->slice;
	int rc;

	while ((rc = slice_pack_next(slices, err)) > 0) {
		int64_t dur_ns = slice->end_ns - slice->start_ns;
		if (!is_call((enum slice_class)slice->class))
			continue;
		*ARRAY_PUSH(c->items, c->n, c->cap) =
			(struct call){ dur_ns, slice->id, slice->name_id };
		if (dur_ns > SLOW_NS)
			*ARRAY_PUSH(c->slow, c->nslow, c->slow_cap) = slice->name_id;
	}
	return rc;
}

static int read_calls(struct calls *c, struct store *store,
		      const struct scope_profile *profile, struct err *err)
{
	struct slice_walk walk;
	int rc = slice_walk_open(store, asset_query_views_host_tracks_sql, profile->id,
				 PACKED_NAME | PACKED_CLASS, &walk, err);

	while (rc == 0 && (rc = slice_walk_track(&walk, err)) > 0)
		rc = read_thread(c, &walk.slices, err);
	slice_walk_close(&walk);
	return rc;
}

/* Names that have a long call and may be slow, each once. */
static int find_slow_names(struct calls *c, struct text_pool *texts, struct err *err)
{
	size_t n = 0;

	if (c->nslow)
		qsort(c->slow, c->nslow, sizeof(*c->slow), sort_compare_int64);
	for (size_t i = 0; i < c->nslow; i++) {
		uint32_t name;
		if (i && c->slow[i] == c->slow[i - 1])
			continue;
		if (text_pool_number(texts, c->slow[i], &name, err) < 0)
			return -1;
		if (gap_call_may_be_slow(text_pool_str(texts, name)))
			c->slow[n++] = c->slow[i];
	}
	c->nslow = n;
	return 0;
}

/* Keeps the calls of these names: few, to be sorted. */
static void keep_slow_names(struct calls *c)
{
	size_t n = c->nslow ? c->n : 0;

	c->n = 0;
	for (size_t i = 0; i < n; i++)
		if (bsearch(&c->items[i].name_id, c->slow, c->nslow, sizeof(*c->slow),
			    sort_compare_int64))
			c->items[c->n++] = c->items[i];
}

/* The calls of one name, by their lengths. */
static void add_slow(struct gap_slow *out, const struct call *calls, size_t n)
{
	for (size_t i = n; i-- > 0 && calls[i].dur_ns > SLOW_NS;) {
		size_t middle = n > 1 ? (n - 2) / 2 : 0;
		int64_t median_ns = n > 1 ? calls[middle + (middle >= i)].dur_ns : 0;
		if ((calls[i].dur_ns - 1) / MEDIANS_MOST < median_ns)
			continue; /* not more than so many medians */
		*ARRAY_PUSH(out->ids, out->n, out->cap) = calls[i].slice_id;
	}
}

/*
 * Calls of the profile's threads that take more than 1 ms and more than ten times the
 * median of the other calls of their name; never those that wait for the device or copy.
 * gap_slow_release() in both cases.
 */
static int gap_slow_find(struct store *store, const struct scope_profile *profile,
			 struct text_pool *texts, struct gap_slow *out, struct err *err)
{
	struct calls c = { .n = 0 };
	int rc = read_calls(&c, store, profile, err);

	*out = (struct gap_slow){ .n = 0 };
	if (rc == 0)
		rc = find_slow_names(&c, texts, err);
	keep_slow_names(&c);
	SORT_BY(c.items, c.n, dur_ns);
	SORT_BY(c.items, c.n, name_id);
	for (size_t i = 0, end; rc == 0 && i < c.n; i = end) {
		for (end = i + 1; end < c.n && c.items[end].name_id == c.items[i].name_id;
		     end++)
			;
		add_slow(out, &c.items[i], end - i);
	}
	if (out->n)
		qsort(out->ids, out->n, sizeof(*out->ids), sort_compare_int64);
	free(c.items);
	free(c.slow);
	return rc;
}

static void gap_slow_release(struct gap_slow *s)
{
	free(s->ids);
	*s = (struct gap_slow){ .n = 0 };
}

static bool gap_slow_has(const struct gap_slow *s, int64_t slice_id)
{
	return s->n &&
	       bsearch(&slice_id, s->ids, s->n, sizeof(*s->ids), sort_compare_int64);
}

/* What traces of other programs have counts as what torch calls operators. */
static bool is_operator(enum slice_class class)
{
	return class == CLASS_OP || class == CLASS_OTHER;
}

/* Each name is judged once for each class. */
static enum gap_cause cause_of(struct gap_stack *s, const struct gap_slice *slice)
{
	size_t key = ((size_t)(slice->name + 1U) * NCLASSES) + slice->class;

	uint8_t *cause = SPARSE_AT(&s->causes, uint8_t, key);

	if (!*cause)
		*cause = (uint8_t)(1 + gap_cause_of(slice->class,
						    text_pool_str(s->request->texts,
								  slice->name)));
	return (enum gap_cause)(*cause - 1);
}

static unsigned call_says(struct gap_stack *s, uint32_t text)
{
	uint8_t *says = SPARSE_AT(&s->calls, uint8_t, (size_t)(text + 1U));
	struct str name = text_pool_str(s->request->texts, text);

	if (!*says)
		*says = (uint8_t)(CALL_IS_ASKED |
				  (gap_call_copies(name) ? CALL_COPIES : 0) |
				  (memmem(name.p, name.n, "StreamWaitEvent", 15)
					   ? CALL_TELLS_WAIT
					   : 0));
	return *says;
}

bool gap_stack_tells_wait(struct gap_stack *s, uint32_t name)
{
	return call_says(s, name) & CALL_TELLS_WAIT;
}

/*
 * A call that copies blocks when it says so by its name, or when pageable memory
 * makes it; what the copy itself says is remembered for a synchronisation behind it.
 */
static enum gap_cause copy_cause(struct gap_stack *s, const struct gap_slice *slice,
				 struct gap_frame *f)
{
	struct str call = text_pool_str(s->request->texts, slice->name);
	const struct gap_launch *launch;
	struct gap_copy copy = { false, false };

	if (!(call_says(s, slice->name) & CALL_COPIES))
		return GAP_NONE;
	launch = gap_blame_launch(s->blame, s->request->work, slice->id, 0);
	if (launch) {
		const struct work_item *item = &s->request->work->items[launch->item];
		copy = gap_copy_of(text_pool_str(s->request->texts, item->name));
	}
	enum gap_cause cause = copy.is_read ? GAP_READ : GAP_COPY;
	if (f->op_at != UINT32_MAX)
		s->frames[f->op_at].copied = (uint8_t)cause;
	bool is_async = memmem(call.p, call.n, "Async", 5) != NULL;
	return copy.is_pageable || !is_async ? cause : GAP_NONE;
}

/* A synchronisation is part of the read, the copy or the collective that makes it. */
static struct gap_charge sync_charge(const struct gap_stack *s, const struct gap_frame *f,
				     struct gap_charge own)
{
	enum gap_cause around = (enum gap_cause)f->named.cause;

	if (around == GAP_READ || around == GAP_COPY || around == GAP_COMMUNICATION)
		return f->named;
	if (f->collective.cause)
		return f->collective;
	if (f->copying.cause == GAP_NONE)
		return own;
	uint8_t copied = f->op_at == UINT32_MAX ? 0 : s->frames[f->op_at].copied;
	own = f->copying;
	own.cause = copied ? copied : GAP_COPY;
	return own;
}

static struct gap_charge charge_of(const struct gap_slice *slice, enum gap_cause cause)
{
	return (struct gap_charge){ .slice_id = slice->id,
				    .dur_ns = sum_sub(slice->end_ns, slice->start_ns),
				    .blamed = slice->name,
				    .cause = (uint8_t)cause };
}

/* Slow calls are looked for when one that is long enough is met. */
static bool is_slow(struct gap_stack *s, const struct gap_slice *slice)
{
	const struct gap_blame_request *request = s->request;

	if (!is_call(slice->class) || sum_sub(slice->end_ns, slice->start_ns) <= SLOW_NS)
		return false;
	if (!s->has_slow && s->rc == 0)
		s->rc = gap_slow_find(request->store, request->profile, request->texts,
				      &s->slow, s->err);
	s->has_slow = true;
	return gap_slow_has(&s->slow, slice->id);
}

static void name_cause(struct gap_stack *s, const struct gap_slice *slice,
		       struct gap_frame *f)
{
	struct gap_charge own = charge_of(slice, GAP_NONE);
	enum gap_cause cause = cause_of(s, slice);

	if (cause == GAP_NONE && is_call(slice->class))
		cause = copy_cause(s, slice, f);
	if (is_slow(s, slice))
		cause = GAP_SLOW;
	if (cause == GAP_NONE)
		return;
	own.cause = (uint8_t)cause;
	if (cause == GAP_SYNC)
		own = sync_charge(s, f, own);
	/* the outermost of those that say the same is what people know */
	if (own.cause != f->named.cause)
		f->named = own;
	/* .item() of a value on the host waits for nothing: a call must have */
	f->is_draining =
		is_call(slice->class) && gap_cause_drains((enum gap_cause)own.cause);
}

/* A collective's own name says nothing: most are launched and not waited for. */
static void enter_collective(const struct gap_stack *s, const struct gap_slice *slice,
			     struct gap_frame *f)
{
	struct str name = text_pool_str(s->request->texts, slice->name);

	if (!f->collective.cause && gap_name_is_collective(slice->class, name))
		f->collective = charge_of(slice, GAP_COMMUNICATION);
}

static void cover(struct gap_stack *s, const struct gap_slice *slice, struct gap_frame *f)
{
	if (slice->class == CLASS_ANNOTATION) {
		f->annotation = slice->name;
		f->general = charge_of(slice, GAP_ANNOTATION);
	} else if (slice->class == CLASS_PYTHON) {
		f->frame = slice->name;
		f->general = charge_of(slice, GAP_PYTHON);
	} else if (is_operator(slice->class)) {
		struct str name = text_pool_str(s->request->texts, slice->name);
		f->op = slice->name;
		f->op_at = (uint32_t)s->n;
		f->copied = 0;
		f->general = charge_of(slice, GAP_OPERATOR);
		if (!gap_name_is_copy_op(name))
			f->copying.cause = GAP_NONE;
		else if (f->copying.cause == GAP_NONE)
			f->copying = charge_of(slice, GAP_COPY);
	} else if (is_call(slice->class) && f->general.cause == GAP_NONE) {
		f->general = charge_of(slice, GAP_CALL);
	}
}

/* The frame of a slice in that of what is around it. */
static void add_frame(struct gap_stack *s, const struct gap_open *open)
{
	const struct gap_slice *slice = &open->slice;
	struct gap_frame f = { .op = TEXT_NONE,
			       .frame = TEXT_NONE,
			       .annotation = TEXT_NONE,
			       .op_at = UINT32_MAX };

	if (s->n)
		f = s->frames[s->n - 1];
	f.is_draining = false;
	/* recordings of 2021 have the annotations of steps among the operators */
	if (!gap_range_is_mark(s->request->range, slice->id) &&
	    !(slice->class == CLASS_ANNOTATION &&
	      gap_name_is_step(text_pool_str(s->request->texts, slice->name)))) {
		cover(s, slice, &f);
		enter_collective(s, slice, &f);
		name_cause(s, slice, &f);
	}
	*ARRAY_PUSH(s->frames, s->n, s->cap) = f;
}

/*
 * Frames are made when they are asked for: most slices begin and end while the device
 * has work.  Only these matter once they are left: a call that copies, to a
 * synchronisation behind it, and one that drains the queue, to what roots are found of.
 */
static bool matters_later(struct gap_stack *s, const struct gap_slice *slice)
{
	if (!is_call(slice->class))
		return false;
	return call_says(s, slice->name) & CALL_COPIES ||
	       (s->request->has_roots && cause_of(s, slice) != GAP_NONE);
}

void gap_stack_push(struct gap_stack *s, const struct gap_slice *slice)
{
	int64_t around_ns = gap_stack_end(s);

	*ARRAY_PUSH(s->open, s->nopen, s->open_cap) =
		(struct gap_open){ *slice, slice->end_ns < around_ns ? slice->end_ns
								     : around_ns };
	if (matters_later(s, slice))
		gap_stack_top(s);
}

int64_t gap_stack_end(const struct gap_stack *s)
{
	return s->nopen ? s->open[s->nopen - 1].end_ns : INT64_MAX;
}

bool gap_stack_pop(struct gap_stack *s, struct gap_charge *waited)
{
	bool has_frame = s->n == s->nopen--;

	if (!has_frame)
		return false;
	const struct gap_frame *top = &s->frames[--s->n];
	if (top->is_draining)
		*waited = top->named;
	return top->is_draining;
}

void gap_stack_clear(struct gap_stack *s)
{
	s->nopen = s->n = 0;
}

const struct gap_frame *gap_stack_top(struct gap_stack *s)
{
	while (s->n < s->nopen)
		add_frame(s, &s->open[s->n]);
	return s->n ? &s->frames[s->n - 1] : NULL;
}

void gap_stack_release(struct gap_stack *s)
{
	free(s->open);
	free(s->frames);
	sparse_release(&s->causes);
	sparse_release(&s->calls);
	gap_slow_release(&s->slow);
	*s = (struct gap_stack){ .n = 0 };
}
