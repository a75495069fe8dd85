/*
 * Tensor Cores by name alone: the tree is built from no more than times, names and
 * classes, one track after the other, since reading whole slices is what takes time.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sum.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"
#include "query/slices/slice_load.h"
#include "query/slices/slice_ops.h"
#include "query/slices/slice_pack.h"
#include "query/top/top_rows.h"
#include "trace/op_pass.h"

ASSET(asset_query_views_tensor_track_sql);

#define COLUMNS (PACKED_NAME | PACKED_CLASS | PACKED_MARKS)

/* Columns of tensor_track.sql after those of struct slice_walk. */
enum { TRACK_KIND = 3, TRACK_REFUSED };

/* A tree of so many events or more ends where no slice is open: it stays in the cache. */
#define PART_EVENTS 4096

struct name_sums {
	struct top_tensor sums;
	bool is_row; /* some call has the name */
};

struct growing {
	struct store *store;
	struct top_rows *rows;
	const struct scope_profile *profile;
	const struct top_query *query;
	struct op_pass pass;
	struct tensor_charges charges;
	struct op_event *events; /* owned; of a track; device_ns: on Tensor Cores */
	int64_t *unknown_ns;     /* owned; by event: of kernels whose names do not say */
	size_t nevents, events_cap, unknown_cap;
	bool has_unknown;          /* since the last time that no slice was open */
	struct open_labels open;   /* by event */
	int64_t open_until_ns;     /* the last of their ends */
	struct name_sums *sums[2]; /* owned; by name: of others, and of annotations */
	uint8_t *eligible;         /* owned; by node */
	uint8_t *
		judged; /* owned; by name: 0 not known, 1 not eligible by it, 2 eligible */
	size_t sums_cap[2], eligible_cap, judged_cap;
	struct slice_walk walk;
	bool has_folded; /* an only child was folded into its parent */
};

static void charge(struct growing *g, size_t event, struct tensor_core_times times)
{
	g->events[event].device_ns = sum_add(g->events[event].device_ns, times.yes_ns);
	g->unknown_ns[event] = sum_add(g->unknown_ns[event], times.unknown_ns);
	g->has_unknown |= times.unknown_ns > 0;
}

/* What the slice launched, to the label around it; and what it is charged with itself. */
static struct tensor_core_times take_charges(struct growing *g, size_t *at)
{
	const struct packed_slice *s = &g->walk.slices.slice;
	struct tensor_core_times own = { 0, 0 };

	for (; *at < g->charges.n && g->charges.items[*at].slice_id <= s->id; (*at)++) {
		const struct tensor_charge *c = &g->charges.items[*at];
		if (c->slice_id < s->id)
			continue;
		if (!c->is_launch) {
			own.yes_ns = sum_add(own.yes_ns, c->times.yes_ns);
			own.unknown_ns = sum_add(own.unknown_ns, c->times.unknown_ns);
			continue;
		}
		uint32_t label = open_labels_innermost(&g->open, s->start_ns);
		if (label != OPEN_LABELS_NONE)
			charge(g, label, c->times);
	}
	return own;
}

/* The newest slice; `at` goes on in the charges as ids do. */
static int add_event(struct growing *g, size_t *at, struct err *err)
{
	const struct packed_slice *s = &g->walk.slices.slice;
	uint32_t name;

	if (g->nevents >= SLICE_NONE)
		return query_damaged("slices", err);
	struct tensor_core_times own = take_charges(g, at);
	if ((s->marks & SLICE_INSTANT) ||
	    !op_class_counts((enum slice_class)s->class, &g->pass.rules))
		return 0;
	if (text_pool_number(&g->rows->texts, s->name_id, &name, err) < 0)
		return -1;
	if (name == TEXT_NONE)
		return query_damaged("slices", err);
	g->events = xgrow(g->events, &g->events_cap, g->nevents + 1, sizeof(*g->events));
	g->events[g->nevents] =
		(struct op_event){ .ts_ns = s->start_ns,
				   .dur_ns = sum_sub(s->end_ns, s->start_ns),
				   .row = (uint32_t)g->nevents,
				   .name = name,
				   .class = (enum slice_class)s->class,
				   .unfinished = s->marks & SLICE_UNFINISHED };
	g->unknown_ns = xgrow(g->unknown_ns, &g->unknown_cap, g->nevents + 1,
			      sizeof(*g->unknown_ns));
	g->unknown_ns[g->nevents] = 0;
	charge(g, g->nevents, own);
	if (s->class == CLASS_ANNOTATION)
		open_labels_add(&g->open, s->start_ns, s->end_ns, (uint32_t)g->nevents);
	g->nevents++;
	if (s->end_ns > g->open_until_ns)
		g->open_until_ns = s->end_ns;
	return 0;
}

static struct name_sums *sums_of(struct growing *g, const struct op_node *node)
{
	bool label = g->events[node->row].class == CLASS_ANNOTATION &&
		     g->pass.rules.split_annotations;
	struct name_sums *sums = ARRAY_AT(g->sums[label], g->sums_cap[label], node->name);

	sums->is_row = true;
	return sums;
}

static bool is_python(const struct growing *g, const struct op_node *node)
{
	return g->events[node->row].class == CLASS_PYTHON && !g->pass.rules.all_slices;
}

static bool is_eligible_name(struct growing *g, uint32_t name)
{
	uint8_t *judged = ARRAY_AT(g->judged, g->judged_cap, name);

	if (!*judged)
		*judged = tensor_core_op(intern_str(g->pass.texts, name)) ? 2 : 1;
	return *judged == 2;
}

/* From the last node on, as parents stand before their children. */
static void add_nodes(struct growing *g)
{
	const struct op_node *nodes = g->pass.nodes;
	size_t n = g->pass.nnodes;

	g->eligible = xgrow(g->eligible, &g->eligible_cap, n + 1, 1);
	memset(g->eligible, 0, n);
	for (size_t i = n; i-- > 0;) {
		const struct op_node *node = &nodes[i];
		struct name_sums *of = is_python(g, node) ? NULL : sums_of(g, node);
		g->eligible[i] |=
			node->self_device_ns > 0 || is_eligible_name(g, node->name);
		if (g->eligible[i] && node->parent < i)
			g->eligible[node->parent] = 1;
		g->has_folded |= node->folded;
		if (node->folded || !of)
			continue;
		top_tensor_merge(
			&of->sums,
			&(struct top_tensor){ .self.yes_ns = node->self_device_ns,
					      .total.yes_ns = op_node_device_ns(node),
					      .eligible = g->eligible[i] });
	}
}

/* The same tree, whose device times are now those of kernels that are not known. */
static void add_unknown(struct growing *g, enum track_kind kind)
{
	for (size_t i = 0; i < g->nevents; i++)
		g->events[i].device_ns = g->unknown_ns[i];
	op_pass_track(&g->pass, kind, g->events, g->nevents);
	for (size_t i = 0; i < g->pass.nnodes; i++) {
		const struct op_node *node = &g->pass.nodes[i];
		if (node->folded || is_python(g, node))
			continue;
		top_tensor_merge(&sums_of(g, node)->sums,
				 &(struct top_tensor){
					 .self.unknown_ns = node->self_device_ns,
					 .total.unknown_ns = op_node_device_ns(node) });
	}
}

/* The tree of what has been read since the last time that no slice was open. */
static void end_part(struct growing *g, enum track_kind kind)
{
	op_pass_track(&g->pass, kind, g->events, g->nevents);
	add_nodes(g);
	if (g->has_unknown)
		add_unknown(g, kind);
	g->has_unknown = false;
	g->open.n = 0;
	g->nevents = 0;
	g->open_until_ns = INT64_MIN;
}

static int add_track(struct growing *g, struct err *err)
{
	const char *name = (const char *)sqlite3_column_text(g->walk.tracks, TRACK_KIND);
	size_t at = tensor_charges_from(&g->charges, g->walk.first_id);
	int rc;

	if (!name)
		return query_damaged("slices", err);
	enum track_kind kind = strcmp(name, "thread") == 0 ? TRACK_THREAD : TRACK_ASYNC;
	g->open_until_ns = INT64_MIN;
	while ((rc = slice_pack_next(&g->walk.slices, err)) > 0) {
		if (g->nevents >= PART_EVENTS &&
		    g->walk.slices.slice.start_ns > g->open_until_ns)
			end_part(g, kind);
		if (add_event(g, &at, err) < 0)
			return -1;
	}
	end_part(g, kind);
	return rc;
}

/* The sums by name, to the rows of the table. */
static int add_sums(struct growing *g, struct err *err)
{
	struct top_place place = { .profile = g->profile,
				   .shapes = TEXT_NONE,
				   .stack = TEXT_NONE,
				   .overload = TEXT_NONE };

	top_split_by_profile(place.split, g->profile);
	for (int label = 0; label < 2; label++)
		for (size_t i = 0; i < g->sums_cap[label]; i++) {
			const struct opstat_key key = { .name = (uint32_t)i,
							.kind = OP_HOST,
							.is_annotation = label == 1 };
			if (g->sums[label][i].is_row &&
			    top_tensor_add(g->rows, g->query, &place, &key,
					   &g->sums[label][i].sums, err) < 0)
				return -1;
		}
	return 0;
}

/* Only names and profiles tell rows apart. */
static bool is_by_name(const struct top_query *query)
{
	unsigned others =
		TOP_SHAPE | TOP_STACK | TOP_OVERLOAD | (TOP_SPLITS & ~TOP_PROFILE_SPLITS);

	return !(query->show.asked & others) && !query->torch_times &&
	       !query->filter->has_steps && !filter_needs_slices(query->filter);
}

/*
 * 1: done; -1: err is set.  0: memory events may stand in the tree, which are not read
 * here; all they can change is that an only child is none, and is not folded.
 */
static int each_track(struct growing *g, const struct slice_load *load, struct err *err)
{
	bool has_memory = load->rules.float_memory_window && g->profile->has_memory;
	int rc;

	while ((rc = slice_walk_track(&g->walk, err)) > 0) {
		has_memory |=
			sqlite3_column_type(g->walk.tracks, TRACK_REFUSED) != SQLITE_NULL;
		if (add_track(g, err) < 0)
			return -1;
		if (has_memory && g->has_folded)
			return 0;
	}
	return rc < 0 || add_sums(g, err) < 0 ? -1 : 1;
}

static void release(struct growing *g)
{
	slice_walk_close(&g->walk);
	tensor_charges_release(&g->charges);
	open_labels_release(&g->open);
	free(g->events);
	free(g->unknown_ns);
	free(g->sums[0]);
	free(g->sums[1]);
	free(g->eligible);
	free(g->judged);
}

int top_tensor_tree(struct store *store, const struct scope_profile *profile,
		    const struct top_query *query, int capability, struct top_rows *rows,
		    struct err *err)
{
	struct growing g = {
		.store = store, .rows = rows, .profile = profile, .query = query
	};
	struct slice_load load;
	int rc = -1;

	if (!is_by_name(query))
		return 0;
	if (slice_load_rules(store, profile, &load, err) < 0)
		return -1;
	op_pass_init(&g.pass, &load.rules, &rows->texts.intern, NULL);
	g.pass.window_end_ns = load.window_end_ns;
	g.pass.span_end_ns = load.span_end_ns;
	if (slice_walk_open(store, asset_query_views_tensor_track_sql, profile->id,
			    COLUMNS, &g.walk, err) == 0 &&
	    tensor_charges_load(store, profile, &rows->texts, capability, &g.charges,
				err) == 0)
		rc = each_track(&g, &load, err);
	op_pass_release(&g.pass);
	release(&g);
	return rc;
}
