/* Groups of calls: see opstat.h. */
#include "trace/opstat.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/spill.h"
#include "base/sum.h"
#include "trace/fact.h"
#include "trace/optree.h"

void opstats_init(struct opstats *s)
{
	opstats_init_in(s, NULL);
}

void opstats_init_in(struct opstats *s, struct spill *spill)
{
	*s = (struct opstats){ .nslots = 256, .spill = spill };
	s->slots = spill_alloc(spill, s->nslots, sizeof(*s->slots));
}

void opstats_release(struct opstats *s)
{
	for (size_t i = 0; i < s->n; i++)
		histogram_release(&s->rows[i].histogram);
	spill_free(s->spill, s->rows);
	spill_free(s->spill, s->slots);
	*s = (struct opstats){ 0 };
}

static size_t find_slot(const struct opstats *s, const struct opstat_key *key)
{
	size_t at = hash_bytes(key, sizeof(*key)) & (s->nslots - 1);

	while (s->slots[at] &&
	       memcmp(&s->rows[s->slots[at] - 1].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (s->nslots - 1);
	return at;
}

static void rehash(struct opstats *s)
{
	spill_free(s->spill, s->slots);
	s->nslots *= 2;
	s->slots = spill_alloc(s->spill, s->nslots, sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		s->slots[find_slot(s, &s->rows[i].key)] = (uint32_t)i + 1;
}

struct opstat *opstats_group(struct opstats *s, const struct opstat_key *key)
{
	size_t at = find_slot(s, key);

	if (s->slots[at])
		return &s->rows[s->slots[at] - 1];
	if ((s->n + 1) * 2 > s->nslots) {
		rehash(s);
		at = find_slot(s, key);
	}
	s->rows = spill_grow(s->spill, s->rows, &s->cap, s->n + 1, sizeof(*s->rows));
	s->rows[s->n] = (struct opstat){ .key = *key, .sums.flops = NUMBER_NONE };
	s->slots[at] = (uint32_t)++s->n;
	return &s->rows[s->n - 1];
}

bool opstat_is_before(const struct opstat_first *a, const struct opstat_first *b)
{
	if (a->ts_ns != b->ts_ns)
		return a->ts_ns < b->ts_ns;
	if (a->dur_ns != b->dur_ns)
		return a->dur_ns > b->dur_ns;
	return a->order < b->order;
}

/* Chan, Golub, LeVeque 1979: two means and sums of squares into one. */
static void merge_moments(struct opstat_sums *into, const struct opstat_sums *from)
{
	double na = (double)into->calls, nb = (double)from->calls, n = na + nb;
	double delta = from->mean_ns - into->mean_ns;

	into->mean_ns += delta * nb / n;
	into->m2 += from->m2 + delta * delta * na * nb / n;
}

void opstat_add_sums(struct opstat_sums *into, const struct opstat_sums *from)
{
	if (from->calls == 0)
		return;
	if (into->calls == 0) {
		*into = *from;
		return;
	}
	merge_moments(into, from);
	into->calls = sum_add(into->calls, from->calls);
	into->primitive_calls = sum_add(into->primitive_calls, from->primitive_calls);
	into->self_ns = sum_add(into->self_ns, from->self_ns);
	into->total_ns = sum_add(into->total_ns, from->total_ns);
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->self_device_ns = sum_add(into->self_device_ns, from->self_device_ns);
	into->total_device_ns = sum_add(into->total_device_ns, from->total_device_ns);
	into->cpu_bytes = sum_add(into->cpu_bytes, from->cpu_bytes);
	into->self_cpu_bytes = sum_add(into->self_cpu_bytes, from->self_cpu_bytes);
	into->device_bytes = sum_add(into->device_bytes, from->device_bytes);
	into->self_device_bytes =
		sum_add(into->self_device_bytes, from->self_device_bytes);
	if (from->flops != NUMBER_NONE)
		into->flops = into->flops == NUMBER_NONE
				      ? from->flops
				      : sum_add(into->flops, from->flops);
}

void opstat_merge(struct opstat *into, const struct opstat *from)
{
	if (into->sums.calls == 0 || opstat_is_before(&from->first, &into->first)) {
		into->first = from->first;
		into->is_async = from->is_async;
		into->is_top_level = from->is_top_level;
	}
	opstat_add_sums(&into->sums, &from->sums);
	histogram_merge(&into->histogram, &from->histogram);
}

static int by_first(const void *a, const void *b)
{
	const struct opstat *x = a, *y = b;

	if (opstat_is_before(&x->first, &y->first))
		return -1;
	return opstat_is_before(&y->first, &x->first);
}

void opstats_sort(struct opstats *s)
{
	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), by_first);
	/* The slots are by old places; they are not needed any more, but keep them true. */
	memset(s->slots, 0, s->nslots * sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		s->slots[find_slot(s, &s->rows[i].key)] = (uint32_t)i + 1;
}

struct opstat_sums opstat_of_node(const struct op_node *node, int64_t flops)
{
	int64_t total_ns = sum_sub(node->end_ns, node->start_ns);

	return (struct opstat_sums){ .calls = 1,
				     .primitive_calls = !node->recursive,
				     .self_ns = node->self_ns,
				     .total_ns = total_ns,
				     .min_ns = total_ns,
				     .max_ns = total_ns,
				     .mean_ns = (double)total_ns,
				     .self_device_ns = node->self_device_ns,
				     .total_device_ns = op_node_device_ns(node),
				     .cpu_bytes = node->cpu_bytes,
				     .self_cpu_bytes = node->self_cpu_bytes,
				     .device_bytes = node->device_bytes,
				     .self_device_bytes = node->self_device_bytes,
				     .flops = flops };
}
