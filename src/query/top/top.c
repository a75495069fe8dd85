/* The operator table: see top.h. */
#include "query/top/top.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "query/filter_nothing.h"
#include "query/kernels/modules.h"
#include "query/top/top_rows.h"
#include "query/top/top_tensor.h"

/* A word of --by, and where it lands in struct top_by. */
struct by_word {
	const char *name;
	size_t offset; /* of a bool, or NOWHERE */
};

#define NOWHERE SIZE_MAX

#define BY(member)    offsetof(struct top_by, member)
#define SPLIT(column) (offsetof(struct top_by, split) + (column)-TOP_FIRST_SPLIT)

static const struct by_word by_words[] = {
	{ "name", NOWHERE }, /* always */
	{ "shape", BY(shape) },
	{ "stack", BY(stack) },
	{ "overload", BY(overload) },
	{ "annotation", BY(annotation) },
	{ "module", SPLIT(TOP_MODULE) },
	{ "category", SPLIT(TOP_CATEGORY) },
	{ "thread", SPLIT(TOP_THREAD) },
	{ "stream", SPLIT(TOP_STREAM) },
	{ "step", SPLIT(TOP_STEP) },
	{ "rank", SPLIT(TOP_RANK) },
	{ "profile", SPLIT(TOP_PROFILE) },
};

#define NBY_WORDS (sizeof(by_words) / sizeof(*by_words))

const char *top_by_name(size_t i)
{
	return i < NBY_WORDS ? by_words[i].name : NULL;
}

static int unknown_word(struct str word, struct err *err)
{
	return err_set(err, ERR_USAGE, "unknown --by '" STR_FMT "'",
		       (int)(word.n < 100 ? word.n : 100), word.p);
}

static int add_word(struct top_by *by, struct str word, struct err *err)
{
	const char *colon = word.n ? memchr(word.p, ':', word.n) : NULL;
	struct str name = { word.p, colon ? (size_t)(colon - word.p) : word.n };

	for (size_t i = 0; i < NBY_WORDS; i++) {
		if (!str_is(name, by_words[i].name))
			continue;
		if (by_words[i].offset != NOWHERE)
			*((bool *)((char *)by + by_words[i].offset)) = true;
		if (!colon)
			return 0;
		struct str frames = { colon + 1, word.n - name.n - 1 };
		if (!str_is(name, "stack") ||
		    decimal_text_int(frames, &by->stack_frames) != DECIMAL_OK ||
		    by->stack_frames < 1)
			return err_set(
				err, ERR_USAGE,
				"--by stack:N wants a number of frames, and only stack "
				"takes one");
		return 0;
	}
	return unknown_word(word, err);
}

int top_by_add(struct top_by *by, const char *list, struct err *err)
{
	do {
		struct str word = { list, strcspn(list, ",") };
		if (add_word(by, word, err) < 0)
			return -1;
		list += word.n;
	} while (*list++ == ',');
	return 0;
}

static bool needs_slices(const struct top_query *query)
{
	const struct top_by *by = &query->by;
	bool by_detail = by->shape || by->stack || by->overload;
	bool by_step = by->split[top_split(TOP_STEP)] || query->filter->has_steps;

	return query->torch_times || filter_needs_slices(query->filter) ||
	       (by_detail && by_step) || by->split[top_split(TOP_THREAD)] ||
	       by->split[top_split(TOP_STREAM)] || by->split[top_split(TOP_CATEGORY)] ||
	       by->split[top_split(TOP_MODULE)];
}

static bool has_memory(const struct scope *scope)
{
	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].has_memory)
			return true;
	return false;
}

/* What can be asked for beside the names, and why it may not be there. */
static const struct asked {
	enum top_column column;
	size_t offset; /* of a bool in struct top_query */
	const char *missing;
} asked[] = {
#define ASK(column, member, missing)                                \
	{                                                           \
		column, offsetof(struct top_query, member), missing \
	}
#define ASK_SPLIT(column, missing)                                                       \
	{                                                                                \
		column, offsetof(struct top_query, by.split) + (column)-TOP_FIRST_SPLIT, \
			missing                                                          \
	}
	ASK(TOP_SHAPES, by.shape,
	    "--by shape: no shapes were recorded (record_shapes=True)"),
	ASK(TOP_STACK, by.stack,
	    "--by stack: no stacks of operators were recorded (with_stack=True, and since "
	    "torch 2.0 _ExperimentalConfig(verbose=True))"),
	ASK(TOP_OVERLOAD, by.overload,
	    "--by overload: no overloads were recorded "
	    "(_ExperimentalConfig(capture_overload_names=True))"),
	ASK(TOP_FLOPS, flops,
	    "--flops: no operator with a known count has its shapes recorded "
	    "(record_shapes=True)"),
	ASK(TOP_TENSOR_SELF, tensor_cores,
	    "--tensor-cores: no device work was recorded (ProfilerActivity.CUDA)"),
	ASK_SPLIT(
		TOP_MODULE,
		"--by module: no modules of operators were recorded (with_modules=True)"),
	ASK_SPLIT(TOP_CATEGORY, "--by category: no slice here has a category"),
	ASK_SPLIT(TOP_THREAD, "--by thread: nothing here runs on a thread"),
	ASK_SPLIT(TOP_STREAM, "--by stream: nothing here runs on a stream"),
	ASK_SPLIT(TOP_STEP,
		  "--by step: nothing here belongs to a step (profiler.step())"),
	ASK_SPLIT(TOP_RANK, "--by rank: no rank was recorded (torch.distributed)"),
	ASK_SPLIT(TOP_PROFILE, "--by profile: no profile has a path"),
#undef ASK
#undef ASK_SPLIT
};

static bool is_nowhere(const struct top_rows *rows, const struct scope *scope,
		       enum top_column column)
{
	for (uint32_t row = 0; row < rows->stats.n; row++)
		if (top_cell(rows, scope, row, column).type != CELL_NULL)
			return false;
	return true;
}

static bool is_asked(const struct top_query *query, const struct asked *a)
{
	return *(const bool *)((const char *)query + a->offset);
}

/* Every row is the same in what does not tell rows apart; torch knows no such order. */
static int check_sort(const struct top_query *query, struct err *err)
{
	const struct sort_key *key = query->sort;

	if (!key || key->column == TOP_FLOPS)
		return 0;
	if (key->column >= TOP_TENSOR_ELIGIBLE && key->column <= TOP_TENSOR_TOTAL_UNKNOWN)
		return query->tensor_cores
			       ? 0
			       : err_set(err, ERR_USAGE, "--sort %s needs --tensor-cores",
					 key->name);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
		if ((int)asked[i].column == key->column && !is_asked(query, &asked[i]))
			return err_set(err, ERR_USAGE, "--sort %s needs %.*s", key->name,
				       (int)strcspn(asked[i].missing, ":"),
				       asked[i].missing);
	return 0;
}

const char *top_sort_note(const struct top_rows *rows, const struct scope *scope,
			  const struct top_query *query, struct arena *arena)
{
	const struct sort_key *key = query->sort;

	if (!key || key->column == TOP_NONE)
		return NULL;
	if (is_nowhere(rows, scope, rows->sorted_by))
		return arena_printf(arena,
				    "no %s was recorded: rows are in the order of their "
				    "first calls",
				    key->name);
	return key->column == TOP_FLOPS && !query->flops
		       ? "sorted by flops, which --flops shows"
		       : NULL;
}

/* Operators name their modules seldom; calls of modules may be there all the same. */
static int lacks_modules(struct store *store, const struct scope *scope,
			 const struct asked *a, struct err *err)
{
	int exist = modules_exist(store, scope, err);

	if (exist < 0)
		return -1;
	return err_set(err, ERR_EMPTY, "%s%s", a->missing,
		       exist ? "; 'ptool modules' shows the calls of modules that were"
			     : "");
}

/* What is asked for must have been recorded: an empty column would not say why. */
static int check_asked(struct store *store, const struct top_rows *rows,
		       const struct scope *scope, const struct top_query *query,
		       struct err *err)
{
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		const struct asked *a = &asked[i];
		if (!is_asked(query, a) || !is_nowhere(rows, scope, a->column))
			continue;
		return a->column == TOP_MODULE
			       ? lacks_modules(store, scope, a, err)
			       : err_set(err, ERR_EMPTY, "%s", a->missing);
	}
	return 0;
}

int top_load(struct store *store, const struct scope *scope,
	     const struct top_query *query, struct top_rows *out, struct err *err)
{
	*out = (struct top_rows){ .has_memory = has_memory(scope), .device = "CUDA" };
	opstats_init(&out->stats);
	intern_init(&out->splits);
	if (check_sort(query, err) < 0 || text_pool_open(store, &out->texts, err) < 0)
		return -1;
	int rc = needs_slices(query) ? top_load_slices(store, scope, query, out, err)
				     : top_load_summaries(store, scope, query, out, err);
	if (rc == 0 && query->tensor_cores)
		rc = top_load_tensor(store, scope, query, out, err);
	if (rc < 0 || top_order(out, scope, query, err) < 0)
		return -1;
	if (out->nmatched == 0 && !filter_is_given(query->filter))
		return filter_lacks(scope, "operators", err);
	if (out->nmatched == 0)
		return err_set(err, ERR_EMPTY, "no operator matches");
	return check_asked(store, out, scope, query, err);
}

const char *top_scope_note(const struct scope *scope, struct arena *arena)
{
	if (scope->n < 2)
		return NULL;
	if (scope->nranked == scope->n)
		return arena_printf(arena,
				    "%zu ranks added up; --by rank tells them apart",
				    scope->nranks);
	return arena_printf(arena, "%zu profiles added up; --by profile tells them apart",
			    scope->n);
}
