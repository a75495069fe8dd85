/* The host's parts of steps: see step_host.h. */
#include "query/steps/step_host.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/search.h"
#include "base/sort.h"
#include "query/steps/host_names.h"
#include "query/steps/host_scan.h"

#define BITS_KNOWN 0x8000U /* of a text whose name was judged */

/* A call that started a copy from the host to a device. */
struct copy_call {
	int64_t track_id, start_ns, end_ns;
};

struct host_loading {
	struct text_pool *texts;
	struct step_host *out;
	uint16_t *bits; /* by text: enum host_name, once it is judged */
	size_t bits_cap;
	int64_t *step_slices; /* in order */
	size_t nsteps, next_step;
	struct copy_call *copies; /* by (track, start) */
	size_t ncopies;
};

static unsigned bits_of(struct host_loading *l, uint32_t name)
{
	if (name == TEXT_NONE)
		return 0;
	if (name >= l->bits_cap) {
		size_t old = l->bits_cap;
		l->bits =
			xgrow(l->bits, &l->bits_cap, (size_t)name + 1, sizeof(*l->bits));
		memset(l->bits + old, 0, (l->bits_cap - old) * sizeof(*l->bits));
	}
	if (!l->bits[name])
		l->bits[name] = (uint16_t)(BITS_KNOWN |
					   host_name_bits(text_pool_str(l->texts, name)));
	return l->bits[name] & ~BITS_KNOWN;
}

/* Most slices lie in one that was added before: it grows, and no new one comes. */
static void add(struct host_loading *l, enum host_part part,
		const struct host_slice *slice)
{
	struct intervals *to = &l->out->parts[part];
	struct interval *last = to->n ? &to->items[to->n - 1] : NULL;

	if (last && slice->start_ns >= last->start_ns &&
	    slice->start_ns <= last->end_ns) {
		if (slice->end_ns > last->end_ns)
			last->end_ns = slice->end_ns;
		return;
	}
	intervals_add(to, slice->start_ns, slice->end_ns);
}

/* Slices come in the order of their ids, and so do those that are steps. */
static bool is_step(struct host_loading *l, const struct host_slice *slice)
{
	while (l->next_step < l->nsteps && l->step_slices[l->next_step] < slice->id)
		l->next_step++;
	return l->next_step < l->nsteps && l->step_slices[l->next_step] == slice->id;
}

static size_t first_copy_from(const struct host_loading *l, int64_t track_id,
			      int64_t start_ns)
{
	const struct copy_call *c = l->copies;
	size_t at;

	SEARCH(at, 0, l->ncopies,
	       c[at].track_id < track_id ||
		       (c[at].track_id == track_id && c[at].start_ns < start_ns));
	return at;
}

/* An aten::to around a call that copies to the device is part of that. */
static void add_transfer(struct host_loading *l, const struct host_slice *slice)
{
	size_t at = first_copy_from(l, slice->track_id, slice->start_ns);
	if (at == l->ncopies || l->copies[at].track_id != slice->track_id ||
	    l->copies[at].end_ns > slice->end_ns)
		return;
	add(l, PART_TO_DEVICE, slice);
}

static void add_phase(struct host_loading *l, const struct host_slice *slice,
		      unsigned bits)
{
	if (bits & HOST_SAYS_DATA)
		add(l, PART_LABEL_DATA, slice);
	if (bits & HOST_SAYS_FORWARD)
		add(l, PART_LABEL_FORWARD, slice);
	if (bits & HOST_SAYS_BACKWARD)
		add(l, PART_LABEL_BACKWARD, slice);
	if (bits & HOST_SAYS_OPTIMIZER)
		add(l, PART_LABEL_OPTIMIZER, slice);
	if (bits & HOST_OPTIMIZER)
		add(l, PART_OPTIMIZER, slice);
	if (bits & HOST_TRANSFER && l->ncopies)
		add_transfer(l, slice);
	if (bits & HOST_ENGINE || slice->is_backward) {
		l->out->has_engine |= (bits & HOST_ENGINE) != 0;
		add(l, PART_BACKWARD, slice);
	} else if (slice->has_sequence) {
		add(l, PART_FORWARD, slice);
	}
}

static int add_slice(void *context, const struct host_slice *slice, struct err *err)
{
	struct host_loading *l = context;

	(void)err;
	if (slice->class == CLASS_RUNTIME || slice->class == CLASS_DRIVER) {
		add(l, PART_RUNTIME, slice);
		return 0;
	}
	unsigned bits = bits_of(l, slice->name);
	if (bits & HOST_STEP || is_step(l, slice))
		return 0;
	if (bits & HOST_DATA_LOADING)
		add(l, PART_DATA_LOADING, slice);
	else if (bits & HOST_COMMUNICATION)
		add(l, PART_COMMUNICATION, slice);
	else
		add(l, PART_OPERATORS, slice);
	add_phase(l, slice, bits);
	return 0;
}

static void collect_steps(struct host_loading *l, const struct step_bounds *bounds)
{
	l->step_slices = xrealloc_array(NULL, bounds->n, sizeof(*l->step_slices));
	for (size_t i = 0; i < bounds->n; i++)
		if (bounds->items[i].slice_id)
			l->step_slices[l->nsteps++] = bounds->items[i].slice_id;
	if (l->nsteps)
		qsort(l->step_slices, l->nsteps, sizeof(*l->step_slices),
		      sort_compare_int64);
}

/* "Memcpy HtoD (Pageable -> Device)", "CopyHostToDevice" */
static bool is_to_device(struct str name)
{
	static const char *const parts[] = { "HtoD", "HostToDevice", "H2D" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (memmem(name.p, name.n, parts[i], strlen(parts[i])))
			return true;
	return false;
}

static int by_place(const void *left, const void *right)
{
	const struct copy_call *a = left, *b = right;

	if (a->track_id != b->track_id)
		return a->track_id < b->track_id ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static void collect_copies(struct host_loading *l, const struct device_work *work)
{
	size_t cap = 0;

	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		if (item->kind != WORK_MEMCPY || !item->launch_id ||
		    !is_to_device(text_pool_str(l->texts, item->name)))
			continue;
		*ARRAY_PUSH(l->copies, l->ncopies, cap) =
			(struct copy_call){ item->launch_track_id, item->launch_start_ns,
					    item->launch_end_ns };
		intervals_add(&l->out->parts[PART_TO_DEVICE], item->launch_start_ns,
			      item->launch_end_ns);
	}
	if (l->ncopies)
		qsort(l->copies, l->ncopies, sizeof(*l->copies), by_place);
}

int step_host_load(const struct step_source *from, const struct device_work *work,
		   const struct step_bounds *bounds, struct step_host *out,
		   struct err *err)
{
	struct host_loading l = { .texts = from->texts, .out = out };

	*out = (struct step_host){ .has_engine = false };
	collect_steps(&l, bounds);
	collect_copies(&l, work);
	int rc = host_scan(from->store, from->texts, from->profile, add_slice, &l, err);
	for (int part = 0; rc == 0 && part < NHOST_PARTS; part++)
		intervals_unite(&out->parts[part]);
	free(l.bits);
	free(l.step_slices);
	free(l.copies);
	return rc;
}

void step_host_release(struct step_host *h)
{
	for (int part = 0; part < NHOST_PARTS; part++)
		intervals_release(&h->parts[part]);
}
