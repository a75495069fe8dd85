/* Memory events of one moment: see memory_ties.h. */
#include "query/memory/memory_ties.h"

#include <string.h>

#include "base/sum.h"
#include "trace/fact.h"

/* The level that the event began with; it has a total. */
static int64_t before(const struct memory_event *e)
{
	return sum_sub(e->total_bytes, memory_event_bytes(e));
}

static bool all_have_totals(const struct memory_event *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (e[i].total_bytes == NUMBER_NONE)
			return false;
	return true;
}

size_t memory_ties_count(const struct memory_event *e, size_t n)
{
	size_t same = n > 0;

	while (same < n && same < MEMORY_TIES_MAX && e[same].ts_ns == e[0].ts_ns)
		same++;
	return same;
}

/* The level that is left once more often than it is reached: NUMBER_NONE where none is. */
static int64_t find_start(const struct memory_event *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int more = 0;
		for (size_t j = 0; j < n; j++)
			more += (before(&e[j]) == before(&e[i])) -
				(e[j].total_bytes == before(&e[i]));
		if (more > 0)
			return before(&e[i]);
	}
	return NUMBER_NONE;
}

int64_t memory_ties_start(const struct memory_event *e, size_t n)
{
	/* what comes back to where it began leaves the question to what follows */
	for (size_t at = 0, same; at < n; at += same) {
		same = memory_ties_count(e + at, n - at);
		if (!all_have_totals(e + at, same))
			break;
		int64_t start = find_start(e + at, same);
		if (start != NUMBER_NONE)
			return start;
	}
	return n && e[0].total_bytes != NUMBER_NONE ? before(&e[0]) : NUMBER_NONE;
}

/* One that is not taken and begins with the level; n: none. */
static size_t find_next(const struct memory_event *e, size_t n, const bool *is_taken,
			int64_t level_bytes)
{
	size_t i = 0;

	while (i < n && (is_taken[i] || before(&e[i]) != level_bytes))
		i++;
	return i;
}

/*
 * Levels are points and events the ways between them: an order that uses each way once
 * is found as Hierholzer does, by going on until no way leads on, and adding what is
 * left from where it can be reached.
 */
void memory_ties_order(struct memory_event *e, size_t n, int64_t level_bytes)
{
	struct memory_event ordered[MEMORY_TIES_MAX];
	size_t walked[MEMORY_TIES_MAX], nwalked = 0, at = n;
	bool is_taken[MEMORY_TIES_MAX] = { false };

	if (n < 2 || n > MEMORY_TIES_MAX || !all_have_totals(e, n))
		return;
	for (;;) {
		size_t next = find_next(e, n, is_taken, level_bytes);
		if (next < n) {
			is_taken[next] = true;
			walked[nwalked++] = next;
			level_bytes = e[next].total_bytes;
		} else if (nwalked > 0) {
			const struct memory_event *last = &e[walked[--nwalked]];
			ordered[--at] = *last;
			level_bytes = before(last);
		} else {
			break;
		}
	}
	/* what no way leads to stays, behind the others */
	size_t taken = n - at;
	memmove(ordered, ordered + at, taken * sizeof(*ordered));
	for (size_t i = 0; i < n; i++)
		if (!is_taken[i])
			ordered[taken++] = e[i];
	memcpy(e, ordered, n * sizeof(*e));
}
