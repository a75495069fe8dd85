/*
 * What the axes of all profiles of a run tell together (importing.h).
 *
 * A number in a name that could be a size ("tp8") is one where all names have the same.
 *
 * Ranks by axes are numbered as engines number them: by data parallel replica, pipeline
 * stage, context and then tensor parallel rank, expert parallel ranks being tensor
 * parallel ones again.  An axis that another one tells is left out: under data parallel
 * attention, SGLang's data parallel ranks are parts of the tensor parallel group.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "store/importing.h"
#include "store/sql.h"
#include "store/statements.h"

/* From the outermost to the innermost. */
static const enum axis places[NAXES] = { AXIS_DP, AXIS_PP, AXIS_CP, AXIS_TP, AXIS_EP };

#define RANKS_MAX ((int64_t)1 << 24)

static int set_axes(struct importing *i, const struct import_profile *p, struct err *err)
{
	struct sqlite3_stmt *stmt;

	if (statement_prepare(i->db, "set_axes", &stmt, err) < 0)
		return -1;
	sqlite3_bind_int64(stmt, 1, p->id);
	for (int a = 0; a < NAXES; a++)
		if (p->axes.at[a] != NUMBER_NONE)
			sqlite3_bind_int64(stmt, 2 + a, p->axes.at[a]);
	int rc = sql_step(stmt, err);
	sqlite3_finalize(stmt);
	return rc;
}

/* Does only a name that may tell sizes know the axes of it? */
static bool is_doubtful(const struct import_profile *p)
{
	return !axes_known(&p->axes) && !p->name.is_axes_sure &&
	       axes_known(&p->name.axes);
}

/* Sizes are the same in all names. */
static int take_doubtful(struct importing *i, struct err *err)
{
	const struct import_profile *first = NULL;
	bool is_place = false;

	for (size_t k = 0; k < i->nprofiles; k++) {
		const struct import_profile *p = &i->profiles[k];
		if (!is_doubtful(p))
			continue;
		is_place |= first && axes_differ(&first->name.axes, &p->name.axes);
		first = first ? first : p;
	}
	for (size_t k = 0; k < i->nprofiles && is_place; k++) {
		struct import_profile *p = &i->profiles[k];
		if (!is_doubtful(p))
			continue;
		p->axes = p->name.axes;
		if (set_axes(i, p, err) < 0)
			return -1;
	}
	return 0;
}

/* The axes that ranks are numbered by: bits of them. */
struct numbering {
	const struct import_profile *profiles;
	unsigned axes;
};

static int compare_by(const struct numbering *by, uint32_t a, uint32_t b)
{
	for (int k = 0; k < NAXES; k++) {
		int64_t x = by->profiles[a].axes.at[places[k]];
		int64_t y = by->profiles[b].axes.at[places[k]];
		if ((by->axes & 1U << places[k]) && x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	return compare_by(context, a, b) < 0;
}

/* Do profiles that are alike in some axes differ in another one? */
static bool tells_apart(const struct numbering *by, enum axis axis, uint32_t *at,
			uint32_t *spare, size_t n)
{
	sort_indexes(at, n, spare, is_before, by);
	for (size_t k = 1; k < n; k++)
		if (compare_by(by, at[k - 1], at[k]) == 0 &&
		    by->profiles[at[k - 1]].axes.at[axis] !=
			    by->profiles[at[k]].axes.at[axis])
			return true;
	return false;
}

#define BIT(axis) (1U << (axis))

static unsigned choose_axes(const struct importing *i, uint32_t *at, uint32_t *spare)
{
	struct numbering by = { i->profiles, BIT(AXIS_TP) | BIT(AXIS_PP) | BIT(AXIS_CP) };

	if (tells_apart(&by, AXIS_DP, at, spare, i->nprofiles))
		by.axes |= BIT(AXIS_DP);
	if (tells_apart(&by, AXIS_EP, at, spare, i->nprofiles))
		by.axes |= BIT(AXIS_EP);
	return by.axes;
}

static int64_t size_of(const struct importing *i, enum axis axis)
{
	int64_t most = 0;

	for (size_t k = 0; k < i->nprofiles; k++)
		if (i->profiles[k].axes.at[axis] > most)
			most = i->profiles[k].axes.at[axis];
	return most + 1;
}

static int64_t rank_of(const struct axes *axes, unsigned by, const int64_t *sizes)
{
	int64_t rank = 0;

	for (int k = 0; k < NAXES; k++) {
		int64_t place = axes->at[places[k]];
		if (by & BIT(places[k]))
			rank = rank * sizes[places[k]] +
			       (place == NUMBER_NONE ? 0 : place);
	}
	return rank;
}

static int number_ranks(struct importing *i, unsigned by, struct err *err)
{
	int64_t sizes[NAXES], all = 1;

	for (int a = 0; a < NAXES; a++) {
		sizes[a] = by & BIT(a) ? size_of(i, (enum axis)a) : 1;
		if (all < RANKS_MAX)
			all *= sizes[a];
	}
	if (all >= RANKS_MAX)
		return 0;
	for (size_t k = 0; k < i->nprofiles; k++) {
		struct import_profile *p = &i->profiles[k];
		p->rank = rank_of(&p->axes, by, sizes);
		if (import_set_number(i, "set_rank_by_axes", p->id, p->rank, err) < 0)
			return -1;
	}
	i->result->placed_ranks = i->nprofiles;
	return 1;
}

static bool is_before_by_rank(const void *context, uint32_t a, uint32_t b)
{
	const struct import_profile *profiles = context;

	return profiles[a].rank < profiles[b].rank;
}

/*
 * Is there no rank, or one of two that are at different places?  Replicas that are jobs
 * of their own number their ranks from 0 each.
 */
static bool needs_ranks(const struct importing *i, uint32_t *at, uint32_t *spare)
{
	size_t n = 0;

	sort_indexes(at, i->nprofiles, spare, is_before_by_rank, i->profiles);
	for (size_t k = 0; k < i->nprofiles; k++)
		n += i->profiles[k].rank != NUMBER_NONE;
	for (size_t k = 1; k < i->nprofiles; k++) {
		const struct import_profile *p = &i->profiles[at[k - 1]];
		const struct import_profile *q = &i->profiles[at[k]];
		if (p->rank != NUMBER_NONE && p->rank == q->rank &&
		    axes_differ(&p->axes, &q->axes))
			return true;
	}
	return n == 0;
}

/* Does the name of a file beside the first one tell a place? */
static bool is_beside(const struct importing *i, const struct import_profile *p)
{
	return p->name.is_axes_sure &&
	       str_equal(file_name_folder(str_of(p->path)),
			 file_name_folder(str_of(i->profiles[0].path)));
}

/*
 * Have all profiles a place, and not all of them the same?  Or have the files of one
 * folder: SGLang's of one rank are its captures, or its stages (-EXTEND, -DECODE).
 */
static bool are_placed(const struct importing *i)
{
	bool differ = false, are_beside = i->nprofiles > 1;

	for (size_t k = 0; k < i->nprofiles; k++) {
		if (!axes_known(&i->profiles[k].axes))
			return false;
		differ |= axes_differ(&i->profiles[0].axes, &i->profiles[k].axes);
		are_beside &= is_beside(i, &i->profiles[k]);
	}
	return differ || are_beside;
}

int import_place_axes(struct importing *i, struct err *err)
{
	uint32_t *at = xrealloc_array(NULL, i->nprofiles, sizeof(*at));
	uint32_t *spare = xrealloc_array(NULL, i->nprofiles, sizeof(*spare));
	int rc = take_doubtful(i, err);

	for (uint32_t k = 0; k < i->nprofiles; k++)
		at[k] = k;
	if (rc == 0 && are_placed(i) && needs_ranks(i, at, spare))
		rc = number_ranks(i, choose_axes(i, at, spare), err);
	free(at);
	free(spare);
	return rc;
}
