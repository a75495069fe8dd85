/* ptool comm: see comm.h. */
#include "query/comm/comm.h"

#include "query/comm/comm_align.h"
#include "query/comm/comm_blocking.h"
#include "query/comm/comm_imbalance.h"
#include "query/comm/comm_load.h"
#include "query/comm/comm_ranks_rows.h"
#include "query/comm/comm_rows.h"
#include "query/query.h"

ASSET(asset_query_views_comm_world_sql);

const struct view *comm_view_of(bool across_ranks)
{
	return across_ranks ? &comm_ranks_view : &comm_view;
}

unsigned comm_columns(enum comm_by by, bool across_ranks)
{
	return across_ranks ? comm_ranks_columns(by) : comm_rows_columns(by);
}

static int add_profile(struct comm_sources *s, const struct scope_profile *profile,
		       struct comm_rows *to, struct err *err)
{
	struct comm_profile p;
	int rc = comm_load(s, profile, true, &p, err);

	if (rc == 0)
		comm_rows_add(to, profile, &p);
	comm_profile_release(&p);
	return rc;
}

static int nothing(const struct comm_sources *s, struct err *err)
{
	if (s->found)
		return err_set(err, ERR_EMPTY, "no collective matches");
	return err_set(err, ERR_EMPTY,
		       "no collective was recorded: neither NCCL (or RCCL) kernels nor "
		       "torch.distributed's ranges (gloo:all_reduce)");
}

static void add_notes(const struct comm_sources *s, struct memtable *to)
{
	if (s->launch_only)
		memtable_add_note(
			to,
			"%lld collectives have no kernel: their times are those of the "
			"launch",
			(long long)s->launch_only);
	if (s->no_group)
		memtable_add_note(
			to,
			"no bus bandwidth for %lld collectives: the size of their "
			"group is not recorded",
			(long long)s->no_group);
}

static int open_profiles(struct comm_sources *s, const struct scope *scope,
			 const struct comm_request *request, struct table **out,
			 struct err *err)
{
	struct comm_rows rows = { .by = request->by };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		rc = add_profile(s, &scope->profiles[i], &rows, err);
	if (rc == 0 && !rows.n)
		rc = nothing(s, err);
	comm_rows_fold(&rows);
	if (rc == 0) {
		struct memtable *m = comm_rows_table(&rows, s, scope, &request->show);
		add_notes(s, m);
		*out = &m->table;
	}
	comm_rows_release(&rows);
	return rc;
}

static int read_world(struct store *store, const struct scope *scope, int64_t *size,
		      struct err *err)
{
	struct query q =
		query_of_scope(store, asset_query_views_comm_world_sql, scope->ids, err);

	*size = query_next(&q, err) ? query_number(q.stmt, 0) : NUMBER_NONE;
	return query_end(&q);
}

static int load_matches(struct comm_sources *s, const struct scope *scope,
			bool with_compute, struct comm_matches *m, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < scope->n; i++) {
		struct comm_profile p;
		rc = comm_load(s, &scope->profiles[i], with_compute, &p, err);
		if (rc == 0)
			comm_matches_add(m, &scope->profiles[i], &p.calls);
		if (rc == 0 && with_compute)
			comm_blocking_add(m, &scope->profiles[i], &p);
		comm_profile_release(&p);
	}
	return rc;
}

static int nothing_shared(const struct comm_matches *m, const struct comm_sources *s,
			  struct err *err)
{
	for (size_t i = 0; i < m->nparts; i++)
		if (!m->parts[i].call.is_unwanted)
			return err_set(err, ERR_EMPTY, "no two ranks share a collective");
	if (m->direct)
		return err_set(err, ERR_EMPTY,
			       "only sends and receives match, and these are not "
			       "compared");
	return nothing(s, err);
}

/* Aligned matches, to be released in both cases. */
static int find_matches(struct comm_sources *s, const struct scope *scope,
			bool with_compute, struct comm_matches *m, struct err *err)
{
	*m = (struct comm_matches){ .nparts = 0 };
	if (!scope->nranked && scope->n > 1)
		return err_set(err, ERR_EMPTY,
			       "--ranks compares ranks, and no recording says its rank "
			       "(distributedInfo, or a name like rank0.json)");
	if (scope->nranks < 2)
		return err_set(
			err, ERR_EMPTY,
			"--ranks compares ranks, and there is only one: ingest the "
			"traces of several together");
	comm_matches_init(scope, m);
	if (load_matches(s, scope, with_compute, m, err) < 0)
		return -1;
	comm_matches_find(m);
	comm_align(m);
	comm_matches_choose(m);
	return m->nmatches ? 0 : nothing_shared(m, s, err);
}

/* All ranks of the run are compared; what those of the scope took part in is shown. */
static int open_ranks(struct comm_sources *s, const struct scope *run,
		      const struct comm_request *request, struct table **out,
		      struct err *err)
{
	struct comm_matches m;
	struct comm_phases phases = { .n = 0 };
	struct comm_ranks ranks = { .matches = &m,
				    .phases = &phases,
				    .texts = s->texts,
				    .shown = s->across,
				    .by = request->by,
				    .show = &request->show };
	int rc = find_matches(s, run, request->by == COMM_BY_RANK, &m, err);

	if (rc == 0)
		rc = read_world(s->store, run, &ranks.world_size, err);
	if (rc == 0)
		rc = comm_phases_load(s->store, run, &m, &phases, err);
	if (rc == 0)
		*out = comm_ranks_table(&ranks);
	comm_phases_release(&phases);
	comm_matches_release(&m);
	return rc;
}

int comm_ranks_load(struct store *store, const struct scope *scope,
		    const struct filter *filter, struct comm_rank **out, size_t *n,
		    struct err *err)
{
	struct comm_sources s = { .found = 0 };
	struct comm_matches m = { .nparts = 0 };
	struct text_pool texts;

	*out = NULL;
	*n = 0;
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0)
		rc = comm_sources_open(store, scope, filter, &texts, &s, err);
	if (rc == 0)
		rc = find_matches(&s, scope, true, &m, err);
	if (rc == 0) {
		*out = comm_ranks_sum(&m);
		*n = m.nparticipants;
	}
	comm_matches_release(&m);
	comm_sources_close(&s);
	text_pool_close(&texts);
	return rc;
}

int comm_open(struct store *store, const struct scope *scope,
	      const struct comm_request *request, struct table **out, struct err *err)
{
	const struct scope_request all = { .run = scope->profiles[0].run };
	struct comm_sources s = { .found = 0 };
	struct text_pool texts;
	struct scope run = { .n = 0 };

	*out = NULL;
	if (request->by >= COMM_BY_AXES &&
	    scope_needs_axis(scope, (enum axis)(request->by - COMM_BY_AXES), err) < 0)
		return -1;
	if (request->imbalance)
		return comm_imbalance_open(store, scope, request, out, err);
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0 && request->across_ranks)
		rc = scope_load(store, &all, &run, err);
	if (rc == 0)
		rc = comm_sources_open(store, run.n ? &run : scope, request->filter,
				       &texts, &s, err);
	s.across = run.n ? scope : NULL;
	if (rc == 0)
		rc = run.n ? open_ranks(&s, &run, request, out, err)
			   : open_profiles(&s, scope, request, out, err);
	comm_sources_close(&s);
	text_pool_close(&texts);
	scope_release(&run);
	return rc;
}
