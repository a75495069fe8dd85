/* The stack of a thread: see gap_stack.h. */
#include "query/gaps/gap_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/gaps/gap_cause.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

static bool is_call(enum slice_class class)
{
	return class == CLASS_RUNTIME || class == CLASS_DRIVER;
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

	uint8_t *cause = ARRAY_AT(s->causes, s->causes_cap, key);

	if (!*cause)
		*cause = (uint8_t)(1 + gap_cause_of(slice->class,
						    text_pool_str(s->request->texts,
								  slice->name)));
	return (enum gap_cause)(*cause - 1);
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

	if (!gap_call_copies(call))
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

static void name_cause(struct gap_stack *s, const struct gap_slice *slice,
		       struct gap_frame *f)
{
	struct gap_charge own = charge_of(slice, GAP_NONE);
	enum gap_cause cause = cause_of(s, slice);

	if (cause == GAP_NONE && is_call(slice->class))
		cause = copy_cause(s, slice, f);
	if (is_call(slice->class) && gap_slow_has(&s->slow, slice->id))
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

void gap_stack_push(struct gap_stack *s, const struct gap_slice *slice)
{
	struct gap_frame f = { .op = TEXT_NONE,
			       .frame = TEXT_NONE,
			       .annotation = TEXT_NONE,
			       .op_at = UINT32_MAX };

	f.end_ns = INT64_MAX;
	if (s->n)
		f = s->frames[s->n - 1];
	if (slice->end_ns < f.end_ns)
		f.end_ns = slice->end_ns;
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

void gap_stack_release(struct gap_stack *s)
{
	free(s->frames);
	free(s->causes);
	gap_slow_release(&s->slow);
	*s = (struct gap_stack){ .n = 0 };
}

ASSET(asset_query_views_host_tracks_sql);

#define SLOW_NS      INT64_C(1000000)
#define MEDIANS_MOST 10

struct call {
	int64_t dur_ns, slice_id;
	uint32_t name;
};

struct calls {
	struct call *items;
	size_t n, cap;
	struct text_pool *texts;
};

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns < y->dur_ns ? -1 : 1;
	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static int read_thread(struct calls *c, struct slice_pack *slices, struct err *err)
{
	const struct packed_slice *slice = &slices->slice;
	int rc;

	while ((rc = slice_pack_next(slices, err)) > 0) {
		struct call call = { slice->end_ns - slice->start_ns, slice->id, 0 };
		if (slice->class != CLASS_RUNTIME && slice->class != CLASS_DRIVER)
			continue;
		if (text_pool_number(c->texts, slice->name_id, &call.name, err) < 0)
			return -1;
		*ARRAY_PUSH(c->items, c->n, c->cap) = call;
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

/* Keeps the calls of names that have a slow one: few, to be sorted. */
static void keep_slow_names(struct calls *c)
{
	size_t n = c->n;
	bool *is_slow = xcalloc(c->texts->intern.n + 1, sizeof(*is_slow));

	for (size_t i = 0; i < n; i++)
		is_slow[c->items[i].name] |= c->items[i].dur_ns > SLOW_NS;
	c->n = 0;
	for (size_t i = 0; i < n; i++)
		if (is_slow[c->items[i].name])
			c->items[c->n++] = c->items[i];
	free(is_slow);
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

int gap_slow_find(struct store *store, const struct scope_profile *profile,
		  struct text_pool *texts, struct gap_slow *out, struct err *err)
{
	struct calls c = { .texts = texts };
	int rc = read_calls(&c, store, profile, err);

	*out = (struct gap_slow){ .n = 0 };
	keep_slow_names(&c);
	if (c.n)
		qsort(c.items, c.n, sizeof(*c.items), compare_calls);
	for (size_t i = 0, end; rc == 0 && i < c.n; i = end) {
		for (end = i + 1; end < c.n && c.items[end].name == c.items[i].name;
		     end++)
			;
		if (gap_call_may_be_slow(text_pool_str(texts, c.items[i].name)))
			add_slow(out, &c.items[i], end - i);
	}
	if (out->n)
		qsort(out->ids, out->n, sizeof(*out->ids), sort_compare_int64);
	free(c.items);
	return rc;
}

void gap_slow_release(struct gap_slow *s)
{
	free(s->ids);
	*s = (struct gap_slow){ .n = 0 };
}

bool gap_slow_has(const struct gap_slow *s, int64_t slice_id)
{
	return s->n &&
	       bsearch(&slice_id, s->ids, s->n, sizeof(*s->ids), sort_compare_int64);
}
