/* The table of graphs: see graphs.h. */
#include "query/graphs/graphs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/graphs/graph_names.h"
#include "query/graphs/replays.h"
#include "query/query.h"

/* Sums of the replays of a graph. */
struct graph_row {
	const struct scope_profile *profile;
	uint32_t label; /* text: its id, or "#1" */
	uint32_t op,
		kernel; /* texts: around its first launch, its first work; TEXT_NONE */
	int64_t replays, work;
	int64_t total_ns; /* of its work */
	int64_t busy_ns, span_ns;
	int64_t launches, launch_ns; /* of the calls that were recorded */
	int64_t named_ns;            /* of the work whose capture is known */
	int64_t all_ns;              /* of all work of the profile */
};

struct listing {
	struct store *store;
	const struct scope *scope;
	const struct graphs_query *query;
	struct text_pool texts;
	struct graph_namer namer;
	struct work_filter wanted;
	struct graph_row *rows; /* owned */
	size_t n, cap;
	int64_t all_ns, unlaunched; /* replays */
	bool has_work, has_replays;
};

static struct cell get_profile(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_int(((const struct graph_row *)row)->profile->id);
}

static struct cell get_rank(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return scope_rank_cell(((const struct graph_row *)row)->profile);
}

static struct cell get_text(const void *from, const void *row, int offset)
{
	const struct listing *l = from;
	uint32_t text = *(const uint32_t *)((const char *)row + offset);

	return text_pool_cell(&l->texts, text);
}

static struct cell get_idle(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from, (void)arg;
	return cell_int(sum_sub(r->span_ns, r->busy_ns));
}

/* Of a replay: the arg is the offset of a sum. */
static struct cell get_mean(const void *from, const void *row, int offset)
{
	const struct graph_row *r = row;
	int64_t sum = *(const int64_t *)((const char *)row + offset);

	(void)from;
	return cell_real((double)sum / (double)r->replays);
}

static struct cell get_mean_work(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from, (void)arg;
	return cell_int((r->work + r->replays / 2) / r->replays);
}

static struct cell get_mean_idle(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from, (void)arg;
	return cell_real((double)sum_sub(r->span_ns, r->busy_ns) / (double)r->replays);
}

static struct cell get_launch(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from;
	if (r->launches == 0)
		return cell_null();
	return arg ? cell_real((double)r->launch_ns / (double)r->launches)
		   : cell_int(r->launch_ns);
}

static struct cell get_share(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from, (void)arg;
	return share_cell(r->total_ns, r->all_ns);
}

static struct cell get_named(const void *from, const void *row, int arg)
{
	const struct graph_row *r = row;

	(void)from, (void)arg;
	return share_cell(r->named_ns, r->total_ns);
}

#define ROW(member)  .get = view_int64, .arg = offsetof(struct graph_row, member)
#define MEAN(member) .get = get_mean, .arg = offsetof(struct graph_row, member)
#define TEXT(member) .get = get_text, .arg = offsetof(struct graph_row, member)

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, .get = get_profile, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "its rank, null where it has none", NULL, UNIT_ID, .get = get_rank, .flags = FIELD_KEY },
	{ "graph", "Graph", "id of the graph; #1, #2, ... where the recording has none", NULL, UNIT_TEXT, TEXT(label), .flags = FIELD_KEY },
	{ "replays", "Replays", "how often it was launched", "calls", UNIT_COUNT, ROW(replays) },
	{ "work", "Work", "kernels, copies and sets of all replays", NULL, UNIT_COUNT, ROW(work) },
	{ "mean_work", "Work", "the same per replay, rounded", NULL, UNIT_COUNT, .get = get_mean_work },
	{ "total_ns", "Total", "device time: durations of its work, added up", NULL, UNIT_NS, ROW(total_ns) },
	{ "mean_ns", "Mean", "device time per replay", "mean", UNIT_NS, MEAN(total_ns) },
	{ "span_ns", "Span", "time from the first work to the end of the last, of all replays", NULL, UNIT_NS, ROW(span_ns) },
	{ "idle_ns", "Idle", "time of that in which none of its work ran", NULL, UNIT_NS, .get = get_idle },
	{ "mean_idle_ns", "Idle", "the same per replay", NULL, UNIT_NS, .get = get_mean_idle },
	{ "launch_ns", "Launch", "host time of the calls that launched it", NULL, UNIT_NS, .get = get_launch },
	{ "mean_launch_ns", "Launch", "the same per call", NULL, UNIT_NS, .get = get_launch, .arg = 1, .leaves = 1 },
	{ "device_pct", "Share", "share of the device time of the profile", "share", UNIT_PERCENT, .get = get_share },
	{ "named_ns", "Named", "device time of the work whose capture is known", NULL, UNIT_NS, ROW(named_ns) },
	{ "named_pct", "Named", "share of its device time whose capture is known", NULL, UNIT_PERCENT, .get = get_named },
	{ "op", "Launched by", "operator around its first launch", NULL, UNIT_TEXT, TEXT(op), .leaves = 2, .least = 12 },
	{ "first_kernel", "First kernel", "name of its first work", NULL, UNIT_TEXT, TEXT(kernel), .leaves = 3, .least = 12 },
	{ .name = NULL },
};
/* clang-format on */

const struct view graphs_view = {
	.name = "graphs",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? graph! replays! mean_work! mean_ns! "
		"mean_idle_ns mean_launch_ns total_ns! device_pct! named_pct op "
		"first_kernel"),
	.sort = "total_ns",
};

static int is_wanted(struct listing *l, const struct device_work *work,
		     const struct work_item *first, const struct replay *replay,
		     struct err *err)
{
	const struct work_stream *stream = &work->streams[first->stream];

	return work_filter_wants(
		&l->wanted,
		&(struct work_piece){
			.name = first->name,
			.device = work->devices[stream->device].device,
			.stream = stream->stream,
			.step = work_filter_step(&l->wanted, first->step_id),
			.start_ns = replay->start_ns,
			.dur_ns = sum_sub(replay->end_ns, replay->start_ns) },
		err);
}

static void add_replay(struct graph_row *row, const struct replays *r,
		       const struct device_work *work, const struct graph_names *names,
		       const struct replay *replay)
{
	const struct work_item *first = &work->items[r->at[replay->first]];

	if (row->replays++ == 0) {
		row->op = first->op_name;
		row->kernel = first->name;
	}
	row->work += (int64_t)replay->n;
	for (size_t i = 0; i < replay->n; i++) {
		const struct work_item *item = &work->items[r->at[replay->first + i]];
		int64_t ns = sum_sub(item->end_ns, item->start_ns);
		row->total_ns = sum_add(row->total_ns, ns);
		if (graph_names_of(names, r->at[replay->first + i]) != CALL_PATH_NONE)
			row->named_ns = sum_add(row->named_ns, ns);
	}
	row->busy_ns = sum_add(row->busy_ns, replay_busy_ns(r, work, replay));
	row->span_ns = sum_add(row->span_ns, sum_sub(replay->end_ns, replay->start_ns));
	if (!replay->launch_id)
		return;
	row->launches++;
	row->launch_ns = sum_add(row->launch_ns,
				 sum_sub(first->launch_end_ns, first->launch_start_ns));
}

static uint32_t label_of(struct listing *l, const struct replay_graph *graph)
{
	char text[32];

	if (graph->id == NUMBER_NONE)
		snprintf(text, sizeof(text), "#%" PRId64, graph->number);
	else
		snprintf(text, sizeof(text), "%" PRId64, graph->id);
	return intern_add(&l->texts.intern, str_of(text));
}

/* Graphs of which no replay is wanted have no row. */
static int add_graphs(struct listing *l, const struct scope_profile *profile,
		      const struct device_work *work, const struct replays *r,
		      const struct graph_names *names, struct err *err)
{
	struct graph_row *rows = xcalloc(r->ngraphs + 1, sizeof(*rows));
	int64_t all_ns = 0;
	int rc = 0;

	for (size_t i = 0; i < work->n; i++)
		all_ns = sum_add(all_ns,
				 sum_sub(work->items[i].end_ns, work->items[i].start_ns));
	l->all_ns = sum_add(l->all_ns, all_ns);
	for (size_t i = 0; i < r->n && rc >= 0; i++) {
		const struct replay *replay = &r->items[i];
		rc = is_wanted(l, work, &work->items[r->at[replay->first]], replay, err);
		if (rc <= 0)
			continue;
		add_replay(&rows[replay->graph], r, work, names, replay);
		l->unlaunched += !replay->launch_id;
	}
	for (size_t i = 0; i < r->ngraphs && rc >= 0; i++) {
		if (rows[i].replays == 0)
			continue;
		rows[i].profile = profile;
		rows[i].label = label_of(l, &r->graphs[i]);
		rows[i].all_ns = all_ns;
		*ARRAY_PUSH(l->rows, l->n, l->cap) = rows[i];
	}
	free(rows);
	return rc < 0 ? -1 : 0;
}

static int add_profile(struct listing *l, const struct scope_profile *profile,
		       struct err *err)
{
	struct graph_names names = { .nnamed = 0 };
	struct replays r = { .n = 0 };
	struct device_work work;
	int rc =
		device_work_load(l->store, &l->texts, profile, WORK_WITH_OPS, &work, err);

	if (rc == 0)
		rc = replays_load(l->store, &l->texts, &work, &r, err);
	if (rc == 0 && r.n)
		rc = graph_names_load(&l->namer, profile, &work, &names, err);
	if (rc == 0)
		rc = add_graphs(l, profile, &work, &r, &names, err);
	l->has_work |= work.n > 0;
	l->has_replays |= r.n > 0;
	graph_names_release(&names);
	replays_release(&r);
	device_work_release(&work);
	return rc;
}

static int lacks(const struct listing *l, struct err *err)
{
	if (!l->has_work)
		return device_work_lacks(l->store, l->scope, err);
	return err_set(err, ERR_EMPTY,
		       l->has_replays ? "no replay of a graph matches"
				      : "no graph was replayed");
}

/* How much of the device time is of graphs, and what is not known of their launches. */
static void add_notes(const struct listing *l, struct memtable *m)
{
	int64_t total_ns = 0, replays = 0;

	for (size_t i = 0; i < l->n; i++) {
		total_ns = sum_add(total_ns, l->rows[i].total_ns);
		replays = sum_add(replays, l->rows[i].replays);
	}
	if (l->n > 1 && l->all_ns > 0 && !filter_is_given(l->query->filter))
		memtable_add_note(m, "%.1f%% of the device time is in graphs",
				  100.0 * (double)total_ns / (double)l->all_ns);
	if (l->unlaunched)
		memtable_add_note(
			m, "%" PRId64 " of %" PRId64 " replays have no recorded launch",
			l->unlaunched, replays);
}

int graphs_open(struct store *store, const struct scope *scope,
		const struct graphs_query *query, struct table **out, struct err *err)
{
	struct listing l = { .store = store, .scope = scope, .query = query };
	int rc = text_pool_open(store, &l.texts, err);

	graph_namer_init(&l.namer, store, &l.texts);
	if (rc == 0)
		rc = work_filter_open(store, scope, query->filter, &l.texts, &l.wanted,
				      err);
	for (size_t i = 0; i < scope->n && rc == 0; i++)
		rc = add_profile(&l, &scope->profiles[i], err);
	if (rc == 0 && l.n == 0)
		rc = lacks(&l, err);
	if (rc == 0) {
		const struct view_rows rows = { &l, l.rows, l.n, sizeof(*l.rows) };
		struct memtable *m = view_table(&graphs_view, &rows, scope, &query->show);
		add_notes(&l, m);
		*out = &m->table;
	}
	free(l.rows);
	work_filter_close(&l.wanted);
	graph_namer_release(&l.namer);
	text_pool_close(&l.texts);
	return rc;
}
