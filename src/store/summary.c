/* Summaries, in parts that several threads can make: see summary.h. */
#include "store/summary.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "store/summing.h"

/* Each has memory of its own: of groups, and 4 bytes for every text. */
#define PARTS_MAX 8

struct summing_up {
	const struct model *m;
	struct summing
		*all; /* owned: a part each; the first one's `out` is the caller's */
	struct summary *rests; /* owned: of the others */
	size_t n;
	bool is_shared; /* by threads: what was launched is a part of its own */
	struct launched *launched;
};

/* What numbers texts, or keeps in mind what came before, is done in order. */
static bool is_one_part(const struct summing *s)
{
	const struct model *m = s->m;

	for (uint32_t i = 0; i < m->op_details.n; i++) {
		const struct op_fact *detail = uniques_at(&m->op_details, i);
		/* Sums stick at the end of their range: what falls again has an order. */
		if (detail->flops < 0 && detail->flops != NUMBER_NONE)
			return true;
	}
	return s->has_stacks || m->nmemory > 0;
}

/* Part i begins at the first of the rows from its share on where nothing is open. */
static void cut_track(struct summing_up *u, const struct track *t, size_t *part)
{
	struct op_pass *pass = &u->all[0].pass;
	bool takes = op_pass_takes(pass, t->kind);
	int64_t reach_ns = INT64_MIN;

	for (size_t row = t->first; row < t->first + t->n; row++) {
		model_tick(u->m, row);
		const struct slice_rec *slice = model_slice(u->m, (uint32_t)row);
		if (!summing_is_event(slice))
			continue;
		for (; *part < u->n && row >= crew_cut(u->m->nrows, u->n, *part) &&
		       slice->ts_ns >= reach_ns;
		     ++*part)
			u->all[*part].first = u->all[*part - 1].end = row;
		if (!op_class_counts(slice->class, &pass->rules))
			continue;
		reach_ns = summing_reach(slice, reach_ns);
		if (takes && slice->class != CLASS_MEMORY)
			op_pass_name(pass, slice->name, slice->class == CLASS_OP);
	}
}

static void name_devices(struct summing_up *u, const struct track *t)
{
	for (size_t row = t->first; row < t->first + t->n; row++) {
		model_tick(u->m, row);
		const struct slice_rec *slice = model_slice(u->m, (uint32_t)row);
		if (class_is_device_work(slice->class) ||
		    slice->class == CLASS_DEVICE_ANNOTATION)
			op_pass_name(&u->all[0].pass, slice->name, false);
	}
}

/*
 * The rows of the parts.  Names are texts with numbers: those of all parts are found
 * first, in the order in which one part would come to them.
 */
static void cut_parts(struct summing_up *u)
{
	size_t part = 1;

	for (size_t t = 0; t < u->m->ntracks; t++) {
		cut_track(u, &u->m->tracks[t], &part);
		name_devices(u, &u->m->tracks[t]);
	}
	for (; part < u->n; part++)
		u->all[part].first = u->all[part - 1].end = u->m->nrows;
	u->all[u->n - 1].end = u->m->nrows;
	for (size_t i = 1; i < u->n; i++)
		op_pass_borrow_names(&u->all[i].pass, &u->all[0].pass);
}

struct summing_up *summary_begin(const struct model *m, unsigned threads,
				 struct summary *out)
{
	struct summing_up *u = xcalloc(1, sizeof(*u));

	threads = threads > PARTS_MAX ? PARTS_MAX : threads;
	u->m = m;
	u->all = xcalloc(threads, sizeof(*u->all));
	u->rests = xcalloc(threads, sizeof(*u->rests));
	u->n = 1;
	u->is_shared = threads > 1;
	summing_init(&u->all[0], m, out);
	summing_prepare(&u->all[0]);
	if (threads < 2 || m->nrows < m->limits->shared_rows || is_one_part(&u->all[0]))
		return u;
	for (; u->n < threads; u->n++)
		summing_init(&u->all[u->n], m, &u->rests[u->n]);
	cut_parts(u);
	return u;
}

size_t summary_parts(const struct summing_up *u)
{
	return u->n + u->is_shared;
}

void summary_part(struct summing_up *u, size_t i)
{
	if (!u->is_shared)
		summing_rows(&u->all[i]);
	else if (i > 0)
		summing_rows(&u->all[i - 1]);
	else
		u->launched = launched_make(u->m);
}

/* What a part has to what the parts before it have. */
static void add_part(struct summary *into, struct summary *from)
{
	struct summary *same[] = { into, from };
	bool is_split = into->is_split || from->is_split;

	for (int i = 0; i < 2; i++)
		if (is_split && !same[i]->is_split)
			summing_copy_groups(&same[i]->stats[GRAIN_STEPS],
					    &same[i]->stats[GRAIN_FULL], false);
	into->is_split = is_split;
	into->has_steps |= from->has_steps;
	for (int grain = 0; grain < NGRAINS; grain++)
		for (size_t i = 0; i < from->stats[grain].n; i++) {
			struct opstat *group = &from->stats[grain].rows[i];
			opstat_merge(opstats_group(&into->stats[grain], &group->key),
				     group);
		}
	summary_release(from);
}

void summary_end(struct summing_up *u)
{
	struct summing *s = &u->all[0];
	struct summary *out = s->out;

	for (size_t i = 1; i < u->n; i++) {
		summing_release(&u->all[i]);
		add_part(out, &u->rests[i]);
	}
	summing_rest(s);
	if (out->has_steps)
		summing_copy_groups(&out->stats[GRAIN_NAMES], &out->stats[GRAIN_STEPS],
				    true);
	for (int grain = 0; grain < NGRAINS; grain++)
		opstats_sort(&out->stats[grain]);
	if (!u->is_shared)
		u->launched = launched_make(u->m);
	summary_annotations(u->launched, &s->pass, out);
	summing_release(s);
	free(u->rests);
	free(u->all);
	free(u);
}

void summary_make(const struct model *m, struct summary *out)
{
	struct summing_up *u = summary_begin(m, 1, out);

	summary_part(u, 0);
	summary_end(u);
}

void summary_release(struct summary *s)
{
	for (int grain = 0; grain < NGRAINS; grain++)
		opstats_release(&s->stats[grain]);
	spill_free(s->spill, s->annotations);
	*s = (struct summary){ 0 };
}
