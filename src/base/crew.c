/* A pass done by several threads: see crew.h. */
#include "base/crew.h"

#include <stdatomic.h>

#include "base/workers.h"

struct crew {
	struct workers workers;
	size_t n;
	atomic_size_t next;
	void (*part)(void *to, size_t i);
	void *to;
};

static void *help(void *to)
{
	struct crew *c = to;
	size_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n)
		c->part(c->to, i);
	return NULL;
}

void crew_run(unsigned others, size_t n, void (*part)(void *to, size_t i), void *to)
{
	struct crew c = { .n = n, .part = part, .to = to };

	atomic_init(&c.next, 0);
	workers_init(&c.workers);
	if (n > 1)
		workers_start(&c.workers, others < n - 1 ? others : (unsigned)(n - 1),
			      help, &c);
	help(&c);
	workers_release(&c.workers);
}
