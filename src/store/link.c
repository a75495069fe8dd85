/* Linking: see link.h.  The rules are those of torch-profiler a.6 and b.5. */
#include "store/link.h"

#include "base/crew.h"
#include "base/sort.h"
#include "base/sum.h"
#include "store/idtable.h"
#include "store/pipeline.h"
#include "store/ranges.h"
#include "store/steps.h"

/* Device work is in the last rows alone: a part for each thread would leave it to one. */
#define PARTS_EACH 4

/* Recordings merged into one file that may share a correlation id. */
#define MERGED_MAX 1024

struct linker {
	struct model *m;
	struct idtable launches;  /* correlation -> row of the call */
	struct idtable operators; /* external id -> row */
	bool external_ids;        /* they say something */
	unsigned others;          /* threads */
	size_t nparts;
	struct link_part *parts; /* owned */
};

/* What is found in a part of the rows, or of the works. */
struct link_part {
	struct linker *l;
	struct spill *spill;
	struct idtable launches,
		operators; /* of the part, to be filled into the linker's */
	struct step_cursor steps;
	struct ranges open;
	MODEL_ARRAY(uint32_t, works);
	MODEL_ARRAY(struct charge, charges);
	struct noted {
		int64_t n;
		const struct slice_rec *first; /* in the file */
	} unlaunched,
		guessed; /* work without a launch; work that several calls may have launched */
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

static void index_part(void *to, size_t part)
{
	const struct linker *l = to;
	const struct model *m = l->m;
	struct link_part *p = &l->parts[part];
	size_t nparts = (size_t)l->others + 1;
	uint32_t end = (uint32_t)crew_cut(m->nrows, nparts, part + 1);

	for (uint32_t row = (uint32_t)crew_cut(m->nrows, nparts, part); row < end;
	     row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!is_call(s) && (s->class != CLASS_OP || !l->external_ids))
			continue;
		if (!has_no_key(m, s))
			idtable_add(is_call(s) ? &p->launches : &p->operators,
				    slice_key(m, s), row);
	}
}

/* Launches or operators. */
static void build_table(void *to, size_t which)
{
	struct linker *l = to;
	struct idtable *table = which ? &l->operators : &l->launches;

	for (size_t i = 0; i < l->nparts; i++)
		idtable_take(table,
			     which ? &l->parts[i].operators : &l->parts[i].launches);
	idtable_build(table);
}

static void index_ids(struct linker *l)
{
	crew_run(l->others, (size_t)l->others + 1, index_part, l);
	crew_run(l->others, 2, build_table, l);
}

static void note(struct noted *noted, const struct slice_rec *work)
{
	if (noted->n++ == 0 || work->offset < noted->first->offset)
		noted->first = work;
}

/*
 * The call with the work's correlation.  Merged files repeat ids: then the one
 * with the same External id counts, else the last that began before the work, which is a
 * guess where another one did, too.
 */
static uint32_t find_launch(struct link_part *p, const struct slice_rec *work)
{
	const struct linker *l = p->l;
	const struct model *m = l->m;
	int64_t external_id = external_id_of(m, work);
	uint32_t best = ROW_NONE, row;
	int64_t best_ts = 0;
	bool best_same = false;
	int nearlier = 0;

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
		if (same && !best_same)
			nearlier = 0;
		nearlier += earlier && same >= best_same;
		bool better = best == ROW_NONE || (same && !best_same) ||
			      (same == best_same && earlier &&
			       (call->ts_ns > best_ts || best_ts > work->ts_ns));
		if (!better)
			continue;
		best = row;
		best_ts = call->ts_ns;
		best_same = same;
	}
	if (nearlier > 1)
		note(&p->guessed, work);
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
static void charge(struct link_part *p, uint32_t work, uint32_t charged)
{
	int64_t dur_ns = model_slice(p->l->m, work)->dur_ns;
	size_t n = p->ncharges;

	if (charged == ROW_NONE)
		return;
	if (n && p->charges[n - 1].row == charged)
		p->charges[n - 1].device_ns =
			sum_add(p->charges[n - 1].device_ns, dur_ns);
	else
		*APPEND(p, charges) = (struct charge){ dur_ns, charged };
}

static int64_t charged_row(const void *context, uint32_t at)
{
	const struct charge *charges = context;

	return charges[at].row;
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
	sort_numbered(m->spill, at, all, spare, charged_row, m->charges);
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
static void link_unlaunched(struct link_part *p, uint32_t work)
{
	const struct model *m = p->l->m;
	const struct slice_rec *s = model_slice(m, work);
	struct device_rec *d = slice_device(m, s);

	if (d->op == ROW_NONE) {
		note(&p->unlaunched, s);
		d->op = only_operator(p->l, s);
	}
	if (d->op != ROW_NONE)
		d->step = step_of_row(&p->steps, d->op);
	charge(p, work, d->op);
}

/* Work whose launch the ranges have come to. */
static void link_launched(struct link_part *p, uint32_t work)
{
	const struct linker *l = p->l;
	const struct slice_rec *s = model_slice(l->m, work);
	struct device_rec *d = slice_device(l->m, s);
	uint32_t op = named_operator(l, external_id_of(l->m, s), d->launch);

	if (op == ROW_NONE)
		op = ranges_innermost_op(&p->open);
	if (op == ROW_NONE)
		op = only_operator(l,
				   s); /* on another thread: its id tells, as to torch */
	d->op = op;
	d->step = step_of_row(&p->steps, d->launch);
	charge(p, work, op != ROW_NONE ? op : ranges_innermost_label(&p->open));
}

static int64_t launch_of(const void *context, uint32_t work)
{
	return row_launch(context, work);
}

static void launch_part(void *to, size_t part)
{
	const struct linker *l = to;
	const struct model *m = l->m;
	struct link_part *p = &l->parts[part];
	uint32_t end = (uint32_t)crew_cut(m->nrows, l->nparts, part + 1);

	for (uint32_t row = (uint32_t)crew_cut(m->nrows, l->nparts, part); row < end;
	     row++) {
		model_tick(m, row);
		const struct slice_rec *s = model_slice(m, row);
		if (!class_is_device_work(s->class))
			continue;
		uint32_t launch = find_launch(p, s);
		slice_device(m, s)->launch = launch;
		if (launch == ROW_NONE)
			link_unlaunched(p, row);
		else
			*APPEND(p, works) = row;
	}
}

static void take_noted(struct model *m, enum finding finding, struct noted *noted)
{
	if (noted->n)
		model_finding(m, finding, noted->first->offset, STR_LIT(""),
			      intern_str(m->texts, noted->first->name))
			->count += noted->n - 1;
	noted->n = 0;
}

/* What a part found, behind what those before it did. */
static void take_part(struct model *m, struct link_part *p)
{
	if (pipeline_is(m)) /* pipelines record no launches */
		p->unlaunched.n = 0;
	take_noted(m, FINDING_LAUNCH_UNKNOWN, &p->unlaunched);
	take_noted(m, FINDING_LAUNCH_GUESSED, &p->guessed);
	for (size_t i = 0; i < p->nworks; i++)
		*APPEND(m, works) = p->works[i];
	for (size_t i = 0; i < p->ncharges; i++)
		*APPEND(m, charges) = p->charges[i];
	p->nworks = p->ncharges = 0;
}

/* Finds the launch of all device work; m->works are those that have one, by launch. */
static void find_launches(struct linker *l)
{
	struct model *m = l->m;

	crew_run(l->others, l->nparts, launch_part, l);
	for (size_t i = 0; i < l->nparts; i++)
		take_part(m, &l->parts[i]);
	uint32_t *spare = spill_alloc(m->spill, m->nworks, sizeof(*spare));
	sort_numbered(m->spill, m->works, m->nworks, spare, launch_of, m);
	spill_free(m->spill, spare);
}

/* Works come to what is around their launches, passing over the rows between those. */
static void charge_part(void *to, size_t part)
{
	const struct linker *l = to;
	const struct model *m = l->m;
	struct link_part *p = &l->parts[part];
	size_t end = crew_cut(m->nworks, l->nparts, part + 1);
	uint32_t row = ROW_NONE;

	for (size_t i = crew_cut(m->nworks, l->nparts, part); i < end; i++) {
		uint32_t launch = row_launch(m, m->works[i]);
		if (row == ROW_NONE ||
		    model_slice(m, row)->track != model_slice(m, launch)->track) {
			ranges_seek(&p->open, m, launch);
			row = launch;
			ranges_pass(&p->open, m, row);
		}
		while (row < launch) {
			model_tick(m, row);
			ranges_pass(&p->open, m, ++row);
		}
		link_launched(p, m->works[i]);
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
	find_launches(l);
	crew_run(l->others, l->nparts, charge_part, l);
	for (size_t i = 0; i < l->nparts; i++)
		take_part(l->m, &l->parts[i]);
}

static void linker_init(struct linker *l)
{
	struct model *m = l->m;

	l->parts = spill_alloc(m->spill, l->nparts, sizeof(*l->parts));
	for (size_t i = 0; i < l->nparts; i++)
		l->parts[i] = (struct link_part){ .l = l,
						  .spill = m->spill,
						  .launches = { .spill = m->spill },
						  .operators = { .spill = m->spill },
						  .steps = step_cursor(m),
						  .open = { .spill = m->spill } };
}

static void linker_release(struct linker *l)
{
	for (size_t i = 0; i < l->nparts; i++) {
		struct link_part *p = &l->parts[i];
		idtable_release(&p->launches);
		idtable_release(&p->operators);
		ranges_release(&p->open);
		spill_free(p->spill, p->works);
		spill_free(p->spill, p->charges);
	}
	idtable_release(&l->launches);
	idtable_release(&l->operators);
	spill_free(l->m->spill, l->parts);
}

void link_rows(struct model *m)
{
	unsigned others = model_others(m, m->nrows);
	struct linker l = { .m = m,
			    .launches = { .spill = m->spill },
			    .operators = { .spill = m->spill },
			    .others = others,
			    .nparts = others ? PARTS_EACH * (size_t)(others + 1) : 1 };

	steps_of_rows(m);
	linker_init(&l);
	if (has_device_work(m))
		link_devices(&l);
	sum_charges(m);
	pipeline_steps(m);
	steps_of_groups(m);
	steps_move(m);
	linker_release(&l);
}
