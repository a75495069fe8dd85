/* Stretches of time as text: see gap_times.h. */
#include "query/gaps/gap_times.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sum.h"

#define TIME_TEXT_MAX 32
#define FINE          10 /* the least part of a stretch that is shown */

void gap_times_see(struct gap_times *t, int64_t start_ns, int64_t end_ns)
{
	int64_t ns = sum_sub(end_ns, start_ns);

	if (end_ns > t->last_ns)
		t->last_ns = end_ns;
	if (t->shortest_ns == 0 || ns < t->shortest_ns)
		t->shortest_ns = ns;
}

/* What a column is written in: the last decimal is step_ns. */
struct precision {
	const char *label;
	int64_t unit_ns, step_ns;
	int decimals;
};

static struct precision precision_of(const struct gap_times *t)
{
	struct precision p = { "ms", 1000000, 1000, 3 };

	if (t->last_ns < p.unit_ns)
		return (struct precision){ "us", 1000, 1, 3 };
	for (; p.step_ns > 1 && p.step_ns > t->shortest_ns / FINE; p.step_ns /= 10)
		p.decimals++;
	return p;
}

static void write_time(const struct precision *p, int64_t ns, char out[TIME_TEXT_MAX])
{
	snprintf(out, TIME_TEXT_MAX, "%" PRId64 ".%0*" PRId64 "%s", ns / p->unit_ns,
		 p->decimals, ns % p->unit_ns / p->step_ns, p->label);
}

const char *gap_times_text(const struct gap_times *t, struct arena *arena,
			   int64_t start_ns, int64_t end_ns)
{
	const struct precision p = precision_of(t);
	char from[TIME_TEXT_MAX], to[TIME_TEXT_MAX];
	int64_t over_ns = end_ns % p.step_ns;

	if (t->shortest_ns == 0 || start_ns < 0 || end_ns > INT64_MAX - p.step_ns)
		return arena_printf(arena, "%" PRId64 "ns..%" PRId64 "ns", start_ns,
				    end_ns);
	write_time(&p, start_ns, from);
	write_time(&p, end_ns + (over_ns ? p.step_ns - over_ns : 0), to);
	return arena_printf(arena, "%s..%s", from, to);
}
