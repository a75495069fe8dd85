/* Labels that are open on a thread: see open_labels.h. */
#include "query/slices/open_labels.h"

#include <stdlib.h>

#include "base/array.h"

static void drop_ended(struct open_labels *l, int64_t ns)
{
	while (l->n && l->items[l->n - 1].end_ns <= ns)
		l->n--;
}

void open_labels_add(struct open_labels *l, int64_t start_ns, int64_t end_ns, uint32_t at)
{
	drop_ended(l, start_ns);
	if (end_ns <= start_ns)
		return;
	*ARRAY_PUSH(l->items, l->n, l->cap) = (struct open_label){ end_ns, at };
}

uint32_t open_labels_innermost(struct open_labels *l, int64_t ns)
{
	drop_ended(l, ns);
	return l->n ? l->items[l->n - 1].at : OPEN_LABELS_NONE;
}

void open_labels_release(struct open_labels *l)
{
	free(l->items);
	*l = (struct open_labels){ .n = 0 };
}
