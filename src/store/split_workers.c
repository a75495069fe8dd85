/*
 * The workers of a pipeline's timeline: see split_keys.h and trace/pipeline_op.h.
 *
 * A process is a data parallel replica, and each tid tells its worker's rank; the names of
 * threads, "PP rank 1, TP rank 0, compute", tell the worker's place.  A file that was cut
 * has no names, as they stand at its end: then ranks and replicas are all that is known.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "store/split_keys.h"
#include "trace/pipeline_op.h"

struct worker {
	struct axes axes;
	int64_t rank;
	uint32_t process, place; /* its process; its place among the split's ranks */
};

struct workers {
	struct worker *items; /* owned */
	size_t n, cap;
	struct intern keys; /* (process, rank) */
};

static struct str text_of(const struct model *m, uint32_t text)
{
	return text == TEXT_NONE ? STR_LIT("") : intern_str(m->texts, text);
}

/* The process's own place: by its name, else its pid is the replica. */
static struct axes axes_of_process(const struct model *m, const struct process *p)
{
	struct axes_told told = axes_of_label(text_of(m, p->name));

	if (!axes_known(&told.axes) && p->pid.text == TEXT_NONE && p->pid.number >= 0 &&
	    p->pid.number <= AXES_PLACE_MAX)
		told.axes.at[AXIS_DP] = p->pid.number;
	return told.axes;
}

/* The rank that a tid tells; a file that tells its own, as ptool exports it, has one worker. */
static bool rank_of(const struct model *m, const struct place *place, int64_t *rank)
{
	enum pipeline_thread thread;

	*rank = m->profile.rank;
	return *rank != NUMBER_NONE || (place->tid.text == TEXT_NONE &&
					pipeline_tid(place->tid.number, rank, &thread));
}

/* UINT32_MAX: the thread is no worker's. */
static uint32_t worker_of(struct workers *w, const struct model *m,
			  const struct place *place)
{
	int64_t rank;

	if (!rank_of(m, place, &rank))
		return UINT32_MAX;
	const int64_t key[] = { place->process, rank };
	size_t known = w->keys.n;
	uint32_t at = intern_add(&w->keys, str_bytes(key, sizeof(key)));
	if (at == known)
		*ARRAY_PUSH(w->items, w->n, w->cap) =
			(struct worker){ axes_of_process(m,
							 &m->processes[place->process]),
					 rank, place->process, 0 };
	return at;
}

/* The first name of a worker's threads that says it counts. */
static void name_workers(struct workers *w, const struct model *m)
{
	for (size_t i = 0; i < m->nplaces; i++) {
		const struct place *place = &m->places[i];
		uint32_t at = worker_of(w, m, place);
		struct axes_told told = axes_of_label(text_of(m, place->name));
		if (at != UINT32_MAX && told.is_spelled &&
		    !axes_differ(&w->items[at].axes, &told.axes))
			axes_fill(&w->items[at].axes, &told.axes);
	}
}

/* Their threads tell whose they are. */
static void add_processes(struct split *s, const struct model *m, const struct workers *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct process *p = &m->processes[w->items[i].process];
		split_add_member(s, m, p->pid, NULL,
				 (struct split_member){ .rank = UINT32_MAX,
							.raw_pid = NUMBER_NONE,
							.axes = axes_of_process(m, p),
							.is_shared = true });
	}
}

void split_workers(struct split *s, const struct model *m)
{
	struct workers w = { .n = 0 };

	s->is_of_workers = true;
	intern_init(&w.keys);
	name_workers(&w, m);
	for (size_t i = 0; i < w.n; i++)
		w.items[i].place = split_add_rank(s, &w.items[i].axes, w.items[i].rank);
	if (!split_is_over(s)) {
		for (size_t i = 0; i < m->nplaces; i++) {
			const struct place *place = &m->places[i];
			uint32_t at = worker_of(&w, m, place);
			if (at != UINT32_MAX)
				split_add_member(s, m, place->pid, &place->tid,
						 (struct split_member){
							 .rank = w.items[at].place });
		}
		add_processes(s, m, &w);
	}
	intern_release(&w.keys);
	free(w.items);
}
