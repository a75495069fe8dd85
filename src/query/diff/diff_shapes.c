/* Operators that ran on other shapes: see diff_view.h. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/sum.h"
#include "query/diff/diff_view.h"
#include "query/query.h"

ASSET(asset_query_views_diff_shapes_sql);

#define SHAPES_SHOWN 60 /* bytes */

/* An operator on some shapes. */
struct shaped {
	uint32_t name;
	uint8_t sides; /* bits of enum diff_which that have it */
};

struct shapes {
	struct intern names, pairs; /* pairs: name, newline, shapes */
	struct shaped *at;          /* owned; by pair */
	size_t cap;
	int64_t *self_ns; /* owned; by name */
	uint8_t *sides;   /* owned; by name */
	size_t self_cap, sides_cap;
};

static void add_pair(struct shapes *s, enum diff_which which, struct str name,
		     struct str shapes, int64_t self_ns)
{
	size_t known = s->names.n, pairs = s->pairs.n;
	uint32_t number = intern_add(&s->names, name);
	struct buf key;

	s->self_ns = xgrow(s->self_ns, &s->self_cap, s->names.n, sizeof(*s->self_ns));
	s->sides = xgrow(s->sides, &s->sides_cap, s->names.n, sizeof(*s->sides));
	if (s->names.n > known) {
		s->self_ns[number] = 0;
		s->sides[number] = 0;
	}
	s->self_ns[number] = sum_add(s->self_ns[number], self_ns);
	s->sides[number] |= (uint8_t)(1U << which);
	buf_init(&key, SIZE_MAX);
	buf_add_str(&key, name);
	buf_add_char(&key, '\n');
	buf_add_str(&key, shapes);
	uint32_t pair = intern_add(&s->pairs, buf_str(&key));
	buf_release(&key);
	s->at = xgrow(s->at, &s->cap, s->pairs.n, sizeof(*s->at));
	if (s->pairs.n > pairs)
		s->at[pair] = (struct shaped){ .name = number };
	s->at[pair].sides |= (uint8_t)(1U << which);
}

static int read_run(struct shapes *s, enum diff_which which, const struct diff_run *run,
		    struct err *err)
{
	struct query q = query_of_scope(run->store, asset_query_views_diff_shapes_sql,
					run->scope->ids, err);

	while (query_next(&q, err)) {
		struct cell name = query_cell(q.stmt, 0), shapes = query_cell(q.stmt, 1);
		if (name.type == CELL_TEXT && shapes.type == CELL_TEXT)
			add_pair(s, which, name.as.text, shapes.as.text,
				 sqlite3_column_int64(q.stmt, 2));
	}
	return query_end(&q);
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

/* The shapes of one pair, for a note. */
static struct str shapes_of(const struct shapes *s, size_t pair)
{
	struct str name = intern_str(&s->names, s->at[pair].name);
	struct str shapes = str_behind(intern_str(&s->pairs, (uint32_t)pair), name.n + 1);

	return shapes.n < SHAPES_SHOWN ? shapes : (struct str){ shapes.p, SHAPES_SHOWN };
}

/* Names that both sides have, but not on the same shapes; the heaviest is told. */
static void tell(const struct shapes *s, struct memtable *to)
{
	bool *differs = xcalloc(s->names.n + 1, sizeof(*differs));
	size_t count = 0, heaviest = SIZE_MAX;

	for (size_t i = 0; i < s->pairs.n; i++) {
		const struct shaped *pair = &s->at[i];
		if (pair->sides == 3 || s->sides[pair->name] != 3)
			continue;
		count += !differs[pair->name];
		differs[pair->name] = true;
		if (heaviest == SIZE_MAX ||
		    s->self_ns[pair->name] > s->self_ns[s->at[heaviest].name])
			heaviest = i;
	}
	if (count > 0)
		memtable_add_note(to,
				  "%zu %s different input shapes (%s" STR_FMT ", " STR_FMT
				  " in %s only): not the same batch or model",
				  count, count == 1 ? "operator has" : "operators have",
				  count == 1 ? "" : "most time: ",
				  STR_ARG(intern_str(&s->names, s->at[heaviest].name)),
				  STR_ARG(shapes_of(s, heaviest)),
				  s->at[heaviest].sides == 1 ? "base" : "new");
	free(differs);
}

int diff_add_shapes(const struct diff *d, struct memtable *to, struct err *err)
{
	struct shapes s = { .cap = 0 };
	int rc = 0;

	if (d->is_call_graph || !all_have_shapes(d))
		return 0;
	intern_init(&s.names);
	intern_init(&s.pairs);
	for (int which = DIFF_BASE; which < NDIFF_SIDES; which++)
		for (size_t i = 0; i < d->sides[which].nruns && rc == 0; i++)
			rc = read_run(&s, (enum diff_which)which,
				      &d->request->runs[which][i], err);
	if (rc == 0)
		tell(&s, to);
	intern_release(&s.names);
	intern_release(&s.pairs);
	free(s.at);
	free(s.self_ns);
	free(s.sides);
	return rc;
}
