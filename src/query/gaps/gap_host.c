/* What the host did in gaps: see gap_host.h. */
#include "query/gaps/gap_host.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/gaps/gap_stack.h"
#include "query/query.h"
#include "query/slices/slice_pack.h"

ASSET(asset_query_views_gap_threads_sql);

/*
 * The host's part of a gap, on the thread that launched what ends it; it is empty when
 * the launch was made before.
 */
struct question {
	int64_t track_id;
	int64_t from_ns, to_ns;
	int64_t until_ns; /* to_ns, or behind the launch: all before is to be passed */
	uint32_t gap;
};

/* One that the pass is in, and its newest piece. */
struct asked {
	size_t question;
	size_t piece; /* SIZE_MAX: none yet */
};

#define NO_GAP UINT32_MAX

struct pass {
	const struct gap_blame_request *request;
	struct gap_blame *blame;
	struct gap_stack stack;
	struct question *questions; /* owned; by (track, from, gap) */
	uint32_t *gap_of;           /* owned; by item: the gap that it ends, or NO_GAP */
	size_t n, next, end;        /* those of the track: next to end */
	struct asked *asked;        /* owned */
	size_t nasked, asked_cap;
	int64_t at_ns; /* all before it is charged */
	struct gap_charge
		drained; /* the last wait for the device with no launch behind it */
	bool has_waited; /* a stream was told to wait since the last launch */
};

static int compare_questions(const void *a, const void *b)
{
	const struct question *x = a, *y = b;

	if (x->track_id != y->track_id)
		return x->track_id < y->track_id ? -1 : 1;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->gap > y->gap) - (x->gap < y->gap);
}

static int compare_tracks(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int compare_drains(const void *a, const void *b)
{
	const struct gap_drain *x = a, *y = b;

	return (x->gap > y->gap) - (x->gap < y->gap);
}

/* The thread that launched most of the device's work, of equal ones the first; or 0. */
static int64_t busiest_thread(const struct device_work *work, uint32_t device)
{
	const struct work_device *d = &work->devices[device];
	int64_t *tracks = xrealloc_array(NULL, d->n + 1, sizeof(*tracks));
	int64_t busiest = 0;
	size_t n = 0, most = 0;

	for (size_t i = d->first; i < d->first + d->n; i++)
		if (work->items[i].launch_id)
			tracks[n++] = work->items[i].launch_track_id;
	qsort(tracks, n, sizeof(*tracks), compare_tracks);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && tracks[end] == tracks[i]; end++)
			;
		if (end - i > most) {
			most = end - i;
			busiest = tracks[i];
		}
	}
	free(tracks);
	return busiest;
}

/* Nothing was launched any more: what the thread that marks the steps did instead. */
static struct question ask_last(const struct pass *p, const struct gap *g)
{
	struct question q = { .track_id = p->request->range->track_id };

	if (!q.track_id)
		q.track_id = busiest_thread(p->request->work, g->device);
	q.until_ns = g->end_ns;
	return q;
}

static struct question ask_launch(const struct pass *p, const struct gap *g)
{
	const struct work_item *after = &p->request->work->items[g->after];
	struct question q = { .track_id = after->launch_track_id };

	q.until_ns = sum_add(after->launch_start_ns, 1);
	if (q.until_ns < g->host_end_ns)
		q.until_ns = g->host_end_ns;
	return q;
}

static void find_questions(struct pass *p)
{
	const struct gaps *gaps = &p->blame->gaps;
	const struct device_work *work = p->request->work;

	p->questions = xrealloc_array(NULL, gaps->n + 1, sizeof(*p->questions));
	p->gap_of = xrealloc_array(NULL, work->n + 1, sizeof(*p->gap_of));
	for (size_t i = 0; i < work->n; i++)
		p->gap_of[i] = NO_GAP;
	for (size_t i = 0; i < gaps->n; i++) {
		const struct gap *g = &gaps->items[i];
		if (g->after != GAP_NO_WORK && !work->items[g->after].launch_id)
			continue;
		struct question q =
			g->after == GAP_NO_WORK ? ask_last(p, g) : ask_launch(p, g);
		q.from_ns = g->start_ns;
		q.to_ns = g->host_end_ns;
		q.gap = (uint32_t)i;
		if (g->after != GAP_NO_WORK)
			p->gap_of[g->after] = q.gap;
		p->questions[p->n++] = q;
	}
	qsort(p->questions, p->n, sizeof(*p->questions), compare_questions);
}

/* What the top of the stack, or nothing, is charged as. */
static struct gap_piece piece_of(const struct gap_frame *top)
{
	struct gap_piece piece = gap_piece_of(0, 0, 0);

	piece.cause = GAP_UNTRACED;
	if (!top)
		return piece;
	const struct gap_charge *charge = top->named.cause ? &top->named : &top->general;
	piece.drains = top->is_draining;
	piece.op = top->op;
	piece.frame = top->frame;
	piece.annotation = top->annotation;
	if (charge->cause) {
		piece.cause = charge->cause;
		piece.blamed = charge->blamed;
		piece.slice_id = charge->slice_id;
		piece.dur_ns = charge->dur_ns;
	}
	return piece;
}

static bool is_continued(const struct gap_piece *a, const struct gap_piece *b)
{
	return a->end_ns == b->start_ns && a->slice_id == b->slice_id &&
	       a->cause == b->cause && a->op == b->op && a->frame == b->frame &&
	       a->annotation == b->annotation;
}

static void charge(struct pass *p, struct asked *asked, struct gap_piece piece)
{
	struct gap_blame *b = p->blame;

	if (asked->piece != SIZE_MAX && is_continued(&b->pieces[asked->piece], &piece)) {
		b->pieces[asked->piece].end_ns = piece.end_ns;
		b->pieces[asked->piece].drains |= piece.drains;
		return;
	}
	asked->piece = b->n;
	gap_blame_add(b, &piece);
}

/* The pass comes to the start of a gap: had a wait for the device emptied its queue? */
static void ask(struct pass *p, size_t question)
{
	struct gap_blame *b = p->blame;

	p->asked = xgrow(p->asked, &p->asked_cap, p->nasked + 1, sizeof(*p->asked));
	p->asked[p->nasked++] = (struct asked){ question, SIZE_MAX };
	const struct question *q = &p->questions[question];
	if (!p->drained.cause || q->from_ns == q->to_ns)
		return;
	b->drains = xgrow(b->drains, &b->drains_cap, b->ndrains + 1, sizeof(*b->drains));
	b->drains[b->ndrains++] = (struct gap_drain){
		.slice_id = p->drained.slice_id,
		.dur_ns = p->drained.dur_ns,
		.gap = q->gap,
		.blamed = p->drained.blamed,
		.cause = p->drained.cause,
	};
}

/* Charges [at, to) in all gaps that are open then. */
static void pass_over(struct pass *p, int64_t to_ns)
{
	size_t kept = 0;

	if (to_ns <= p->at_ns)
		return;
	while (p->next < p->end && p->questions[p->next].from_ns < to_ns)
		ask(p, p->next++);
	struct gap_piece piece = piece_of(gap_stack_top(&p->stack));
	for (size_t i = 0; i < p->nasked; i++) {
		struct asked *asked = &p->asked[i];
		const struct question *q = &p->questions[asked->question];
		piece.gap = q->gap;
		piece.start_ns = q->from_ns > p->at_ns ? q->from_ns : p->at_ns;
		piece.end_ns = q->to_ns < to_ns ? q->to_ns : to_ns;
		if (piece.start_ns < piece.end_ns)
			charge(p, asked, piece);
		if (q->to_ns > to_ns)
			p->asked[kept++] = *asked;
	}
	p->nasked = kept;
	p->at_ns = to_ns;
}

/* Leaves the slices that end until then. */
static void pass_to(struct pass *p, int64_t ns)
{
	const struct gap_frame *top;

	while ((top = gap_stack_top(&p->stack)) && top->end_ns <= ns) {
		pass_over(p, top->end_ns);
		if (top->is_draining)
			p->drained = top->named;
		p->stack.n--;
	}
	pass_over(p, ns);
}

/* What the call was made in, for the gaps that its work ends. */
static void keep_context(struct pass *p, const struct gap_launch *launch)
{
	const struct gap_launch *end = p->blame->launches + p->blame->nlaunches;
	const struct gap_frame *top = gap_stack_top(&p->stack);

	if (!top)
		return;
	for (int64_t id = launch->launch_id; launch < end && launch->launch_id == id;
	     launch++)
		if (p->gap_of[launch->item] != NO_GAP)
			p->blame->contexts[p->gap_of[launch->item]] =
				(struct gap_context){ top->op, top->frame,
						      top->annotation };
}

/* A launch fills the queue again; a wait for an event is for the next work launched. */
static void pass_call(struct pass *p, const struct gap_slice *slice)
{
	const struct gap_launch *launch =
		gap_blame_launch(p->blame, p->request->work, slice->id, 0);
	struct str name = text_pool_str(p->request->texts, slice->name);

	if (launch) {
		keep_context(p, launch);
		p->blame->waited[launch->item] = p->has_waited;
		p->has_waited = false;
		p->drained.cause = GAP_NONE;
	} else if (memmem(name.p, name.n, "StreamWaitEvent", 15)) {
		p->has_waited = true;
	}
}

static int pass_slice(struct pass *p, const struct packed_slice *packed, struct err *err)
{
	struct gap_slice slice = { .id = packed->id,
				   .start_ns = packed->start_ns,
				   .end_ns = packed->end_ns,
				   .class = (enum slice_class)packed->class };

	if (slice.start_ns < p->at_ns)
		return query_damaged("slices do", err);
	if (text_pool_number(p->request->texts, packed->name_id, &slice.name, err) < 0)
		return -1;
	pass_to(p, slice.start_ns);
	if (slice.class == CLASS_RUNTIME || slice.class == CLASS_DRIVER)
		pass_call(p, &slice);
	if (slice.end_ns > slice.start_ns)
		gap_stack_push(&p->stack, &slice);
	return 0;
}

/* The slices of a thread, until its last question is answered. */
static int pass_thread(struct pass *p, struct slice_pack *slices, struct err *err)
{
	int64_t last_ns = INT64_MIN;
	int rc = 0;

	for (size_t i = p->next; i < p->end; i++)
		if (p->questions[i].until_ns > last_ns)
			last_ns = p->questions[i].until_ns;
	p->at_ns = INT64_MIN;
	p->stack.n = 0;
	p->has_waited = false;
	p->drained.cause = GAP_NONE;
	while (p->at_ns < last_ns && (rc = slice_pack_next(slices, err)) > 0)
		if (pass_slice(p, &slices->slice, err) < 0)
			return -1;
	if (rc >= 0)
		pass_to(p, last_ns);
	return rc < 0 ? -1 : 0;
}

/* The questions about a track: p->next to p->end. */
static bool questions_of(struct pass *p, int64_t track_id)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->questions[middle].track_id < track_id)
			low = middle + 1;
		else
			high = middle;
	}
	for (p->next = p->end = low;
	     p->end < p->n && p->questions[p->end].track_id == track_id; p->end++)
		;
	return p->end > p->next;
}

static int pass_threads(struct pass *p, struct sqlite3_stmt *threads,
			struct slice_pack *slices, bool *answered, struct err *err)
{
	int rc;

	while ((rc = sql_step(threads, err)) > 0) {
		if (!questions_of(p, sqlite3_column_int64(threads, 0)))
			continue;
		memset(answered + p->next, true, p->end - p->next);
		if (slice_pack_seek(slices, sqlite3_column_int64(threads, 1),
				    sqlite3_column_int64(threads, 2), err) < 0 ||
		    pass_thread(p, slices, err) < 0)
			return -1;
	}
	return rc;
}

/* A launch on what is no thread: nothing tells what the host did. */
static void answer_rest(struct pass *p, const bool *answered)
{
	for (size_t i = 0; i < p->n; i++) {
		struct gap_piece piece = piece_of(NULL);
		if (answered[i] || p->questions[i].from_ns == p->questions[i].to_ns)
			continue;
		piece.gap = p->questions[i].gap;
		piece.start_ns = p->questions[i].from_ns;
		piece.end_ns = p->questions[i].to_ns;
		gap_blame_add(p->blame, &piece);
	}
}

int gap_host_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		   struct err *err)
{
	struct pass p = { .request = request, .blame = blame };
	struct sqlite3_stmt *threads = NULL;
	struct slice_pack slices = { .stmt = NULL };
	int rc = -1;

	p.stack.request = request;
	p.stack.blame = blame;
	find_questions(&p);
	blame->contexts =
		xrealloc_array(NULL, blame->gaps.n + 1, sizeof(*blame->contexts));
	for (size_t i = 0; i < blame->gaps.n; i++)
		blame->contexts[i] =
			(struct gap_context){ TEXT_NONE, TEXT_NONE, TEXT_NONE };
	blame->waited = xcalloc(request->work->n + 1, sizeof(*blame->waited));
	bool *answered = xcalloc(p.n + 1, sizeof(*answered));
	if (gap_slow_find(request->store, request->profile, request->texts, &p.stack.slow,
			  err) == 0 &&
	    query_prepare(request->store, asset_query_views_gap_threads_sql, &threads,
			  err) == 0 &&
	    slice_pack_open(request->store, PACKED_NAME | PACKED_CLASS, &slices, err) ==
		    0) {
		query_bind_int(threads, ":profile", request->profile->id);
		rc = pass_threads(&p, threads, &slices, answered, err);
	}
	if (rc == 0)
		answer_rest(&p, answered);
	if (blame->ndrains)
		qsort(blame->drains, blame->ndrains, sizeof(*blame->drains),
		      compare_drains);
	sqlite3_finalize(threads);
	slice_pack_close(&slices);
	gap_stack_release(&p.stack);
	free(answered);
	free(p.gap_of);
	free(p.questions);
	free(p.asked);
	return rc;
}
