/* Operators that ran on other shapes: see diff_view.h. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/diff/diff_view.h"
#include "query/query.h"
#include "query/text_pool.h"

ASSET(asset_query_views_diff_shapes_sql);

#define SHAPES_SHOWN 60 /* bytes */
#define RUN_NONE     UINT32_MAX

/* An operator on some shapes: texts as numbers, as one text may be that of all rows. */
struct shaped {
	uint32_t name, shapes, run; /* run: the first that has it */
	uint8_t sides;              /* bits of enum diff_which that have it */
};

/* What is an operator's name. */
struct shaped_name {
	int64_t self_ns;
	uint8_t sides;
};

struct shapes {
	struct intern texts, pairs; /* pairs: the numbers of two texts */
	struct shaped *at;          /* owned; by pair */
	size_t nat, cap;
	struct shaped_name *names; /* owned; by text, zeroed */
	size_t names_cap;
	enum diff_which which; /* that is read */
	uint32_t run;          /* of all, base first */
	struct text_pool pool; /* of its store */
	uint32_t *
		number_of; /* owned; by number of the pool: number + 1 of the text here */
	size_t number_of_cap;
};

static void add_pair(struct shapes *s, uint32_t name, uint32_t shapes, int64_t self_ns)
{
	const uint32_t key[] = { name, shapes };
	uint32_t pair = intern_add(&s->pairs, str_bytes(key, sizeof(key)));
	struct shaped_name *named = ARRAY_AT(s->names, s->names_cap, name);

	named->self_ns = sum_add(named->self_ns, self_ns);
	named->sides |= (uint8_t)(1U << s->which);
	if (pair == s->nat)
		*ARRAY_PUSH(s->at, s->nat, s->cap) =
			(struct shaped){ .name = name, .shapes = shapes, .run = s->run };
	s->at[pair].sides |= (uint8_t)(1U << s->which);
}

/* The number here of string.id; TEXT_NONE: there is none. */
static int find_text(struct shapes *s, int64_t id, uint32_t *number, struct err *err)
{
	if (text_pool_number(&s->pool, id, number, err) < 0)
		return -1;
	if (*number == TEXT_NONE)
		return 0;
	uint32_t *at = ARRAY_AT(s->number_of, s->number_of_cap, *number);
	if (*at == 0)
		*at = intern_add(&s->texts, text_pool_str(&s->pool, *number)) + 1;
	*number = *at - 1;
	return 0;
}

static int take_row(struct shapes *s, struct sqlite3_stmt *stmt, struct err *err)
{
	uint32_t name, shapes;

	if (find_text(s, sqlite3_column_int64(stmt, 0), &name, err) < 0 ||
	    find_text(s, sqlite3_column_int64(stmt, 1), &shapes, err) < 0)
		return -1;
	if (name != TEXT_NONE && shapes != TEXT_NONE)
		add_pair(s, name, shapes, sqlite3_column_int64(stmt, 2));
	return 0;
}

static int read_rows(struct shapes *s, const struct diff_run *run, struct err *err)
{
	struct query q = query_of_scope(run->store, asset_query_views_diff_shapes_sql,
					run->scope->ids, err);

	while (query_next(&q, err))
		q.rc = take_row(s, q.stmt, err);
	return query_end(&q);
}

static int read_run(struct shapes *s, const struct diff_run *run, struct err *err)
{
	int rc = text_pool_open(run->store, &s->pool, err);

	if (rc == 0)
		rc = read_rows(s, run, err);
	text_pool_close(&s->pool);
	free(s->number_of);
	s->number_of = NULL;
	s->number_of_cap = 0;
	s->run++;
	return rc;
}

static bool all_have_shapes(const struct diff *d)
{
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns; i++)
			for (size_t p = 0; p < d->request->runs[which][i].scope->n; p++)
				if (!d->request->runs[which][i]
					     .scope->profiles[p]
					     .has_shapes)
					return false;
	return true;
}

/* Is it of a name that both sides have, but not on these shapes? */
static bool is_other(const struct shapes *s, const struct shaped *pair)
{
	return pair->sides != 3 && s->names[pair->name].sides == 3;
}

/* By time, by run, by text; `run_of` by name: the first run with other shapes. */
static bool is_told_before(const struct shapes *s, const uint32_t *run_of, uint32_t a,
			   uint32_t b)
{
	if (s->names[a].self_ns != s->names[b].self_ns)
		return s->names[a].self_ns > s->names[b].self_ns;
	if (run_of[a] != run_of[b])
		return run_of[a] < run_of[b];
	return str_compare(intern_str(&s->texts, a), intern_str(&s->texts, b)) < 0;
}

/* Of names with other shapes how many there are, and the one that is told. */
static size_t find_name(const struct shapes *s, uint32_t *run_of, uint32_t *name)
{
	size_t count = 0;

	memset(run_of, 0xff, s->texts.n * sizeof(*run_of));
	for (size_t i = 0; i < s->nat; i++) {
		const struct shaped *pair = &s->at[i];
		if (!is_other(s, pair))
			continue;
		count += run_of[pair->name] == RUN_NONE;
		if (pair->run < run_of[pair->name])
			run_of[pair->name] = pair->run;
	}
	*name = TEXT_NONE;
	for (uint32_t i = 0; i < s->texts.n; i++)
		if (run_of[i] != RUN_NONE &&
		    (*name == TEXT_NONE || is_told_before(s, run_of, i, *name)))
			*name = i;
	return count;
}

/* Of its shapes those that come first in the run. */
static const struct shaped *find_pair(const struct shapes *s, uint32_t name, uint32_t run)
{
	const struct shaped *found = NULL;

	for (size_t i = 0; i < s->nat; i++) {
		const struct shaped *pair = &s->at[i];
		if (pair->name != name || pair->run != run || !is_other(s, pair))
			continue;
		if (!found || str_compare(intern_str(&s->texts, pair->shapes),
					  intern_str(&s->texts, found->shapes)) < 0)
			found = pair;
	}
	return found;
}

/* Names that both sides have, but not on the same shapes; the heaviest is told. */
static void tell(const struct shapes *s, struct memtable *to)
{
	uint32_t *run_of = xcalloc(s->texts.n + 1, sizeof(*run_of));
	uint32_t name;
	size_t count = find_name(s, run_of, &name);
	const struct shaped *pair = count ? find_pair(s, name, run_of[name]) : NULL;

	if (pair) {
		struct str shapes = intern_str(&s->texts, pair->shapes);
		if (shapes.n > SHAPES_SHOWN)
			shapes.n = SHAPES_SHOWN;
		memtable_add_note(to,
				  "%zu %s different input shapes (%s" STR_FMT ", " STR_FMT
				  " in %s only): not the same batch or model",
				  count, count == 1 ? "operator has" : "operators have",
				  count == 1 ? "" : "most time: ",
				  STR_ARG(intern_str(&s->texts, name)), STR_ARG(shapes),
				  pair->sides == 1 ? "base" : "new");
	}
	free(run_of);
}

int diff_add_shapes(const struct diff *d, struct memtable *to, struct err *err)
{
	struct shapes s = { .run = 0 };
	int rc = 0;

	if (d->is_call_graph || !all_have_shapes(d))
		return 0;
	intern_init(&s.texts);
	intern_init(&s.pairs);
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++) {
		s.which = (enum diff_which)which;
		for (size_t i = 0; i < d->sides[which].nruns && rc == 0; i++)
			rc = read_run(&s, &d->request->runs[which][i], err);
	}
	if (rc == 0)
		tell(&s, to);
	intern_release(&s.texts);
	intern_release(&s.pairs);
	free(s.at);
	free(s.names);
	return rc;
}
