/* Regions and steps with their sums: see compile.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/compile/compile_backward.h"
#include "query/compile/compile_kernels.h"
#include "query/devices/device_work.h"
#include "query/query.h"

ASSET(asset_query_views_module_texts_sql);

struct gathering {
	const struct compile_query *query;
	struct compile *out;
	struct compile_read *read;
	struct slices *slices;
	int64_t *graphs;         /* owned; by call: of it and of those in it */
	struct intern step_keys; /* places in the steps, by number */
	struct kernel_gathering kernels;
};

static struct compile_region *region_of(const struct gathering *g,
					const struct compile_call *call)
{
	return &g->out->regions[call->region];
}

static struct compile_step *step_at(struct gathering *g, int64_t number)
{
	struct compile *c = g->out;

	if (number == NUMBER_NONE)
		return NULL;
	uint32_t at = intern_add(&g->step_keys, str_bytes(&number, sizeof(number)));
	if (at == c->nsteps)
		*ARRAY_PUSH(c->steps, c->nsteps, c->steps_cap) =
			(struct compile_step){ .number = number };
	return &c->steps[at];
}

/* Calls in others stand behind these. */
static void count_graphs(struct gathering *g)
{
	const struct compile_read *r = g->read;

	g->graphs = xrealloc_array(NULL, r->ncalls + 1, sizeof(*g->graphs));
	for (size_t i = 0; i < r->ncalls; i++)
		g->graphs[i] = r->has_marks ? r->calls[i].has_mark : r->calls[i].has_ops;
	for (size_t i = r->ncalls; i-- > 0;)
		if (r->calls[i].around != COMPILE_NONE)
			g->graphs[r->calls[i].around] += g->graphs[i];
}

static void add_calls(struct gathering *g)
{
	for (size_t i = 0; i < g->read->ncalls; i++) {
		const struct compile_call *call = &g->read->calls[i];
		struct compile_region *region = region_of(g, call);
		struct compile_step *step;
		if (!call->is_wanted)
			continue;
		bool is_outermost = call->around == COMPILE_NONE;
		int64_t breaks = is_outermost && g->graphs[i] > 1 ? g->graphs[i] - 1 : 0;
		region->calls++;
		region->outermost += is_outermost;
		region->breaks += breaks;
		region->total_ns =
			sum_add(region->total_ns, sum_sub(call->end_ns, call->start_ns));
		region->self_ns = sum_add(region->self_ns, call->self_ns);
		region->lookup_ns = sum_add(region->lookup_ns, call->lookup_ns);
		region->graph_launches += call->graph_launches;
		step = step_at(g, call->step);
		if (!step)
			continue;
		step->calls++;
		step->outermost += is_outermost;
		step->breaks += breaks;
	}
}

/* The region that a compilation made. */
static struct compile_region *made_by(struct gathering *g,
				      const struct compile_range *range)
{
	const struct compile_call *calls = g->read->calls;
	enum compile_pass pass = range->is_backward ? COMPILE_BACKWARD : COMPILE_FORWARD;
	uint32_t id = range->id;

	if (id == COMPILE_NONE && !range->is_backward && range->after != COMPILE_NONE)
		return region_of(g, &calls[range->after]);
	if (id == COMPILE_NONE && range->call != COMPILE_NONE)
		return region_of(g, &calls[range->call]); /* such as autotuning */
	if (id == COMPILE_NONE)
		id = intern_add(&g->out->texts, STR_LIT(""));
	uint32_t at = compile_region_at(g->out, id, pass);
	return &g->out->regions[at]; /* which may have moved */
}

/* Time in which no device worked; `busy` is NULL where none is recorded. */
static int64_t idle_in(const struct compile_range *range, const struct intervals *busy)
{
	int64_t dur_ns = sum_sub(range->end_ns, range->start_ns);

	return busy ? dur_ns - intervals_length_within(busy, range->start_ns,
						       range->end_ns)
		    : 0;
}

static void add_ranges(struct gathering *g, const struct compile_track *t,
		       const struct intervals *busy)
{
	for (size_t i = 0; i < t->nranges; i++) {
		const struct compile_range *range = &g->read->ranges[t->first_range + i];
		int64_t dur_ns = sum_sub(range->end_ns, range->start_ns);
		int64_t idle_ns = idle_in(range, busy);
		struct compile_region *region = made_by(g, range);
		struct compile_step *step;
		if (!range->is_wanted)
			continue;
		bool is_new = !range->is_restart || !region->compilations;
		bool is_again =
			is_new && region->version != NUMBER_NONE && region->version > 0;
		bool is_recompile = is_again && !range->is_backward;
		region->compilations += is_new;
		region->recompilations += is_recompile;
		region->again += is_again;
		region->compile_ns = sum_add(region->compile_ns, dur_ns);
		region->idle_ns = sum_add(region->idle_ns, idle_ns);
		step = step_at(g, range->step);
		if (!step)
			continue;
		region->compile_step_ns = sum_add(region->compile_step_ns, dur_ns);
		step->compilations += is_new;
		step->recompilations += is_recompile;
		step->again += is_again;
		step->compile_ns = sum_add(step->compile_ns, dur_ns);
		step->idle_ns = sum_add(step->idle_ns, idle_ns);
	}
}

static void add_work(struct gathering *g, const struct device_work *work)
{
	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		const struct slices_track *track =
			item->launch_id ? slices_track_of(g->slices, item->launch_id)
					: NULL;
		uint32_t at =
			track ? compile_call_at(g->read, track, item->launch_start_ns)
			      : COMPILE_NONE;
		if (at == COMPILE_NONE || !g->read->calls[at].is_wanted)
			continue;
		struct compile_region *region = region_of(g, &g->read->calls[at]);
		region->device_ns =
			sum_add(region->device_ns, sum_sub(item->end_ns, item->start_ns));
	}
}

static void unite_devices(const struct device_work *work, struct intervals *busy)
{
	*busy = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < work->n; i++)
		intervals_add(busy, work->items[i].start_ns, work->items[i].end_ns);
	intervals_unite(busy);
}

static int add_profile(struct gathering *g, struct store *store, struct text_pool *texts,
		       const struct scope_profile *profile, struct err *err)
{
	struct device_work work;
	struct intervals busy;
	bool of_kernels = g->query->by == COMPILE_BY_KERNEL;
	int rc = device_work_load(store, texts, profile,
				  of_kernels ? WORK_WITH_OPS : WORK_WITH_LAUNCHES, &work,
				  err);

	if (rc == 0) {
		unite_devices(&work, &busy);
		g->out->has_device |= work.n > 0;
		add_work(g, &work);
		if (of_kernels)
			rc = compile_kernels_add(&g->kernels, store, texts, profile,
						 &work, err);
		for (const struct compile_track *t =
			     compile_first_track(g->read, profile);
		     t; t = compile_next_track(g->read, t))
			add_ranges(g, t, work.n ? &busy : NULL);
		intervals_release(&busy);
	}
	device_work_release(&work);
	return rc;
}

/* Is any text of the store a name of torch.compile's?  Slices are not read for nothing. */
static int has_names(struct store *store, bool of_kernels, bool *has, struct err *err)
{
	struct query q = query_open(store, asset_query_views_module_texts_sql, err);
	struct str text;

	*has = false;
	while (!*has && query_next(&q, err)) {
		struct cell name = query_cell(q.stmt, 0);
		enum compile_word word = name.type == CELL_TEXT
						 ? compile_word_of(name.as.text, &text)
						 : COMPILE_WORD_NONE;
		*has = word != COMPILE_WORD_NONE && word != COMPILE_WORD_LAUNCH &&
		       word != COMPILE_WORD_COMPILING_ID &&
		       (of_kernels || word != COMPILE_WORD_MADE);
	}
	return query_end(&q);
}

static int gather(struct gathering *g, struct store *store, const struct scope *scope,
		  struct err *err)
{
	struct text_pool texts;
	int rc = compile_read(store, scope, g->slices, g->out, g->read, err);

	if (rc == 0)
		rc = compile_join_backward(store, g->out, g->read, err);
	if (rc == 0) {
		g->out->has_lookups = g->read->has_lookups;
		count_graphs(g);
		add_calls(g);
	}
	if (rc == 0)
		rc = text_pool_open(store, &texts, err);
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < scope->n && rc == 0; i++)
		rc = add_profile(g, store, &texts, &scope->profiles[i], err);
	text_pool_close(&texts);
	return rc;
}

/* Those that nothing was counted for leave; steps come in order. */
static void tidy(struct compile *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->regions[i].calls || c->regions[i].compilations)
			c->regions[n++] = c->regions[i];
	c->n = n;
	SORT_BY(c->steps, c->nsteps, number);
}

int compile_load(struct store *store, const struct scope *scope,
		 const struct compile_query *query, struct compile *out, struct err *err)
{
	struct compile_read read = { .ncalls = 0 };
	struct gathering g = { .query = query, .out = out, .read = &read };
	bool of_kernels = query->by == COMPILE_BY_KERNEL;
	bool has = false;

	*out = (struct compile){ .is_filtered = query->filter &&
						filter_is_given(query->filter) };
	intern_init(&out->keys);
	intern_init(&out->texts);
	intern_init(&g.step_keys);
	int rc = slices_open(store, scope, query->filter, &g.slices, err);
	if (rc == 0)
		rc = has_names(store, of_kernels, &has, err);
	compile_kernels_init(&g.kernels, out, &read, g.slices);
	if (rc == 0 && has)
		rc = gather(&g, store, scope, err);
	if (rc == 0 && !of_kernels)
		tidy(out); /* kernels know regions by their places */
	if (rc == 0 && (of_kernels ? out->nkernels == 0 : out->n == 0))
		rc = has && g.slices->is_filtered
			     ? err_set(err, ERR_EMPTY, "no %s matches",
				       of_kernels ? "kernel of compiled code"
						  : "compiled region")
			     : err_set(err, ERR_EMPTY, "no %s was recorded%s",
				       of_kernels ? "kernel of compiled code"
						  : "compiled region",
				       scope_in_torch(scope, " (torch.compile)"));
	compile_kernels_release(&g.kernels);
	slices_close(g.slices);
	compile_read_release(&read);
	intern_release(&g.step_keys);
	free(g.graphs);
	return rc;
}

void compile_release(struct compile *c)
{
	intern_release(&c->keys);
	intern_release(&c->texts);
	free(c->regions);
	free(c->steps);
	free(c->kernels);
	*c = (struct compile){ .n = 0 };
}
