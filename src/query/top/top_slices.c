/*
 * The operator table from single slices: see top_rows.h.  Filters choose among
 * the calls behind the operator tree, so that a call's self time is the same
 * whatever is filtered.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "query/top/top_rows.h"

/* A call's float64 times, kept until all calls are there: the order of sums matters. */
struct float_call {
	struct opstat_first first;
	uint32_t row;
	struct top_float times;
};

struct collecting {
	const struct top_query *query;
	const struct scope_profile *profile;
	struct top_rows *rows;
	struct float_call *calls; /* owned; of the newest profile */
	size_t ncalls, calls_cap;
};

static bool is_on_device(const struct slice_call *call)
{
	return call->track->kind == TRACK_STREAM ||
	       call->track->kind == TRACK_STREAM_NOTES;
}

/* --thread lets host slices through, --stream and --device device work: together both. */
static bool is_on_wanted_track(const struct top_rows *rows, const struct filter *f,
			       const struct slice_call *call)
{
	const struct call_track *t = call->track;
	bool wants_device = f->streams.n || f->devices.n;

	if (!is_on_device(call))
		return f->threads.n
			       ? filter_has_thread(f,
						   text_pool_str(&rows->texts, t->thread),
						   text_pool_str(&rows->texts, t->name))
			       : !wants_device;
	if (!wants_device)
		return f->threads.n == 0;
	return filter_has_number(&f->streams, t->stream) &&
	       filter_has_number(&f->devices, t->device);
}

static bool is_wanted(const struct top_rows *rows, const struct filter *f,
		      int64_t profile_id, const struct slice_call *call)
{
	if (call->stat.key.kind == OP_PYTHON && !filter_wants_python(f))
		return false;
	return filter_has_step(f, profile_id, call->step, call->step != NUMBER_NONE) &&
	       filter_has_time(f, call->ts_ns) && filter_has_dur(f, call->dur_ns) &&
	       filter_has_category(f, text_pool_str(&rows->texts, call->category),
				   call->class) &&
	       is_on_wanted_track(rows, f, call);
}

static int64_t split_of_text(uint32_t text)
{
	return text == TEXT_NONE ? SPLIT_NONE : (int64_t)text;
}

struct top_place top_place_of_call(struct top_rows *rows, const struct top_query *query,
				   const struct scope_profile *profile,
				   const struct slice_call *call, bool *wanted)
{
	const struct call_track *t = call->track;
	uint32_t thread = t->name != TEXT_NONE ? t->name : t->thread;
	struct top_place place = { .profile = profile,
				   .shapes = call->shapes,
				   .stack = call->stack,
				   .overload = call->overload };
	int64_t *split = place.split;

	*wanted = is_wanted(rows, query->filter, profile->id, call);
	top_split_by_profile(split, profile);
	split[TOP_BY_STEP] = call->step;
	split[TOP_BY_THREAD] = split_of_text(is_on_device(call) ? TEXT_NONE : thread);
	split[TOP_BY_STREAM] = is_on_device(call) ? t->stream : SPLIT_NONE;
	split[TOP_BY_CATEGORY] = split_of_text(call->category);
	split[TOP_BY_MODULE] = split_of_text(call->module);
	return place;
}

static int add_call(void *to, const struct slice_call *call, struct err *err)
{
	struct collecting *c = to;

	(void)err;
	c->rows->has_device |= is_on_device(call);
	bool wanted;
	const struct top_place place =
		top_place_of_call(c->rows, c->query, c->profile, call, &wanted);
	if (!wanted)
		return 0;
	uint32_t row = top_add(c->rows, c->query, &place, &call->stat);
	if (!c->query->torch_times)
		return 0;
	*ARRAY_PUSH(c->calls, c->ncalls, c->calls_cap) = (struct float_call){
		call->stat.first, row, { call->self_us, call->total_us }
	};
	return 0;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct float_call *calls = context;

	return opstat_is_before(&calls[a].first, &calls[b].first);
}

/* In the order of torch's list of events: by start, over all threads. */
static void add_floats(struct collecting *c, size_t known_rows)
{
	struct top_rows *rows = c->rows;
	uint32_t *at = sorted_places(c->ncalls, is_before, c->calls);

	rows->floats = xrealloc_array(rows->floats, rows->stats.n, sizeof(*rows->floats));
	for (size_t i = known_rows; i < rows->stats.n; i++)
		rows->floats[i] = (struct top_float){ 0, 0 };
	for (size_t i = 0; i < c->ncalls; i++) {
		const struct float_call *call = &c->calls[at[i]];
		rows->floats[call->row].self_us += call->times.self_us;
		rows->floats[call->row].total_us += call->times.total_us;
	}
	free(at);
	c->ncalls = 0;
}

/* Of the texts that were read, categories among them. */
static bool has_text(struct text_pool *texts, const char *text)
{
	size_t known = texts->intern.n;

	return intern_add(&texts->intern, str_of(text)) < known;
}

/* torch names the device by what profiled it; categories begin with it. */
static const char *device_name(struct text_pool *texts)
{
	if (has_text(texts, "xpu_runtime") || has_text(texts, "xpu_driver"))
		return "XPU";
	if (has_text(texts, "mtia_runtime") || has_text(texts, "mtia_ccp_events"))
		return "MTIA";
	return has_text(texts, "hpu_op") ? "HPU" : "CUDA";
}

int top_load_slices(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct top_rows *rows, struct err *err)
{
	struct collecting c = { .query = query, .rows = rows };
	int rc = 0;

	for (size_t i = 0; i < scope->n && rc == 0; i++) {
		size_t known_rows = rows->stats.n;
		c.profile = &scope->profiles[i];
		const struct slice_ops_request request = {
			.profile = c.profile,
			.python = filter_wants_python(query->filter),
			.categories = query->filter->categories.n > 0 ||
				      query->show.asked & TOP_SPLIT(TOP_BY_CATEGORY),
			.as_torch = query->torch_times,
			.call = add_call,
			.to = &c,
		};
		rc = slice_ops_each(store, &rows->texts, &request, err);
		if (rc == 0 && query->torch_times)
			add_floats(&c, known_rows);
	}
	rows->device = device_name(&rows->texts);
	free(c.calls);
	return rc;
}
