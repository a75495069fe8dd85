/* Memory events by time: see op_memory.h. */
#include "trace/op_memory.h"

#include <string.h>

#include "base/sort.h"
#include "base/spill.h"
#include "base/sum.h"

static int64_t ts_at(const struct op_memory *m, size_t i)
{
	return m->source.ts_ns(m->source.from, m->numbers[i]);
}

static bool event_before(const void *context, uint32_t a, uint32_t b)
{
	const struct op_memory_source *source = context;
	int64_t x = source->ts_ns(source->from, a), y = source->ts_ns(source->from, b);

	if (x != y)
		return x < y;
	return source->event(source->from, a).order <
	       source->event(source->from, b).order;
}

/* Before each event and behind the last; NULL when none is of that kind of memory. */
static int64_t *running_sums(const struct op_memory *m, bool is_cpu)
{
	int64_t *sums = NULL;

	for (size_t i = 0; i < m->n; i++) {
		const struct op_memory_event e = op_memory_at(m, i);
		int64_t bytes = e.is_cpu == is_cpu ? op_memory_bytes(&e) : 0;
		if (bytes && !sums)
			sums = spill_alloc(m->spill, m->n + 1, sizeof(*sums));
		if (sums)
			sums[i + 1] = sum_add(sums[i], bytes);
	}
	return sums;
}

void op_memory_init(struct op_memory *m, const struct op_memory_source *source,
		    uint32_t *numbers, size_t n, const struct op_rules *rules,
		    struct spill *spill)
{
	*m = (struct op_memory){ .source = *source,
				 .numbers = numbers,
				 .n = n,
				 .float_window = rules->float_memory_window,
				 .spill = spill };
	uint32_t *spare = spill_alloc(spill, n, sizeof(*spare));
	sort_indexes(numbers, n, spare, event_before, source);
	spill_free(spill, spare);
	m->covers = spill_alloc(spill, n / 8 + 1, 1);
	m->cpu_sums = running_sums(m, true);
	m->device_sums = running_sums(m, false);
}

void op_memory_release(struct op_memory *m)
{
	spill_free(m->spill, m->numbers);
	spill_free(m->spill, m->cpu_sums);
	spill_free(m->spill, m->device_sums);
	spill_free(m->spill, m->covers);
	*m = (struct op_memory){ 0 };
}

/*
 * Python's ns / 1000 * 1000, as torch compares: the quotient is rounded once.
 * Its fraction has three decimals, so that rounding the fraction first (to 53
 * bits) cannot move the sum over a tie.
 */
static double float_window_ns(int64_t ns)
{
	int64_t whole_us = ns / 1000, rest_ns = ns % 1000;
	double us = (double)whole_us + (double)rest_ns / 1000.0;

	return us * 1000.0;
}

/* Exactly, as Python compares an int with a float. */
static int compare_int_double(int64_t a, double b)
{
	if (b >= 0x1p63)
		return -1;
	if (b < -0x1p63)
		return 1;
	int64_t whole = (int64_t)b;
	if (a != whole)
		return a < whole ? -1 : 1;
	double rest = b - (double)whole;
	return rest > 0 ? -1 : rest < 0;
}

/* Where an interval begins or ends. */
struct window_edge {
	int64_t ts_ns;
	double absolute_ns; /* as torch compares it, in a float window */
};

static struct window_edge edge_at(const struct op_memory *m, int64_t ts_ns)
{
	struct window_edge edge = { ts_ns, 0 };

	if (m->float_window)
		edge.absolute_ns = float_window_ns(sum_add(m->source.base_ns, ts_ns));
	return edge;
}

/* Is an event at ts before the interval's start? */
static bool is_before(const struct op_memory *m, int64_t ts_ns,
		      const struct window_edge *start)
{
	if (!m->float_window)
		return ts_ns < start->ts_ns;
	return compare_int_double(sum_add(m->source.base_ns, ts_ns), start->absolute_ns) <
	       0;
}

/* Is it not behind the interval's end? */
static bool is_not_behind(const struct op_memory *m, int64_t ts_ns,
			  const struct window_edge *end)
{
	if (!m->float_window)
		return ts_ns <= end->ts_ns;
	return compare_int_double(sum_add(m->source.base_ns, ts_ns), end->absolute_ns) <=
	       0;
}

typedef bool window_fn(const struct op_memory *m, int64_t ts_ns,
		       const struct window_edge *edge);

/*
 * The first event from `from` on for which `inside` is false; it is true for a
 * run of events first.  Steps double, because the answer is mostly near.
 */
static size_t run_end(const struct op_memory *m, size_t from, window_fn *inside,
		      const struct window_edge *edge)
{
	size_t low = from, step = 1;

	while (low + step <= m->n && inside(m, ts_at(m, low + step - 1), edge)) {
		low += step;
		step *= 2;
	}
	size_t high = low + step <= m->n ? low + step - 1 : m->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (inside(m, ts_at(m, middle), edge))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void set_bits(uint8_t *bits, size_t from, size_t end)
{
	for (; from < end && from % 8; from++)
		bits[from / 8] |= (uint8_t)(1U << from % 8);
	memset(bits + from / 8, 0xff, (end - from) / 8);
	for (from += (end - from) / 8 * 8; from < end; from++)
		bits[from / 8] |= (uint8_t)(1U << from % 8);
}

/*
 * Intervals of a thread come by their start, most of them within the one before: what
 * that has covered is not looked at again.
 */
static void cover(struct op_memory *m, size_t first, size_t end)
{
	size_t from = first;

	if (first >= m->cover_first && first <= m->cover_end) {
		if (end <= m->cover_end)
			return;
		from = m->cover_end;
	} else {
		m->cover_first = first;
	}
	m->cover_end = end;
	set_bits(m->covers, from, end);
}

void op_memory_charge(struct op_memory *m, struct op_node *node)
{
	/* Nodes come by their start: the search goes on where the last one began. */
	const struct window_edge from = edge_at(m, node->start_ns);
	const struct window_edge to = edge_at(m, node->end_ns);
	if (m->last && !is_before(m, ts_at(m, m->last - 1), &from))
		m->last = 0;
	size_t first = run_end(m, m->last, is_before, &from);
	size_t end = run_end(m, first, is_not_behind, &to);

	m->last = first;
	node->cpu_bytes = m->cpu_sums ? sum_sub(m->cpu_sums[end], m->cpu_sums[first]) : 0;
	node->device_bytes =
		m->device_sums ? sum_sub(m->device_sums[end], m->device_sums[first]) : 0;
	if (end > first && !m->is_finished)
		cover(m, first, end);
}

void op_memory_finish(struct op_memory *m)
{
	m->is_finished = true;
}

bool op_memory_is_row(const struct op_memory *m, size_t event)
{
	return !(m->covers[event / 8] >> event % 8 & 1) ||
	       op_memory_at(m, event).out_of_memory;
}
