/* The list of summaries, and making those of a run: see summary.h. */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "query/comm/comm_load.h"
#include "query/gaps/gap_profile.h"
#include "query/kernels/kernel_detail.h"
#include "query/query.h"
#include "query/summary/summary.h"

ASSET(asset_query_views_summary_lacking_sql);

#define RULES_MAX 4096

const struct summary *const summaries[] = {
	&summary_steps,
	&summary_gaps,
	&summary_gap_waits,
	&summary_gap_calls,
	&summary_devices,
	&summary_streams,
	&summary_ranks,
	&summary_kernels,
	&summary_graph_names,
	&summary_transfers,
	&summary_comm,
	&summary_memory,
	NULL,
};

const struct device_work *summary_work(struct summary_source *from, struct err *err)
{
	if (from->work)
		return from->work;
	from->work = xcalloc(1, sizeof(*from->work));
	if (device_work_load(from->store, from->texts, from->profile, WORK_WITH_OPS,
			     from->work, err) == 0)
		return from->work;
	device_work_release(from->work);
	free(from->work);
	from->work = NULL;
	return NULL;
}

const struct gap_profile *summary_idle(struct summary_source *from, struct err *err)
{
	static const struct gap_table_request all = { .by = GAPS_BY_CAUSE };
	const struct device_work *work = summary_work(from, err);
	struct gap_ranks alone = { .texts = from->texts };

	if (from->idle || !work)
		return from->idle;
	from->idle = xcalloc(1, sizeof(*from->idle));
	from->idle->profile = from->profile;
	if (gap_profile_make(from->store, work, &all, &alone, from->idle, err) == 0)
		return from->idle;
	gap_profile_release(from->idle);
	free(from->idle);
	from->idle = NULL;
	return NULL;
}

static int load_collectives(struct summary_source *from, const struct device_work *work,
			    struct err *err)
{
	static const struct filter all = { .has_steps = false };
	struct comm_sources sources = { .found = 0 };
	struct scope scope;

	scope_of_profile(from->profile, &scope);
	int rc = comm_slices_open(from->store, &scope, &all, from->texts, &sources, err);
	if (rc == 0)
		rc = comm_load_slices(&sources, from->profile, work, true, from->comm,
				      err);
	comm_sources_close(&sources);
	scope_release(&scope);
	return rc;
}

const struct comm_profile *summary_collectives(struct summary_source *from,
					       struct err *err)
{
	const struct device_work *work = summary_work(from, err);

	if (from->comm || !work)
		return from->comm;
	from->comm = xcalloc(1, sizeof(*from->comm));
	if (load_collectives(from, work, err) == 0)
		return from->comm;
	comm_profile_release(from->comm);
	free(from->comm);
	from->comm = NULL;
	return NULL;
}

struct kernel_details *summary_kernel_details(struct summary_source *from,
					      struct err *err)
{
	if (from->kernels)
		return from->kernels;
	from->kernels = xcalloc(1, sizeof(*from->kernels));
	if (kernel_details_load(from->store, from->profile, NULL, from->kernels, err) ==
	    0)
		return from->kernels;
	kernel_details_release(from->kernels);
	free(from->kernels);
	from->kernels = NULL;
	return NULL;
}

void summary_source_release(struct summary_source *from)
{
	if (from->kernels)
		kernel_details_release(from->kernels);
	free(from->kernels);
	from->kernels = NULL;
	if (from->comm)
		comm_profile_release(from->comm);
	free(from->comm);
	from->comm = NULL;
	if (from->idle)
		gap_profile_release(from->idle);
	free(from->idle);
	from->idle = NULL;
	if (from->work)
		device_work_release(from->work);
	free(from->work);
	from->work = NULL;
}

static int make_rows(struct summary_source *from, const struct summary *summary,
		     struct part_rows *out, struct err *err)
{
	/* a call graph, say, has no slice */
	return from->profile->slices ? summary->make(from, out, err) : 0;
}

int summary_need(struct summary_reader *r, const struct scope_profile *profile,
		 const struct summary *summary, struct part_rows *out, struct err *err)
{
	if (summary_has(r, profile, summary))
		return summary_read(r, profile, summary, out, err);
	if (r->source.profile != profile) {
		summary_source_release(&r->source);
		r->source = (struct summary_source){ .store = r->store,
						     .texts = r->texts,
						     .profile = profile };
	}
	part_rows_init(out, &summary->table);
	return make_rows(&r->source, summary, out, err);
}

static int make_profile(struct summary_source *from, struct summary_reader *there,
			const struct part_sink *to, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && summaries[i]; i++) {
		struct part_rows rows;
		if (summary_has(there, from->profile, summaries[i]))
			continue;
		part_rows_init(&rows, &summaries[i]->table);
		rc = make_rows(from, summaries[i], &rows, err);
		if (rc == 0 && !rows.is_too_many)
			rc = to->take(to, from->profile->id, &rows, err);
		part_rows_release(&rows);
	}
	summary_source_release(from);
	return rc;
}

/* Has every profile with slices the rows of all summaries? */
static int has_all(struct store *store, bool *all, struct err *err)
{
	struct buf rules;
	int n = 0;

	buf_init(&rules, RULES_MAX);
	for (; summaries[n]; n++)
		buf_addf(&rules, ",%s %d", summaries[n]->table.name,
			 summaries[n]->table.rules);
	buf_add_char(&rules, ',');
	struct query q = query_open(store, asset_query_views_summary_lacking_sql, err);

	if (q.rc == 0) {
		sqlite3_bind_int(q.stmt, 1, n);
		sqlite3_bind_text(q.stmt, 2, rules.p, (int)rules.n, SQLITE_STATIC);
	}
	*all = !query_next(&q, err);
	int rc = query_end(&q);
	buf_release(&rules);
	return rc;
}

int summaries_make_run(struct store *store, const char *run, const struct part_sink *to,
		       struct err *err)
{
	const struct scope_request request = { .run = run };
	struct text_pool texts;
	struct scope scope;
	bool all;

	if (has_all(store, &all, err) < 0)
		return -1;
	if (all)
		return 0;
	if (scope_load(store, &request, &scope, err) < 0)
		return -1;
	struct summary_reader there = { .n = 0 };
	int rc = text_pool_open(store, &texts, err);
	if (rc == 0)
		rc = summary_reader_open(store, &texts, &there, err);
	for (size_t i = 0; rc == 0 && i < scope.n; i++) {
		if (!scope.profiles[i].has_slices)
			continue;
		struct summary_source from = { .store = store,
					       .texts = &texts,
					       .profile = &scope.profiles[i] };
		rc = make_profile(&from, &there, to, err);
	}
	summary_reader_close(&there);
	text_pool_close(&texts);
	scope_release(&scope);
	return rc;
}
