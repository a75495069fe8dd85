/* Phases of steps: see step_phases.h. */
#include "query/steps/step_phases.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* A part of the time of some phase. */
struct piece {
	struct interval at;
	enum step_phase phase;
};

/* What tells a phase: labels, else what the program's libraries record. */
static const struct teller {
	enum host_part labels, ranges;
	const char *source;
} tellers[] = {
	[STEP_PHASE_DATA] = { PART_LABEL_DATA, PART_DATA_LOADING, "DataLoader" },
	[STEP_PHASE_TO_DEVICE] = { PART_TO_DEVICE, PART_TO_DEVICE, "copies" },
	[STEP_PHASE_OPTIMIZER] = { PART_LABEL_OPTIMIZER, PART_OPTIMIZER,
				   "Optimizer ranges" },
	[STEP_PHASE_BACKWARD] = { PART_LABEL_BACKWARD, PART_BACKWARD,
				  "autograd threads" },
	[STEP_PHASE_FORWARD] = { PART_LABEL_FORWARD, PART_FORWARD, "sequence numbers" },
};

#define NTOLD (sizeof(tellers) / sizeof(tellers[0]))

static bool is_labelled(const struct step_host *host, size_t phase)
{
	return tellers[phase].labels != tellers[phase].ranges &&
	       host->parts[tellers[phase].labels].n > 0;
}

/* Passes that operators tell have gaps between these. */
static bool has_gaps(const struct step_host *host, enum step_phase phase)
{
	return (phase == STEP_PHASE_FORWARD || phase == STEP_PHASE_BACKWARD) &&
	       !is_labelled(host, phase);
}

static void take_parts(const struct step_host *host, struct intervals *slots,
		       struct step_phases *out)
{
	for (size_t phase = 0; phase < NTOLD; phase++) {
		bool labelled = is_labelled(host, phase);
		const struct intervals *set =
			&host->parts[labelled ? tellers[phase].labels
					      : tellers[phase].ranges];
		struct intervals left;

		out->sources[phase] = labelled ? "labels"
				      : set->n ? tellers[phase].source
					       : NULL;
		intervals_intersect(slots, set, &out->parts[phase]);
		intervals_subtract(slots, set, &left);
		intervals_release(slots);
		*slots = left;
	}
}

static struct piece *list_pieces(const struct step_phases *p, size_t *n)
{
	struct piece *pieces = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t phase = 0; phase < NTOLD; phase++)
		for (size_t i = 0; i < p->parts[phase].n; i++) {
			pieces = xgrow(pieces, &cap, *n + 1, sizeof(*pieces));
			pieces[(*n)++] = (struct piece){ p->parts[phase].items[i],
							 (enum step_phase)phase };
		}
	if (pieces)
		SORT_BY(pieces, *n, at.start_ns);
	return pieces;
}

/* Is there a gap behind this piece, between two pieces of a pass? */
static bool is_gap(const struct step_host *host, const struct piece *piece)
{
	return piece[0].phase == piece[1].phase &&
	       piece[0].at.end_ns < piece[1].at.start_ns &&
	       has_gaps(host, piece[0].phase);
}

/*
 * Time that no phase has goes to the pass that is on both sides of it, in one step: of
 * those that begin before it the one that ends last tells whether there is such a step.
 */
static void fill_gaps(const struct step_bounds *bounds, const struct step_host *host,
		      struct intervals *rest, struct step_phases *out)
{
	struct intervals filled = { .n = 0 }, left;
	size_t n, step = 0;
	struct piece *pieces = list_pieces(out, &n);
	int64_t latest_ns = INT64_MIN;

	for (size_t i = 0; i + 1 < n; i++) {
		int64_t from_ns = pieces[i].at.end_ns, to_ns = pieces[i + 1].at.start_ns;
		for (; step < bounds->n && bounds->items[step].host_start_ns < from_ns;
		     step++)
			if (bounds->items[step].host_end_ns > latest_ns)
				latest_ns = bounds->items[step].host_end_ns;
		if (latest_ns <= to_ns || !is_gap(host, &pieces[i]))
			continue;
		intervals_add(&out->parts[pieces[i].phase], from_ns, to_ns);
		intervals_add(&filled, from_ns, to_ns);
	}
	intervals_unite(&filled);
	for (size_t phase = 0; phase < NTOLD; phase++)
		intervals_unite(&out->parts[phase]);
	intervals_subtract(rest, &filled, &left);
	intervals_release(rest);
	*rest = left;
	intervals_release(&filled);
	free(pieces);
}

static bool is_in(const struct intervals *set, int64_t ns)
{
	size_t i = intervals_after(set, ns);

	return i < set->n && set->items[i].start_ns <= ns;
}

static enum step_phase phase_at(const struct step_phases *p, int64_t ns)
{
	size_t phase = 0;

	while (phase < NTOLD && !is_in(&p->parts[phase], ns))
		phase++;
	return (enum step_phase)phase;
}

struct step_place {
	int64_t step_id;
	size_t place;
};

static void add_work(const struct step_phases *p, const struct work_item *item,
		     struct intervals *sets)
{
	enum step_phase phase =
		item->launch_id ? phase_at(p, item->launch_start_ns) : STEP_PHASE_OTHER;

	intervals_add(&sets[phase], item->start_ns, item->end_ns);
}

/* Work belongs to the step that slice_row.step_id says: that of its launch. */
static void count_work(const struct step_bounds *bounds, const struct device_work *work,
		       struct step_phases *out)
{
	struct intervals *sets = xcalloc(bounds->n * NSTEP_PHASES, sizeof(*sets));
	struct step_place *places = xrealloc_array(NULL, bounds->n, sizeof(*places));

	for (size_t s = 0; s < bounds->n; s++)
		places[s] = (struct step_place){ bounds->items[s].step_id, s };
	SORT_BY(places, bounds->n, step_id);
	for (size_t i = 0; i < work->n; i++) {
		int64_t step_id = bounds->is_single ? 0 : work->items[i].step_id;
		size_t at = SORT_FIRST(places, bounds->n, step_id, step_id);
		if (at < bounds->n && places[at].step_id == step_id)
			add_work(out, &work->items[i],
				 &sets[places[at].place * NSTEP_PHASES]);
	}
	for (size_t i = 0; i < bounds->n * NSTEP_PHASES; i++) {
		intervals_unite(&sets[i]);
		out->steps[i / NSTEP_PHASES].device_ns[i % NSTEP_PHASES] =
			intervals_length(&sets[i]);
		intervals_release(&sets[i]);
	}
	free(places);
	free(sets);
}

void step_phases_make(const struct step_bounds *bounds, const struct device_work *work,
		      const struct step_host *host, struct step_phases *out)
{
	struct intervals slots = { .n = 0 };

	*out = (struct step_phases){ .steps = xcalloc(bounds->n, sizeof(*out->steps)) };
	for (size_t i = 0; i < bounds->n; i++)
		intervals_add(&slots, bounds->items[i].host_start_ns,
			      bounds->items[i].host_end_ns);
	intervals_unite(&slots);
	take_parts(host, &slots, out);
	fill_gaps(bounds, host, &slots, out);
	out->parts[STEP_PHASE_OTHER] = slots;
	for (size_t i = 0; i < bounds->n; i++)
		for (int phase = 0; phase < NSTEP_PHASES; phase++)
			out->steps[i].host_ns[phase] = intervals_length_within(
				&out->parts[phase], bounds->items[i].host_start_ns,
				bounds->items[i].host_end_ns);
	count_work(bounds, work, out);
}

void step_phases_release(struct step_phases *p)
{
	for (int phase = 0; phase < NSTEP_PHASES; phase++)
		intervals_release(&p->parts[phase]);
	free(p->steps);
}
