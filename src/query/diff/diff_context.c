/* What the recordings of two sides have in common: see diff_view.h. */
#include "query/diff/diff_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sort.h"
#include "query/query.h"
#include "trace/torch_dialect.h"

ASSET(asset_query_views_diff_facts_sql);

#define TEXT_SHOWN 200
#define FORMAT     "format"

/* The facts of views/diff_facts.sql, in the order in which they are listed. */
static const struct fact {
	const char *name;
	const char *title;    /* before a value; of a flag what was recorded */
	const char *explains; /* why a difference matters; NULL: it need not */
	bool is_flag;         /* 'yes' or 'no' */
	bool is_quiet;        /* worth no word where it is the same */
} facts[] = {
	{ "device", "", "other hardware explains a change by itself", false, false },
	{ "cuda", "CUDA ", "libraries choose other kernels", false, false },
	{ "driver", "driver ", NULL, false, false },
	{ "cupti", "CUPTI ", NULL, false, true },
	{ "hip", "HIP ", "libraries choose other kernels", false, false },
	{ "backend", "backend ", "other collectives run", false, false },
	{ "nccl", "NCCL ", "other collectives run", false, false },
	{ "world", "world size ", "each rank has a different share of the work", false,
	  false },
	{ "host", "host ", NULL, false, false },
	{ FORMAT, "written by ",
	  "a different version of torch may record and run differently", false, true },
	{ "stacks", "stacks", "recording them makes every operator slower", true, false },
	{ "shapes", "shapes", "recording them makes operators slower", true, false },
	{ "memory", "memory", "recording it makes allocations slower", true, false },
	{ "flops", "FLOPs", NULL, true, false },
};

#define NFACTS (sizeof(facts) / sizeof(*facts))

/* The different values of each fact on a side, in their order, as one text. */
struct context {
	struct intern seen[NFACTS];
	struct buf values[NFACTS];
};

static void add_fact(struct context *c, struct str name, struct str value)
{
	size_t i = 0;

	while (i < NFACTS && !str_is(name, facts[i].name))
		i++;
	if (i < NFACTS)
		intern_add(&c->seen[i], value);
}

static bool value_before(const void *context, uint32_t a, uint32_t b)
{
	const struct intern *seen = context;

	return str_compare(seen->strs[a], seen->strs[b]) < 0;
}

/* In their order, whatever the order of the runs. */
static void join_values(const struct intern *seen, struct buf *values)
{
	uint32_t *order = sorted_places(seen->n, value_before, seen);

	for (size_t i = 0; i < seen->n; i++) {
		if (i)
			buf_add_text(values, ", ");
		buf_add_str(values, seen->strs[order[i]]);
	}
	free(order);
}

/* A format by what it stands for: "pytorch D" is "PyTorch 2.4-2.6". */
static void add_format(struct context *c, struct str value)
{
	static const struct str torch = { "pytorch ", 8 };
	struct buf text;

	buf_init(&text, ERR_TEXT_MAX);
	if (str_starts_with(value, torch))
		torch_dialect_add_text(str_behind(value, torch.n), &text);
	add_fact(c, STR_LIT(FORMAT), text.n ? buf_str(&text) : value);
	buf_release(&text);
}

static int read_run(struct context *c, const struct diff_run *run, struct err *err)
{
	struct query q = query_of_scope(run->store, asset_query_views_diff_facts_sql,
					run->scope->ids, err);

	while (query_next(&q, err)) {
		struct cell name = query_cell(q.stmt, 1), value = query_cell(q.stmt, 2);
		if (name.type != CELL_TEXT || value.type != CELL_TEXT || !value.as.text.n)
			continue;
		if (str_is(name.as.text, FORMAT))
			add_format(c, value.as.text);
		else
			add_fact(c, name.as.text, value.as.text);
	}
	return query_end(&q);
}

static int read_side(struct context *c, const struct diff *d, enum diff_which which,
		     struct err *err)
{
	for (size_t i = 0; i < NFACTS; i++) {
		intern_init(&c->seen[i]);
		buf_init(&c->values[i], SIZE_MAX);
	}
	for (size_t i = 0; i < d->sides[which].nruns; i++)
		if (read_run(c, &d->request->runs[which][i], err) < 0)
			return -1;
	for (size_t i = 0; i < NFACTS; i++)
		join_values(&c->seen[i], &c->values[i]);
	return 0;
}

static void release(struct context *c)
{
	for (size_t i = 0; i < NFACTS; i++) {
		intern_release(&c->seen[i]);
		buf_release(&c->values[i]);
	}
}

static struct str shown(const struct buf *value)
{
	struct str text = buf_str(value);

	return text.n < TEXT_SHOWN ? text : (struct str){ text.p, TEXT_SHOWN };
}

/* Adds "CUDA 12040" or "shapes" to a list. */
static void add_item(struct buf *list, const struct fact *fact, const struct buf *value)
{
	buf_addf(list, "%s%s", list->n ? ", " : "", fact->title);
	if (!fact->is_flag)
		buf_add_str(list, shown(value));
}

/* "same setup: Tesla V100 x 4, stacks, shapes, memory" */
static void note_common(const struct context *base, struct memtable *to,
			const bool is_same[NFACTS])
{
	struct buf text;

	buf_init(&text, SIZE_MAX);
	for (size_t i = 0; i < NFACTS; i++) {
		struct str value = buf_str(&base->values[i]);
		if (is_same[i] && value.n > 0 && !facts[i].is_quiet &&
		    (!facts[i].is_flag || str_is(value, "yes")))
			add_item(&text, &facts[i], &base->values[i]);
	}
	if (text.n)
		memtable_add_note(to, "same setup: " STR_FMT, STR_ARG(buf_str(&text)));
	buf_release(&text);
}

/* Of the values of a flag, which differ: "no", "no, yes" or "yes". */
static const char *where_recorded(struct str base, struct str after)
{
	bool all_base = str_is(base, "yes"), all_new = str_is(after, "yes");

	if (str_is(after, "no"))
		return all_base ? "base only" : "a part of base only";
	if (str_is(base, "no"))
		return all_new ? "new only" : "a part of new only";
	return all_base ? "base and a part of new" : "new and a part of base";
}

/* Is it torch that wrote this?  As torch_dialect_add_text() says it. */
static bool is_of_torch(struct str format)
{
	return str_starts_with(format, STR_LIT("PyTorch"));
}

static void note_difference(const struct fact *fact, const struct buf *base,
			    const struct buf *after, struct memtable *to)
{
	struct str b = shown(base), a = shown(after);
	bool has_reason = fact->explains && (strcmp(fact->name, FORMAT) != 0 ||
					     (is_of_torch(b) && is_of_torch(a)));
	const char *colon = has_reason ? ": " : "";
	const char *why = has_reason ? fact->explains : "";

	if (fact->is_flag)
		memtable_add_note(to, "different: %s recorded in %s%s%s", fact->title,
				  where_recorded(b, a), colon, why);
	else
		memtable_add_note(to, "different: %s" STR_FMT " -> " STR_FMT "%s%s",
				  fact->title, STR_ARG(b), STR_ARG(a), colon, why);
}

/* What the recordings of one side alone say. */
static void note_one_side(const struct context sides[NDIFF_SIDES], struct memtable *to)
{
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++) {
		const struct context *own = &sides[which], *other = &sides[!which];
		struct buf text;

		buf_init(&text, SIZE_MAX);
		for (size_t i = 0; i < NFACTS; i++)
			if (own->values[i].n > 0 && other->values[i].n == 0)
				add_item(&text, &facts[i], &own->values[i]);
		if (text.n)
			memtable_add_note(to, "recorded in %s only: " STR_FMT,
					  which == DIFF_NEW ? "new" : "base",
					  STR_ARG(buf_str(&text)));
		buf_release(&text);
	}
}

int diff_add_context(const struct diff *d, struct memtable *to, struct err *err)
{
	struct context sides[NDIFF_SIDES] = { { .seen = { { .n = 0 } } } };
	bool is_same[NFACTS];
	int rc = 0;

	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		if (rc == 0)
			rc = read_side(&sides[which], d, (enum diff_which)which, err);
	for (size_t i = 0; i < NFACTS && rc == 0; i++) {
		const struct buf *base = &sides[DIFF_BASE].values[i],
				 *after = &sides[DIFF_NEW].values[i];
		is_same[i] = str_equal(buf_str(base), buf_str(after));
	}
	if (rc == 0)
		note_common(&sides[DIFF_BASE], to, is_same);
	for (size_t i = 0; i < NFACTS && rc == 0; i++)
		if (!is_same[i] && sides[DIFF_BASE].values[i].n > 0 &&
		    sides[DIFF_NEW].values[i].n > 0)
			note_difference(&facts[i], &sides[DIFF_BASE].values[i],
					&sides[DIFF_NEW].values[i], to);
	if (rc == 0)
		note_one_side(sides, to);
	for (size_t i = 0; i < NDIFF_SIDES; i++)
		release(&sides[i]);
	return rc;
}
