/* ptool ranks --what-if: see rank_replay.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "query/ranks/rank_replay.h"

#define RANKS_MOST 64 /* ranks that are played apart: those that others waited for most */
#define SLOWEST    0.03

struct whatif_row {
	const char *what, *name; /* name: of people */
	const char *kind;        /* "compute", ...; NULL: of no kind */
	int64_t rank, time_ns;   /* rank: or NUMBER_NONE */
	double slowdown, share;
	bool has_share;
};

struct whatif {
	struct replay *replay;
	size_t nranks;
	unsigned *fixed;          /* owned; by participant */
	struct whatif_row *items; /* owned */
	size_t n, cap;
	int64_t played_ns, ideal_ns;
	struct arena arena; /* of names */
};

static double slowdown(const struct whatif *w, int64_t ns)
{
	return w->ideal_ns > 0 ? (double)ns / (double)w->ideal_ns : 0;
}

static struct whatif_row *add_row(struct whatif *w, const char *what, const char *name,
				  int64_t ns)
{
	struct whatif_row *row = ARRAY_PUSH(w->items, w->n, w->cap);

	*row = (struct whatif_row){ .what = what,
				    .name = name,
				    .rank = NUMBER_NONE,
				    .time_ns = ns,
				    .slowdown = slowdown(w, ns) };
	return row;
}

/* Of what stragglers cost, what the run saves; it may be longer, too. */
static void add_share(const struct whatif *w, struct whatif_row *row)
{
	row->has_share = w->played_ns > w->ideal_ns;
	if (row->has_share)
		row->share = 100.0 * (double)(w->played_ns - row->time_ns) /
			     (double)(w->played_ns - w->ideal_ns);
}

static int64_t play_all(struct whatif *w, unsigned fixed)
{
	for (size_t i = 0; i < w->nranks; i++)
		w->fixed[i] = fixed;
	return replay_run(w->replay, w->fixed);
}

static void add_kinds(struct whatif *w)
{
	for (unsigned k = 0; k < NREPLAY_KINDS; k++) {
		const char *name = arena_printf(&w->arena, "with stragglers in %s alone",
						replay_kind_names[k]);
		struct whatif_row *row =
			add_row(w, "kind", name, play_all(w, REPLAY_ALL & ~(1U << k)));
		row->kind = replay_kind_names[k];
	}
}

struct worker {
	uint32_t rank; /* participant */
	int64_t ns;
};

static int longest_first(const void *a, const void *b)
{
	const struct worker *x = a, *y = b;
	int order = sort_order(y->ns, x->ns);

	return order ? order : sort_order(x->rank, y->rank);
}

/* Each rank's stragglers alone, of those that others waited for most; then the worst cured. */
static void add_workers(struct whatif *w, const struct ranks *r)
{
	struct worker *workers = xcalloc(w->nranks + 1, sizeof(*workers));
	size_t n = w->nranks < RANKS_MOST ? w->nranks : RANKS_MOST;
	size_t slowest = (size_t)((double)w->nranks * SLOWEST);

	for (uint32_t i = 0; i < w->nranks; i++)
		workers[i] = (struct worker){ i, r->models[i].sums.late_ns };
	qsort(workers, w->nranks, sizeof(*workers), longest_first);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < w->nranks; k++)
			w->fixed[k] = k == workers[i].rank ? 0 : REPLAY_ALL;
		workers[i].ns = replay_run(w->replay, w->fixed);
	}
	qsort(workers, n, sizeof(*workers), longest_first);
	slowest = slowest < 1 ? 1 : slowest > n ? n : slowest;
	for (size_t i = 0; i < w->nranks; i++)
		w->fixed[i] = 0;
	for (size_t i = 0; i < slowest; i++)
		w->fixed[workers[i].rank] = REPLAY_ALL;
	int64_t ns = replay_run(w->replay, w->fixed);
	const char *name = arena_printf(&w->arena, "without the %zu worst rank%s",
					slowest, slowest > 1 ? "s" : "");
	add_share(w, add_row(w, "slowest", name, ns));
	for (size_t i = 0; i < n; i++) {
		int64_t rank = r->matches.participants[workers[i].rank].profile->rank;
		name = arena_printf(&w->arena,
				    "with stragglers on rank %" PRId64 " alone", rank);
		add_row(w, "rank", name, workers[i].ns)->rank = rank;
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

	for (size_t i = 0; i < w->nranks; i++) {
		int64_t stage = stage_of(r, i);
		first = stage < first ? stage : first;
		last = stage > last ? stage : last;
	}
	if (first == NUMBER_NONE || first == last)
		return;
	for (size_t i = 0; i < w->nranks; i++)
		w->fixed[i] = stage_of(r, i) == last ? REPLAY_ALL : 0;
	add_share(w, add_row(w, "last_stage", "without stragglers on the last stage",
			     replay_run(w->replay, w->fixed)));
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	(void)from;
	return cell_text_or_null(
		*(const char *const *)(const void *)((const char *)row + offset));
}

static struct cell get_slowdown(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_real(((const struct whatif_row *)row)->slowdown);
}

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct whatif_row *r = row;

	(void)from, (void)arg;
	return r->has_share ? cell_real(r->share) : cell_null();
}

#define TEXT(member) .get = get_text, .arg = (int)offsetof(struct whatif_row, member)
#define ROW(member)  .get = view_number, .arg = (int)offsetof(struct whatif_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "what", "What", "recorded; replayed, which is the recorded run simulated; ideal, without stragglers; kind and rank, where these alone have stragglers; slowest, without the 3 % of ranks that slow down most; last_stage, without stragglers on the last stage of the pipeline", NULL, UNIT_TEXT, TEXT(what) },
	{ "name", "The run", NULL, NULL, UNIT_TEXT, TEXT(name), .flags = FIELD_PEOPLE },
	{ "kind", "Kind", "compute, copy, idle or transfer", NULL, UNIT_TEXT, TEXT(kind) },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, ROW(rank) },
	{ "time_ns", "Time", "from the start of the first rank's steps to the end of the last rank's", "time", UNIT_NS, ROW(time_ns) },
	{ "slowdown", "Slowdown", "time_ns divided by the ideal time: S of all, S_t of a kind, S_w of a rank", NULL, UNIT_RATIO, .get = get_slowdown },
	{ "recovered_pct", "Recovered", "the share of what stragglers cost that is saved: M_W without the slowest ranks, M_S without those of the last stage", NULL, UNIT_PERCENT, .get = get_share },
	{ .name = NULL },
};
/* clang-format on */

const struct view ranks_whatif_view = {
	.name = "ranks --what-if",
	.fields = fields,
	.people = VIEW_PART("name time_ns! slowdown! recovered_pct"),
};

struct memtable *ranks_whatif(const struct ranks *r, const struct scope *scope,
			      const struct view_request *show)
{
	struct whatif w = { .replay = replay_new(r), .nranks = r->matches.nparticipants };

	w.fixed = xcalloc(w.nranks + 1, sizeof(*w.fixed));
	w.played_ns = play_all(&w, 0);
	w.ideal_ns = play_all(&w, REPLAY_ALL);
	add_row(&w, "recorded", "as recorded", replay_recorded(w.replay));
	add_row(&w, "replayed", "as simulated", w.played_ns);
	add_row(&w, "ideal", "without stragglers", w.ideal_ns);
	add_kinds(&w);
	add_last_stage(&w, r);
	add_workers(&w, r);
	const struct view_rows rows = { NULL, w.items, w.n, sizeof(*w.items) };
	struct memtable *m = view_table(&ranks_whatif_view, &rows, scope, show);
	free(w.items);
	free(w.fixed);
	replay_free(w.replay);
	arena_release(&w.arena);
	return m;
}
