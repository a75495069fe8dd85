/* Names of replayed kernels: see graph_names.h. */
#include "query/graphs/graph_names.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "store/columns.h"

ASSET(asset_query_views_captures_any_sql);
ASSET(asset_query_views_graph_names_any_sql);

/* A sequence of kernels: its first place in names and paths. */
struct sequence {
	size_t first, n;
};

struct matching {
	struct graph_names *out;
	const struct device_work *work;
	struct text_pool *texts;
	uint32_t *calls; /* owned; by number of a call of a path: its node */
	size_t ncalls, calls_cap;
	struct sequence *sequences; /* owned */
	size_t nsequences, sequences_cap;
	uint32_t *names, *paths; /* owned; by place */
	size_t n, names_cap, paths_cap;
	struct intern keys; /* the names of each sequence, by its number */
};

static int damaged(struct err *err)
{
	return summary_damaged(&summary_graph_names, err);
}

static uint32_t text_of(struct matching *m, struct cell cell)
{
	return cell.type == CELL_TEXT ? intern_add(&m->texts->intern, cell.as.text)
				      : TEXT_NONE;
}

/* The node of a call that was read before; false: there is none of that number. */
static bool node_of(const struct matching *m, int64_t call, uint32_t *node)
{
	*node = CALL_PATH_NONE;
	if (call < 0 || (uint64_t)call > m->ncalls)
		return false;
	if (call)
		*node = m->calls[call - 1];
	return true;
}

static int read_row(struct matching *m, const struct cell *c, struct err *err)
{
	int64_t sequence = part_int(c[COL_GRAPH_NAME_PART_SEQUENCE], -1);
	int64_t place = part_int(c[COL_GRAPH_NAME_PART_PLACE], -1);
	int64_t class = part_int(c[COL_GRAPH_NAME_PART_CLASS], NCLASSES);
	uint32_t name = text_of(m, c[COL_GRAPH_NAME_PART_NAME_ID]), path;

	if (!node_of(m, part_int(c[COL_GRAPH_NAME_PART_PATH], -1), &path))
		return damaged(err);
	if (sequence == 0) {
		if (place != (int64_t)m->ncalls + 1 || m->nsequences ||
		    name == TEXT_NONE || class < 0 || class >= NCLASSES)
			return damaged(err);
		uint32_t node = call_paths_child(
			&m->out->paths, (struct call_path){ .caller = path,
							    .name = name,
							    .class = (uint32_t) class });
		if (node == CALL_PATH_NONE)
			return damaged(err);
		*ARRAY_PUSH(m->calls, m->ncalls, m->calls_cap) = node;
		return 0;
	}
	if (place == 0)
		*ARRAY_PUSH(m->sequences, m->nsequences, m->sequences_cap) =
			(struct sequence){ m->n, 0 };
	if (m->nsequences == 0 || sequence != (int64_t)m->nsequences ||
	    place != (int64_t)m->sequences[m->nsequences - 1].n)
		return damaged(err);
	m->sequences[m->nsequences - 1].n++;
	size_t n = m->n;
	*ARRAY_PUSH(m->names, n, m->names_cap) = name;
	*ARRAY_PUSH(m->paths, m->n, m->paths_cap) = path;
	return 0;
}

static int read_rows(struct matching *m, const struct part_rows *rows, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < rows->n && rc == 0; i++)
		rc = read_row(m, part_rows_at(rows, i), err);
	for (size_t i = 0; i < m->nsequences && rc == 0; i++) {
		const struct sequence *s = &m->sequences[i];
		struct str key = str_bytes(m->names + s->first, s->n * sizeof(*m->names));
		if (intern_add(&m->keys, key) != i)
			return damaged(err);
	}
	return rc;
}

/* Each replay of a sequence has its paths. */
static void name_replays(struct matching *m, const struct replays *r)
{
	struct graph_names *out = m->out;
	uint32_t *at = xrealloc_array(NULL, r->nat + 1, sizeof(*at));
	uint32_t *names = xrealloc_array(NULL, r->nat + 1, sizeof(*names));

	for (size_t i = 0; i < r->n; i++) {
		const struct replay *replay = &r->items[i];
		replay_order(r, replay, at);
		for (size_t k = 0; k < replay->n; k++) {
			const struct work_item *item = &m->work->items[at[k]];
			names[k] = item->name;
			out->replayed_ns = sum_add(out->replayed_ns,
						   sum_sub(item->end_ns, item->start_ns));
		}
		uint32_t sequence = intern_add(
			&m->keys, str_bytes(names, replay->n * sizeof(*names)));
		for (size_t k = 0; sequence < m->nsequences && k < replay->n; k++) {
			const struct work_item *item = &m->work->items[at[k]];
			uint32_t path = m->paths[m->sequences[sequence].first + k];
			out->of_item[at[k]] = path;
			out->nnamed += path != CALL_PATH_NONE;
			if (path != CALL_PATH_NONE)
				out->named_ns =
					sum_add(out->named_ns,
						sum_sub(item->end_ns, item->start_ns));
		}
	}
	free(at);
	free(names);
}

static int match(struct store *store, struct matching *m, const struct part_rows *rows,
		 struct err *err)
{
	struct replays replays;
	int rc = read_rows(m, rows, err);

	if (rc < 0)
		return -1;
	rc = replays_load(store, m->texts, m->work, &replays, err);
	if (rc == 0) {
		m->out->of_item = xcalloc(m->work->n + 1, sizeof(*m->out->of_item));
		name_replays(m, &replays);
	}
	replays_release(&replays);
	return rc;
}

static int ask(struct query q, bool *is, struct err *err)
{
	*is = false;
	while (query_next(&q, err))
		*is = sqlite3_column_int(q.stmt, 0) != 0;
	return query_end(&q);
}

int graph_names_are_stored(struct store *store, bool *are, struct err *err)
{
	return ask(query_open(store, asset_query_views_graph_names_any_sql, err), are,
		   err);
}

int graph_names_may_be(struct store *store, const struct scope_profile *profile,
		       bool *may, struct err *err)
{
	if (graph_names_are_stored(store, may, err) < 0)
		return -1;
	if (*may)
		return 0;
	return ask(
		query_of_profile(store, asset_query_views_captures_any_sql, profile, err),
		may, err);
}

void graph_namer_init(struct graph_namer *namer, struct store *store,
		      struct text_pool *texts)
{
	*namer = (struct graph_namer){ .reader = { .store = store, .texts = texts } };
}

void graph_namer_release(struct graph_namer *namer)
{
	summary_reader_close(&namer->reader);
	namer->is_open = false;
}

static int open_once(struct graph_namer *namer, struct err *err)
{
	if (!namer->is_open &&
	    summary_reader_open(namer->reader.store, namer->reader.texts, &namer->reader,
				err) < 0)
		return -1;
	namer->is_open = true;
	return 0;
}

int graph_names_load(struct graph_namer *namer, const struct scope_profile *profile,
		     const struct device_work *work, struct graph_names *out,
		     struct err *err)
{
	struct store *store = namer->reader.store;
	struct matching m = { .out = out, .work = work, .texts = namer->reader.texts };
	struct part_rows rows = { .n = 0 };
	bool may;

	*out = (struct graph_names){ .nnamed = 0 };
	call_paths_init(&out->paths);
	if (graph_names_may_be(store, profile, &may, err) < 0)
		return -1;
	if (!may)
		return 0;
	intern_init(&m.keys);
	int rc = open_once(namer, err);
	if (rc == 0)
		rc = summary_need(&namer->reader, profile, &summary_graph_names, &rows,
				  err);
	if (rc == 0 && rows.n)
		rc = match(store, &m, &rows, err);
	part_rows_release(&rows);
	summary_source_release(&namer->reader.source);
	intern_release(&m.keys);
	free(m.calls);
	free(m.sequences);
	free(m.names);
	free(m.paths);
	return rc;
}

void graph_names_release(struct graph_names *n)
{
	call_paths_release(&n->paths);
	free(n->of_item);
	*n = (struct graph_names){ .nnamed = 0 };
}

static int add_share(struct graph_namer *namer, const struct scope_profile *profile,
		     struct graph_names_share *out, struct err *err)
{
	struct store *store = namer->reader.store;
	struct graph_names names = { .nnamed = 0 };
	struct device_work work;
	bool may;

	if (!profile->has_slices || profile->slices == 0)
		return 0;
	if (graph_names_may_be(store, profile, &may, err) < 0)
		return -1;
	if (!may)
		return 0;
	int rc = device_work_load(store, namer->reader.texts, profile, WORK_WITH_LAUNCHES,
				  &work, err);
	if (rc == 0)
		rc = graph_names_load(namer, profile, &work, &names, err);
	out->named_ns = sum_add(out->named_ns, names.named_ns);
	out->replayed_ns = sum_add(out->replayed_ns, names.replayed_ns);
	graph_names_release(&names);
	device_work_release(&work);
	return rc;
}

int graph_names_sum(struct store *store, const struct scope *scope,
		    struct graph_names_share *out, struct err *err)
{
	struct graph_namer namer;
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	*out = (struct graph_names_share){ 0, 0 };
	graph_namer_init(&namer, store, &texts);
	for (size_t i = 0; i < scope->n && rc == 0; i++)
		rc = add_share(&namer, &scope->profiles[i], out, err);
	graph_namer_release(&namer);
	text_pool_close(&texts);
	return rc;
}
