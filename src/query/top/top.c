/* The operator table: see top.h. */
#include "query/top/top.h"

#include "base/decimal.h"
#include "query/filter_nothing.h"
#include "query/kernels/modules.h"
#include "query/top/top_rows.h"

/* ":5" behind a word. */
static int read_frames(struct top_query *query, struct str word, size_t name,
		       struct err *err)
{
	struct str frames = { word.p + name + 1, word.n - name - 1 };

	if (str_is((struct str){ word.p, name }, "stack") &&
	    decimal_text_int(frames, &query->stack_frames) == DECIMAL_OK &&
	    query->stack_frames > 0)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by stack:N wants a number of frames, and only stack takes one");
}

static int add_word(struct top_query *query, struct str word, struct err *err)
{
	const char *colon = word.n ? memchr(word.p, ':', word.n) : NULL;
	struct str name = { word.p, colon ? (size_t)(colon - word.p) : word.n };

	for (const struct view_word *w = top_view.by; w->name; w++)
		if (str_is(name, w->name)) {
			query->show.asked |= w->asks;
			return colon ? read_frames(query, word, name.n, err) : 0;
		}
	return err_set(err, ERR_USAGE, "unknown --by '" STR_FMT "'",
		       (int)(word.n < 100 ? word.n : 100), word.p);
}

int top_by_add(struct top_query *query, const char *list, struct err *err)
{
	do {
		struct str word = { list, strcspn(list, ",") };
		if (add_word(query, word, err) < 0)
			return -1;
		list += word.n;
	} while (*list++ == ',');
	return 0;
}

static bool needs_slices(const struct top_query *query)
{
	unsigned asked = query->show.asked;
	bool by_detail = asked & (TOP_SHAPE | TOP_STACK | TOP_OVERLOAD);
	bool by_step = asked & TOP_SPLIT(TOP_BY_STEP) || query->filter->has_steps;
	unsigned places = TOP_SPLIT(TOP_BY_THREAD) | TOP_SPLIT(TOP_BY_STREAM) |
			  TOP_SPLIT(TOP_BY_CATEGORY) | TOP_SPLIT(TOP_BY_MODULE);

	return filter_needs_slices(query->filter) || (by_detail && by_step) ||
	       asked & places;
}

/* What can be asked for beside the names, and why it may not be there. */
static const struct asked {
	unsigned bit;
	const char *field, *missing, *how; /* in PyTorch */
} asked[] = {
	{ TOP_SHAPE, "input_shapes", "--by shape: no shapes were recorded",
	  " (record_shapes=True)" },
	{ TOP_STACK, "stack", "--by stack: no stacks of operators were recorded",
	  " (with_stack=True, and since torch 2.0 _ExperimentalConfig(verbose=True))" },
	{ TOP_OVERLOAD, "overload", "--by overload: no overloads were recorded",
	  " (_ExperimentalConfig(capture_overload_names=True))" },
	{ TOP_FLOPS, "flops",
	  "--flops: no operator with a known count has its shapes recorded",
	  " (record_shapes=True)" },
	{ TOP_TENSOR_CORES, "self_tensor_core_ns",
	  "--tensor-cores: no device work was recorded", " (ProfilerActivity.CUDA)" },
	{ TOP_SPLIT(TOP_BY_MODULE), "module",
	  "--by module: no modules of operators were recorded", " (with_modules=True)" },
	{ TOP_SPLIT(TOP_BY_CATEGORY), "category",
	  "--by category: no slice here has a category", "" },
	{ TOP_SPLIT(TOP_BY_THREAD), "thread",
	  "--by thread: nothing here runs on a thread", "" },
	{ TOP_SPLIT(TOP_BY_STREAM), "stream",
	  "--by stream: nothing here runs on a stream", "" },
	{ TOP_SPLIT(TOP_BY_STEP), "step", "--by step: nothing here belongs to a step",
	  " (profiler.step())" },
	{ TOP_SPLIT(TOP_BY_RANK), "rank", "--by rank: no rank was recorded",
	  " (torch.distributed)" },
	{ TOP_SPLIT(TOP_BY_AXES + AXIS_TP), "tp",
	  "--by tp: neither recordings nor file names give it", "" },
	{ TOP_SPLIT(TOP_BY_AXES + AXIS_DP), "dp",
	  "--by dp: neither recordings nor file names give it", "" },
	{ TOP_SPLIT(TOP_BY_AXES + AXIS_PP), "pp",
	  "--by pp: neither recordings nor file names give it", "" },
	{ TOP_SPLIT(TOP_BY_AXES + AXIS_EP), "ep",
	  "--by ep: neither recordings nor file names give it", "" },
	{ TOP_SPLIT(TOP_BY_AXES + AXIS_CP), "cp",
	  "--by cp: neither recordings nor file names give it", "" },
	{ TOP_SPLIT(TOP_BY_PROFILE), "profile", "--by profile: no profile has a path",
	  "" },
};

void top_split_by_profile(int64_t *split, const struct scope_profile *profile)
{
	split[TOP_BY_RANK] = profile->has_rank ? profile->rank : SPLIT_NONE;
	split[TOP_BY_PROFILE] = profile->id;
	for (int a = 0; a < NAXES; a++)
		split[TOP_BY_AXES + a] = profile->axes.at[a];
}

/* Operators name their modules seldom; calls of modules may be there all the same. */
static int lacks_modules(struct store *store, const struct scope *scope,
			 const struct asked *a, struct err *err)
{
	int exist = modules_exist(store, scope, err);

	if (exist < 0)
		return -1;
	return err_set(
		err, ERR_EMPTY, "%s%s%s", a->missing, scope_in_torch(scope, a->how),
		exist ? "; 'ptool modules' shows the calls of modules that were" : "");
}

/* What is asked for must have been recorded: an empty column would not say why. */
static int check_asked(struct store *store, const struct top_rows *rows,
		       const struct scope *scope, const struct top_query *query,
		       struct err *err)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		const struct asked *a = &asked[i];
		if (!(query->show.asked & a->bit) ||
		    !top_is_nowhere(rows, view_field_called(&top_view, str_of(a->field))))
			continue;
		return a->bit == TOP_SPLIT(TOP_BY_MODULE)
			       ? lacks_modules(store, scope, a, err)
			       : err_set(err, ERR_EMPTY, "%s%s", a->missing,
					 scope_in_torch(scope, a->how));
	}
	return 0;
}

int top_load(struct store *store, const struct scope *scope,
	     const struct top_query *query, struct top_rows *out, struct err *err)
{
	*out = (struct top_rows){ .scope = scope,
				  .has_memory = scope_has_memory(scope),
				  .device = "CUDA" };
	opstats_init(&out->stats);
	intern_init(&out->splits);
	if (text_pool_open(store, &out->texts, err) < 0)
		return -1;
	bool is_printed = scope_is_printed(scope), by_slices = needs_slices(query);
	if (is_printed && by_slices)
		return err_set(err, ERR_EMPTY,
			       "a printed table has no single calls, which these options "
			       "need: ingest the trace");
	by_slices |= query->torch_times && !is_printed;
	int rc = by_slices ? top_load_slices(store, scope, query, out, err)
			   : top_load_summaries(store, scope, query, out, err);
	if (rc == 0 && !by_slices && !is_printed)
		rc = top_add_captured(store, scope, query, out, err);
	if (rc == 0 && query->show.asked & TOP_TENSOR_CORES)
		rc = top_load_tensor(store, scope, query, out, err);
	if (rc < 0)
		return -1;
	top_add_totals(out, query->filter);
	if (is_printed && top_add_printed_totals(store, out, err) < 0)
		return -1;
	if (top_order(out, query, err) < 0)
		return -1;
	if (out->nmatched == 0 && !filter_is_given(query->filter))
		return filter_lacks(scope, "operators", err);
	if (out->nmatched == 0)
		return err_set(err, ERR_EMPTY, "no operator matches");
	return check_asked(store, out, scope, query, err);
}

const char *top_scope_note(const struct scope *scope, bool has_by, struct arena *arena)
{
	bool is_ranks = scope->nranks == scope->n;
	const char *what = is_ranks ? "rank" : "profile";

	if (scope->n < 2)
		return NULL;
	if (has_by)
		return arena_printf(arena,
				    "%zu %ss added up; --by %s shows them separately",
				    scope->n, what, what);
	return arena_printf(arena, "%zu %ss added up; --%s %s shows one", scope->n, what,
			    what, is_ranks ? "N" : "ID");
}
