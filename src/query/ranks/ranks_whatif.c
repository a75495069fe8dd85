/* ptool ranks --what-if: see rank_replay.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/ranks/rank_replay.h"
#include "query/ranks/whatif_rows.h"

#define RANKS_MOST 64 /* ranks that are played apart: those that others waited for most */
#define SLOWEST    0.03

struct whatif {
	struct replay *replay;
	const struct comm_participant *who; /* by rank */
	size_t n;
	unsigned *fixed; /* owned; by participant */
	struct whatif_rows rows;
};

static int64_t play_all(struct whatif *w, unsigned fixed)
{
	for (size_t i = 0; i < w->n; i++)
		w->fixed[i] = fixed;
	return replay_run(w->replay, w->fixed);
}

static void add_kinds(struct whatif *w)
{
	for (unsigned k = 0; k < NREPLAY_KINDS; k++) {
		const char *name =
			arena_printf(&w->rows.arena, "with stragglers in %s alone",
				     replay_kind_names[k]);
		int64_t ns = play_all(w, REPLAY_ALL & ~(1U << k));
		whatif_add(&w->rows, "kind", name, (double)ns)->kind =
			replay_kind_names[k];
	}
}

struct worker {
	uint32_t rank; /* its first participant */
	int64_t ns;
};

static int longest_first(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;
	int order = sort_order(y->ns, x->ns);

	return order ? order : sort_order(x->rank, y->rank);
}

/* Those that others waited for most come first; the caller frees. */
static struct worker *list_workers(const struct whatif *w, const struct ranks *r,
				   size_t *nranks)
{
	struct worker *workers = xcalloc(w->n + 1, sizeof(*workers));

	*nranks = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->who[i].first == i)
			workers[(*nranks)++].rank = i;
		int64_t *ns = &workers[*nranks - 1].ns;
		*ns = sum_add(*ns, r->models[i].sums.late_ns);
	}
	qsort(workers, *nranks, sizeof(*workers), longest_first);
	return workers;
}

/* Each rank's stragglers alone, of those that others waited for most; then the worst cured. */
static void add_workers(struct whatif *w, const struct ranks *r)
{
	size_t nranks;
	struct worker *workers = list_workers(w, r, &nranks);
	size_t n = nranks < RANKS_MOST ? nranks : RANKS_MOST;
	size_t slowest = (size_t)((double)nranks * SLOWEST);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < w->n; k++)
			w->fixed[k] = w->who[k].first == workers[i].rank ? 0 : REPLAY_ALL;
		workers[i].ns = replay_run(w->replay, w->fixed);
	}
	qsort(workers, n, sizeof(*workers), longest_first);
	slowest = slowest < 1 ? 1 : slowest > n ? n : slowest;
	for (size_t k = 0; k < w->n; k++)
		w->fixed[k] = 0;
	for (size_t i = 0; i < slowest; i++)
		for (size_t k = workers[i].rank;
		     k < w->n && w->who[k].first == workers[i].rank; k++)
			w->fixed[k] = REPLAY_ALL;
	int64_t ns = replay_run(w->replay, w->fixed);
	const char *name = arena_printf(&w->rows.arena, "without the %zu worst rank%s",
					slowest, slowest > 1 ? "s" : "");
	whatif_add_cure(&w->rows, "slowest", name, (double)ns);
	for (size_t i = 0; i < n; i++) {
		int64_t rank = w->who[workers[i].rank].profile->rank;
		name = arena_printf(&w->rows.arena,
				    "with stragglers on rank %" PRId64 " alone", rank);
		whatif_add(&w->rows, "rank", name, (double)workers[i].ns)->rank = rank;
	}
	free(workers);
}

static int64_t stage_of(const struct ranks *r, size_t participant)
{
	return r->matches.participants[participant].profile->axes.at[AXIS_PP];
}

/* The last stage of the pipeline cured, where there are several and all ranks tell theirs. */
static void add_last_stage(struct whatif *w, const struct ranks *r)
{
	int64_t first = INT64_MAX, last = NUMBER_NONE;

	for (size_t i = 0; i < w->n; i++) {
		int64_t stage = stage_of(r, i);
		first = stage < first ? stage : first;
		last = stage > last ? stage : last;
	}
	if (first == NUMBER_NONE || first == last)
		return;
	for (size_t i = 0; i < w->n; i++)
		w->fixed[i] = stage_of(r, i) == last ? REPLAY_ALL : 0;
	whatif_add_cure(&w->rows, "last_stage", "without stragglers on the last stage",
			(double)replay_run(w->replay, w->fixed));
}

struct memtable *ranks_whatif(const struct ranks *r, const struct scope *scope,
			      const struct view_request *show)
{
	struct whatif w = { .replay = replay_new(r),
			    .who = r->matches.participants,
			    .n = r->matches.nparticipants };

	w.fixed = xcalloc(w.n + 1, sizeof(*w.fixed));
	w.rows.played_ns = (double)play_all(&w, 0);
	w.rows.ideal_ns = w.rows.cured_ns = (double)play_all(&w, REPLAY_ALL);
	whatif_add(&w.rows, "recorded", "as recorded", (double)replay_recorded(w.replay));
	whatif_add(&w.rows, "replayed", "as simulated", w.rows.played_ns);
	whatif_add(&w.rows, "ideal", "without stragglers", w.rows.ideal_ns);
	add_kinds(&w);
	add_last_stage(&w, r);
	add_workers(&w, r);
	struct memtable *m = whatif_table(&w.rows, scope, show);
	whatif_rows_release(&w.rows);
	free(w.fixed);
	replay_free(w.replay);
	return m;
}
