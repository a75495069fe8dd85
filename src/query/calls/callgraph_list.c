/*
 * Listings as pstats makes them: see callgraph_list.h.  Python: Stats.sort_stats(),
 * Stats.eval_print_amount().
 */
#include "query/calls/callgraph_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/python_repr.h"
#include "base/sort.h"
#include "query/calls/python_re.h"

#define NAME_MAX_BYTES ((size_t)1 << 30)
/* Below it Python's sort is one insertion sort. */
#define INSERTION_MAX 64

/*
 * Letters of `by`: p primitive calls, c calls, t self time, T total time, the
 * largest first; f file, l line, n name, s standard name, the smallest first.  The
 * order is that of pstats' table, on which its abbreviations depend.
 */
const struct callgraph_key callgraph_keys[] = {
	{ "calls", NULL, "call count", "c", false, "0" },
	{ "ncalls", NULL, "call count", "c", false, NULL },
	{ "cumtime", NULL, "cumulative time", "T", false, NULL },
	{ "cumulative", "cum", "cumulative time", "T", false, "2" },
	{ "filename", NULL, "file name", "f", true, NULL },
	{ "line", NULL, "line number", "l", true, NULL },
	{ "module", NULL, "file name", "f", true, NULL },
	{ "name", NULL, "function name", "n", true, NULL },
	{ "nfl", NULL, "name/file/line", "nfl", true, NULL },
	{ "pcalls", NULL, "primitive call count", "p", false, NULL },
	{ "stdname", NULL, "standard name", "s", true, "-1" },
	{ "time", "flat", "internal time", "t", false, "1" },
	{ "tottime", NULL, "internal time", "t", false, NULL },
	{ .name = NULL }
};

/* Does pstats come to the beginning `word` of this key while nobody claimed it? */
static bool reaches(const struct callgraph_key *key, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(key->name, word, n) != 0)
		return false;
	/* from the whole word down, until a beginning belongs to an earlier one */
	for (size_t len = strlen(key->name); len > n; len--)
		for (const struct callgraph_key *k = callgraph_keys; k < key; k++)
			if (strncmp(k->name, key->name, len) == 0)
				return false;
	return true;
}

const struct callgraph_key *callgraph_key_find(const char *word, bool is_only)
{
	const struct callgraph_key *found = NULL;

	if (!*word)
		return NULL;
	for (const struct callgraph_key *k = callgraph_keys; k->name; k++) {
		if ((k->also && strcmp(word, k->also) == 0) ||
		    (is_only && k->old_text && strcmp(word, k->old_text) == 0))
			return k;
		if (!reaches(k, word))
			continue;
		if (found)
			return NULL;
		found = k;
	}
	return found;
}

bool callgraph_order_needs_names(const struct callgraph_order *order)
{
	for (size_t i = 0; i < order->n; i++)
		if (order->keys[i]->is_of_texts)
			return true;
	return false;
}

struct sorting {
	const struct callgraph *g;
	const struct callgraph_order *order;
	const double *seconds;   /* by row: the first key, when it is a time */
	const struct str *names; /* by row: standard names, when one key needs them */
};

static int compare_reals(double a, double b)
{
	return a < b ? -1 : a > b; /* what is no number equals everything, as in pstats */
}

static int compare_texts(const struct callgraph *g, uint32_t a, uint32_t b)
{
	return a == b ? 0 : str_compare(callgraph_text(g, a), callgraph_text(g, b));
}

static int compare_by(const struct sorting *s, char by, uint32_t a, uint32_t b)
{
	const struct callgraph_row *l = &s->g->rows[a], *r = &s->g->rows[b];
	const struct callgraph_function *f = &s->g->functions[l->function];
	const struct callgraph_function *h = &s->g->functions[r->function];

	switch (by) {
	case 'p':
		return bignum_compare(r->sums.primitive, l->sums.primitive);
	case 'c':
		return bignum_compare(r->sums.calls, l->sums.calls);
	case 't':
		return compare_reals(r->sums.self_s, l->sums.self_s);
	case 'T':
		return compare_reals(r->sums.total_s, l->sums.total_s);
	case 'f':
		return compare_texts(s->g, f->file, h->file);
	case 'l':
		return f->line < h->line ? -1 : f->line > h->line;
	case 'n':
		return compare_texts(s->g, f->name, h->name);
	default:
		return s->names ? str_compare(s->names[a], s->names[b]) : 0;
	}
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *s = context;
	size_t first = s->seconds != NULL;

	if (first && s->seconds[a] > s->seconds[b])
		return true;
	if (first && s->seconds[a] < s->seconds[b])
		return false;
	for (size_t i = first; i < s->order->n; i++)
		for (const char *by = s->order->keys[i]->by; *by; by++) {
			int order = compare_by(s, *by, a, b);
			if (order)
				return order < 0;
		}
	return false;
}

/* The first key's times side by side: most comparisons end there. */
static double *first_seconds(const struct callgraph *g,
			     const struct callgraph_order *order)
{
	const char *by = order->keys[0]->by;
	double *seconds;

	if (*by != 't' && *by != 'T')
		return NULL;
	seconds = xrealloc_array(NULL, g->nrows + 1, sizeof(*seconds));
	for (size_t i = 0; i < g->nrows; i++)
		seconds[i] =
			*by == 't' ? g->rows[i].sums.self_s : g->rows[i].sums.total_s;
	return seconds;
}

static struct str *standard_names(const struct callgraph *g,
				  const struct callgraph_order *order,
				  struct arena *arena)
{
	struct str *names;
	struct buf name;
	bool is_needed = false;

	for (size_t i = 0; i < order->n; i++)
		is_needed |= strchr(order->keys[i]->by, 's') != NULL;
	if (!is_needed)
		return NULL;
	names = xrealloc_array(NULL, g->nrows + 1, sizeof(*names));
	buf_init(&name, NAME_MAX_BYTES);
	for (size_t i = 0; i < g->nrows; i++) {
		buf_clear(&name);
		callgraph_add_name(g, g->rows[i].function, &name);
		names[i] = arena_copy(arena, buf_str(&name));
	}
	buf_release(&name);
	return names;
}

static bool has_nan(const struct callgraph *g)
{
	for (size_t i = 0; i < g->nrows; i++)
		if (isnan(g->rows[i].sums.self_s) || isnan(g->rows[i].sums.total_s))
			return true;
	return false;
}

static void turn(uint32_t *at, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t row = at[i];
		at[i] = at[n - 1 - i];
		at[n - 1 - i] = row;
	}
}

/*
 * CPython's count_run() (Objects/listobject.c, 3.13): how many at the beginning are
 * in order, or were in the other one and have been turned.
 */
static size_t count_run(const struct sorting *s, uint32_t *at, size_t n)
{
	size_t run = 1, equal = 0;

	while (run < n && !is_before(s, at[run], at[run - 1]))
		run++;
	if (run == n || (run > 1 && is_before(s, at[0], at[run - 1])))
		return run;
	turn(at, run); /* equal ones, which count as falling */
	for (run++; run < n; run++) {
		if (is_before(s, at[run], at[run - 1])) {
			turn(at + run - 1 - equal, equal + 1);
			equal = 0;
		} else if (is_before(s, at[run - 1], at[run])) {
			break;
		} else {
			equal++;
		}
	}
	turn(at + run - 1 - equal, equal + 1);
	turn(at, run);
	while (run < n && !is_before(s, at[run], at[run - 1]))
		run++;
	return run;
}

/*
 * Where something is no number, the order is none, and what comes out depends on
 * which rows are compared: those that CPython compares, for lists that it sorts by
 * insertion.
 */
static void insertion_sort(const struct sorting *s, uint32_t *at, size_t n)
{
	for (size_t i = count_run(s, at, n); i < n; i++) {
		uint32_t row = at[i];
		size_t left = 0, right = i;
		while (left < right) {
			size_t middle = (left + right) / 2;
			if (is_before(s, row, at[middle]))
				right = middle;
			else
				left = middle + 1;
		}
		memmove(at + left + 1, at + left, (i - left) * sizeof(*at));
		at[left] = row;
	}
}

void callgraph_sort(const struct callgraph *g, const struct callgraph_order *order,
		    uint32_t *rows)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < g->nrows; i++)
		rows[i] = (uint32_t)i;
	if (order->n == 0)
		return;
	double *seconds = first_seconds(g, order);
	struct str *names = standard_names(g, order, &arena);
	const struct sorting sorting = { g, order, seconds, names };
	if (g->nrows && g->nrows < INSERTION_MAX && has_nan(g)) {
		insertion_sort(&sorting, rows, g->nrows);
	} else {
		uint32_t *spare = xrealloc_array(NULL, g->nrows + 1, sizeof(*spare));
		sort_indexes(rows, g->nrows, spare, is_before, &sorting);
		free(spare);
	}
	if (order->reversed)
		turn(rows, g->nrows);
	free(seconds);
	free(names);
	arena_release(&arena);
}

static int cut_match(const struct callgraph *g, const struct python_re *re,
		     struct callgraph_list *list, struct err *err)
{
	struct buf name;
	size_t kept = 0;
	int rc = 0;

	buf_init(&name, NAME_MAX_BYTES);
	for (size_t i = 0; i < list->n && rc >= 0; i++) {
		buf_clear(&name);
		callgraph_add_name(g, g->rows[list->rows[i]].function, &name);
		rc = python_re_search(re, buf_str(&name), err);
		if (rc > 0)
			list->rows[kept++] = list->rows[i];
	}
	buf_release(&name);
	list->n = kept;
	return rc < 0 ? -1 : 0;
}

static void add_restriction(const struct callgraph_cut *cut, struct buf *message)
{
	switch (cut->kind) {
	case CUT_COUNT:
		buf_addf(message, "%lld", (long long)cut->n);
		break;
	case CUT_FRACTION:
		python_repr_real(message, cut->fraction);
		break;
	case CUT_MATCH:
		python_repr_text(message, str_of(cut->pattern));
		break;
	}
}

/* 1: it was cut, or could have been; 0: the expression is none; -1. */
static int apply(const struct callgraph *g, const struct callgraph_cut *cut,
		 struct callgraph_list *list, struct err *err)
{
	struct python_re *re;
	size_t n = list->n;
	int rc;

	switch (cut->kind) {
	case CUT_COUNT:
		if (cut->n >= 0 && (uint64_t)cut->n < n)
			list->n = (size_t)cut->n;
		return 1;
	case CUT_FRACTION:
		if (cut->fraction >= 0 && cut->fraction < 1)
			list->n = (size_t)((double)n * cut->fraction + .5);
		return 1;
	case CUT_MATCH:
		break;
	}
	re = python_re_new(str_of(cut->pattern));
	if (!re)
		return 0;
	rc = cut_match(g, re, list, err);
	python_re_free(re);
	list->is_emptied_by_match |= n > 0 && list->n == 0;
	return rc < 0 ? -1 : 1;
}

int callgraph_cut_list(const struct callgraph *g, const struct callgraph_cut *cuts,
		       size_t ncuts, struct callgraph_list *list, struct buf *message,
		       struct err *err)
{
	for (size_t i = 0; i < ncuts; i++) {
		size_t before = list->n;
		int rc = apply(g, &cuts[i], list, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			buf_add_text(message, "   <Invalid regular expression ");
		else if (list->n != before)
			buf_addf(message,
				 "   List reduced from %zu to %zu due to restriction <",
				 before, list->n);
		else
			continue;
		add_restriction(&cuts[i], message);
		buf_add_text(message, ">\n");
	}
	return 0;
}
