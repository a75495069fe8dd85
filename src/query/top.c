/* The operator table: see top.h. */
#include "query/top.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "ingest/decimal.h"
#include "query/top_rows.h"

/* A word of --by, and where it lands in struct top_by. */
struct by_word {
	const char *name;
	size_t offset; /* of a bool */
};

#define BY(member)    offsetof(struct top_by, member)
#define SPLIT(column) (offsetof(struct top_by, split) + (column) - TOP_FIRST_SPLIT)

static const struct by_word by_words[] = {
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
	return err_set(err, ERR_USAGE,
		       "unknown --by '" STR_FMT "' (valid: name, shape, stack[:N], overload, "
		       "annotation, module, category, thread, stream, step, rank, profile)",
		       (int)(word.n < 100 ? word.n : 100), word.p);
}

static int add_word(struct top_by *by, struct str word, struct err *err)
{
	const char *colon = word.n ? memchr(word.p, ':', word.n) : NULL;
	struct str name = { word.p, colon ? (size_t)(colon - word.p) : word.n };

	if (str_is(word, "name"))
		return 0;
	for (size_t i = 0; i < NBY_WORDS; i++) {
		if (!str_is(name, by_words[i].name))
			continue;
		*((bool *)((char *)by + by_words[i].offset)) = true;
		if (!colon)
			return 0;
		struct str frames = { colon + 1, word.n - name.n - 1 };
		if (!str_is(name, "stack") || decimal_int(frames, &by->stack_frames) != DECIMAL_OK ||
		    by->stack_frames < 1)
			return err_set(err, ERR_USAGE,
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
	bool by_step = by->split[TOP_STEP - TOP_FIRST_SPLIT] || query->filter->has_steps;

	return query->torch_times || filter_needs_slices(query->filter) ||
	       (by_detail && by_step) || by->split[TOP_THREAD - TOP_FIRST_SPLIT] ||
	       by->split[TOP_STREAM - TOP_FIRST_SPLIT] ||
	       by->split[TOP_CATEGORY - TOP_FIRST_SPLIT] ||
	       by->split[TOP_MODULE - TOP_FIRST_SPLIT];
}

static bool any_profile_has(const struct scope *scope, size_t offset)
{
	for (size_t i = 0; i < scope->n; i++)
		if (*((const bool *)((const char *)&scope->profiles[i] + offset)))
			return true;
	return false;
}

#define RECORDED(scope, member) any_profile_has(scope, offsetof(struct scope_profile, member))

/* What is asked for must have been recorded: an empty column would not say why. */
static int check_recorded(const struct scope *scope, const struct top_query *query,
			  struct err *err)
{
	const struct top_by *by = &query->by;

	if (by->shape && !RECORDED(scope, has_shapes))
		return err_set(err, ERR_EMPTY,
			       "--by shape: no shapes were recorded (profile with record_shapes=True)");
	if (by->stack && !RECORDED(scope, has_stacks))
		return err_set(err, ERR_EMPTY,
			       "--by stack: no stacks were recorded (profile with with_stack=True)");
	if (by->split[TOP_RANK - TOP_FIRST_SPLIT] && !scope->nranked)
		return err_set(err, ERR_EMPTY, "--by rank: no rank was recorded");
	return 0;
}

static int check_flops(const struct top_rows *rows, struct err *err)
{
	for (size_t i = 0; i < rows->stats.n; i++)
		if (rows->stats.rows[i].sums.flops != NUMBER_NONE)
			return 0;
	return err_set(err, ERR_EMPTY,
		       "--flops: no operator with a known count has its shapes recorded "
		       "(profile with record_shapes=True)");
}

int top_load(struct store *store, const struct scope *scope, const struct top_query *query,
	     struct top_rows *out, struct err *err)
{
	*out = (struct top_rows){ .has_memory = RECORDED(scope, has_memory) };
	opstats_init(&out->stats);
	intern_init(&out->splits);
	if (check_recorded(scope, query, err) < 0 || text_pool_open(store, &out->texts, err) < 0)
		return -1;
	int rc = needs_slices(query) ? top_load_slices(store, scope, query, out, err) :
				       top_load_summaries(store, scope, query, out, err);
	if (rc < 0 || top_order(out, scope, query, err) < 0)
		return -1;
	if (out->nmatched == 0)
		return err_set(err, ERR_EMPTY, out->stats.n ? "no operator matches" :
							      "nothing matches the filters");
	return query->flops ? check_flops(out, err) : 0;
}

const char *top_scope_note(const struct scope *scope, struct arena *arena)
{
	if (scope->n < 2)
		return NULL;
	if (scope->nranked == scope->n)
		return arena_printf(arena, "%zu ranks added up; --by rank tells them apart",
				    scope->nranks);
	return arena_printf(arena, "%zu profiles added up; --by profile tells them apart", scope->n);
}
