/* Lanes of slices: see lanes.h. */
#include "base/lanes.h"

#include <stdlib.h>

#include "base/alloc.h"

#define FIRST_ROOM 8

/* What the node is above. */
static void gather(struct lanes *l, size_t node)
{
	const int64_t *least = &l->least[2 * node], *most = &l->most[2 * node];

	l->least[node] = least[0] < least[1] ? least[0] : least[1];
	l->most[node] = most[0] > most[1] ? most[0] : most[1];
}

static void put(struct lanes *l, size_t lane, int64_t least, int64_t most)
{
	size_t node = l->room + lane;

	l->least[node] = least;
	l->most[node] = most;
	while ((node /= 2) > 0)
		gather(l, node);
}

/* Room without a lane has the end that fits nothing. */
static void widen(struct lanes *l)
{
	const struct lanes old = *l;

	l->room = old.room ? 2 * old.room : FIRST_ROOM;
	l->least = xrealloc_array(NULL, 2 * l->room, sizeof(*l->least));
	l->most = xrealloc_array(NULL, 2 * l->room, sizeof(*l->most));
	for (size_t i = 0; i < l->room; i++) {
		l->least[l->room + i] = i < old.n ? old.least[old.room + i] : INT64_MAX;
		l->most[l->room + i] = i < old.n ? old.most[old.room + i] : INT64_MIN;
	}
	for (size_t node = l->room; --node > 0;)
		gather(l, node);
	free(old.least);
	free(old.most);
}

void lanes_add(struct lanes *l, int64_t end)
{
	if (l->n == l->room)
		widen(l);
	put(l, l->n++, end, end);
}

void lanes_set(struct lanes *l, size_t lane, int64_t end)
{
	put(l, lane, end, end);
}

size_t lanes_at_most(const struct lanes *l, int64_t end)
{
	size_t node = 1;

	if (l->n == 0 || l->least[node] > end)
		return l->n;
	while (node < l->room)
		node = 2 * node + (l->least[2 * node] > end);
	return node - l->room < l->n ? node - l->room : l->n;
}

size_t lanes_at_least(const struct lanes *l, int64_t end)
{
	size_t node = 1;

	if (l->n == 0 || l->most[node] < end)
		return l->n;
	while (node < l->room)
		node = 2 * node + (l->most[2 * node] < end);
	return node - l->room < l->n ? node - l->room : l->n;
}

void lanes_clear(struct lanes *l)
{
	while (l->n > 0)
		put(l, --l->n, INT64_MAX, INT64_MIN);
}

void lanes_release(struct lanes *l)
{
	free(l->least);
	free(l->most);
	*l = (struct lanes){ .n = 0 };
}
