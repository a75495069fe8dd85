/* What a pipeline's stragglers cost: see pipeline_whatif.h. */
#include "query/ranks/pipeline_whatif.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "query/ranks/pipeline_replay.h"
#include "query/ranks/whatif_rows.h"

#define SLOWEST_PCT 3 /* of workers, rounded up */

struct whatif {
	const struct pipeline_ops *ops;
	struct pipeline_replay *replay;
	struct whatif_rows rows;
};

/* A run of which stragglers some have: StragglerAnalysis takes it for done with optimizers. */
static double play(struct whatif *w, enum pipeline_choice_what what, int64_t number)
{
	const struct pipeline_choice choice = { what, number, NULL };

	return pipeline_replay_run(w->replay, &choice).optimizer_ns;
}

/* Sends and receives of a direction are one kind. */
static void add_kinds(struct whatif *w)
{
	const unsigned forward =
		PIPELINE_BIT(PIPELINE_FORWARD_SEND) | PIPELINE_BIT(PIPELINE_FORWARD_RECV);
	const unsigned backward = PIPELINE_BIT(PIPELINE_BACKWARD_SEND) |
				  PIPELINE_BIT(PIPELINE_BACKWARD_RECV);
	unsigned left = pipeline_replay_kinds(w->replay);

	for (unsigned k = 0; k < PIPELINE_KINDS; k++) {
		unsigned kinds = PIPELINE_BIT(k);
		const char *name = pipeline_op_of((enum pipeline_kind)k)->name;
		if (!(left & kinds))
			continue;
		if (kinds & (forward | backward)) {
			bool is_forward = kinds & forward;
			kinds = is_forward ? forward : backward;
			name = is_forward ? "forward-pp-comm" : "backward-pp-comm";
		}
		left &= ~kinds;
		double ns = play(w, PIPELINE_CHOOSE_KINDS, kinds);
		const char *run =
			arena_printf(&w->rows.arena, "with stragglers in %s alone", name);
		whatif_add(&w->rows, "kind", run, ns)->kind = name;
	}
}

/* The workers that are marked have no stragglers. */
static double play_without(struct whatif *w, bool *marked)
{
	const struct pipeline_choice choice = { PIPELINE_CHOOSE_MARKED, 0, marked };

	for (size_t i = 0; i < w->ops->nworkers; i++)
		marked[i] = !marked[i];
	return pipeline_replay_run(w->replay, &choice).whole_ns;
}

static void add_last_stage(struct whatif *w, bool *marked)
{
	const struct pipeline_ops *ops = w->ops;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < ops->nworkers; i++) {
		first = ops->workers[i].pp < first ? ops->workers[i].pp : first;
		last = ops->workers[i].pp > last ? ops->workers[i].pp : last;
	}
	if (first == last)
		return;
	for (size_t i = 0; i < ops->nworkers; i++)
		marked[i] = ops->workers[i].pp == last;
	whatif_add_cure(&w->rows, "last_stage", "without stragglers on the last stage",
			play_without(w, marked));
}

/* How long the run takes with one place's stragglers alone; by number. */
struct place {
	int64_t number;
	double ns;
};

struct places {
	struct place *items; /* owned */
	size_t n;
};

static void play_places(struct whatif *w, bool of_stages, struct places *out)
{
	const struct pipeline_ops *ops = w->ops;

	out->items = xcalloc(ops->nworkers + 1, sizeof(*out->items));
	out->n = ops->nworkers;
	for (size_t i = 0; i < out->n; i++)
		out->items[i].number =
			of_stages ? ops->workers[i].pp : ops->workers[i].dp;
	SORT_BY(out->items, out->n, number);
	size_t n = 0;
	for (size_t i = 0; i < out->n; i++)
		if (!n || out->items[n - 1].number != out->items[i].number)
			out->items[n++] = out->items[i];
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->items[i].ns =
			play(w, of_stages ? PIPELINE_CHOOSE_PP : PIPELINE_CHOOSE_DP,
			     out->items[i].number);
}

static double time_of(const struct places *p, int64_t number)
{
	return p->items[SORT_FIRST(p->items, p->n, number, number)].ns;
}

struct worker {
	uint32_t place; /* among the ops' workers, which come by rank */
	double ns;
};

static int longest_first(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return sort_order(x->place, y->place);
}

/* A worker slows down as its stage or its replica does, whichever less. */
static struct worker *rate_workers(struct whatif *w)
{
	const struct pipeline_ops *ops = w->ops;
	struct worker *workers = xcalloc(ops->nworkers + 1, sizeof(*workers));
	struct places stages, replicas;

	play_places(w, true, &stages);
	play_places(w, false, &replicas);
	for (uint32_t i = 0; i < ops->nworkers; i++) {
		double stage_ns = time_of(&stages, ops->workers[i].pp);
		double replica_ns = time_of(&replicas, ops->workers[i].dp);
		workers[i] = (struct worker){ i, stage_ns < replica_ns ? stage_ns
								       : replica_ns };
	}
	free(stages.items);
	free(replicas.items);
	qsort(workers, ops->nworkers, sizeof(*workers), longest_first);
	return workers;
}

static void add_workers(struct whatif *w, bool *marked)
{
	const struct pipeline_ops *ops = w->ops;
	struct worker *workers = rate_workers(w);
	size_t slowest = (ops->nworkers * SLOWEST_PCT + 99) / 100;

	for (size_t i = 0; i < ops->nworkers; i++)
		marked[workers[i].place] = i < slowest;
	const char *name = arena_printf(&w->rows.arena, "without the %zu worst rank%s",
					slowest, slowest > 1 ? "s" : "");
	whatif_add_cure(&w->rows, "slowest", name, play_without(w, marked));
	for (size_t i = 0; i < ops->nworkers; i++) {
		int64_t rank = ops->workers[workers[i].place].rank;
		name = arena_printf(&w->rows.arena,
				    "with stragglers on rank %" PRId64 " alone", rank);
		whatif_add(&w->rows, "rank", name, workers[i].ns)->rank = rank;
	}
	free(workers);
}

static void add_notes(const struct whatif *w, struct memtable *m)
{
	size_t steps = pipeline_replay_left_out(w->replay);

	m = view_last_part(m);
	if (steps)
		memtable_add_note(m,
				  "%zu of %zu steps are left out: a worker lacks "
				  "operations that most have, or has more",
				  steps, w->ops->nsteps);
	if (w->ops->left_out)
		memtable_add_note(m,
				  "%" PRId64 " operations are left out: the simulation "
				  "does not know what they wait for",
				  w->ops->left_out);
}

static struct memtable *make_table(struct whatif *w, const struct scope *scope,
				   const struct view_request *show)
{
	bool *marked = xcalloc(w->ops->nworkers + 1, sizeof(*marked));

	const struct pipeline_choice all = { PIPELINE_CHOOSE_ALL, 0, NULL };
	const struct pipeline_choice none = { PIPELINE_CHOOSE_NONE, 0, NULL };
	struct pipeline_time ideal = pipeline_replay_run(w->replay, &none);
	w->rows.played_ns = pipeline_replay_run(w->replay, &all).whole_ns;
	w->rows.ideal_ns = ideal.optimizer_ns;
	w->rows.cured_ns = ideal.whole_ns;
	whatif_add(&w->rows, "recorded", "as recorded",
		   pipeline_replay_recorded(w->replay));
	whatif_add(&w->rows, "replayed", "as simulated", w->rows.played_ns);
	whatif_add(&w->rows, "ideal", "without stragglers", w->rows.ideal_ns);
	add_kinds(w);
	add_last_stage(w, marked);
	add_workers(w, marked);
	free(marked);
	struct memtable *m = whatif_table(&w->rows, scope, show);
	add_notes(w, m);
	whatif_rows_release(&w->rows);
	return m;
}

int pipeline_whatif(struct store *store, const struct scope *scope,
		    const struct view_request *show, struct memtable **out,
		    struct err *err)
{
	struct pipeline_ops ops;
	struct whatif w = { .ops = &ops };
	int rc = pipeline_ops_load(store, scope, &ops, err);

	if (rc == 0)
		w.replay = pipeline_replay_new(&ops, err);
	if (rc == 0 && w.replay)
		*out = make_table(&w, scope, show);
	rc = w.replay ? rc : -1;
	pipeline_replay_free(w.replay);
	pipeline_ops_release(&ops);
	return rc;
}
