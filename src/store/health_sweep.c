/* One pass for all checks: see health_sweep.h. */
#include "store/health_sweep.h"

#include "base/sum.h"
#include "store/steps.h"
#include "trace/step_name.h"

/* What the pass knows of the rows before the one it is at. */
struct sweep {
	struct health *h;
	bool whole_us; /* every time is a whole microsecond: coarse */
	/* uint32_t by name: the newest row of those of one time, plus 1; owned */
	struct sparse twins;
	size_t run;      /* first row of those */
	bool sync_track; /* a row of waits alone */
	struct cover cover;
	int64_t annotated_ns; /* reach of annotations on the track */
};

void tally_add(struct tally *t, const struct slice_rec *s, int64_t time_ns)
{
	if (t->n == 0 || s->offset < t->offset) {
		t->offset = s->offset;
		t->name = s->name;
	}
	t->n++;
	t->time_ns = sum_add(t->time_ns, time_ns);
}

static bool starts_with_any(struct str name, const char *const *prefixes)
{
	for (size_t i = 0; prefixes[i]; i++)
		if (str_starts_with(name, str_of(prefixes[i])))
			return true;
	return false;
}

/*
 * Calls of CUDA and HIP, runtime and driver, with whatever suffix (_ptsz, Ex, v2).
 * Copies are those of CUDA alone: HIP copies small things without the device.
 */
static enum name_kind call_kind(struct str name)
{
	static const char *const makers[] = { "cuda", "cu", "hip", NULL };
	static const char *const copies[] = { "cudaMemcpy", "cudaMemset", "cuMemcpy",
					      "cuMemset", NULL };

	if (!starts_with_any(name, makers))
		return NAME_OTHER;
	if (str_contains(name, STR_LIT("StreamBeginCapture")))
		return NAME_CAPTURE_BEGIN;
	if (str_contains(name, STR_LIT("StreamEndCapture")))
		return NAME_CAPTURE_END;
	if (str_contains(name, STR_LIT("GraphLaunch")))
		return NAME_GRAPH;
	if (str_contains(name, STR_LIT("HostFunc"))) /* launches a function of the host */
		return NAME_OTHER;
	if (str_contains(name, STR_LIT("Launch")) &&
	    !str_contains(name, STR_LIT("Attribute")))
		return NAME_LAUNCH;
	return starts_with_any(name, copies) ? NAME_COPY : NAME_OTHER;
}

/* Operators and annotations of torch.distributed, in all its spellings. */
static enum name_kind kind_of_name(struct str name)
{
	static const char *const collectives[] = { "nccl:",
						   "gloo:",
						   "mpi:",
						   "ucc:",
						   "xccl:",
						   "hccl:",
						   "c10d::",
						   "record_param_comms",
						   "DistributedDataParallel.forward",
						   NULL };
	enum name_kind kind = call_kind(name);
	int64_t number;

	if (kind != NAME_OTHER)
		return kind;
	if (step_name_number(name, &number))
		return NAME_STEP;
	return starts_with_any(name, collectives) ? NAME_COLLECTIVE : NAME_OTHER;
}

enum name_kind health_name_kind(struct health *h, uint32_t row)
{
	const struct slice_rec *s = model_slice(h->m, row);

	uint8_t *kind = SPARSE_AT(&h->kinds, uint8_t, s->name);
	if (*kind == NAME_UNSEEN)
		*kind = (uint8_t)kind_of_name(intern_str(h->m->texts, s->name));
	return (enum name_kind) * kind;
}

/*
 * A slice that is there twice has one time, name and category; and one id, which
 * two calls never share.  Without a length, or in whole microseconds without ids,
 * two short calls look the same: those of other tools' traces are not even told.
 */
static void note_twins(struct sweep *w, const struct slice_rec *a,
		       const struct slice_rec *b)
{
	struct health *h = w->h;

	if (a->category != b->category || b->phase == PHASE_INSTANT ||
	    b->class == CLASS_MEMORY)
		return;
	bool by_chance = b->dur_ns == 0 || slice_key(h->m, a) != slice_key(h->m, b) ||
			 (b->key == WIDE_NONE && w->whole_us);
	if (!by_chance)
		tally_add(&h->repeated, b, b->dur_ns);
	else if (health_is_torch(h))
		tally_add(&h->coincident, b, b->dur_ns);
}

/* Rows of one time are neighbours; their names may alternate. */
static void sweep_twins(struct sweep *w, const struct track *t, uint32_t row)
{
	const struct model *m = w->h->m;
	const struct slice_rec *s = model_slice(m, row), *before;

	if (row == t->first)
		return;
	before = model_slice(m, row - 1);
	if (before->ts_ns != s->ts_ns || before->dur_ns != s->dur_ns) {
		w->run = row;
		return;
	}
	if (row - 1 == w->run)
		*SPARSE_AT(&w->twins, uint32_t, before->name) = row;
	uint32_t *newest = SPARSE_AT(&w->twins, uint32_t, s->name);
	uint32_t twin = *newest - 1; /* of none: ROW_NONE, which is behind all */
	if (twin >= w->run && twin < row)
		note_twins(w, model_slice(m, twin), s);
	*newest = row + 1;
}

static void push_row(struct spill *spill, uint32_t **rows, size_t *n, size_t *cap,
		     uint32_t row)
{
	*rows = spill_grow(spill, *rows, cap, *n + 1, sizeof(**rows));
	(*rows)[(*n)++] = row;
}

static void sweep_call(struct health *h, uint32_t row)
{
	enum name_kind kind = health_name_kind(h, row);

	if (name_is_launch(kind))
		push_row(h->m->spill, &h->calls, &h->ncalls, &h->calls_cap, row);
	else if (kind == NAME_CAPTURE_BEGIN || kind == NAME_CAPTURE_END)
		push_row(h->m->spill, &h->captures, &h->ncaptures, &h->captures_cap, row);
}

/* Goes on to a slice, in the order of their starts: how much more it covers. */
static int64_t reach_on(int64_t *reach_ns, const struct slice_rec *s)
{
	int64_t from_ns = s->ts_ns > *reach_ns ? s->ts_ns : *reach_ns;
	int64_t end_ns = slice_end(s);

	if (end_ns <= from_ns)
		return 0;
	*reach_ns = end_ns;
	return end_ns - from_ns;
}

static void sweep_cover(struct sweep *w, uint32_t row)
{
	const struct slice_rec *s = model_slice(w->h->m, row);
	struct cover *c = &w->cover;
	bool has_name = s->class == CLASS_OP || s->class == CLASS_ANNOTATION;
	enum name_kind kind = has_name ? health_name_kind(w->h, row) : NAME_OTHER;

	if (kind == NAME_COLLECTIVE)
		tally_add(&w->h->collectives, s, s->dur_ns);
	if (kind == NAME_STEP || s->phase == PHASE_INSTANT)
		return;
	if (c->reach_ns == INT64_MIN) {
		c->first_ns = s->ts_ns;
		c->reach_ns = s->ts_ns;
		c->offset = s->offset;
		c->name = s->name;
	}
	c->has_operators |= s->class == CLASS_OP || s->class == CLASS_PYTHON;
	c->covered_ns = sum_add(c->covered_ns, reach_on(&c->reach_ns, s));
}

static void sweep_class(struct sweep *w, uint32_t row)
{
	struct health *h = w->h;
	const struct slice_rec *s = model_slice(h->m, row);

	switch ((enum slice_class)s->class) {
	case CLASS_RUNTIME:
	case CLASS_DRIVER:
		sweep_call(h, row);
		sweep_cover(w, row);
		break;
	case CLASS_OP:
	case CLASS_ANNOTATION:
	case CLASS_PYTHON:
		sweep_cover(w, row);
		break;
	case CLASS_SYNC:
		tally_add(&h->sync_rows, s, s->dur_ns);
		break;
	case CLASS_DEVICE_ANNOTATION:
		tally_add(&h->annotated, s, reach_on(&w->annotated_ns, s));
		break;
	case CLASS_OVERHEAD:
		tally_add(&h->overhead, s, row_self_ns(h->m, row));
		break;
	case CLASS_OTHER:
		if (w->sync_track)
			tally_add(&h->sync_rows, s, s->dur_ns);
		break;
	case CLASS_KERNEL:
	case CLASS_MEMCPY:
	case CLASS_MEMSET:
	case CLASS_ACCELERATOR:
	case CLASS_SPAN:
	case CLASS_MEMORY:
	case NCLASSES:
		break;
	}
}

/* "stream 7 (sync)": rows of their own for waits, of 2026. */
static bool is_sync_track(const struct model *m, const struct track *t)
{
	if (t->place == TEXT_NONE || m->places[t->place].name == TEXT_NONE ||
	    t->kind == TRACK_STREAM)
		return false;
	struct str name = intern_str(m->texts, m->places[t->place].name);
	return str_starts_with(name, STR_LIT("stream ")) &&
	       str_contains(name, STR_LIT("(sync)"));
}

static void sweep_track(struct sweep *w, const struct track *t)
{
	struct health *h = w->h;

	w->run = t->first;
	w->sync_track = is_sync_track(h->m, t);
	w->annotated_ns = INT64_MIN;
	w->cover = (struct cover){ .reach_ns = INT64_MIN };
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = (uint32_t)(t->first + i);
		model_tick(h->m, row);
		const struct slice_rec *s = model_slice(h->m, row);
		tally_add(&h->classes[s->class], s, s->dur_ns);
		sweep_class(w, row);
		sweep_twins(w, t, row);
	}
	if (t->kind == TRACK_THREAD && w->cover.has_operators &&
	    w->cover.covered_ns > h->busiest.covered_ns)
		h->busiest = w->cover;
}

static bool is_whole_us(const struct model *m)
{
	for (size_t i = 0; i < m->nslices; i++) {
		model_tick(m, i);
		if (m->slices[i].ts_ns % 1000 || m->slices[i].dur_ns % 1000)
			return false;
	}
	return true;
}

void health_sweep(struct health *h, struct model *m)
{
	struct sweep w = { .h = h, .whole_us = is_whole_us(m) };

	*h = (struct health){ .m = m };
	for (size_t t = 0; t < m->ntracks; t++)
		sweep_track(&w, &m->tracks[t]);
	sparse_release(&w.twins);
}

void health_release(struct health *h)
{
	sparse_release(&h->kinds);
	spill_free(h->m->spill, h->calls);
	spill_free(h->m->spill, h->captures);
}
