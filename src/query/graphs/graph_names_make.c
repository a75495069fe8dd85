/*
 * Making the rows of graph_name_part: which path each kernel of a sequence has, by what was
 * captured and by what was launched one by one.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/graphs/graph_names.h"
#include "query/graphs/launch_source.h"
#include "query/graphs/sequence_match.h"
#include "query/query.h"
#include "store/columns.h"

ASSET(asset_query_views_captures_any_sql);

/* A sequence of kernels that some replays are. */
struct sequence {
	size_t first, n; /* places in names and its like */
	uint32_t kinds;  /* number of its kinds, in order */
};

/* Captures with the same kinds of nodes in the same order. */
struct alike {
	size_t sequences, captures;
	struct launched *calls; /* owned: what all captures agree in */
};

struct making {
	struct call_paths paths;
	struct intern texts;
	struct launch_source source;
	struct sequence_match match;
	bool by_names;              /* work that was launched one by one tells, too */
	struct sequence *sequences; /* owned */
	size_t nsequences, sequences_cap;
	uint32_t *of_replay; /* owned: its sequence */
	uint32_t *names;     /* owned; by place, and those below */
	uint8_t *kinds;
	uint32_t *found;
	size_t n;
	struct intern of_kinds; /* kinds in order */
	struct alike *alike;    /* owned; by number of these */
	size_t nalike;
};

/* The distinct sequences of the replays. */
static void list_sequences(struct making *m, const struct device_work *work,
			   const struct text_pool *texts, const struct replays *r)
{
	uint32_t *at = xrealloc_array(NULL, r->nat + 1, sizeof(*at));
	struct intern keys;

	intern_init(&keys);
	m->of_replay = xrealloc_array(NULL, r->n + 1, sizeof(*m->of_replay));
	m->names = xrealloc_array(NULL, r->nat + 1, sizeof(*m->names));
	m->kinds = xrealloc_array(NULL, r->nat + 1, sizeof(*m->kinds));
	m->found = xcalloc(r->nat + 1, sizeof(*m->found));
	for (size_t i = 0; i < r->n; i++) {
		const struct replay *replay = &r->items[i];
		uint32_t *names = m->names + m->n;
		replay_order(r, replay, at);
		for (size_t k = 0; k < replay->n; k++) {
			const struct work_item *item = &work->items[at[k]];
			names[k] =
				intern_add(&m->texts, text_pool_str(texts, item->name));
			m->kinds[m->n + k] = (uint8_t)captured_kind_of(item->class);
		}
		struct str key = str_bytes(names, replay->n * sizeof(*names));
		m->of_replay[i] = intern_add(&keys, key);
		if (m->of_replay[i] < m->nsequences)
			continue;
		*ARRAY_PUSH(m->sequences, m->nsequences, m->sequences_cap) =
			(struct sequence){ .first = m->n, .n = replay->n };
		m->n += replay->n;
	}
	intern_release(&keys);
	free(at);
}

static struct alike *alike_of(struct making *m, const void *kinds, size_t n, uint32_t *at)
{
	*at = intern_add(&m->of_kinds, str_bytes(kinds, n));
	if (*at == m->nalike) {
		m->alike = xrealloc_array(m->alike, ++m->nalike, sizeof(*m->alike));
		m->alike[*at] = (struct alike){ 0, 0, NULL };
	}
	return &m->alike[*at];
}

/* What all captures of the same kinds of nodes agree in. */
static void add_capture(struct making *m, const struct launch_capture *capture)
{
	const struct launched *calls = m->source.captured + capture->first;
	uint8_t *kinds = xrealloc_array(NULL, capture->n + 1, sizeof(*kinds));
	uint32_t at;

	for (size_t i = 0; i < capture->n; i++)
		kinds[i] = (uint8_t)calls[i].name;
	struct alike *a = alike_of(m, kinds, capture->n, &at);
	free(kinds);
	if (a->captures++ == 0) {
		a->calls = xrealloc_array(NULL, capture->n, sizeof(*a->calls));
		memcpy(a->calls, calls, capture->n * sizeof(*a->calls));
		return;
	}
	for (size_t i = 0; i < capture->n; i++)
		launched_agree(&a->calls[i], &calls[i]);
}

/*
 * A capture tells neither names nor ids: it is a sequence's where the kinds of its nodes
 * are, and where there are as many captures as sequences of these kinds.
 */
static void find_paths(struct making *m)
{
	for (size_t i = 0; i < m->nsequences; i++) {
		struct sequence *s = &m->sequences[i];
		alike_of(m, m->kinds + s->first, s->n, &s->kinds)->sequences++;
	}
	for (size_t i = 0; i < m->source.ncaptures; i++)
		if (m->source.captures[i].n)
			add_capture(m, &m->source.captures[i]);
	for (size_t i = 0; i < m->nsequences; i++) {
		const struct sequence *s = &m->sequences[i];
		const struct alike *a = &m->alike[s->kinds];
		uint32_t *found = m->found + s->first;
		if (m->by_names &&
		    sequence_match_find(&m->match, m->names + s->first, s->n, found))
			continue;
		if (a->captures && a->sequences <= a->captures)
			for (size_t k = 0; k < s->n; k++)
				found[k] = launched_path(&a->calls[k]);
	}
}

/* Numbers of the calls that are used, in the order of nodes; by node, from 1. */
static uint32_t *number_calls(const struct making *m)
{
	uint32_t *numbers = xcalloc(m->paths.n + 1, sizeof(*numbers)), n = 0;

	for (size_t i = 0; i < m->n; i++)
		for (uint32_t node = m->found[i]; node && !numbers[node];
		     node = call_path_at(&m->paths, node)->caller)
			numbers[node] = 1;
	for (size_t i = 1; i <= m->paths.n; i++)
		if (numbers[i])
			numbers[i] = ++n;
	return numbers;
}

static bool add_row(const struct making *m, struct part_rows *out, int64_t sequence,
		    size_t place, const struct call_path *of)
{
	struct cell *c = part_rows_add(out);

	if (!c)
		return false;
	c[COL_GRAPH_NAME_PART_SEQUENCE] = cell_int(sequence);
	c[COL_GRAPH_NAME_PART_PLACE] = cell_int((int64_t)place);
	c[COL_GRAPH_NAME_PART_PATH] = cell_int(of->caller);
	if (sequence == 0)
		c[COL_GRAPH_NAME_PART_CLASS] = cell_int(of->class);
	c[COL_GRAPH_NAME_PART_NAME_ID] =
		cell_text(arena_copy(&out->arena, intern_str(&m->texts, of->name)));
	return true;
}

static bool is_named(const struct making *m, const struct sequence *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (m->found[s->first + i] != CALL_PATH_NONE)
			return true;
	return false;
}

static void add_rows(const struct making *m, struct part_rows *out)
{
	uint32_t *numbers = number_calls(m);
	bool has_room = true;
	int64_t sequence = 0;

	for (uint32_t i = 1; i <= m->paths.n && has_room; i++) {
		struct call_path of = *call_path_at(&m->paths, i);
		of.caller = numbers[of.caller];
		if (numbers[i])
			has_room = add_row(m, out, 0, numbers[i], &of);
	}
	for (size_t i = 0; i < m->nsequences && has_room; i++) {
		const struct sequence *s = &m->sequences[i];
		if (!is_named(m, s))
			continue;
		sequence++;
		for (size_t k = 0; k < s->n && has_room; k++) {
			const struct call_path of = {
				.caller = numbers[m->found[s->first + k]],
				.name = m->names[s->first + k]
			};
			has_room = add_row(m, out, sequence, k, &of);
		}
	}
	free(numbers);
}

static void making_init(struct making *m)
{
	*m = (struct making){ .n = 0 };
	call_paths_init(&m->paths);
	intern_init(&m->texts);
	intern_init(&m->of_kinds);
}

static void making_release(struct making *m)
{
	for (size_t i = 0; i < m->nalike; i++)
		free(m->alike[i].calls);
	free(m->alike);
	free(m->sequences);
	free(m->of_replay);
	free(m->names);
	free(m->kinds);
	free(m->found);
	sequence_match_release(&m->match);
	launch_source_release(&m->source);
	intern_release(&m->of_kinds);
	intern_release(&m->texts);
	call_paths_release(&m->paths);
}

/* How much of the replays' time was named, and of all of them. */
static void add_sums(const struct making *m, const struct device_work *work,
		     const struct replays *r, int64_t *named_ns, int64_t *replayed_ns)
{
	uint32_t *at = xrealloc_array(NULL, r->nat + 1, sizeof(*at));

	for (size_t i = 0; i < r->n; i++) {
		const uint32_t *found = m->found + m->sequences[m->of_replay[i]].first;
		replay_order(r, &r->items[i], at);
		for (size_t k = 0; k < r->items[i].n; k++) {
			const struct work_item *item = &work->items[at[k]];
			int64_t ns = sum_sub(item->end_ns, item->start_ns);
			*replayed_ns = sum_add(*replayed_ns, ns);
			if (found[k] != CALL_PATH_NONE)
				*named_ns = sum_add(*named_ns, ns);
		}
	}
	free(at);
}

/* Where names come from: a profile, and whether kernels launched one by one tell them. */
struct origin {
	struct store *store;
	const struct scope_profile *profile;
	bool by_names;
	int64_t named_ns, replayed_ns; /* what came of it */
};

static int make_from(struct summary_source *of, struct origin *origin,
		     struct part_rows *out, struct err *err)
{
	const struct device_work *work = summary_work(of, err);
	struct making m;
	struct replays replays = { .n = 0 };

	if (!work)
		return -1;
	making_init(&m);
	m.by_names = origin->by_names;
	int rc = replays_load(of->store, of->texts, work, &replays, err);
	if (rc == 0 && replays.n) {
		rc = launch_source_load(origin->store, origin->profile, &m.paths,
					&m.texts, &m.source, err);
		if (rc == 0) {
			list_sequences(&m, work, of->texts, &replays);
			if (m.by_names)
				sequence_match_init(&m.match, &m.source);
			find_paths(&m);
			add_rows(&m, out);
			add_sums(&m, work, &replays, &origin->named_ns,
				 &origin->replayed_ns);
		}
	}
	replays_release(&replays);
	making_release(&m);
	return rc;
}

/* By the recording's own captures. */
static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct origin origin = { .store = from->store, .profile = from->profile };
	struct query q = query_of_profile(from->store, asset_query_views_captures_any_sql,
					  from->profile, err);
	bool has = false;

	while (query_next(&q, err))
		has = sqlite3_column_int(q.stmt, 0) != 0;
	if (query_end(&q) < 0)
		return -1;
	return has ? make_from(from, &origin, out, err) : 0;
}

const struct summary summary_graph_names = { PART_TABLE(GRAPH_NAME_PART, graph_name_part),
					     make };

/* Of the same rank, or the only one; NULL: none fits. */
static const struct scope_profile *origin_of(const struct scope *scope,
					     const struct scope_profile *of)
{
	if (scope->n == 1)
		return &scope->profiles[0];
	for (size_t i = 0; i < scope->n; i++)
		if (of->has_rank && scope->profiles[i].has_rank &&
		    scope->profiles[i].rank == of->rank)
			return &scope->profiles[i];
	return NULL;
}

static int make_profile(struct graph_names_from *names, struct summary_source *source,
			const struct part_sink *to, struct err *err)
{
	struct origin origin = { .store = names->store,
				 .profile = origin_of(&names->scope, source->profile),
				 .by_names = true };
	struct part_rows rows;
	int rc = 0;

	if (!origin.profile)
		return 0;
	part_rows_init(&rows, &summary_graph_names.table);
	rc = make_from(source, &origin, &rows, err);
	if (rc == 0 && rows.n && !rows.is_too_many)
		rc = to->take(to, source->profile->id, &rows, err);
	names->replayed_ns = sum_add(names->replayed_ns, origin.replayed_ns);
	if (!rows.is_too_many)
		names->named_ns = sum_add(names->named_ns, origin.named_ns);
	part_rows_release(&rows);
	summary_source_release(source);
	return rc;
}

int graph_names_make_run(void *from, struct store *store, const char *run,
			 const struct part_sink *to, struct err *err)
{
	const struct scope_request request = { .run = run };
	struct text_pool texts;
	struct scope scope;

	if (scope_load(store, &request, &scope, err) < 0)
		return -1;
	int rc = text_pool_open(store, &texts, err);
	for (size_t i = 0; rc == 0 && i < scope.n; i++) {
		struct summary_source source = { .store = store,
						 .texts = &texts,
						 .profile = &scope.profiles[i] };
		if (scope.profiles[i].slices)
			rc = make_profile(from, &source, to, err);
	}
	text_pool_close(&texts);
	scope_release(&scope);
	return rc;
}
