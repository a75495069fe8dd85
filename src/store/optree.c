/* The operator tree: see optree.h. */
#include "store/optree.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

bool op_class_counts(enum slice_class class, const struct op_rules *rules)
{
	switch (class) {
	case CLASS_OP:
	case CLASS_ANNOTATION:
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
	case CLASS_OVERHEAD:
		return true;
	case CLASS_PYTHON:
		return rules->python_in_tree || rules->all_slices;
	case CLASS_OTHER:
		return rules->all_slices;
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SYNC:
	case CLASS_DEVICE_ANNOTATION:
	case CLASS_SPAN:
	case CLASS_MEMORY:
	case NCLASSES:
		break;
	}
	return false;
}

struct open_nodes {
	uint32_t *at;
	size_t n;
};

/*
 * _populate_cpu_children: a node that the next one does not fit into is popped
 * for good, also when they only overlap.
 */
static void find_parents(struct op_node *nodes, size_t n, uint32_t *nchildren)
{
	struct open_nodes open = { xrealloc_array(NULL, n, sizeof(*open.at)), 0 };

	for (size_t i = 0; i < n; i++) {
		struct op_node *node = &nodes[i];
		node->parent = NODE_NONE;
		if (node->is_async)
			continue;
		while (open.n) {
			const struct op_node *top = &nodes[open.at[open.n - 1]];
			if (node->start_ns < top->end_ns && node->end_ns <= top->end_ns)
				break;
			open.n--;
		}
		if (open.n) {
			node->parent = open.at[open.n - 1];
			nchildren[node->parent]++;
		}
		open.at[open.n++] = (uint32_t)i;
	}
	free(open.at);
}

/*
 * _remove_dup_nodes: repeats until stable in torch, but folding one pair changes
 * no other pair's condition, so that one pass in order does the same.
 */
static void fold(struct op_node *nodes, size_t n, const uint32_t *nchildren)
{
	for (size_t i = 0; i < n; i++) {
		struct op_node *node = &nodes[i];
		node->folded = false;
		if (node->parent == NODE_NONE)
			continue;
		const struct op_node *parent = &nodes[node->parent];
		node->folded = nchildren[node->parent] == 1 && parent->name == node->name;
		/* The parent is settled already: its own parent is a surviving one. */
		if (parent->folded)
			node->parent = parent->parent;
	}
}

/* Same name on the way up; the chain is short in real programs, bounded here. */
static bool is_inside_same_name(const struct op_node *nodes, const struct op_node *node)
{
	uint32_t at = node->parent;

	for (unsigned steps = 0; at != NODE_NONE && steps < 4096; steps++) {
		if (nodes[at].name == node->name)
			return true;
		at = nodes[at].parent;
	}
	return false;
}

static void begin_sums(struct op_node *node)
{
	node->self_ns = node->is_async ? 0 : sum_sub(node->end_ns, node->start_ns);
	node->self_cpu_bytes = node->is_async ? 0 : node->cpu_bytes;
	node->self_device_bytes = node->is_async ? 0 : node->device_bytes;
	node->self_device_ns = node->is_async ? 0 : node->device_ns;
	node->total_device_ns = node->self_device_ns;
}

static void add_to_parent(struct op_node *nodes, const struct op_node *node)
{
	struct op_node *parent = &nodes[node->parent];

	if (node->folded) {
		/* torch loses the parent's own kernels here; they are kept. */
		parent->self_device_ns =
			sum_add(parent->self_device_ns, node->self_device_ns);
	} else {
		parent->self_ns =
			sum_sub(parent->self_ns, sum_sub(node->end_ns, node->start_ns));
		parent->self_cpu_bytes = sum_sub(parent->self_cpu_bytes, node->cpu_bytes);
		parent->self_device_bytes =
			sum_sub(parent->self_device_bytes, node->device_bytes);
	}
	parent->total_device_ns = sum_add(parent->total_device_ns, node->total_device_ns);
}

void optree_build(struct op_node *nodes, size_t n)
{
	assert(n < NODE_NONE);
	uint32_t *nchildren = xcalloc(n, sizeof(*nchildren));

	find_parents(nodes, n, nchildren);
	fold(nodes, n, nchildren);
	for (size_t i = 0; i < n; i++) {
		begin_sums(&nodes[i]);
		nodes[i].recursive =
			!nodes[i].folded && is_inside_same_name(nodes, &nodes[i]);
	}
	/* Children stand behind their parents: backwards each is complete when added. */
	for (size_t i = n; i-- > 0;)
		if (nodes[i].parent != NODE_NONE)
			add_to_parent(nodes, &nodes[i]);
	free(nchildren);
}

static int by_time(const void *a, const void *b)
{
	const struct op_memory_event *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void op_memory_init(struct op_memory *m, struct op_memory_event *events, size_t n,
		    const struct op_rules *rules, int64_t base_ns)
{
	*m = (struct op_memory){ .events = events,
				 .n = n,
				 .cpu_sums = xcalloc(n + 1, sizeof(*m->cpu_sums)),
				 .device_sums = xcalloc(n + 1, sizeof(*m->device_sums)),
				 .covers = xcalloc(n + 1, sizeof(*m->covers)),
				 .float_window = rules->float_memory_window,
				 .base_ns = base_ns };
	if (n)
		qsort(events, n, sizeof(*events), by_time);
	for (size_t i = 0; i < n; i++) {
		const struct op_memory_event *e = &events[i];
		int64_t bytes =
			e->out_of_memory || e->bytes == NUMBER_NONE ? 0 : e->bytes;
		m->cpu_sums[i + 1] = sum_add(m->cpu_sums[i], e->is_cpu ? bytes : 0);
		m->device_sums[i + 1] = sum_add(m->device_sums[i], e->is_cpu ? 0 : bytes);
	}
}

void op_memory_release(struct op_memory *m)
{
	free(m->events);
	free(m->cpu_sums);
	free(m->device_sums);
	free(m->covers);
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

/* Is an event at ts before the interval's start? */
static bool is_before(const struct op_memory *m, int64_t ts_ns, int64_t start_ns)
{
	if (!m->float_window)
		return ts_ns < start_ns;
	return compare_int_double(sum_add(m->base_ns, ts_ns),
				  float_window_ns(sum_add(m->base_ns, start_ns))) < 0;
}

/* Is it behind the interval's end? */
static bool is_behind(const struct op_memory *m, int64_t ts_ns, int64_t end_ns)
{
	if (!m->float_window)
		return ts_ns > end_ns;
	return compare_int_double(sum_add(m->base_ns, ts_ns),
				  float_window_ns(sum_add(m->base_ns, end_ns))) > 0;
}

typedef bool window_fn(const struct op_memory *m, int64_t ts_ns, int64_t edge_ns);

/*
 * The first event from `from` on for which `inside` is false; it is true for a
 * run of events first.  Steps double, because the answer is mostly near.
 */
static size_t run_end(const struct op_memory *m, size_t from, window_fn *inside,
		      int64_t edge_ns)
{
	size_t low = from, step = 1;

	while (low + step <= m->n &&
	       inside(m, m->events[low + step - 1].ts_ns, edge_ns)) {
		low += step;
		step *= 2;
	}
	size_t high = low + step <= m->n ? low + step - 1 : m->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (inside(m, m->events[middle].ts_ns, edge_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_not_behind(const struct op_memory *m, int64_t ts_ns, int64_t end_ns)
{
	return !is_behind(m, ts_ns, end_ns);
}

void op_memory_charge(struct op_memory *m, struct op_node *node)
{
	/* Nodes come by their start: the search goes on where the last one began. */
	if (m->last && !is_before(m, m->events[m->last - 1].ts_ns, node->start_ns))
		m->last = 0;
	size_t first = run_end(m, m->last, is_before, node->start_ns);
	size_t end = run_end(m, first, is_not_behind, node->end_ns);

	m->last = first;
	node->cpu_bytes = sum_sub(m->cpu_sums[end], m->cpu_sums[first]);
	node->device_bytes = sum_sub(m->device_sums[end], m->device_sums[first]);
	if (end > first && !m->is_finished) {
		m->covers[first]++;
		m->covers[end]--;
	}
}

void op_memory_finish(struct op_memory *m)
{
	for (size_t i = 1; i <= m->n && !m->is_finished; i++)
		m->covers[i] += m->covers[i - 1];
	m->is_finished = true;
}

bool op_memory_is_row(const struct op_memory *m, size_t event)
{
	return m->events[event].out_of_memory || m->covers[event] == 0;
}
