/* Pauses of the host: see advise_calls.h. */
#include "query/advise/advise_calls.h"
#include "query/advise/advise_facts.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/steps/host_names.h"
#include "query/steps/host_scan.h"

#define LEAST_NS 1000000 /* shorter ones are Python between operators */

struct pause {
	struct interval when;
	int64_t after_ns;       /* how long the slice `after` is */
	uint32_t after, before; /* texts, or TEXT_NONE */
};

struct scanning {
	struct text_pool *texts;
	struct intervals work;
	struct pause *pauses; /* owned; in order */
	size_t n;
};

static bool is_step(const struct scanning *s, const struct host_slice *slice)
{
	return (host_name_bits(text_pool_str(s->texts, slice->name)) & HOST_STEP) != 0;
}

/* Most slices lie in one that was added before. */
static int add_work(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	const struct interval *last = s->work.n ? &s->work.items[s->work.n - 1] : NULL;

	(void)err;
	if (last && slice->start_ns >= last->start_ns && slice->end_ns <= last->end_ns)
		return 0;
	if (!is_step(s, slice))
		intervals_add(&s->work, slice->start_ns, slice->end_ns);
	return 0;
}

/* The first that ends at ns or later; n: none does. */
static size_t first_to(const struct scanning *s, int64_t ns)
{
	return SORT_FIRST(s->pauses, s->n, when.end_ns, ns);
}

/* What ends where a pause begins, and what begins where one ends: the outermost. */
static int name_pause(void *context, const struct host_slice *slice, struct err *err)
{
	struct scanning *s = context;
	size_t before = first_to(s, slice->start_ns), after = first_to(s, slice->end_ns);
	int64_t ns = slice->end_ns - slice->start_ns;

	(void)err;
	if (before < s->n && s->pauses[before].when.end_ns == slice->start_ns &&
	    s->pauses[before].before == TEXT_NONE && !is_step(s, slice))
		s->pauses[before].before = slice->name;
	if (after < s->n && s->pauses[after].when.start_ns == slice->end_ns &&
	    ns > s->pauses[after].after_ns && !is_step(s, slice)) {
		s->pauses[after].after = slice->name;
		s->pauses[after].after_ns = ns;
	}
	return 0;
}

static void collect(struct scanning *s, const struct fact_window *window)
{
	struct intervals free_times;

	intervals_unite(&s->work);
	intervals_subtract(&window->when, &s->work, &free_times);
	s->pauses = xcalloc(free_times.n + 1, sizeof(*s->pauses));
	for (size_t i = 0; i < free_times.n; i++) {
		const struct interval *when = &free_times.items[i];
		if (when->end_ns - when->start_ns >= LEAST_NS)
			s->pauses[s->n++] = (struct pause){ .when = *when,
							    .after = TEXT_NONE,
							    .before = TEXT_NONE };
	}
	intervals_release(&free_times);
}

static int by_names(const void *left, const void *right)
{
	const struct pause *a = left, *b = right;

	if (a->after != b->after)
		return a->after < b->after ? -1 : 1;
	if (a->before != b->before)
		return a->before < b->before ? -1 : 1;
	return (a->when.start_ns > b->when.start_ns) -
	       (a->when.start_ns < b->when.start_ns);
}

/* Of pauses that are in the order of names. */
static void take_largest(const struct scanning *s, struct host_pauses *out)
{
	struct host_pauses sum = { .n = 0 };

	for (size_t i = 0; i < s->n; i++) {
		const struct pause *p = &s->pauses[i];
		int64_t ns = p->when.end_ns - p->when.start_ns;
		if (i && (p->after != p[-1].after || p->before != p[-1].before))
			sum = (struct host_pauses){ .n = 0 };
		sum.n++;
		sum.ns += ns;
		sum.longest_ns = ns > sum.longest_ns ? ns : sum.longest_ns;
		if (sum.ns <= out->ns)
			continue;
		*out = sum;
		out->after = text_pool_str(s->texts, p->after);
		out->before = text_pool_str(s->texts, p->before);
	}
}

int host_pauses_find(struct advise_facts *f, struct host_pauses *out, struct err *err)
{
	struct scanning s = { .texts = f->texts };
	const struct fact_window *window = facts_window(f, err);

	*out = (struct host_pauses){ .n = 0 };
	int rc = window ? host_scan(f->store, f->texts, f->profile, add_work, &s, err)
			: -1;
	if (rc == 0) {
		collect(&s, window);
		rc = s.n ? host_scan(f->store, f->texts, f->profile, name_pause, &s, err)
			 : 0;
	}
	if (rc == 0 && s.n) {
		qsort(s.pauses, s.n, sizeof(*s.pauses), by_names);
		take_largest(&s, out);
	}
	intervals_release(&s.work);
	free(s.pauses);
	return rc;
}
