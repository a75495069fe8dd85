/* The collectives of a scope's profiles: see comm_load.h. */
#include "query/comm/comm_load.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/comm/comm_host.h"
#include "query/query.h"

ASSET(asset_query_views_comm_group_sql);

int comm_sources_open(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct comm_sources *out,
		      struct err *err)
{
	*out = (struct comm_sources){ .found = 0 };
	if (text_pool_open(store, &out->texts, err) < 0 ||
	    slice_finder_open(store, &out->texts, &out->finder, err) < 0 ||
	    work_filter_open(store, scope, filter, &out->texts, &out->choice, err) < 0)
		return -1;
	return collective_facts_load(store, &out->texts, &out->facts, err);
}

void comm_sources_close(struct comm_sources *s)
{
	collective_facts_release(&s->facts);
	work_filter_close(&s->choice);
	slice_finder_close(&s->finder);
	text_pool_close(&s->texts);
}

/*
 * Beside what does a collective of the host run?  Beside the computing of any device;
 * without one, beside operators.
 */
static int find_host_compute(struct store *store, struct comm_sources *s,
			     const struct scope_profile *profile,
			     struct comm_profile *out, struct err *err)
{
	size_t ndevices = out->work.ndevices;
	struct intervals *host = &out->compute[ndevices];

	bool any = false;

	for (size_t i = 0; i < out->calls.n; i++)
		any |= out->calls.items[i].side == COMM_ON_HOST;
	if (!any)
		return 0;
	if (!ndevices)
		return comm_host_compute(store, &s->texts, profile, host, err);
	for (size_t i = 0; i < ndevices; i++)
		for (size_t k = 0; k < out->compute[i].n; k++)
			intervals_add(host, out->compute[i].items[k].start_ns,
				      out->compute[i].items[k].end_ns);
	intervals_unite(host);
	return 0;
}

static bool lacks_group(const struct comm_call *c)
{
	enum collective kind = (enum collective)c->kind;

	return c->side != COMM_LAUNCH_ONLY && collective_bus_factor(kind, 2) >= 0 &&
	       collective_bus_factor(kind, c->group_size) < 0;
}

static void note_calls(struct comm_sources *s, const struct comm_calls *calls)
{
	s->found += calls->found;
	for (size_t i = 0; i < calls->n; i++) {
		s->launch_only += calls->items[i].side == COMM_LAUNCH_ONLY;
		s->no_group += lacks_group(&calls->items[i]);
		s->several_groups |= calls->items[i].group != calls->items[0].group ||
				     calls->items[i].ranks != calls->items[0].ranks;
	}
}

static int find_group(struct store *store, struct comm_sources *s,
		      const struct scope_profile *profile, struct comm_group *out,
		      struct err *err)
{
	*out = (struct comm_group){ TEXT_NONE, TEXT_NONE, NUMBER_NONE };
	struct query q =
		query_of_profile(store, asset_query_views_comm_group_sql, profile, err);

	if (query_next(&q, err))
		*out = (struct comm_group){ text_pool_column(&s->texts, q.stmt, 0),
					    text_pool_column(&s->texts, q.stmt, 2),
					    query_number(q.stmt, 1) };
	return query_end(&q);
}

int comm_load(struct store *store, struct comm_sources *s,
	      const struct scope_profile *profile, bool with_compute,
	      struct comm_profile *out, struct err *err)
{
	struct comm_from from = { .store = store,
				  .texts = &s->texts,
				  .finder = &s->finder,
				  .facts = &s->facts,
				  .choice = &s->choice };

	*out = (struct comm_profile){ .compute = NULL };
	if (find_group(store, s, profile, &from.only_group, err) < 0 ||
	    device_work_load(store, &s->texts, profile, false, &out->work, err) < 0 ||
	    comm_calls_load(&from, profile, &out->work, &out->calls, err) < 0)
		return -1;
	note_calls(s, &out->calls);
	if (!with_compute)
		return 0;
	out->compute = xcalloc(out->work.ndevices + 1, sizeof(*out->compute));
	for (size_t i = 0; i < out->work.ndevices; i++)
		device_work_union(&out->work, &out->work.devices[i],
				  WORK_BIT(WORK_COMPUTE), &out->compute[i]);
	return find_host_compute(store, s, profile, out, err);
}

void comm_profile_release(struct comm_profile *p)
{
	for (size_t i = 0; p->compute && i <= p->work.ndevices; i++)
		intervals_release(&p->compute[i]);
	free(p->compute);
	comm_calls_release(&p->calls);
	device_work_release(&p->work);
	*p = (struct comm_profile){ .compute = NULL };
}
