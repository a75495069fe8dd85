/* Which region a backward pass is of: see compile_backward.h. */
#include "query/compile/compile_backward.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/sort.h"
#include "query/query.h"

ASSET(asset_query_views_slice_sequence_sql);

/* A forward pass, as backward passes ask for it. */
struct forward {
	const struct scope_profile *profile;
	int64_t sequence, start_ns;
	uint32_t call;
};

struct forwards {
	struct forward *items; /* owned */
	uint32_t *at;          /* owned; their places in order */
	size_t n;
};

static int find_sequence(struct sqlite3_stmt *stmt, int64_t id, int64_t *sequence,
			 struct err *err)
{
	query_bind_int(stmt, ":id", id);
	int rc = sql_step(stmt, err);
	*sequence = rc > 0 ? query_number(stmt, 0) : NUMBER_NONE;
	sqlite3_reset(stmt);
	return rc < 0 ? -1 : 0;
}

/* Profiles lie in one array. */
static bool is_before(const struct forward *a, const struct forward *b)
{
	if (a->profile != b->profile)
		return a->profile < b->profile;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence;
	return a->start_ns < b->start_ns;
}

static bool is_forward_before(const void *context, uint32_t a, uint32_t b)
{
	const struct forward *items = context;

	return is_before(&items[a], &items[b]);
}

static int read_forwards(struct sqlite3_stmt *stmt, const struct compile_read *r,
			 struct forwards *out, struct err *err)
{
	out->items = xrealloc_array(NULL, r->nforwards + 1, sizeof(*out->items));
	out->at = xrealloc_array(NULL, (r->nforwards + 1) * 2, sizeof(*out->at));
	for (size_t i = 0; i < r->ntracks; i++) {
		const struct compile_track *t = &r->tracks[i];
		for (size_t j = 0; j < t->nforwards; j++) {
			const struct compile_forward *f =
				&r->forwards[t->first_forward + j];
			int64_t sequence;
			if (find_sequence(stmt, f->slice_id, &sequence, err) < 0)
				return -1;
			if (sequence == NUMBER_NONE)
				continue;
			out->at[out->n] = (uint32_t)out->n;
			out->items[out->n++] =
				(struct forward){ t->track->profile, sequence,
						  f->start_ns, f->call };
		}
	}
	sort_indexes(out->at, out->n, out->at + r->nforwards + 1, is_forward_before,
		     out->items);
	return 0;
}

/* The last forward pass of that number that began before; NULL: there is none. */
static const struct forward *find_forward(const struct forwards *f,
					  const struct forward *wanted)
{
	size_t low;

	SEARCH(low, 0, f->n, is_before(&f->items[f->at[low]], wanted));
	if (low == 0)
		return NULL;
	const struct forward *found = &f->items[f->at[low - 1]];
	return found->profile == wanted->profile && found->sequence == wanted->sequence
		       ? found
		       : NULL;
}

static int join(struct sqlite3_stmt *stmt, struct compile *c, struct compile_read *r,
		const struct forwards *forwards, struct err *err)
{
	for (size_t i = 0; i < r->ntracks; i++) {
		const struct compile_track *t = &r->tracks[i];
		for (size_t j = 0; j < t->ncalls; j++) {
			struct compile_call *call = &r->calls[t->first_call + j];
			struct forward wanted = { .profile = t->track->profile,
						  .start_ns = call->start_ns };
			if (call->word != COMPILE_WORD_BACKWARD)
				continue;
			if (find_sequence(stmt, call->slice_id, &wanted.sequence, err) <
			    0)
				return -1;
			const struct forward *f = find_forward(forwards, &wanted);
			if (f)
				call->region = compile_region_at(
					c, c->regions[r->calls[f->call].region].id,
					COMPILE_BACKWARD);
		}
	}
	return 0;
}

int compile_join_backward(struct store *store, struct compile *c, struct compile_read *r,
			  struct err *err)
{
	struct forwards forwards = { .n = 0 };
	struct sqlite3_stmt *stmt;

	if (r->nforwards == 0)
		return 0;
	if (query_prepare(store, asset_query_views_slice_sequence_sql, &stmt, err) < 0)
		return -1;
	int rc = read_forwards(stmt, r, &forwards, err);
	if (rc == 0)
		rc = join(stmt, c, r, &forwards, err);
	sqlite3_finalize(stmt);
	free(forwards.items);
	free(forwards.at);
	return rc;
}
