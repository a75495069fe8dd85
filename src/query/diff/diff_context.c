/* What the recordings of two sides have in common: see diff_view.h. */
#include "query/diff/diff_view.h"

#include "base/buf.h"
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

/* The different values of each fact on a side, as one text. */
struct context {
	struct intern seen; /* fact, 0, value */
	struct buf values[NFACTS];
};

static void add_fact(struct context *c, struct str name, struct str value)
{
	struct buf key;
	size_t i = 0;

	while (i < NFACTS && !str_is(name, facts[i].name))
		i++;
	if (i == NFACTS)
		return;
	buf_init(&key, SIZE_MAX);
	buf_addf(&key, "%zu ", i);
	buf_add_str(&key, value);
	if (!intern_has(&c->seen, buf_str(&key))) {
		intern_add(&c->seen, buf_str(&key));
		if (c->values[i].n)
			buf_add_text(&c->values[i], ", ");
		buf_add_str(&c->values[i], value);
	}
	buf_release(&key);
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
	intern_init(&c->seen);
	for (size_t i = 0; i < NFACTS; i++)
		buf_init(&c->values[i], SIZE_MAX);
	for (size_t i = 0; i < d->sides[which].nruns; i++)
		if (read_run(c, &d->request->runs[which][i], err) < 0)
			return -1;
	return 0;
}

static void release(struct context *c)
{
	intern_release(&c->seen);
	for (size_t i = 0; i < NFACTS; i++)
		buf_release(&c->values[i]);
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

static void note_difference(const struct fact *fact, const struct buf *base,
			    const struct buf *after, struct memtable *to)
{
	struct str b = shown(base), a = shown(after);
	const char *colon = fact->explains ? ": " : "";
	const char *why = fact->explains ? fact->explains : "";

	if (fact->is_flag)
		memtable_add_note(to, "different: %s recorded in %s only%s%s",
				  fact->title, str_is(b, "yes") ? "base" : "new", colon,
				  why);
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
	struct context sides[NDIFF_SIDES] = { { .seen = { .n = 0 } } };
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
