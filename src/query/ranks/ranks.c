/* Ranks of a run: see ranks.h. */
#include "query/ranks/ranks.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/comm/comm_align.h"

static int load_rank(struct ranks *r, size_t p, struct summary_reader *reader,
		     struct err *err)
{
	const struct scope_profile *profile = r->matches.participants[p].profile;
	struct comm_profile from;
	int rc = comm_load(&r->sources, profile, false, &from, err);

	if (rc == 0) {
		comm_matches_add(&r->matches, profile, &from.calls);
		rc = rank_facts_load(reader, &from.calls, profile, &r->facts[p], err);
	}
	comm_profile_release(&from);
	return rc;
}

static void add_part(struct rank_sums *to, const struct rank_part *part)
{
	int64_t *const sums[] = { [RANK_COMPUTE] = &to->compute_ns,
				  [RANK_COPY] = &to->copy_ns,
				  [RANK_COLLECTIVE] = &to->transfer_ns,
				  [RANK_IDLE] = &to->idle_ns };

	*sums[part->what] = sum_add(*sums[part->what], part->ns);
	to->wall_ns = sum_add(to->wall_ns, part->ns);
	if (part->what == RANK_IDLE)
		to->cause_ns[part->cause] = sum_add(to->cause_ns[part->cause], part->ns);
}

static void add_up(const struct rank_facts *f, struct rank_model *model)
{
	model->sums = (struct rank_sums){ .late_rank = NUMBER_NONE };
	model->steps = xcalloc(f->nsteps + 1, sizeof(*model->steps));
	for (size_t i = 0; i < f->nsteps; i++)
		model->steps[i].late_rank = NUMBER_NONE;
	for (size_t i = 0; i < f->nparts; i++) {
		add_part(&model->sums, &f->parts[i]);
		add_part(&model->steps[f->parts[i].step], &f->parts[i]);
	}
}

static void add_wait(struct rank_sums *to, int64_t ns)
{
	to->wait_ns = sum_add(to->wait_ns, ns);
	to->transfer_ns = sum_sub(to->transfer_ns, ns);
}

/* By whom a rank waited for, in a step, then in all. */
static void find_late_rank(const struct ranks *r, struct rank_sums *to, int64_t *by_rank,
			   const struct rank_wait *waits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		by_rank[waits[i].late] = 0;
	for (size_t i = 0; i < n; i++)
		by_rank[waits[i].late] = sum_add(by_rank[waits[i].late], waits[i].ns);
	for (size_t i = 0; i < n; i++) {
		int64_t rank = r->matches.participants[waits[i].late].profile->rank;
		int64_t ns = by_rank[waits[i].late];
		if (ns > to->late_rank_ns ||
		    (ns == to->late_rank_ns && rank < to->late_rank)) {
			to->late_rank = rank;
			to->late_rank_ns = ns;
		}
	}
}

static void add_waits(struct ranks *r)
{
	const struct rank_waits *w = &r->waits;
	int64_t *by_rank = xcalloc(r->matches.nparticipants + 1, sizeof(*by_rank));

	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		struct rank_model *model = &r->models[p];
		size_t n = w->first[p + 1] - w->first[p];
		const struct rank_wait *waits = n ? &w->items[w->first[p]] : NULL;
		for (size_t i = 0, end; i < n; i = end) {
			for (end = i; end < n && waits[end].step == waits[i].step;
			     end++) {
				add_wait(&model->sums, waits[end].ns);
				add_wait(&model->steps[waits[end].step], waits[end].ns);
			}
			find_late_rank(r, &model->steps[waits[i].step], by_rank,
				       waits + i, end - i);
		}
		find_late_rank(r, &model->sums, by_rank, waits, n);
	}
	free(by_rank);
}

static void add_late(struct rank_sums *to, const struct rank_root *root)
{
	to->late_ns = sum_add(to->late_ns, root->ns);
	to->why_ns[root->why] = sum_add(to->why_ns[root->why], root->ns);
}

static bool number_before(const void *context, uint32_t a, uint32_t b)
{
	const struct rank_step *steps = context;

	return steps[a].number < steps[b].number;
}

/* The late rank's own step of that number; NULL: it has none.  order: by number. */
static struct rank_sums *step_of(const struct ranks *r, uint32_t p, const uint32_t *order,
				 int64_t number)
{
	const struct rank_facts *f = &r->facts[p];
	size_t at;

	SEARCH(at, 0, f->nsteps, f->steps[order[at]].number < number);
	return at < f->nsteps && f->steps[order[at]].number == number
		       ? &r->models[p].steps[order[at]]
		       : NULL;
}

/* What the waits of all end in, in the steps in which they were. */
static void add_roots(struct ranks *r)
{
	const struct rank_waits *w = &r->waits;
	size_t nranks = r->matches.nparticipants;
	uint32_t **orders = xcalloc(nranks + 1, sizeof(*orders));

	for (size_t p = 0; p < nranks; p++)
		orders[p] = sorted_places(r->facts[p].nsteps, number_before,
					  r->facts[p].steps);
	for (size_t i = 0; i < w->n; i++) {
		const struct rank_wait *wait = &w->items[i];
		int64_t number = r->facts[wait->rank].steps[wait->step].number;
		for (size_t k = 0; k < wait->nroots; k++) {
			const struct rank_root *root = &w->roots[wait->first_root + k];
			struct rank_sums *step =
				step_of(r, root->rank, orders[root->rank], number);
			add_late(&r->models[root->rank].sums, root);
			if (step)
				add_late(step, root);
		}
	}
	for (size_t p = 0; p < nranks; p++)
		free(orders[p]);
	free(orders);
}

size_t ranks_step_place(const struct ranks *r, int64_t number)
{
	size_t at;

	SEARCH(at, 0, r->nsteps, r->steps[at].number < number);
	return at;
}

/* How long a rank took for the step of that place. */
struct wall {
	int64_t step, ns;
};

/* Each step's wall is the median over the ranks that had it; most numbers may be of one rank. */
static void find_walls(struct ranks *r)
{
	int64_t *of_step = xcalloc(r->matches.nparticipants + 1, sizeof(*of_step));
	size_t n = 0, most = 0;

	for (size_t p = 0; p < r->matches.nparticipants; p++)
		most += r->facts[p].nsteps;
	struct wall *walls = xcalloc(most + 1, sizeof(*walls));
	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		const struct rank_facts *f = &r->facts[p];
		for (size_t i = 0; i < f->nsteps; i++)
			if (f->steps[i].wall_ns)
				walls[n++] = (struct wall){
					(int64_t)ranks_step_place(r, f->steps[i].number),
					f->steps[i].wall_ns,
				};
	}
	SORT_BY(walls, n, step);
	for (size_t i = 0, end; i < n; i = end) {
		size_t nranks = 0;
		for (end = i; end < n && walls[end].step == walls[i].step; end++)
			if (nranks < r->matches.nparticipants)
				of_step[nranks++] = walls[end].ns;
		r->steps[walls[i].step].wall_ns = comm_median(of_step, nranks);
	}
	free(walls);
	free(of_step);
}

static void list_steps(struct ranks *r)
{
	size_t cap = 0, n = 0;

	for (size_t p = 0; p < r->matches.nparticipants; p++) {
		const struct rank_facts *f = &r->facts[p];
		for (size_t i = 0; i < f->nsteps; i++)
			*ARRAY_PUSH(r->steps, r->nsteps, cap) =
				(struct ranks_step){ f->steps[i].number, 0, false };
	}
	SORT_BY(r->steps, r->nsteps, number);
	for (size_t i = 0; i < r->nsteps; i++)
		if (!n || r->steps[n - 1].number != r->steps[i].number)
			r->steps[n++] = r->steps[i];
	r->nsteps = n;
	find_walls(r);
}

static int check_scope(const struct scope *scope, struct err *err)
{
	if (!scope->nranked && scope->n > 1)
		return err_set(err, ERR_EMPTY,
			       "no recording says its rank (distributedInfo, or a name "
			       "like rank0.json)");
	if (scope->nranks < 2)
		return err_set(err, ERR_EMPTY,
			       "there is only one rank: ingest the traces of several "
			       "together");
	return 0;
}

static const struct filter everything = { .focus = NULL };

int ranks_load(struct store *store, const struct scope *scope, struct ranks *out,
	       struct err *err)
{
	*out = (struct ranks){ .nsteps = 0 };
	int rc = check_scope(scope, err);
	if (rc == 0)
		rc = text_pool_open(store, &out->texts, err);
	if (rc == 0)
		rc = comm_sources_open(store, scope, &everything, &out->texts,
				       &out->sources, err);
	if (rc < 0)
		return -1;
	comm_matches_init(scope, &out->matches);
	out->facts = xcalloc(out->matches.nparticipants + 1, sizeof(*out->facts));
	out->models = xcalloc(out->matches.nparticipants + 1, sizeof(*out->models));
	struct summary_reader reader;
	rc = summary_reader_open(store, &out->texts, &reader, err);
	for (size_t p = 0; rc == 0 && p < out->matches.nparticipants; p++)
		rc = load_rank(out, p, &reader, err);
	summary_reader_close(&reader);
	if (rc < 0)
		return -1;
	comm_matches_find(&out->matches);
	comm_align(&out->matches);
	rank_waits_find(&out->matches, out->facts, &out->waits);
	for (size_t p = 0; p < out->matches.nparticipants; p++)
		add_up(&out->facts[p], &out->models[p]);
	add_waits(out);
	add_roots(out);
	list_steps(out);
	return ranks_compare(store, scope, out, err);
}

void ranks_release(struct ranks *r)
{
	for (size_t p = 0; r->models && p < r->matches.nparticipants; p++) {
		rank_facts_release(&r->facts[p]);
		free(r->models[p].steps);
	}
	free(r->facts);
	free(r->models);
	free(r->steps);
	rank_waits_release(&r->waits);
	comm_matches_release(&r->matches);
	comm_sources_close(&r->sources);
	text_pool_close(&r->texts);
	*r = (struct ranks){ .nsteps = 0 };
}
