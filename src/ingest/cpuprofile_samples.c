/* Samples of V8: whose they are, and how long each lasts. */
#include "base/sum.h"
#include "ingest/cpuprofile.h"

#define NS_PER_US 1000

static struct cpuprofile_node *find_node(const struct cpuprofile *c, int64_t id)
{
	size_t at = spilled_find(&c->node_ids, id);

	return at == SIZE_MAX ? NULL : &c->nodes[at];
}

static int64_t id_of(const void *nodes, uint32_t at)
{
	return ((const struct cpuprofile_node *)nodes)[at].id;
}

/* Of several nodes that list a child, the first is its parent. */
static int link_nodes(struct cpuprofile *c, struct err *err)
{
	c->node_ids = (struct spilled_ids){ c->nodes, c->nnodes, .id = id_of };
	spilled_ids_make(&c->node_ids, c->spill);
	if (c->node_ids.second != SIZE_MAX)
		return err_at(err, 0, "two nodes have the id %lld",
			      (long long)c->nodes[c->node_ids.second].id);
	for (size_t i = 0; i < c->nparents; i++) {
		spill_tick(c->spill, i);
		struct cpuprofile_node *child = find_node(c, c->parents[i].child);
		if (child && child->parent == NUMBER_NONE)
			child->parent = c->parents[i].parent;
	}
	return 0;
}

/* Up to a node whose stack is known, and down again: any depth, and no circles. */
static int resolve(struct cpuprofile *c, struct cpuprofile_node *node, struct err *err)
{
	struct cpuprofile_node *nodes = c->nodes;
	uint32_t *path = NULL; /* places in them */
	size_t n = 0, cap = 0;
	uint32_t stack = SAMPLE_NONE;
	struct sink *sink = c->stacks.sink;

	for (; node && !node->is_resolved && !node->is_open;
	     node = node->parent == NUMBER_NONE ? NULL : find_node(c, node->parent)) {
		node->is_open = true;
		spill_tick(c->spill, n);
		*SPILLED_PUSH(c->spill, path, n, cap) = (uint32_t)(node - nodes);
	}
	bool is_circle = node && !node->is_resolved;
	if (node)
		stack = node->stack;
	while (n-- > 0 && !is_circle) {
		struct cpuprofile_node *at = &nodes[path[n]];
		spill_tick(c->spill, n);
		if (at->frame != SAMPLE_NONE)
			stack = sink->stack(sink, stack, at->frame);
		at->stack = stack;
		at->is_resolved = true;
		at->is_open = false;
	}
	spill_free(c->spill, path);
	return is_circle ? err_at(err, 0, "a node is below itself") : 0;
}

static uint32_t tell_series(struct cpuprofile *c, enum sample_unit unit)
{
	const struct series_fact fact = { .name = TEXT_NONE,
					  .measure = TEXT_NONE,
					  .unit = unit,
					  .is_default = true,
					  .is_ordered = unit == SAMPLE_NS,
					  .start_at = NUMBER_NONE,
					  .end_at = NUMBER_NONE };

	return c->stacks.sink->series(c->stacks.sink, SAMPLE_NONE, &fact);
}

/* A sample: it lasts from then until the next one, or the end of the profile. */
struct moment {
	int64_t at_us, next_us;
	size_t i;
};

static int add_sample(struct cpuprofile *c, uint32_t series, const struct moment *m,
		      struct err *err)
{
	struct cpuprofile_node *node = find_node(c, c->samples.at[m->i]);
	struct sample_fact sample = { .series = series,
				      .thread = SAMPLE_NONE,
				      .samples = 1 };

	if (!node)
		return err_at(err, 0, "sample %zu names node %lld, which is not there",
			      m->i + 1, (long long)c->samples.at[m->i]);
	if (!node->is_resolved && resolve(c, node, err) < 0)
		return -1;
	sample.stack = node->stack;
	if (__builtin_mul_overflow(sum_sub(m->next_us, m->at_us), NS_PER_US,
				   &sample.weight) ||
	    __builtin_mul_overflow(m->at_us, NS_PER_US, &sample.ts_ns))
		return stacks_tell(&c->stacks, FINDING_WEIGHT_RANGE, 0, STR_LIT(""), err);
	return c->stacks.sink->sample(c->stacks.sink, &sample, err);
}

static bool is_earlier(const void *times, uint32_t a, uint32_t b)
{
	const int64_t *at_us = times;

	return at_us[a] < at_us[b];
}

/*
 * The time of each sample instead of what it is after the one before, and the samples in
 * the order of their times: V8 takes some late, and their differences are below 0.
 */
static uint32_t *order_samples(struct cpuprofile *c)
{
	size_t n = c->samples.n;
	uint32_t *order = spill_alloc(c->spill, n, sizeof(*order));
	uint32_t *spare = spill_alloc(c->spill, n, sizeof(*spare));
	int64_t at_us = c->start_us == NUMBER_NONE ? 0 : c->start_us;

	for (size_t i = 0; i < n; i++) {
		spill_tick(c->spill, i);
		at_us = sum_add(at_us, c->deltas.at[i]);
		c->deltas.at[i] = at_us;
		order[i] = (uint32_t)i;
	}
	sort_spilled(c->spill, order, n, spare, is_earlier, c->deltas.at);
	spill_free(c->spill, spare);
	return order;
}

static int add_samples(struct cpuprofile *c, struct err *err)
{
	uint32_t series = tell_series(c, SAMPLE_NS);
	uint32_t *order = order_samples(c);
	const int64_t *at_us = c->deltas.at;
	int rc = 0;

	for (size_t i = 0; i < c->samples.n && rc == 0; i++) {
		struct moment m = { .at_us = at_us[order[i]], .i = order[i] };
		spill_tick(c->spill, i);
		m.next_us = m.at_us;
		if (i + 1 < c->samples.n)
			m.next_us = at_us[order[i + 1]];
		else if (c->end_us != NUMBER_NONE && c->end_us > m.at_us)
			m.next_us = c->end_us;
		rc = add_sample(c, series, &m, err);
	}
	spill_free(c->spill, order);
	return rc;
}

/* Of a profile that has no samples but counts of them. */
static int add_hits(struct cpuprofile *c, struct err *err)
{
	struct sample_fact sample = { .series = tell_series(c, SAMPLE_COUNT),
				      .thread = SAMPLE_NONE,
				      .ts_ns = NUMBER_NONE };

	for (size_t i = 0; i < c->nnodes; i++) {
		struct cpuprofile_node *node = &c->nodes[spilled_at(&c->node_ids, i)];
		spill_tick(c->spill, i);
		if (node->hits <= 0)
			continue;
		if (!node->is_resolved && resolve(c, node, err) < 0)
			return -1;
		sample.stack = node->stack;
		sample.weight = sample.samples = node->hits;
		if (c->stacks.sink->sample(c->stacks.sink, &sample, err) < 0)
			return -1;
	}
	return 0;
}

/* What its samples weigh, or its hits. */
int cpuprofile_add_samples(struct cpuprofile *c, struct err *err)
{
	bool has_hits = false;

	for (size_t i = 0; i < c->nnodes; i++)
		has_hits |= c->nodes[i].hits > 0;
	if (c->deltas.n == 0 && has_hits)
		c->samples.n = 0;
	if (c->deltas.n != c->samples.n)
		return err_at(err, 0, "%zu samples and %zu timeDeltas", c->samples.n,
			      c->deltas.n);
	if (c->samples.n == 0 && !has_hits)
		return err_at(err, 0, "the profile has no sample");
	if (c->samples.n > UINT32_MAX)
		return err_at(err, 0, "too many samples");
	if (link_nodes(c, err) < 0)
		return -1;
	return c->samples.n ? add_samples(c, err) : add_hits(c, err);
}
