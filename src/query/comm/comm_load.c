/* The collectives of a scope's profiles: see comm_load.h. */
#include "query/comm/comm_load.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "query/comm/comm_host.h"
#include "query/comm/comm_stored.h"
#include "query/query.h"

ASSET(asset_query_views_comm_group_sql);

int comm_slices_open(struct store *store, const struct scope *scope,
		     const struct filter *filter, struct text_pool *texts,
		     struct comm_sources *out, struct err *err)
{
	*out = (struct comm_sources){ .store = store, .texts = texts };
	out->finder = slice_finder_of(store, texts);
	return work_filter_open(store, scope, filter, texts, &out->choice, err);
}

int comm_sources_open(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct text_pool *texts,
		      struct comm_sources *out, struct err *err)
{
	if (comm_slices_open(store, scope, filter, texts, out, err) < 0)
		return -1;
	return summary_reader_open(store, texts, &out->summaries, err);
}

void comm_sources_close(struct comm_sources *s)
{
	summary_reader_close(&s->summaries);
	work_filter_close(&s->choice);
	slice_finder_close(&s->finder);
}

/*
 * Beside what does a collective of the host run?  Beside the computing of any device;
 * without one, beside operators.
 */
static int find_host_compute(struct comm_sources *s, const struct scope_profile *profile,
			     struct comm_profile *out, struct err *err)
{
	size_t ndevices = out->ndevices;
	struct intervals *host = &out->compute[ndevices];

	bool any = false;

	for (size_t i = 0; i < out->calls.n; i++)
		any |= out->calls.items[i].side == COMM_ON_HOST;
	if (!any)
		return 0;
	if (!ndevices)
		return comm_host_compute(s->store, s->texts, profile, host, err);
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
	for (size_t i = 0; i < calls->n; i++) {
		s->launch_only += calls->items[i].side == COMM_LAUNCH_ONLY;
		s->no_group += lacks_group(&calls->items[i]);
		s->several_groups |= calls->items[i].group != calls->items[0].group ||
				     calls->items[i].ranks != calls->items[0].ranks;
	}
}

static int find_group(struct comm_sources *s, const struct scope_profile *profile,
		      struct comm_group *out, struct err *err)
{
	*out = (struct comm_group){ TEXT_NONE, TEXT_NONE, NUMBER_NONE };
	struct query q = query_of_profile(s->store, asset_query_views_comm_group_sql,
					  profile, err);

	if (query_next(&q, err))
		*out = (struct comm_group){ text_pool_column(s->texts, q.stmt, 0),
					    text_pool_column(s->texts, q.stmt, 2),
					    query_number(q.stmt, 1) };
	return query_end(&q);
}

static void copy_devices(const struct device_work *work, struct text_pool *texts,
			 struct comm_profile *out)
{
	out->ndevices = work->ndevices;
	out->devices = xcalloc(work->ndevices + 1, sizeof(*out->devices));
	for (size_t i = 0; i < work->ndevices; i++) {
		const struct work_device *device = &work->devices[i];
		out->devices[i].device = device->device;
		if (device->name)
			out->devices[i].name =
				text_pool_keep(texts, str_of(device->name)).p;
	}
}

int comm_load_slices(struct comm_sources *s, const struct scope_profile *profile,
		     const struct device_work *work, bool with_compute,
		     struct comm_profile *out, struct err *err)
{
	struct collective_facts facts = { .n = 0 };
	struct comm_from from = { .store = s->store,
				  .texts = s->texts,
				  .finder = &s->finder,
				  .facts = &facts,
				  .choice = &s->choice };

	*out = (struct comm_profile){ .ndevices = 0 };
	copy_devices(work, s->texts, out);
	int rc = find_group(s, profile, &from.only_group, err);
	if (rc == 0)
		rc = collective_facts_load(s->store, s->texts, profile, &facts, err);
	if (rc == 0)
		rc = comm_calls_load(&from, profile, work, &out->calls, err);
	collective_facts_release(&facts);
	if (rc < 0 || !with_compute)
		return rc;
	out->compute = xcalloc(out->ndevices + 1, sizeof(*out->compute));
	for (size_t i = 0; i < out->ndevices; i++)
		device_work_union(work, &work->devices[i], WORK_BIT(WORK_COMPUTE),
				  &out->compute[i]);
	return find_host_compute(s, profile, out, err);
}

/* Those that are wanted, in their order; across ranks all, with marks. */
static int choose_calls(struct comm_sources *s, const struct scope_profile *profile,
			struct comm_profile *p, struct err *err)
{
	struct comm_calls *calls = &p->calls;
	bool is_shown = !s->across || scope_find(s->across, profile->id);
	size_t n = 0;

	for (size_t i = 0; i < calls->n; i++) {
		struct comm_call *c = &calls->items[i];
		bool on_device = c->side == COMM_ON_DEVICE;
		bool in_step = filter_has_step(s->choice.filter, profile->id, c->step,
					       c->step != NUMBER_NONE);
		const struct work_piece piece = {
			.name = c->collective,
			.device = on_device ? p->devices[c->device].device : NUMBER_NONE,
			.stream = c->stream,
			.step = in_step ? c->step : NUMBER_NONE,
			.start_ns = c->start_ns,
			.dur_ns = c->end_ns - c->start_ns,
		};
		int wanted = work_filter_wants(&s->choice, &piece, err);
		if (wanted < 0)
			return -1;
		c->is_unwanted = !wanted || !is_shown;
		if (!c->is_unwanted || s->across)
			calls->items[n++] = *c;
	}
	s->found += (int64_t)calls->n;
	calls->n = n;
	return 0;
}

static int load_slices(struct comm_sources *s, const struct scope_profile *profile,
		       bool with_compute, struct comm_profile *out, struct err *err)
{
	struct device_work work;

	*out = (struct comm_profile){ .ndevices = 0 };
	int rc = device_work_load(s->store, s->texts, profile, false, &work, err);
	if (rc == 0)
		rc = comm_load_slices(s, profile, &work, with_compute, out, err);
	device_work_release(&work);
	return rc;
}

/* Groups of one name and ranks in jobs of their own are kept apart. */
static void name_replica(struct comm_sources *s, const struct scope_profile *profile,
			 struct comm_call *call)
{
	struct buf text;

	if (!profile->replica)
		return;
	buf_init(&text, SIZE_MAX);
	buf_add_text(&text, profile->replica);
	buf_add_text(&text, ": ");
	buf_add_str(&text, text_pool_str(s->texts, call->group));
	buf_add_char(&text, ' ');
	buf_add_str(&text, text_pool_str(s->texts, call->ranks));
	call->group = intern_add(&s->texts->intern, buf_str(&text));
	call->ranks = TEXT_NONE; /* they are the job's, not the run's */
	buf_release(&text);
}

/* Where no group is recorded, ranks that share none by their axes are kept apart. */
static void name_groups(struct comm_sources *s, const struct scope_profile *profile,
			struct comm_calls *calls)
{
	for (size_t i = 0; (profile->group || profile->replica) && i < calls->n; i++) {
		struct comm_call *call = &calls->items[i];
		if (call->group != TEXT_NONE || call->ranks != TEXT_NONE) {
			name_replica(s, profile, call);
			continue;
		}
		const char *group = call->kind == COLLECTIVE_ALL_TO_ALL
					    ? profile->exchange_group
					    : profile->group;
		if (group)
			call->group = intern_add(&s->texts->intern, str_of(group));
	}
}

int comm_load(struct comm_sources *s, const struct scope_profile *profile,
	      bool with_compute, struct comm_profile *out, struct err *err)
{
	bool is_stored = summary_has(&s->summaries, profile, &summary_comm);
	int rc = is_stored ? comm_load_stored(s, profile, with_compute, out, err)
			   : load_slices(s, profile, with_compute, out, err);
	if (rc == 0)
		name_groups(s, profile, &out->calls);
	if (rc == 0)
		rc = choose_calls(s, profile, out, err);
	if (rc == 0)
		note_calls(s, &out->calls);
	return rc;
}

void comm_profile_release(struct comm_profile *p)
{
	for (size_t i = 0; p->compute && i <= p->ndevices; i++)
		intervals_release(&p->compute[i]);
	free(p->compute);
	free(p->devices);
	comm_calls_release(&p->calls);
	*p = (struct comm_profile){ .ndevices = 0 };
}
