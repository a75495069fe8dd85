/* Linking: see link.h.  The rules are those of torch-profiler a.6 and b.5. */
#include "store/link.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "ingest/decimal.h"
#include "store/idmap.h"

bool link_step_number(struct str name, int64_t *number)
{
	const struct str prefix = STR_LIT("ProfilerStep#");

	if (!str_starts_with(name, prefix))
		return false;
	struct str digits = { name.p + prefix.n, name.n - prefix.n };
	return digits.n && decimal_int(digits, number) == DECIMAL_OK;
}

static int by_start(const void *a, const void *b)
{
	const struct step_rec *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static void find_steps(struct model *m)
{
	int64_t number;

	for (uint32_t row = 0; row < m->nrows; row++) {
		const struct slice_rec *s = model_slice(m, row);
		if ((s->class != CLASS_OP && s->class != CLASS_ANNOTATION) ||
		    s->phase != PHASE_COMPLETE ||
		    !link_step_number(intern_str(m->texts, s->name), &number))
			continue;
		m->steps = xgrow(m->steps, &m->steps_cap, m->nsteps + 1, sizeof(*m->steps));
		m->steps[m->nsteps++] = (struct step_rec){ number, s->ts_ns, slice_end(s), row };
	}
	if (m->nsteps)
		qsort(m->steps, m->nsteps, sizeof(*m->steps), by_start);
}

/* Host rows: the newest step that holds their start.  Steps rarely overlap. */
static void step_of_host(struct model *m, const struct track *t)
{
	size_t next = 0; /* first step that begins behind the row */

	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		int64_t ts_ns = model_slice(m, row)->ts_ns;
		while (next < m->nsteps && m->steps[next].ts_ns <= ts_ns)
			next++;
		size_t back = next > 8 ? next - 8 : 0;
		for (size_t k = next; k-- > back;)
			if (ts_ns < m->steps[k].end_ns) {
				m->step[row] = (uint32_t)k;
				break;
			}
	}
}

struct linker {
	struct model *m;
	struct idmap launches;  /* correlation -> row of the call */
	struct idmap operators; /* external id -> row */
	bool external_ids;      /* they say something */
	uint64_t unknown_launches;
};


static int64_t external_id_of(const struct model *m, const struct slice_rec *s)
{
	if (s->detail == ROW_NONE)
		return NUMBER_NONE;
	if (s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER)
		return m->launch_ids[s->detail];
	return m->devices[s->detail].external_id;
}

static bool is_call(const struct slice_rec *s)
{
	return s->class == CLASS_RUNTIME || s->class == CLASS_DRIVER;
}

/*
 * Some exporters wrote the correlation as External id throughout: then it names
 * no operator, or one by coincidence (b.5).
 */
static bool external_ids_are_usable(const struct model *m)
{
	size_t seen = 0;

	for (uint32_t row = 0; row < m->nrows; row++) {
		const struct slice_rec *s = model_slice(m, row);
		if (!is_call(s) && !class_is_device_work(s->class))
			continue;
		int64_t id = external_id_of(m, s);
		if (id == NUMBER_NONE || s->key == NUMBER_NONE)
			continue;
		if (id != s->key)
			return true;
		seen++;
	}
	return seen == 0;
}

static void index_ids(struct linker *l)
{
	struct model *m = l->m;

	for (uint32_t row = 0; row < m->nrows; row++) {
		const struct slice_rec *s = model_slice(m, row);
		if (s->key == NUMBER_NONE || s->key == 0)
			continue;
		if (is_call(s))
			idmap_add(&l->launches, s->key, row);
		else if (s->class == CLASS_OP && l->external_ids)
			idmap_add(&l->operators, s->key, row);
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

	if (work->key == NUMBER_NONE || work->key == 0)
		return ROW_NONE;
	for (size_t at = idmap_first(&l->launches, work->key);
	     (row = idmap_next(&l->launches, work->key, &at)) != ROW_NONE;) {
		const struct slice_rec *call = model_slice(m, row);
		bool same = external_id != NUMBER_NONE && external_id_of(m, call) == external_id;
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

/* The operator that the External id names on the launch's thread, around the launch. */
static uint32_t named_operator(const struct linker *l, int64_t external_id, uint32_t launch)
{
	const struct model *m = l->m;
	const struct slice_rec *call = launch == ROW_NONE ? NULL : model_slice(m, launch);
	uint32_t row, only = ROW_NONE;

	if (external_id == NUMBER_NONE || external_id == 0 || !l->external_ids)
		return ROW_NONE;
	for (size_t at = idmap_first(&l->operators, external_id);
	     (row = idmap_next(&l->operators, external_id, &at)) != ROW_NONE;) {
		const struct slice_rec *op = model_slice(m, row);
		if (!call) {
			/* Without the call the id must name one operator alone. */
			if (only != ROW_NONE)
				return ROW_NONE;
			only = row;
		} else if (op->track == call->track && op->ts_ns <= call->ts_ns &&
			   slice_end(call) <= slice_end(op)) {
			return row;
		}
	}
	return only;
}

/* The nearest row of that class around `row`, or ROW_NONE. */
static uint32_t around(const struct model *m, uint32_t row, enum slice_class class)
{
	do {
		row = m->parent[row];
	} while (row != ROW_NONE && model_slice(m, row)->class != class);
	return row;
}

/* What device work without an operator is charged to: the innermost annotation. */
static uint32_t charged_row(const struct model *m, uint32_t launch, uint32_t op)
{
	if (op != ROW_NONE || launch == ROW_NONE)
		return op;
	return around(m, launch, CLASS_ANNOTATION);
}

static void link_work(struct linker *l, uint32_t row)
{
	struct model *m = l->m;
	const struct slice_rec *work = model_slice(m, row);
	uint32_t launch = find_launch(l, work);
	uint32_t op = named_operator(l, external_id_of(m, work), launch);

	if (launch == ROW_NONE)
		model_finding(m, FINDING_LAUNCH_UNKNOWN, work->offset, STR_LIT(""),
			      intern_str(m->texts, work->name));
	else if (op == ROW_NONE)
		op = around(m, launch, CLASS_OP);
	m->launch[row] = launch;
	m->op[row] = op;
	if (launch != ROW_NONE)
		m->step[row] = m->step[launch];
	uint32_t charged = charged_row(m, launch, op);
	if (charged != ROW_NONE && class_is_device_work(work->class))
		m->device_ns[charged] = sum_add(m->device_ns[charged], work->dur_ns);
}

static void link_devices(struct model *m)
{
	struct linker l = { .m = m };

	l.external_ids = external_ids_are_usable(m);
	if (!l.external_ids)
		model_finding(m, FINDING_EXTERNAL_ID_UNUSABLE, 0, STR_LIT(""), STR_LIT(""));
	idmap_init(&l.launches, m->nlaunch_ids);
	idmap_init(&l.operators, m->nop_links);
	index_ids(&l);
	for (uint32_t row = 0; row < m->nrows; row++)
		if (class_is_device_work(model_slice(m, row)->class))
			link_work(&l, row);
	idmap_release(&l.launches);
	idmap_release(&l.operators);
}

static uint32_t *none_rows(size_t n)
{
	uint32_t *rows = xrealloc_array(NULL, n, sizeof(*rows));

	memset(rows, 0xff, n * sizeof(*rows)); /* ROW_NONE */
	return rows;
}

void link_rows(struct model *m)
{
	bool has_device = false;

	m->launch = none_rows(m->nrows);
	m->op = none_rows(m->nrows);
	m->step = none_rows(m->nrows);
	m->device_ns = xcalloc(m->nrows, sizeof(*m->device_ns));
	find_steps(m);
	for (size_t t = 0; t < m->ntracks; t++) {
		if (m->tracks[t].kind == TRACK_STREAM && m->tracks[t].n)
			has_device = true;
		else if (m->tracks[t].kind == TRACK_THREAD || m->tracks[t].kind == TRACK_ASYNC)
			step_of_host(m, &m->tracks[t]);
	}
	if (has_device)
		link_devices(m);
	for (uint32_t row = 0; row < m->nrows; row++)
		if (model_slice(m, row)->class == CLASS_MEMORY)
			m->op[row] = around(m, row, CLASS_OP);
}
