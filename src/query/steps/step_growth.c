/* What grew in long steps: see steps.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/steps/step_spent.h"

static int64_t grew_ns(const struct step_spent *g, const struct spent *spent)
{
	int64_t usual_ns = g->usual[2 * (size_t)spent->name + spent->is_own];

	return sum_sub(spent->ns, g->nusual ? usual_ns / g->nusual : 0);
}

static void name_slice(struct step_spent *g, struct step_mark *mark,
		       const struct spent *spent)
{
	mark->grew_slice_ns = grew_ns(g, spent);
	mark->grew_slice =
		steps_keep_text(g->steps, text_pool_cell(g->texts, spent->name - 1));
}

static bool grew_more(const struct step_spent *g, const struct spent *a,
		      const struct spent *b)
{
	int64_t a_ns = grew_ns(g, a), b_ns = b ? grew_ns(g, b) : 0;

	if (a_ns != b_ns || !b)
		return a_ns > b_ns;
	return str_compare(text_pool_str(g->texts, a->name - 1),
			   text_pool_str(g->texts, b->name - 1)) < 0;
}

/* The name that grew most on a step's own thread, or on the others. */
static const struct spent *most_grown(const struct step_spent *g, size_t from, size_t to,
				      bool is_own)
{
	const struct spent *most = NULL;

	for (size_t i = from; i < to; i++) {
		const struct spent *spent = &g->spent[i];
		if (spent->is_own == is_own && spent->name != SPENT_IN_NO_SLICE &&
		    grew_more(g, spent, most))
			most = spent;
	}
	return most;
}

/* Growth of the time of the own thread that is in no slice. */
static int64_t unrecorded_ns(const struct step_spent *g, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (g->spent[i].is_own && g->spent[i].name == SPENT_IN_NO_SLICE)
			return grew_ns(g, &g->spent[i]);
	return 0;
}

static int by_place(const void *left, const void *right)
{
	const struct spent *a = left, *b = right;

	if (a->mark != b->mark)
		return a->mark < b->mark ? -1 : 1;
	if (a->is_own != b->is_own)
		return a->is_own ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

/* One for each step and name: those of several threads are added up. */
static void add_up(struct step_spent *g)
{
	size_t kept = 0;

	if (g->nspent)
		qsort(g->spent, g->nspent, sizeof(*g->spent), by_place);
	for (size_t i = 0; i < g->nspent; i++) {
		if (kept && by_place(&g->spent[kept - 1], &g->spent[i]) == 0)
			g->spent[kept - 1].ns =
				sum_add(g->spent[kept - 1].ns, g->spent[i].ns);
		else
			g->spent[kept++] = g->spent[i];
	}
	g->nspent = kept;
}

static void name_all(struct step_spent *g)
{
	add_up(g);
	for (size_t from = 0, to; from < g->nspent; from = to) {
		struct step_mark *mark = &g->steps->marks[g->spent[from].mark];
		for (to = from + 1;
		     to < g->nspent && g->spent[to].mark == g->spent[from].mark;)
			to++;
		const struct spent *own = most_grown(g, from, to, true);
		const struct spent *other = most_grown(g, from, to, false);
		int64_t own_ns = own ? grew_ns(g, own) : 0;
		mark->grew_unrecorded_ns = unrecorded_ns(g, from, to);
		if (other && mark->grew_unrecorded_ns > own_ns &&
		    grew_ns(g, other) > own_ns)
			own = other;
		if (own)
			name_slice(g, mark, own);
	}
}

/*
 * The group whose first profile it is: that one, or files of a step each, which are read
 * one after the other.
 */
static int find_in_group(struct store *store, struct text_pool *texts, struct steps *s,
			 size_t first, struct err *err)
{
	struct step_spent g = { .texts = texts, .steps = s };
	size_t end = s->profiles[first].is_file ? s->nprofiles : first + 1;
	int rc = 0;

	for (size_t i = first; i < end && rc == 0; i++)
		if (s->profiles[i].group == s->profiles[first].group)
			rc = step_spent_add(&g, store, &s->profiles[i], err);
	s->has_unnamed |= g.is_too_much;
	if (rc == 0 && !g.is_too_much)
		name_all(&g);
	step_spent_release(&g);
	return rc;
}

/* On the first device: what is true of it is true of all, but for those of files. */
static bool has_long(const struct steps *s, const struct steps_profile *p)
{
	bool is = false;

	for (size_t i = 0; i < p->bounds.n && !is; i++)
		is = s->marks[p->first_mark + i].is_long;
	return is;
}

/* Is there a long step that nobody looked into when the summary was made? */
static bool lacks_look(const struct steps *s, const struct steps_profile *p)
{
	for (size_t i = 0; i < p->bounds.n; i++) {
		const struct step_mark *mark = &s->marks[p->first_mark + i];
		if (mark->is_long && !mark->is_looked)
			return true;
	}
	return false;
}

/* Rows of a file's other devices have what the first one's has. */
static void copy_to_other_devices(struct steps *s)
{
	for (size_t i = 0; i < s->nseries; i++) {
		const struct steps_profile *p = &s->profiles[s->series[i].profile];
		const struct step_mark *first = &s->marks[p->first_mark];
		struct step_mark *mark = &s->marks[steps_mark(s, &s->series[i], 0)];
		if (!p->is_file || !mark->is_long || mark == first)
			continue;
		mark->grew_slice = first->grew_slice;
		mark->grew_slice_ns = first->grew_slice_ns;
		mark->grew_unrecorded_ns = first->grew_unrecorded_ns;
	}
}

/* By group: its first profile, which is the caller's to free. */
static size_t *find_first_profiles(const struct steps *s)
{
	size_t ngroups = 0;

	for (size_t i = 0; i < s->nprofiles; i++)
		if (s->profiles[i].group >= ngroups)
			ngroups = s->profiles[i].group + 1;
	size_t *first_of = xcalloc(ngroups, sizeof(*first_of));
	for (size_t i = s->nprofiles; i-- > 0;)
		first_of[s->profiles[i].group] = i;
	return first_of;
}

int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err)
{
	size_t *first_of = find_first_profiles(s);
	int rc = 0;

	for (size_t i = 0; i < s->nprofiles && rc == 0; i++) {
		size_t *first = &first_of[s->profiles[i].group];
		if (*first == s->nprofiles || !has_long(s, &s->profiles[i]))
			continue;
		if (s->profiles[i].is_stored && !s->profiles[i].is_file) {
			/* a look at windows says nothing of host ranges */
			s->has_unnamed |= !s->profiles[i].bounds.was_windowed &&
					  lacks_look(s, &s->profiles[i]);
			continue;
		}
		rc = find_in_group(store, texts, s, *first, err);
		*first = s->nprofiles; /* once is enough */
	}
	free(first_of);
	if (rc == 0)
		copy_to_other_devices(s);
	return rc;
}
