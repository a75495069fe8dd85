/* Long calls of the CPU: see long_calls.h. */
#include "query/advise/long_calls.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

#define SLOW_LEAST 3  /* one or two may compile something, or touch new memory */
#define LONG_PART  20 /* 1 / 20 of the window */

struct adding {
	struct long_calls *out;
	struct intervals open;
	int64_t dur_ns;
	int64_t *by_name; /* by text */
	uint32_t most;
};

static void add(struct adding *a, const struct fact_call *call)
{
	struct long_calls *out = a->out;

	if (out->n < LONG_CALLS_NAMED)
		out->longest[out->n] = call;
	out->n++;
	out->above_ns = sum_add(out->above_ns, call->above_ns);
	a->dur_ns = sum_add(a->dur_ns, call->dur_ns);
	intervals_add(&a->open, call->start_ns, call->start_ns + call->dur_ns);
	int64_t *sum = &a->by_name[call->name];
	*sum = sum_add(*sum, call->above_ns);
	if (a->most == TEXT_NONE || *sum > a->by_name[a->most])
		a->most = call->name;
}

static bool is_wanted(const struct advise_facts *f, const struct fact_call *call,
		      bool slow, bool has_slow)
{
	if (slow || (has_slow && call->is_slow))
		return slow && call->is_slow;
	return call->above_ns >= f->window.ns / LONG_PART &&
	       call->above_ns >= call->self_ns / 2;
}

static int find(struct advise_facts *f, bool slow, struct long_calls *out,
		struct err *err)
{
	size_t n, nslow = 0;
	uint32_t names = 0;
	const struct fact_call *calls = facts_calls(f, &n, err);

	*out = (struct long_calls){ .n = 0 };
	if (!calls)
		return -1;
	for (size_t i = 0; i < n; i++) {
		nslow += calls[i].is_slow;
		names = calls[i].name > names ? calls[i].name : names;
	}
	if (slow && nslow < SLOW_LEAST)
		return 0;
	struct adding a = { .out = out, .most = TEXT_NONE };
	a.by_name = xcalloc((size_t)names + 1, sizeof(*a.by_name));
	for (size_t i = 0; i < n; i++)
		if (is_wanted(f, &calls[i], slow, nslow >= SLOW_LEAST))
			add(&a, &calls[i]);
	intervals_unite(&a.open);
	if (a.dur_ns > 0)
		out->above_ns = sum_of_double(
			(double)out->above_ns *
			((double)intervals_length(&a.open) / (double)a.dur_ns));
	if (out->n)
		out->most = text_pool_str(f->texts, a.most);
	intervals_release(&a.open);
	free(a.by_name);
	return 0;
}

int long_calls_slow(struct advise_facts *facts, struct long_calls *out, struct err *err)
{
	return find(facts, true, out, err);
}

int long_calls_other(struct advise_facts *facts, struct long_calls *out, struct err *err)
{
	return find(facts, false, out, err);
}
