/* The timeline of a scope: see timeline.h. */
#include "query/timeline/timeline.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/step_outliers.h"
#include "query/timeline/timeline_made.h"

ASSET(asset_query_views_step_ranges_sql);

/* Columns of views/step_ranges.sql. */
enum { STEP_ID, STEP_NUMBER, STEP_TS, STEP_DUR };

struct timeline_view {
	struct timeline timeline; /* first: it is what others hold */
	const struct scope *scope;
	const struct filter *filter;
	struct timeline_shared shared;
	struct gap_ranks ranks;
	struct timeline_profile *profiles; /* owned */
	struct timeline_step *steps;       /* owned */
	size_t nsteps, steps_cap;
	struct timeline_window *whole; /* owned */
	size_t nwhole, whole_cap;
	const char *classes[TIMELINE_CLASS_CAUSE + NGAP_CAUSES]; /* in the arena */
	size_t at; /* of the profile that is being read */
	struct timeline_reader reader;
	struct timeline_made made;
	bool has_reader, has_made;
	bool is_aligned;    /* profiles are shifted by collectives */
	bool bundles_steps; /* all of them, also those of which slices are kept by default */
};

static int load_steps(struct timeline_view *v, size_t place, struct err *err)
{
	struct query q =
		query_of_profile(v->shared.store, asset_query_views_step_ranges_sql,
				 &v->scope->profiles[place], err);

	while (query_next(&q, err)) {
		struct timeline_step step = {
			.profile = place,
			.number = sqlite3_column_int64(q.stmt, STEP_NUMBER),
			.start_ns = sqlite3_column_int64(q.stmt, STEP_TS),
			.dur_ns = sqlite3_column_int64(q.stmt, STEP_DUR),
		};
		if (!query_is_time(step.start_ns, step.dur_ns))
			q.rc = query_damaged("steps", err);
		*ARRAY_PUSH(v->steps, v->nsteps, v->steps_cap) = step;
	}
	return query_end(&q);
}

static int load_classes(struct timeline_view *v, struct err *err)
{
	struct query q =
		query_open(v->shared.store, asset_query_views_slice_classes_sql, err);

	for (size_t i = 0; i < NCLASSES; i++)
		v->classes[i] = "other";
	while (query_next(&q, err)) {
		int64_t id = sqlite3_column_int64(q.stmt, 0);
		const char *name = (const char *)sqlite3_column_text(q.stmt, 1);
		if (id >= 0 && id < NCLASSES && name)
			v->classes[id] = arena_strdup(&v->shared.arena, name);
	}
	v->classes[TIMELINE_CLASS_BUNDLE] = "bundle";
	v->classes[TIMELINE_CLASS_COLLECTIVE] = "collective";
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		v->classes[TIMELINE_CLASS_CAUSE + i] =
			arena_printf(&v->shared.arena, "idle %s",
				     gap_causes[i].code ? gap_causes[i].code : "");
	return query_end(&q);
}

/* Clocks. */

static const struct gap_rank *rank_of(const struct timeline_view *v, int64_t profile_id)
{
	for (size_t i = 0; i < v->ranks.n; i++)
		if (v->ranks.ranks[i].profile->id == profile_id)
			return &v->ranks.ranks[i];
	return NULL;
}

/*
 * When a profile begins in the clock that all share: by collectives, which tell it of ranks
 * that are aligned to one, or as the files say.
 */
static bool find_start(const struct timeline_view *v, const struct scope_profile *p,
		       bool by_collectives, int64_t *start_ns)
{
	const struct gap_rank *rank = rank_of(v, p->id);
	const struct gap_rank *first = rank_of(v, v->scope->profiles[0].id);

	*start_ns = 0;
	if (by_collectives && rank && first && rank->aligned_to == first->aligned_to)
		*start_ns = sum_sub(0, rank->clock_ns);
	else if (!by_collectives && p->has_base)
		*start_ns = sum_add(p->base_ns, p->start_ns);
	else
		return false;
	return true;
}

/* False: of some profile it is not known. */
static bool shift_by(struct timeline_view *v, bool by_collectives)
{
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < v->scope->n; i++) {
		int64_t *start_ns = &v->profiles[i].shift_ns;
		if (!find_start(v, &v->scope->profiles[i], by_collectives, start_ns))
			return false;
		if (*start_ns < first_ns)
			first_ns = *start_ns;
	}
	for (size_t i = 0; i < v->scope->n; i++)
		v->profiles[i].shift_ns = sum_sub(v->profiles[i].shift_ns, first_ns);
	return true;
}

/* Recordings that lie hours apart are shown as if they began together. */
#define FAR_APART_NS INT64_C(3600000000000)

static void shift_profiles(struct timeline_view *v)
{
	v->is_aligned = v->scope->n > 1 && shift_by(v, true);
	bool is_known = v->is_aligned || (v->scope->n > 1 && shift_by(v, false));

	for (size_t i = 0; is_known && i < v->scope->n; i++)
		is_known = v->profiles[i].shift_ns < FAR_APART_NS;
	v->is_aligned &= is_known;
	for (size_t i = 0; !is_known && i < v->scope->n; i++)
		v->profiles[i].shift_ns = 0;
}

/* What is not bundled. */

/* The slowest step and the one nearest the median, of those that are wanted. */
static void add_usual(const struct timeline_view *v, size_t place, struct intervals *to)
{
	const struct timeline_step *slowest = NULL, *nearest = NULL;
	int64_t *ns = xrealloc_array(NULL, v->nsteps + 1, sizeof(*ns));
	size_t n = 0;

	for (size_t i = 0; i < v->nsteps; i++)
		if (v->steps[i].profile == place)
			ns[n++] = v->steps[i].dur_ns;
	int64_t median_ns = n ? step_median(ns, n) : 0;
	for (size_t i = 0; i < v->nsteps; i++) {
		const struct timeline_step *s = &v->steps[i];
		if (s->profile != place)
			continue;
		if (!slowest || s->dur_ns > slowest->dur_ns)
			slowest = s;
		if (!nearest ||
		    llabs(s->dur_ns - median_ns) < llabs(nearest->dur_ns - median_ns))
			nearest = s;
	}
	if (slowest)
		intervals_add(to, slowest->start_ns, slowest->start_ns + slowest->dur_ns);
	if (nearest)
		intervals_add(to, nearest->start_ns, nearest->start_ns + nearest->dur_ns);
	free(ns);
}

static void find_whole(struct timeline_view *v, size_t place, struct intervals *out)
{
	const struct filter *f = v->filter;
	struct intervals steps = { .n = 0 };

	*out = (struct intervals){ .n = 0 };
	if (!f || (!f->has_steps && !f->has_times)) {
		if (!v->bundles_steps)
			add_usual(v, place, out);
		intervals_unite(out);
		return;
	}
	for (size_t i = 0; i < v->nsteps; i++)
		if (v->steps[i].profile == place &&
		    filter_has_step(f, v->scope->profiles[place].id, v->steps[i].number,
				    true))
			intervals_add(&steps, v->steps[i].start_ns,
				      v->steps[i].start_ns + v->steps[i].dur_ns);
	if (!f->has_steps)
		intervals_add(&steps, 0, INT64_MAX);
	intervals_unite(&steps);
	intervals_within(&steps, f->has_times ? f->from_ns : 0,
			 f->has_times ? f->to_ns : INT64_MAX, out);
	intervals_release(&steps);
}

static int open_reader(struct timeline_view *v, size_t place, struct err *err)
{
	v->has_reader = true;
	if (timeline_reader_open(&v->shared, &v->scope->profiles[place], place,
				 &v->reader, err) < 0)
		return -1;
	find_whole(v, place, &v->reader.whole);
	return 0;
}

static void close_reader(struct timeline_view *v)
{
	timeline_reader_close(&v->reader);
	timeline_made_release(&v->made);
	v->has_reader = v->has_made = false;
}

static void keep_whole(struct timeline_view *v, size_t place)
{
	for (size_t i = 0; i < v->reader.whole.n; i++)
		*ARRAY_PUSH(v->whole, v->nwhole, v->whole_cap) =
			(struct timeline_window){ place,
						  v->reader.whole.items[i].start_ns,
						  v->reader.whole.items[i].end_ns };
}

/* What thresholds bundle, and how many slices there are. */
static int count_slices(struct timeline_view *v, struct bundler *bundler, int64_t *slices,
			struct err *err)
{
	int rc = 0;

	*bundler = (struct bundler){ .nrows = 0 };
	*slices = 0;
	v->nwhole = 0;
	for (size_t i = 0; rc == 0 && i < v->scope->n; i++) {
		rc = open_reader(v, i, err);
		if (rc == 0)
			rc = timeline_reader_count(&v->reader, bundler->joins, slices,
						   err);
		keep_whole(v, i);
		close_reader(v);
	}
	return rc;
}

/*
 * Are there so many slices that some are bundled, and which?  Steps that nobody asked for
 * are bundled too where they alone hold too many.
 */
static int choose_bundles(struct timeline_view *v, int64_t most, struct err *err)
{
	bool is_asked = v->filter && (v->filter->has_steps || v->filter->has_times);
	struct bundler bundler;
	int64_t all = 0, slices;
	unsigned k;

	for (size_t i = 0; i < v->scope->n; i++)
		all = sum_add(all, v->scope->profiles[i].slices);
	if (most <= 0 || all <= most)
		return 0;
	if (count_slices(v, &bundler, &slices, err) < 0)
		return -1;
	if (slices <= most)
		return 0;
	if (!bundler_choose(&bundler, slices, most, &k) && !is_asked) {
		v->bundles_steps = true;
		if (count_slices(v, &bundler, &slices, err) < 0)
			return -1;
		bundler_choose(&bundler, slices, most, &k);
	}
	v->shared.bundle_ns = INT64_C(1) << (k < 62 ? k : 62);
	return 0;
}

static int next_of_profile(struct timeline_view *v, struct timeline_track *out,
			   struct err *err)
{
	if (!v->has_reader && (open_reader(v, v->at, err) < 0 ||
			       timeline_reader_begin(&v->reader, err) < 0))
		return -1;
	if (!v->has_made) {
		int rc = timeline_reader_next(&v->reader, out, err);
		if (rc != 0)
			return rc;
		v->has_made = true;
		if (timeline_made_load(&v->reader, &v->ranks, &v->made, err) < 0)
			return -1;
	}
	return timeline_made_next(&v->made, &v->shared, out);
}

static int next(struct timeline *t, struct timeline_track *out, struct err *err)
{
	struct timeline_view *v = (struct timeline_view *)t;

	for (; v->at < v->scope->n; v->at++) {
		int rc = next_of_profile(v, out, err);
		if (rc != 0)
			return rc;
		close_reader(v);
	}
	return 0;
}

static void head(struct timeline *t, struct timeline_head *out)
{
	struct timeline_view *v = (struct timeline_view *)t;

	*out = (struct timeline_head){
		.profiles = v->profiles,
		.nprofiles = v->scope->n,
		.names = v->shared.names.items,
		.nnames = v->shared.names.n,
		.classes = v->classes,
		.nclasses = TIMELINE_CLASS_CAUSE + NGAP_CAUSES,
		.details = &v->shared.details.table,
		.steps = v->steps,
		.nsteps = v->nsteps,
		.slices = v->shared.slices,
		.bundled = v->shared.bundled,
		.bundle_ns = v->shared.bundle_ns,
		.whole = v->whole,
		.nwhole = v->nwhole,
		.is_aligned = v->is_aligned,
	};
}

static void free_view(struct timeline *t)
{
	struct timeline_view *v = (struct timeline_view *)t;
	struct timeline_shared *s = &v->shared;

	close_reader(v);
	gap_ranks_close(&v->ranks);
	slice_pack_close(&s->host);
	slice_pack_close(&s->device);
	collective_facts_release(&s->facts);
	counter_spans_release(&s->counters);
	timeline_details_release(&s->details);
	timeline_names_release(&s->names);
	text_pool_close(&s->texts);
	arena_release(&s->arena);
	free(s->communicates);
	free(v->profiles);
	free(v->steps);
	free(v->whole);
	free(v);
}

static int open_shared(struct timeline_view *v, struct err *err)
{
	struct timeline_shared *s = &v->shared;
	struct store *store = s->store;

	if (text_pool_open(store, &s->texts, err) < 0 ||
	    collective_facts_load(store, &s->texts, NULL, &s->facts, err) < 0 ||
	    counter_spans_load(store, &s->counters, err) < 0 ||
	    slice_pack_open(store, PACKED_NAME | PACKED_CLASS | PACKED_DETAIL, &s->host,
			    err) < 0 ||
	    slice_pack_open(store, PACKED_NAME | PACKED_CLASS | PACKED_LAUNCH | PACKED_OP,
			    &s->device, err) < 0)
		return -1;
	s->bundle_text = intern_add(&s->texts.intern, STR_LIT("short slices"));
	return gap_ranks_open(store, &s->texts, v->scope->profiles[0].run, &v->ranks,
			      err);
}

static int open_view(struct timeline_view *v, const struct timeline_request *request,
		     struct err *err)
{
	if (open_shared(v, err) < 0 || load_classes(v, err) < 0)
		return -1;
	v->profiles = xcalloc(v->scope->n, sizeof(*v->profiles));
	for (size_t i = 0; i < v->scope->n; i++) {
		const struct scope_profile *p = &v->scope->profiles[i];
		v->profiles[i] = (struct timeline_profile){
			.rank = scope_rank_cell(p),
			.path = str_of(p->path),
			.dur_ns = p->dur_ns,
		};
		if (load_steps(v, i, err) < 0)
			return -1;
	}
	shift_profiles(v);
	return choose_bundles(v, request->max_slices, err);
}

int timeline_open(struct store *store, const struct scope *scope,
		  const struct timeline_request *request, struct timeline **out,
		  struct err *err)
{
	struct timeline_view *v = xcalloc(1, sizeof(*v));

	v->timeline = (struct timeline){ .next = next, .head = head, .free = free_view };
	v->scope = scope;
	v->filter = request->filter;
	v->shared.store = store;
	timeline_details_init(&v->shared.details, &v->shared.texts);
	*out = &v->timeline;
	if (open_view(v, request, err) == 0)
		return 0;
	free_view(&v->timeline);
	*out = NULL;
	return -1;
}

void timeline_free(struct timeline *t)
{
	if (t)
		t->free(t);
}
