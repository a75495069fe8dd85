/* Linking: see link.h.  The rules are those of torch-profiler a.6 and b.5. */
#include "store/link.h"

#include "base/sort.h"
#include "base/sum.h"
#include "store/idtable.h"
#include "store/ranges.h"
#include "store/steps.h"

/* Recordings merged into one file that may share a correlation id. */
#define MERGED_MAX 1024

struct linker {
	struct model *m;
	struct idtable launches;  /* correlation -> row of the call */
	struct idtable operators; /* external id -> row */
	bool external_ids;        /* they say something */
	struct step_cursor steps;
};

static bool is_call(const struct slice_rec *s)
{
	return s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER;
}

static int64_t external_id_of(const struct model *m, const struct slice_rec *s)
{
	if (s->detail == ROW_NONE)
		return NUMBER_NONE;
	return wide_get(&m->numbers, is_call(s) ? m->launch_ids[s->detail]
						: m->devices[s->detail].external_id);
}

/*
 * Some exporters wrote the correlation as External id throughout: then it names
 * no operator, or one by coincidence (b.5).
 */
static bool external_ids_are_usable(const struct model *m)
{
	size_t seen = 0;

	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!is_call(s) && !class_is_device_work(s->class))
			continue;
		int64_t id = external_id_of(m, s);
		if (id == NUMBER_NONE || s->key == WIDE_NONE)
			continue;
		if (id != slice_key(m, s))
			return true;
		seen++;
	}
	return seen == 0;
}

/* 0 is how exporters spell it, too. */
static bool has_no_key(const struct model *m, const struct slice_rec *s)
{
	int64_t key = slice_key(m, s);

	return key == NUMBER_NONE || key == 0;
}

static void index_ids(struct linker *l)
{
	struct model *m = l->m;

	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (has_no_key(m, s))
			continue;
		if (is_call(s))
			idtable_add(&l->launches, slice_key(m, s), row);
		else if (s->class == CLASS_OP && l->external_ids)
			idtable_add(&l->operators, slice_key(m, s), row);
	}
}

/*
 * The call with the work's correlation.  Merged files repeat ids: then the one
 * with the same External id counts, else the last that began before the work.
 */
static uint32_t find_launch(const struct linker *l, const struct slice_rec *work)
{
	const struct model *m = l->m;
	int64_t external_id = external_id_of(m, work);
	uint32_t best = ROW_NONE, row;
	int64_t best_ts = 0;
	bool best_same = false;

	if (has_no_key(m, work))
		return ROW_NONE;
	struct idtable_rows calls = idtable_find(&l->launches, slice_key(m, work));
	for (int i = 0; i < MERGED_MAX; i++) {
		row = idtable_next(&l->launches, &calls);
		if (row == ROW_NONE)
			break;
		const struct slice_rec *call = model_slice(m, row);
		bool same = external_id != NUMBER_NONE &&
			    external_id_of(m, call) == external_id;
		bool earlier = call->ts_ns <= work->ts_ns;
		bool better = best == ROW_NONE || (same && !best_same) ||
			      (same == best_same && earlier &&
			       (call->ts_ns > best_ts || best_ts > work->ts_ns));
		if (!better)
			continue;
		best = row;
		best_ts = call->ts_ns;
		best_same = same;
	}
	return best;
}

/*
 * The operator that the External id names, where no operator is around a launch: it
 * must name one alone.  The correlation as External id was how exporters spelled "none" (b.5).
 */
static uint32_t only_operator(const struct linker *l, const struct slice_rec *work)
{
	int64_t external_id = external_id_of(l->m, work);

	if (external_id == NUMBER_NONE || external_id == 0 ||
	    external_id == slice_key(l->m, work) || !l->external_ids)
		return ROW_NONE;
	struct idtable_rows named = idtable_find(&l->operators, external_id);
	uint32_t row = idtable_next(&l->operators, &named);
	return idtable_next(&l->operators, &named) == ROW_NONE ? row : ROW_NONE;
}

/* The operator that the External id names on the launch's thread, around the launch. */
static uint32_t named_operator(const struct linker *l, int64_t external_id,
			       uint32_t launch)
{
	const struct model *m = l->m;
	const struct slice_rec *call = model_slice(m, launch);
	uint32_t row;

	if (external_id == NUMBER_NONE || external_id == 0 || !l->external_ids)
		return ROW_NONE;
	struct idtable_rows named = idtable_find(&l->operators, external_id);
	for (int i = 0; i < MERGED_MAX; i++) {
		row = idtable_next(&l->operators, &named);
		if (row == ROW_NONE)
			break;
		const struct slice_rec *op = model_slice(m, row);
		if (op->track == call->track && op->ts_ns <= call->ts_ns &&
		    slice_end(call) <= slice_end(op))
			return row;
	}
	return ROW_NONE;
}

/*
 * What device work is charged to: its operator, else the innermost label around
 * its launch.
 */
static void charge(struct model *m, uint32_t work, uint32_t charged)
{
	int64_t dur_ns = model_slice(m, work)->dur_ns;
	size_t n = m->ncharges;

	if (charged == ROW_NONE)
		return;
	if (n && m->charges[n - 1].row == charged)
		m->charges[n - 1].device_ns =
			sum_add(m->charges[n - 1].device_ns, dur_ns);
	else
		*APPEND(m, charges) = (struct charge){ dur_ns, charged };
}

static bool charged_before(const void *context, uint32_t a, uint32_t b)
{
	const struct charge *charges = context;

	return charges[a].row < charges[b].row;
}

/* One charge a row. */
static void sum_charges(struct model *m)
{
	size_t all = m->ncharges, n = 0;
	struct charge *sums = spill_alloc(m->spill, all, sizeof(*sums));
	uint32_t *at = spill_alloc(m->spill, all, sizeof(*at));
	uint32_t *spare = spill_alloc(m->spill, all, sizeof(*spare));

	for (size_t i = 0; i < all; i++)
		at[i] = (uint32_t)i;
	sort_spilled(m->spill, at, all, spare, charged_before, m->charges);
	for (size_t i = 0; i < all; i++) {
		const struct charge *c = &m->charges[at[i]];
		if (n && sums[n - 1].row == c->row)
			sums[n - 1].device_ns =
				sum_add(sums[n - 1].device_ns, c->device_ns);
		else
			sums[n++] = *c;
	}
	spill_free(m->spill, spare);
	spill_free(m->spill, at);
	spill_free(m->spill, m->charges);
	m->charges = sums;
	m->ncharges = n;
	m->charges_cap = all;
}

/*
 * Work that has no correlation may still have an arrow from its operator (lists of
 * torch without Kineto): that is its launch, as far as it is known.
 */
static void follow_arrows(struct model *m)
{
	for (size_t i = 0; i < m->narrows; i++) {
		const struct arrow_rec *arrow = &m->arrows[i];
		const struct slice_rec *work = model_slice(m, arrow->in);
		if (class_is_device_work(work->class) && has_no_key(m, work) &&
		    model_slice(m, arrow->out)->class == CLASS_OP)
			slice_device(m, work)->op = arrow->out;
	}
}

/*
 * Work without a launch in the recording: an arrow or its External id may still
 * tell the operator.
 */
static void link_unlaunched(struct linker *l, uint32_t work)
{
	struct model *m = l->m;
	const struct slice_rec *s = model_slice(m, work);
	struct device_rec *d = slice_device(m, s);

	if (d->op != ROW_NONE) {
		d->step = step_of_row(&l->steps, d->op);
		charge(m, work, d->op);
		return;
	}
	model_finding(m, FINDING_LAUNCH_UNKNOWN, s->offset, STR_LIT(""),
		      intern_str(m->texts, s->name));
	d->op = only_operator(l, s);
	charge(m, work, d->op);
}

/* Work whose launch the ranges have come to. */
static void link_launched(struct linker *l, const struct ranges *open, uint32_t work)
{
	struct model *m = l->m;
	const struct slice_rec *s = model_slice(m, work);
	struct device_rec *d = slice_device(m, s);
	uint32_t op = named_operator(l, external_id_of(m, s), d->launch);

	if (op == ROW_NONE)
		op = ranges_innermost_op(open);
	if (op == ROW_NONE)
		op = only_operator(l,
				   s); /* on another thread: its id tells, as to torch */
	d->op = op;
	d->step = step_of_row(&l->steps, d->launch);
	charge(m, work, op != ROW_NONE ? op : ranges_innermost_label(open));
}

/* Is this work's launch before that one's? */
static bool launched_before(const void *context, uint32_t a, uint32_t b)
{
	const struct model *m = context;

	return row_launch(m, a) < row_launch(m, b);
}

/* Finds the launch of all device work; m->works are those that have one, by launch. */
static void find_launches(struct linker *l)
{
	struct model *m = l->m;

	for (uint32_t row = 0; row < m->nrows; row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!class_is_device_work(s->class))
			continue;
		uint32_t launch = find_launch(l, s);
		slice_device(m, s)->launch = launch;
		if (launch == ROW_NONE)
			link_unlaunched(l, row);
		else
			*APPEND(m, works) = row;
	}
	uint32_t *spare = spill_alloc(m->spill, m->nworks, sizeof(*spare));
	sort_spilled(m->spill, m->works, m->nworks, spare, launched_before, m);
	spill_free(m->spill, spare);
}

/* Passes over a thread: its launches come to what is around them. */
static void link_thread(struct linker *l, const struct track *t, size_t *next,
			struct ranges *open)
{
	struct model *m = l->m;

	ranges_clear(open);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(m, row);
		ranges_pass(open, m, row);
		for (; *next < m->nworks && row_launch(m, m->works[*next]) == row;
		     ++*next)
			link_launched(l, open, m->works[*next]);
	}
}

static bool has_device_work(const struct model *m)
{
	for (size_t t = 0; t < m->ntracks; t++)
		if (m->tracks[t].kind == TRACK_STREAM && m->tracks[t].n)
			return true;
	return false;
}

static void link_devices(struct linker *l)
{
	l->external_ids = external_ids_are_usable(l->m);
	if (!l->external_ids)
		model_finding(l->m, FINDING_EXTERNAL_ID_UNUSABLE, 0, STR_LIT(""),
			      STR_LIT(""));
	follow_arrows(l->m);
	index_ids(l);
	idtable_build(&l->launches);
	idtable_build(&l->operators);
	find_launches(l);
}

void link_rows(struct model *m)
{
	struct linker l = { .m = m,
			    .launches = { .spill = m->spill },
			    .operators = { .spill = m->spill },
			    .steps = step_cursor(m) };
	struct ranges open = { .spill = m->spill };
	size_t next = 0; /* work to come */

	steps_of_rows(m);
	if (has_device_work(m))
		link_devices(&l);
	for (size_t t = 0; t < m->ntracks && m->nworks; t++)
		link_thread(&l, &m->tracks[t], &next, &open);
	sum_charges(m);
	steps_of_groups(m);
	ranges_release(&open);
	idtable_release(&l.launches);
	idtable_release(&l.operators);
}
