/* A ring of stores that threads open ahead: see merge_ahead.h. */
#include "store/merge_ahead.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/machine.h"
#include "base/workers.h"

/* One thread copies what all others have opened: more have nothing to do. */
#define THREADS_MAX    4
#define SLOTS_A_THREAD 4

struct slot {
	struct merge_source source;
	bool is_open;
};

struct merge_ahead {
	const struct merge_wish *wish;
	const struct fleet *fleet;
	size_t *places; /* in the fleet, of the stores to be read */
	size_t n, cap;
	struct workers
		workers;    /* their mutex is for what follows, but sources not open */
	size_t first, next; /* given back so far; to be begun */
	bool is_lent;       /* the first is with the caller */
	struct slot *slots; /* a store's is its number modulo nslots */
	size_t nslots;
};

static void open_one(struct merge_ahead *a, size_t number)
{
	const struct fleet_store *store = &a->fleet->stores[a->places[number]];

	merge_source_open(a->wish, store->path, store->st.st_size,
			  &a->slots[number % a->nslots].source);
}

static void *run(void *to)
{
	struct merge_ahead *a = to;

	workers_lock(&a->workers);
	while (!a->workers.is_stopping && a->next < a->n) {
		if (a->next - a->first == a->nslots) {
			workers_wait(&a->workers);
			continue;
		}
		size_t number = a->next++;
		workers_unlock(&a->workers);
		open_one(a, number);
		workers_lock(&a->workers);
		a->slots[number % a->nslots].is_open = true;
		workers_wake(&a->workers);
	}
	workers_unlock(&a->workers);
	return NULL;
}

struct merge_ahead *merge_ahead_open(const struct merge_wish *wish,
				     const struct fleet *fleet)
{
	struct merge_ahead *a = xcalloc(1, sizeof(*a));
	uint64_t cores = machine_cores();
	unsigned threads = cores < THREADS_MAX ? (unsigned)cores : THREADS_MAX;

	a->wish = wish;
	a->fleet = fleet;
	for (size_t i = 0; i < fleet->n; i++)
		if (!fleet->stores[i].err)
			*ARRAY_PUSH(a->places, a->n, a->cap) = i;
	a->nslots = threads > 1 ? (size_t)threads * SLOTS_A_THREAD : 1;
	a->slots = xcalloc(a->nslots, sizeof(*a->slots));
	workers_init(&a->workers);
	if (threads > 1 && a->n > 1)
		workers_start(&a->workers, threads, run, a);
	return a;
}

static void give_back(struct merge_ahead *a)
{
	struct slot *slot = &a->slots[a->first % a->nslots];

	merge_source_close(&slot->source);
	workers_lock(&a->workers);
	slot->is_open = false;
	a->first++;
	workers_wake(&a->workers);
	workers_unlock(&a->workers);
	a->is_lent = false;
}

struct merge_source *merge_ahead_next(struct merge_ahead *a, size_t *place)
{
	if (a->is_lent)
		give_back(a);
	if (a->first == a->n)
		return NULL;
	struct slot *slot = &a->slots[a->first % a->nslots];
	*place = a->places[a->first];
	workers_lock(&a->workers);
	while (a->workers.n && !slot->is_open)
		workers_wait(&a->workers);
	workers_unlock(&a->workers);
	if (!a->workers.n)
		open_one(a, a->first);
	a->is_lent = true;
	return &slot->source;
}

void merge_ahead_close(struct merge_ahead *a)
{
	if (!a)
		return;
	workers_release(&a->workers);
	for (size_t i = 0; i < a->nslots; i++)
		merge_source_close(&a->slots[i].source);
	free(a->slots);
	free(a->places);
	free(a);
}
