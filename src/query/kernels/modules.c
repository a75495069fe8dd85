/* Modules and their times: see modules.h. */
#include "query/kernels/modules.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/graphs/graph_names.h"
#include "query/query.h"
#include "query/slices/slices.h"

static const struct str prefixes[] = { { "nn.Module: ", 11 },
				       { "[pl][module]", 12 },
				       { "[pl][profile]", 13 } };

ASSET(asset_query_views_module_texts_sql);

/* One call of a module. */
struct module_call {
	int64_t start_ns, end_ns;
	uint32_t around; /* the call around it, of the same track, or MODULE_NONE */
	uint32_t node;
};

/* Of a track: its calls, by start. */
struct track_calls {
	const struct slices_track *track;
	size_t first, n;
};

/* What is open at a moment: a module's call, or an operator directly in one. */
struct open_range {
	int64_t end_ns;
	uint32_t call; /* the module's, for both */
	bool is_op;
};

struct gathering {
	struct modules *out;
	struct slices *slices;
	struct module_call *calls; /* owned */
	size_t ncalls, calls_cap;
	struct track_calls *tracks; /* owned; those with calls, in slices' order */
	size_t ntracks, tracks_cap;
	struct open_range *open; /* owned */
	size_t nopen, open_cap;
	uint32_t
		*names; /* owned; by string.id: 0 not known, 1 no module, else text + 2 */
	size_t names_cap;
};

static uint32_t add_node(struct modules *m, uint32_t parent, uint32_t name)
{
	const uint32_t key[2] = { parent, name };
	size_t known = m->keys.n;
	uint32_t at = intern_add(&m->keys, str_bytes(key, sizeof(key)));

	if (m->keys.n == known)
		return at;
	*ARRAY_PUSH(m->nodes, m->n, m->cap) =
		(struct module_node){ .name = name,
				      .parent = parent,
				      .first = MODULE_NONE,
				      .next = MODULE_NONE,
				      .first_ns = INT64_MAX };
	return at;
}

/* A module's name without its prefix; NULL: it is the name of none. */
static struct str module_of(struct str name)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (str_starts_with(name, prefixes[i]))
			return str_behind(name, prefixes[i].n);
	return (struct str){ NULL, 0 };
}

/* The text of a module's name without its prefix, or MODULE_NONE. */
static int module_name(struct gathering *g, int64_t name_id, uint32_t *text,
		       struct err *err)
{
	size_t at = (size_t)name_id;
	struct str name;

	if (at < g->names_cap && g->names[at]) {
		*text = g->names[at] == 1 ? MODULE_NONE : g->names[at] - 2;
		return 0;
	}
	if (slices_text(g->slices, name_id, &name, err) < 0)
		return -1;
	/* The id is one of the store's, as it has a text. */
	*ARRAY_AT(g->names, g->names_cap, at) = 1;
	*text = MODULE_NONE;
	struct str module = module_of(name);
	if (module.p) {
		*text = intern_add(&g->out->texts, module);
		g->names[at] = *text + 2;
	}
	return 0;
}

static void push(struct gathering *g, int64_t end_ns, uint32_t call, bool is_op)
{
	*ARRAY_PUSH(g->open, g->nopen, g->open_cap) =
		(struct open_range){ end_ns, call, is_op };
}

/* Takes time from what is around: the module itself, or the operators in it. */
static void take(struct gathering *g, const struct open_range *around, int64_t ns)
{
	struct module_node *node = &g->out->nodes[g->calls[around->call].node];
	int64_t *from = around->is_op ? &node->op_ns : &node->self_ns;

	*from = sum_sub(*from, ns);
}

static void add_module(struct gathering *g, const struct slice_row *row, uint32_t name)
{
	const struct open_range *around = g->nopen ? &g->open[g->nopen - 1] : NULL;
	uint32_t call = (uint32_t)g->ncalls;
	int64_t end_ns = row->ts_ns + row->dur_ns;

	if (around && end_ns > around->end_ns)
		end_ns = around->end_ns;
	int64_t dur_ns = sum_sub(end_ns, row->ts_ns);
	uint32_t parent = around ? g->calls[around->call].node : MODULE_ROOT;
	uint32_t at = add_node(g->out, parent, name);
	struct module_node *node = &g->out->nodes[at];
	node->calls++;
	if (row->ts_ns < node->first_ns)
		node->first_ns = row->ts_ns;
	node->total_ns = sum_add(node->total_ns, dur_ns);
	node->self_ns = sum_add(node->self_ns, dur_ns);
	*ARRAY_PUSH(g->calls, g->ncalls, g->calls_cap) =
		(struct module_call){ row->ts_ns, end_ns,
				      around ? around->call : MODULE_NONE, at };
	if (around)
		take(g, around, dur_ns);
	push(g, end_ns, call, false);
}

/* Of operators only the outermost in a module count: those in it are part of them. */
static void add_op(struct gathering *g, const struct slice_row *row)
{
	if (!g->nopen || g->open[g->nopen - 1].is_op)
		return;
	const struct open_range around = g->open[g->nopen - 1];
	struct module_node *node = &g->out->nodes[g->calls[around.call].node];
	int64_t end_ns = row->ts_ns + row->dur_ns;

	if (end_ns > around.end_ns)
		end_ns = around.end_ns;
	node->ops++;
	node->op_ns = sum_add(node->op_ns, end_ns - row->ts_ns);
	take(g, &around, end_ns - row->ts_ns);
	push(g, end_ns, around.call, true);
}

static int add_slice(struct gathering *g, const struct slice_row *row, struct err *err)
{
	uint32_t name;

	if (g->ncalls >= MODULE_NONE - 2)
		return query_damaged("slices", err);
	while (g->nopen && g->open[g->nopen - 1].end_ns <= row->ts_ns)
		g->nopen--;
	if (row->class != CLASS_OP && row->class != CLASS_PYTHON &&
	    row->class != CLASS_ANNOTATION)
		return 0;
	if (module_name(g, row->name_id, &name, err) < 0)
		return -1;
	if (name == MODULE_NONE) {
		if (row->class == CLASS_OP)
			add_op(g, row);
		return 0;
	}
	int wanted = slices_is_wanted(g->slices, row, err);
	if (wanted > 0)
		add_module(g, row, name);
	return wanted < 0 ? -1 : 0;
}

static int add_track(struct gathering *g, const struct slices_track *track,
		     struct err *err)
{
	size_t first = g->ncalls;
	struct slice_row row;
	int rc;

	g->nopen = 0;
	slices_from(g->slices, track, track->first_id);
	while ((rc = slices_next(g->slices, &row, err)) > 0)
		if (add_slice(g, &row, err) < 0)
			return -1;
	if (rc == 0 && g->ncalls > first)
		*ARRAY_PUSH(g->tracks, g->ntracks, g->tracks_cap) =
			(struct track_calls){ track, first, g->ncalls - first };
	return rc;
}

/* The innermost call on the track at that time, or NULL. */
static const struct module_call *call_at(const struct gathering *g,
					 const struct slices_track *track, int64_t ts_ns)
{
	size_t at_track, low;

	SEARCH(at_track, 0, g->ntracks, g->tracks[at_track].track < track);
	if (at_track == g->ntracks || g->tracks[at_track].track != track)
		return NULL;
	const struct track_calls *t = &g->tracks[at_track];
	SEARCH(low, t->first, t->first + t->n, g->calls[low].start_ns <= ts_ns);
	uint32_t at = low == t->first ? MODULE_NONE : (uint32_t)(low - 1);
	while (at != MODULE_NONE && g->calls[at].end_ns <= ts_ns)
		at = g->calls[at].around;
	return at == MODULE_NONE ? NULL : &g->calls[at];
}

static void add_device_time(struct gathering *g, uint32_t at,
			    const struct work_item *item)
{
	struct module_node *node = &g->out->nodes[at];

	node->self_device_ns =
		sum_add(node->self_device_ns, sum_sub(item->end_ns, item->start_ns));
	node->launched++;
}

/* Where it was launched; without a launch, where its operator began. */
static int add_work(struct gathering *g, const struct work_item *item, struct err *err)
{
	int64_t from = item->launch_id ? item->launch_id : item->op_id;
	const struct slices_track *track = from ? slices_track_of(g->slices, from) : NULL;
	int64_t ts_ns = item->launch_start_ns;
	struct slice_row row;

	if (!track)
		return 0;
	if (!item->launch_id) {
		int n = slices_read(g->slices, track, from, &row, 1, err);
		if (n <= 0)
			return n;
		ts_ns = row.ts_ns;
	}
	const struct module_call *call = call_at(g, track, ts_ns);
	if (!call)
		return 0;
	add_device_time(g, call->node, item);
	return 0;
}

/*
 * A replayed kernel is of the modules that captured it, below none of those around the
 * launch of the graph; false: they are not known.
 */
static bool add_captured(struct gathering *g, struct graph_names *names,
			 const struct text_pool *texts, size_t item,
			 const struct work_item *of)
{
	const uint32_t *nodes;
	size_t n = call_path_nodes(&names->paths, graph_names_of(names, item), &nodes);
	uint32_t at = MODULE_ROOT;

	for (size_t i = 0; i < n; i++) {
		struct str name =
			text_pool_str(texts, call_path_at(&names->paths, nodes[i])->name);
		struct str module = module_of(name);
		if (module.p)
			at = add_node(g->out, at, intern_add(&g->out->texts, module));
	}
	if (at == MODULE_ROOT)
		return false;
	add_device_time(g, at, of);
	return true;
}

/* Do the filters want what the call launched?  Those by name are of calls of modules. */
static int wants_launch(struct gathering *g, const struct work_item *item,
			struct err *err)
{
	const struct slices_track *track = slices_track_of(g->slices, item->launch_id);
	struct slice_row row;

	if (!g->slices->is_filtered)
		return 1;
	int n = track ? slices_read(g->slices, track, item->launch_id, &row, 1, err) : 0;
	return n <= 0 ? n : slices_is_wanted(g->slices, &row, err);
}

static int add_profile(struct gathering *g, struct graph_namer *namer,
		       const struct scope_profile *profile, struct err *err)
{
	struct text_pool *texts = namer->reader.texts;
	struct graph_names names = { .nnamed = 0 };
	struct device_work work;
	int rc = device_work_load(namer->reader.store, texts, profile, WORK_WITH_LAUNCHES,
				  &work, err);

	if (rc == 0)
		rc = graph_names_load(namer, profile, &work, &names, err);
	g->out->has_device |= work.n > 0;
	for (size_t j = 0; j < work.n && rc == 0; j++) {
		const struct work_item *item = &work.items[j];
		int captured = graph_names_of(&names, j) != CALL_PATH_NONE
				       ? wants_launch(g, item, err)
				       : 0;
		if (captured < 0)
			rc = -1;
		else if (!captured || !add_captured(g, &names, texts, j, item))
			rc = add_work(g, item, err);
	}
	graph_names_release(&names);
	device_work_release(&work);
	return rc;
}

static int add_device(struct gathering *g, struct store *store, const struct scope *scope,
		      struct err *err)
{
	struct graph_namer namer;
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	graph_namer_init(&namer, store, &texts);
	for (size_t i = 0; i < scope->n && rc == 0; i++)
		rc = add_profile(g, &namer, &scope->profiles[i], err);
	graph_namer_release(&namer);
	text_pool_close(&texts);
	return rc;
}

/* Totals of the device, from the last node on: parents stand first. */
static void close_tree(struct modules *m)
{
	for (size_t i = m->n; i-- > 1;) {
		struct module_node *node = &m->nodes[i],
				   *parent = &m->nodes[node->parent];
		node->total_device_ns =
			sum_add(node->total_device_ns, node->self_device_ns);
		parent->total_device_ns =
			sum_add(parent->total_device_ns, node->total_device_ns);
		parent->launched += node->launched;
		node->next = parent->first;
		parent->first = (uint32_t)i;
	}
}

/* Is any text of the store the name of one?  Slices are not read for nothing. */
static int has_names(struct store *store, bool *has, struct err *err)
{
	struct query q = query_open(store, asset_query_views_module_texts_sql, err);

	*has = false;
	while (!*has && query_next(&q, err)) {
		struct cell text = query_cell(q.stmt, 0);
		*has = text.type == CELL_TEXT && module_of(text.as.text).p;
	}
	return query_end(&q);
}

int modules_load(struct store *store, const struct scope *scope,
		 const struct filter *filter, struct modules *out, struct err *err)
{
	struct gathering g = { .out = out };
	bool has = false;
	int rc;

	*out = (struct modules){ .n = 0 };
	intern_init(&out->keys);
	intern_init(&out->texts);
	add_node(out, MODULE_NONE, MODULE_NONE);
	rc = slices_open(store, scope, filter, &g.slices, err);
	if (rc == 0)
		rc = has_names(store, &has, err);
	for (size_t i = 0; rc == 0 && has && i < g.slices->ntracks; i++) {
		const struct slices_track *track = &g.slices->tracks[i];
		if (track->is_wanted && !track->is_apart &&
		    strcmp(track->kind, "thread") == 0)
			rc = add_track(&g, track, err);
	}
	if (rc == 0 && has)
		rc = add_device(&g, store, scope, err);
	if (rc == 0 && out->n == 1)
		rc = has && (filter->focus || filter->ignore || g.slices->is_filtered)
			     ? err_set(err, ERR_EMPTY, "no module matches")
			     : err_set(err, ERR_EMPTY, "no modules were recorded%s",
				       scope_in_torch(scope,
						      " (with_stack=True, or Lightning's "
						      "PyTorchProfiler)"));
	if (rc == 0)
		close_tree(out);
	slices_close(g.slices);
	free(g.calls);
	free(g.tracks);
	free(g.open);
	free(g.names);
	return rc;
}

int modules_exist(struct store *store, const struct scope *scope, struct err *err)
{
	const struct filter nothing = { .focus = NULL };
	struct modules m;
	int rc = modules_load(store, scope, &nothing, &m, err);

	modules_release(&m);
	if (rc == 0)
		return 1;
	if (err->kind != ERR_EMPTY)
		return -1;
	*err = (struct err)ERR_INIT;
	return 0;
}

void modules_release(struct modules *m)
{
	intern_release(&m->keys);
	intern_release(&m->texts);
	free(m->nodes);
	*m = (struct modules){ .n = 0 };
}
