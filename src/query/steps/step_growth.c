/* What grew in long steps: see step_growth.h. */
#include "query/steps/step_growth.h"

#include <stdlib.h>

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

/* All profiles of the group: files of a step each are read one after the other. */
static int find_in_group(struct store *store, struct text_pool *texts, struct steps *s,
			 size_t group, struct err *err)
{
	struct step_spent g = { .texts = texts, .steps = s };
	int rc = 0;

	for (size_t i = 0, next; i < s->n && rc == 0; i = next) {
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
static void tell_other_devices(struct steps *s)
{
	for (size_t i = 0, first = 0; i < s->n; i++) {
		struct step_row *row = &s->rows[i];
		if (i && row->profile != s->rows[i - 1].profile)
			first = i;
		if (!row->is_long || row->is_first)
			continue;
		size_t k = first;
		while (k < i && (s->rows[k].is_mean ||
				 s->rows[k].host_start_ns != row->host_start_ns ||
				 s->rows[k].slice_id != row->slice_id))
			k++;
		row->grew_slice = s->rows[k].grew_slice;
		row->grew_slice_ns = s->rows[k].grew_slice_ns;
		row->grew_unrecorded_ns = s->rows[k].grew_unrecorded_ns;
	}
}

int step_growth_find(struct store *store, struct text_pool *texts, struct steps *s,
		     struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct step_row *row = &s->rows[i];
		bool is_told = row->is_long && row->is_first && !row->is_mean;
		for (size_t k = 0; is_told && k < i; k++)
			is_told = !(s->rows[k].group == row->group && s->rows[k].is_long);
		if (is_told && find_in_group(store, texts, s, row->group, err) < 0)
			return -1;
	}
	tell_other_devices(s);
	return 0;
}
