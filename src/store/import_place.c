/*
 * What the place of a profile among the others tells, once all are read: which
 * span of its worker it is, and, where nothing else tells ranks, its rank.  See
 * importing.h.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/natural.h"
#include "base/sort.h"
#include "store/importing.h"
#include "store/sql.h"
#include "store/statements.h"

/* Some of the profiles. */
struct chosen {
	uint32_t *at, *spare; /* owned; indexes into profiles */
	size_t n;
};

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

static int set_rank(struct importing *i, int64_t profile_id, int64_t rank,
		    struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (set_number(i, "set_rank_by_order", profile_id, rank, err) < 0 ||
	    statement_prepare(i->db, "drop_rank_unknown", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, profile_id);
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

static bool is_earlier_span(const void *context, uint32_t a, uint32_t b)
{
	const struct import_profile *profiles = context;
	int order = compare_workers(&profiles[a], &profiles[b]);

	return order ? order < 0 : profiles[a].name.stamp < profiles[b].name.stamp;
}

/* Those that have a stamp; one stamp is one span. */
static int set_spans(struct importing *i, struct chosen *those, struct err *err)
{
	const struct import_profile *before = NULL;
	int64_t span = 0;

	sort_indexes(those->at, those->n, those->spare, is_earlier_span, i->profiles);
	for (size_t k = 0; k < those->n; k++) {
		const struct import_profile *p = &i->profiles[those->at[k]];
		if (!before || compare_workers(before, p) != 0)
			span = 1;
		else if (before->name.stamp != p->name.stamp)
			span++;
		if (set_number(i, "set_span", p->id, span, err) < 0)
			return -1;
		before = p;
	}
	return 0;
}

/* What a rank stands for: a worker, whose spans share it, or a file. */
static struct str rank_key(const struct import_profile *p)
{
	return p->name.worker.n ? p->name.worker : str_of(p->shown);
}

static bool is_lower_rank(const void *context, uint32_t a, uint32_t b)
{
	const struct import_profile *profiles = context;

	return natural_compare(rank_key(&profiles[a]), rank_key(&profiles[b])) < 0;
}

/* Does the k-th of those have another rank than the one before it? */
static bool is_next_rank(const struct importing *i, const struct chosen *those, size_t k)
{
	return k > 0 && !str_equal(rank_key(&i->profiles[those->at[k - 1]]),
				   rank_key(&i->profiles[those->at[k]]));
}

/* Those that are no steps; one worker alone has no rank. */
static int set_ranks(struct importing *i, struct chosen *those, struct err *err)
{
	int64_t last = 0, rank = 0;

	sort_indexes(those->at, those->n, those->spare, is_lower_rank, i->profiles);
	for (size_t k = 0; k < those->n; k++)
		last += is_next_rank(i, those, k);
	if (last == 0)
		return 0;
	for (size_t k = 0; k < those->n; k++) {
		rank += is_next_rank(i, those, k);
		if (set_rank(i, i->profiles[those->at[k]].id, rank, err) < 0)
			return -1;
	}
	i->result->ordered_ranks = (size_t)last + 1;
	i->result->first_rank = 0;
	i->result->last_rank = last;
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
	struct chosen those = {
		.at = xrealloc_array(NULL, i->nprofiles, sizeof(uint32_t)),
		.spare = xrealloc_array(NULL, i->nprofiles, sizeof(uint32_t)),
	};

	for (uint32_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].name.stamp != NUMBER_NONE)
			those.at[those.n++] = k;
	int rc = set_spans(i, &those, err);
	those.n = 0;
	if (i->is_collection && i->noperands == 1 && !is_ranked(i))
		for (uint32_t k = 0; k < i->nprofiles; k++)
			if (i->profiles[k].name.step == NUMBER_NONE)
				those.at[those.n++] = k;
	if (rc == 0)
		rc = set_ranks(i, &those, err);
	free(those.at);
	free(those.spare);
	return rc;
}
