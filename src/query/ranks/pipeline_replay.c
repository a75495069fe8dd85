/* A pipeline's steps played again: see pipeline_replay.h. */
#include "query/ranks/pipeline_replay.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/stats/middle.h"

/* A transfer that ends so long before the last has come is a wrong clock's. */
#define WRONG_CLOCK_NS (-10000000.0)

#define MEAN_KINDS                                                          \
	(PIPELINE_BIT(PIPELINE_FORWARD) | PIPELINE_BIT(PIPELINE_BACKWARD) | \
	 PIPELINE_BIT(PIPELINE_OPTIMIZER) | PIPELINE_BIT(PIPELINE_GC))

/* What one replica did in a step. */
struct batch {
	size_t first, n; /* items */
};

struct pipeline_replay {
	const struct pipeline_ops *ops; /* borrowed */
	struct pipeline_graph graph;
	size_t nsteps;     /* that are played */
	uint32_t *workers; /* owned; by replica and node */
	double *took_ns;   /* owned; by played step, replica and node */
	double usual_ns[PIPELINE_KINDS];
	double recorded_ns;
	uint32_t *played; /* owned: replicas, while they are played */
	size_t nplayed;
	double *begun_ns, *ended_ns; /* owned; by played replica and node */
};

/* Items come by step and replica: those of the same as the one at `first`. */
static struct batch batch_from(const struct pipeline_ops *ops, size_t first)
{
	const struct pipeline_item *item = &ops->items[first];
	uint32_t replica = ops->workers[item->worker].replica;
	size_t end = first + 1;

	while (end < ops->n && ops->items[end].step == item->step &&
	       ops->workers[ops->items[end].worker].replica == replica)
		end++;
	return (struct batch){ first, end - first };
}

/* How many operations most batches have; of two such numbers the larger. */
static size_t usual_size(const struct pipeline_ops *ops)
{
	int64_t *sizes = xcalloc(ops->n, sizeof(*sizes));
	size_t n = 0, most = 0, usual = 0;

	for (size_t i = 0; i < ops->n; i += (size_t)sizes[n - 1])
		sizes[n++] = (int64_t)batch_from(ops, i).n;
	sort_by_field(sizes, n, sizeof(*sizes), 0);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && sizes[to] == sizes[from]; to++)
			;
		if (to - from < most)
			continue;
		most = to - from;
		usual = (size_t)sizes[from];
	}
	free(sizes);
	return usual;
}

/* The first of the usual size: all others are to have the same operations. */
static struct batch find_model(const struct pipeline_ops *ops)
{
	size_t usual = usual_size(ops);
	struct batch model = batch_from(ops, 0);

	while (model.n != usual)
		model = batch_from(ops, model.first + model.n);
	return model;
}

static bool has_replicas(const struct pipeline_ops *ops)
{
	for (size_t i = 1; i < ops->nreplicas; i++)
		if (ops->replicas[i].dp != ops->replicas[0].dp)
			return true;
	return false;
}

/* Has the batch each node once?  Then `to`, of its nodes, are their items. */
static bool list_batch(struct pipeline_replay *p, struct batch batch,
		       const struct pipeline_item **to)
{
	if (batch.n != p->graph.n)
		return false;
	for (size_t i = 0; i < batch.n; i++)
		to[i] = NULL;
	for (size_t i = 0; i < batch.n; i++) {
		const struct pipeline_item *item = &p->ops->items[batch.first + i];
		uint32_t node = pipeline_graph_node(&p->graph, item);
		if (node >= p->graph.n || to[node])
			return false;
		to[node] = item;
	}
	return true;
}

/* The same of all replicas, whose items are the `width` from `first` on. */
static bool list_step(struct pipeline_replay *p, size_t first,
		      const struct pipeline_item **to)
{
	for (size_t r = 0; r < p->ops->nreplicas; r++) {
		struct batch batch = batch_from(p->ops, first + (r * p->graph.n));
		if (!list_batch(p, batch, to + (r * p->graph.n)))
			return false;
	}
	return true;
}

/* From when all nodes of a group in some replicas have begun, what each took. */
struct span {
	size_t from, to; /* replicas */
};

static double last_start(const struct pipeline_replay *p,
			 const struct pipeline_item *const *items,
			 const struct pipeline_joint *group, struct span span)
{
	size_t n = p->graph.n;
	int64_t last_ns = INT64_MIN;

	for (size_t r = span.from; r < span.to; r++)
		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t node = p->graph.members[group->first + i];
			int64_t start_ns = items[r * n + node]->start_ns;
			last_ns = start_ns > last_ns ? start_ns : last_ns;
		}
	return (double)last_ns;
}

static void set_transfers(const struct pipeline_replay *p,
			  const struct pipeline_item *const *items, double *took_ns,
			  const struct pipeline_joint *group, struct span span)
{
	double last_ns = last_start(p, items, group, span);

	for (size_t r = span.from; r < span.to; r++)
		for (uint32_t i = 0; i < group->n; i++) {
			size_t at = r * p->graph.n + p->graph.members[group->first + i];
			double ns = (double)items[at]->end_ns - last_ns;
			took_ns[at] = ns <= WRONG_CLOCK_NS ? 0 : ns;
		}
}

/* The played replicas that are joined with the one at `from`, from it on. */
static struct span span_from(const struct pipeline_ops *ops, const uint32_t *replicas,
			     size_t n, size_t from, enum pipeline_sync sync)
{
	size_t to = from + 1;

	if (sync == PIPELINE_SYNC_ALL)
		to = n;
	while (sync == PIPELINE_SYNC_DP && to < n &&
	       ops->replicas[replicas[to]].tp == ops->replicas[replicas[from]].tp)
		to++;
	return (struct span){ from, to };
}

static void set_step(struct pipeline_replay *p, const struct pipeline_item *const *items,
		     double *took_ns)
{
	const struct pipeline_graph *g = &p->graph;
	size_t nreplicas = p->ops->nreplicas;
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;

	for (size_t i = 0; i < nreplicas * g->n; i++) {
		const struct pipeline_item *item = items[i];
		took_ns[i] = (double)item->end_ns - (double)item->start_ns;
		first_ns = item->start_ns < first_ns ? item->start_ns : first_ns;
		last_ns = item->end_ns > last_ns ? item->end_ns : last_ns;
	}
	p->recorded_ns += (double)last_ns - (double)first_ns;
	for (size_t k = 0; k < g->ngroups; k++) {
		const struct pipeline_node *node =
			&g->nodes[g->members[g->groups[k].first]];
		struct span span = { 0, 0 };
		while (node->is_joined && span.to < nreplicas) {
			span = span_from(p->ops, p->played, nreplicas, span.to,
					 (enum pipeline_sync)node->sync);
			set_transfers(p, items, took_ns, &g->groups[k], span);
		}
	}
}

/* Those that have all operations of all replicas, once. */
static void find_steps(struct pipeline_replay *p)
{
	const struct pipeline_ops *ops = p->ops;
	size_t width = ops->nreplicas * p->graph.n;
	const struct pipeline_item **items =
		xcalloc(width + 1, sizeof(struct pipeline_item *));

	for (size_t from = 0, to; from < ops->n; from = to) {
		for (to = from;
		     to < ops->n && ops->items[to].step == ops->items[from].step; to++)
			;
		if (to - from != width || !list_step(p, from, items))
			continue;
		set_step(p, items, p->took_ns + (p->nsteps++ * width));
		for (size_t i = 0; i < width; i++)
			p->workers[i] = items[i]->worker;
	}
	free(items);
}

static void find_usual(struct pipeline_replay *p)
{
	const struct pipeline_graph *g = &p->graph;
	size_t all = p->nsteps * p->ops->nreplicas * g->n;
	double *ns = xcalloc(all + 1, sizeof(*ns));

	for (unsigned kind = 0; kind < PIPELINE_KINDS; kind++) {
		size_t n = 0;
		for (size_t i = 0; i < all; i++)
			if (g->nodes[i % g->n].kind == kind)
				ns[n++] = p->took_ns[i];
		if (n)
			p->usual_ns[kind] = MEAN_KINDS >> kind & 1 ? middle_mean(ns, n)
								   : middle_median(ns, n);
	}
	free(ns);
}

/* For steps of so many operations. */
static void make_room(struct pipeline_replay *p, size_t width)
{
	size_t nreplicas = p->ops->nreplicas;

	p->took_ns = xcalloc(p->ops->n + 1, sizeof(*p->took_ns));
	p->workers = xcalloc(width + 1, sizeof(*p->workers));
	p->begun_ns = xcalloc(width + 1, sizeof(*p->begun_ns));
	p->ended_ns = xcalloc(width + 1, sizeof(*p->ended_ns));
	p->played = xcalloc(nreplicas + 1, sizeof(*p->played));
	for (uint32_t r = 0; r < nreplicas; r++)
		p->played[r] = r;
}

struct pipeline_replay *pipeline_replay_new(const struct pipeline_ops *ops,
					    struct err *err)
{
	struct pipeline_replay *p = xcalloc(1, sizeof(*p));
	struct batch model = find_model(ops);

	p->ops = ops;
	int rc = pipeline_graph_make(ops->items + model.first, model.n, has_replicas(ops),
				     &p->graph, err);
	size_t width = ops->nreplicas * p->graph.n;
	if (rc == 0 && width <= ops->n) {
		make_room(p, width);
		find_steps(p);
	}
	if (rc == 0 && !p->nsteps)
		rc = err_set(err, ERR_EMPTY,
			     "no step has the same operations of all workers, each once");
	if (rc == 0) {
		find_usual(p);
		return p;
	}
	pipeline_replay_free(p);
	return NULL;
}

void pipeline_replay_free(struct pipeline_replay *p)
{
	if (!p)
		return;
	pipeline_graph_release(&p->graph);
	free(p->workers);
	free(p->took_ns);
	free(p->played);
	free(p->begun_ns);
	free(p->ended_ns);
	free(p);
}

static bool is_chosen(const struct pipeline_replay *p,
		      const struct pipeline_choice *choice, uint32_t replica,
		      uint32_t node)
{
	switch (choice->what) {
	case PIPELINE_CHOOSE_NONE:
		return false;
	case PIPELINE_CHOOSE_ALL:
		return true;
	case PIPELINE_CHOOSE_KINDS:
		return choice->number >> p->graph.nodes[node].kind & 1;
	case PIPELINE_CHOOSE_DP:
		return p->ops->replicas[replica].dp == choice->number;
	case PIPELINE_CHOOSE_PP:
		return p->graph.nodes[node].pp == choice->number;
	case PIPELINE_CHOOSE_MARKED:
		return choice->marked[p->workers[replica * p->graph.n + node]];
	}
	return false;
}

/* Replicas that do the same are played once: where one alone is chosen, one of the others. */
static void choose_replicas(struct pipeline_replay *p,
			    const struct pipeline_choice *choice)
{
	const struct pipeline_replica *replicas = p->ops->replicas;
	bool has_other = false;

	p->nplayed = 0;
	for (uint32_t r = 0; r < p->ops->nreplicas; r++) {
		bool is_other = choice->what == PIPELINE_CHOOSE_DP &&
				replicas[r].dp != choice->number;
		if (r && replicas[r].tp != replicas[r - 1].tp)
			has_other = false;
		if (is_other && has_other)
			continue;
		has_other |= is_other;
		p->played[p->nplayed++] = r;
	}
}

static void begin_node(struct pipeline_replay *p, size_t played, uint32_t node)
{
	const struct pipeline_node *of = &p->graph.nodes[node];
	size_t row = played * p->graph.n;
	double begun_ns = 0;

	for (uint32_t k = 0; k < of->n; k++) {
		double ended_ns = p->ended_ns[row + p->graph.after[of->first + k]];
		begun_ns = k == 0 || ended_ns > begun_ns ? ended_ns : begun_ns;
	}
	p->begun_ns[row + node] = begun_ns;
}

/* All of a group in the played replicas of a span: they move on together. */
static void end_group(struct pipeline_replay *p, const struct pipeline_choice *choice,
		      const double *took_ns, const struct pipeline_joint *group,
		      struct span span)
{
	const uint32_t *members = p->graph.members + group->first;
	size_t n = p->graph.n;
	double moves_ns = p->begun_ns[span.from * n + members[0]];

	for (size_t r = span.from; r < span.to; r++)
		for (uint32_t i = 0; i < group->n; i++) {
			double ns = p->begun_ns[r * n + members[i]];
			moves_ns = ns > moves_ns ? ns : moves_ns;
		}
	for (size_t r = span.from; r < span.to; r++)
		for (uint32_t i = 0; i < group->n; i++) {
			uint32_t replica = p->played[r];
			double ns =
				is_chosen(p, choice, replica, members[i])
					? took_ns[replica * n + members[i]]
					: p->usual_ns[p->graph.nodes[members[i]].kind];
			p->ended_ns[r * n + members[i]] = moves_ns + ns;
		}
}

static void play_step(struct pipeline_replay *p, const struct pipeline_choice *choice,
		      const double *took_ns)
{
	const struct pipeline_graph *g = &p->graph;

	for (size_t k = 0; k < g->ngroups; k++) {
		const struct pipeline_joint *group = &g->groups[k];
		const uint32_t *members = g->members + group->first;
		enum pipeline_sync sync = (enum pipeline_sync)g->nodes[members[0]].sync;
		for (size_t r = 0; r < p->nplayed; r++)
			for (uint32_t i = 0; i < group->n; i++)
				begin_node(p, r, members[i]);
		for (struct span span = { 0, 0 }; span.to < p->nplayed;) {
			span = span_from(p->ops, p->played, p->nplayed, span.to, sync);
			end_group(p, choice, took_ns, group, span);
		}
	}
}

/* Of the step that was played last. */
static struct pipeline_time measure_step(const struct pipeline_replay *p)
{
	double first_ns = 0, last_ns = 0, optimizer_ns = 0;
	bool is_first = true, has_optimizer = false;

	for (size_t r = 0; r < p->nplayed; r++)
		for (uint32_t i = 0; i < p->graph.n; i++) {
			double begun_ns = p->begun_ns[r * p->graph.n + i];
			double ended_ns = p->ended_ns[r * p->graph.n + i];
			bool is_optimizer = p->graph.nodes[i].kind == PIPELINE_OPTIMIZER;
			if (is_first || begun_ns < first_ns)
				first_ns = begun_ns;
			if (is_first || ended_ns > last_ns)
				last_ns = ended_ns;
			if (is_optimizer && (!has_optimizer || ended_ns > optimizer_ns))
				optimizer_ns = ended_ns;
			has_optimizer |= is_optimizer;
			is_first = false;
		}
	return (struct pipeline_time){ last_ns - first_ns, has_optimizer
								   ? optimizer_ns
								   : last_ns - first_ns };
}

struct pipeline_time pipeline_replay_run(struct pipeline_replay *p,
					 const struct pipeline_choice *choice)
{
	size_t width = p->ops->nreplicas * p->graph.n;
	struct pipeline_time sum = { 0, 0 };

	choose_replicas(p, choice);
	for (size_t s = 0; s < p->nsteps; s++) {
		play_step(p, choice, p->took_ns + (s * width));
		struct pipeline_time step = measure_step(p);
		sum.whole_ns += step.whole_ns;
		sum.optimizer_ns += step.optimizer_ns;
	}
	return sum;
}

double pipeline_replay_recorded(const struct pipeline_replay *p)
{
	return p->recorded_ns;
}

size_t pipeline_replay_left_out(const struct pipeline_replay *p)
{
	return p->ops->nsteps - p->nsteps;
}

unsigned pipeline_replay_kinds(const struct pipeline_replay *p)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < p->graph.n; i++)
		kinds |= PIPELINE_BIT(p->graph.nodes[i].kind);
	return kinds;
}
