/*
 * What the place of a profile among the others tells, once all are read: which
 * span of its worker it is, and, where nothing else tells ranks, its rank.  See
 * importing.h.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/natural.h"
#include "store/importing.h"
#include "store/sql.h"
#include "store/statements.h"

/* Sets a column of a profile by one of statements.sql. */
static int set_number(struct importing *i, const char *statement, int64_t profile_id,
		      int64_t value, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(i->db, statement, &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, profile_id);
	sqlite3_bind_int64(stmt, 2, value);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* Folder, then worker. */
static int compare_workers(const struct import_profile *a, const struct import_profile *b)
{
	int order = natural_compare(file_name_folder(str_of(a->path)),
				    file_name_folder(str_of(b->path)));

	return order ? order : natural_compare(a->name.worker, b->name.worker);
}

static int by_stamp(const void *a, const void *b)
{
	const struct import_profile *x = *(const struct import_profile *const *)a;
	const struct import_profile *y = *(const struct import_profile *const *)b;
	int order = compare_workers(x, y);

	if (order)
		return order;
	if (x->name.stamp != y->name.stamp)
		return x->name.stamp < y->name.stamp ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Those that have a stamp; one stamp is one span. */
static int set_spans(struct importing *i, const struct import_profile **at, size_t n,
		     struct err *err)
{
	int64_t span = 0;

	qsort(at, n, sizeof(*at), by_stamp);
	for (size_t k = 0; k < n; k++) {
		if (k == 0 || compare_workers(at[k - 1], at[k]) != 0)
			span = 1;
		else if (at[k - 1]->name.stamp != at[k]->name.stamp)
			span++;
		if (set_number(i, "set_span", at[k]->id, span, err) < 0)
			return -1;
	}
	return 0;
}

/* What a rank stands for: a worker, whose spans share it, or a file. */
static struct str rank_key(const struct import_profile *p)
{
	return p->name.worker.n ? p->name.worker : str_of(p->shown);
}

static int by_rank_key(const void *a, const void *b)
{
	const struct import_profile *x = *(const struct import_profile *const *)a;
	const struct import_profile *y = *(const struct import_profile *const *)b;
	int order = natural_compare(rank_key(x), rank_key(y));

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

static size_t count_keys(const struct import_profile *const *at, size_t n)
{
	size_t keys = 0;

	for (size_t k = 0; k < n; k++)
		keys += k == 0 || !str_equal(rank_key(at[k - 1]), rank_key(at[k]));
	return keys;
}

/* Those that are no steps; one alone has no rank. */
static int set_ranks(struct importing *i, const struct import_profile **at, size_t n,
		     struct err *err)
{
	struct import_result *result = i->result;
	int64_t rank = 0;

	qsort(at, n, sizeof(*at), by_rank_key);
	size_t keys = count_keys(at, n);
	if (keys < 2)
		return 0;
	for (size_t k = 0; k < n; k++) {
		rank += k > 0 && !str_equal(rank_key(at[k - 1]), rank_key(at[k]));
		if (set_number(i, "set_rank_by_order", at[k]->id, rank, err) < 0)
			return -1;
	}
	result->ordered_ranks = keys;
	result->first_rank = 0;
	result->last_rank = rank;
	return 0;
}

static bool is_ranked(const struct importing *i)
{
	for (size_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].rank != NUMBER_NONE)
			return true;
	return false;
}

int import_place(struct importing *i, struct err *err)
{
	const struct import_profile **at =
		xrealloc_array(NULL, i->nprofiles, sizeof(struct import_profile *));
	size_t n = 0;

	for (size_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].name.stamp != NUMBER_NONE)
			at[n++] = &i->profiles[k];
	int rc = set_spans(i, at, n, err);
	n = 0;
	if (i->is_collection && i->noperands == 1 && !is_ranked(i))
		for (size_t k = 0; k < i->nprofiles; k++)
			if (i->profiles[k].name.step == NUMBER_NONE)
				at[n++] = &i->profiles[k];
	if (rc == 0)
		rc = set_ranks(i, at, n, err);
	free(at);
	return rc;
}
