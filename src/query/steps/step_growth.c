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

static void name_slice(struct step_spent *g, struct step_row *row,
		       const struct spent *spent)
{
	row->grew_slice_ns = grew_ns(g, spent);
	row->grew_slice =
		arena_copy(&g->steps->arena, text_pool_str(g->texts, spent->name - 1)).p;
}

/* The name that grew most on a row's own thread, or on the others. */
static const struct spent *most_grown(const struct step_spent *g, size_t from, size_t to,
				      bool is_own)
{
	const struct spent *most = NULL;

	for (size_t i = from; i < to; i++) {
		const struct spent *spent = &g->spent[i];
		if (spent->is_own == is_own && spent->name != SPENT_IN_NO_SLICE &&
		    grew_ns(g, spent) > (most ? grew_ns(g, most) : 0))
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

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->is_own != b->is_own)
		return a->is_own ? 1 : -1;
	return (a->name > b->name) - (a->name < b->name);
}

/* One for each row and name: those of several threads are added up. */
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
		struct step_row *row = &g->steps->rows[g->spent[from].row];
		for (to = from + 1;
		     to < g->nspent && g->spent[to].row == g->spent[from].row;)
			to++;
		const struct spent *own = most_grown(g, from, to, true);
		const struct spent *other = most_grown(g, from, to, false);
		int64_t own_ns = own ? grew_ns(g, own) : 0;
		row->grew_unrecorded_ns = unrecorded_ns(g, from, to);
		if (other && row->grew_unrecorded_ns > own_ns &&
		    grew_ns(g, other) > own_ns)
			own = other;
		if (own)
			name_slice(g, row, own);
	}
}

/*
 * The group whose rows begin at `first`: one profile, or files of a step each, which are
 * read one after the other.
 */
static int find_in_group(struct store *store, struct text_pool *texts, struct steps *s,
			 size_t first, struct err *err)
{
	struct step_spent g = { .texts = texts, .steps = s };
	size_t group = s->rows[first].group;
	size_t end = s->rows[first].is_file ? s->n : first + 1;
	int rc = 0;

	for (size_t i = first, next; i < end && rc == 0; i = next) {
		next = i + 1;
		if (s->rows[i].group != group || s->rows[i].is_mean)
			continue;
		rc = step_spent_add(&g, store, i, &next, err);
	}
	if (rc == 0)
		name_all(&g);
	step_spent_release(&g);
	return rc;
}

/* Rows of a profile's other devices have what the first one's have. */
static void copy_to_other_devices(struct steps *s)
{
	const struct scope_profile *profile = NULL;

	for (size_t i = 0, first = 0, of = 0; i < s->n; i++) {
		struct step_row *row = &s->rows[i];
		if (row->is_mean)
			continue;
		if (row->profile != profile)
			first = i;
		profile = row->profile;
		if (!row->is_long || row->is_first)
			continue;
		/* rows of a device are in the order of their starts */
		if (of < first || s->rows[of].host_start_ns > row->host_start_ns)
			of = first;
		while (of < i && (s->rows[of].is_mean ||
				  s->rows[of].host_start_ns != row->host_start_ns ||
				  s->rows[of].slice_id != row->slice_id))
			of++;
		row->grew_slice = s->rows[of].grew_slice;
		row->grew_slice_ns = s->rows[of].grew_slice_ns;
		row->grew_unrecorded_ns = s->rows[of].grew_unrecorded_ns;
	}
}

/* By group: its first row, which is the caller's to free. */
static size_t *find_first_rows(const struct steps *s)
{
	size_t ngroups = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i].group >= ngroups)
			ngroups = s->rows[i].group + 1;
	size_t *first_of = xcalloc(ngroups, sizeof(*first_of));
	for (size_t i = s->n; i-- > 0;)
		if (!s->rows[i].is_mean)
			first_of[s->rows[i].group] = i;
	return first_of;
}

int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err)
{
	size_t *first_of = find_first_rows(s);
	int rc = 0;

	for (size_t i = 0; i < s->n && rc == 0; i++) {
		const struct step_row *row = &s->rows[i];
		size_t *first = &first_of[row->group];
		if (!row->is_long || !row->is_first || row->is_mean || *first == s->n)
			continue;
		rc = find_in_group(store, texts, s, *first, err);
		*first = s->n; /* once is enough */
	}
	free(first_of);
	if (rc == 0)
		copy_to_other_devices(s);
	return rc;
}
