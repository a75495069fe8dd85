/* Work alone and beside other work: see exposure.h. */
#include "query/devices/exposure.h"

struct exposure exposure_of(struct intervals *work, const struct intervals *beside)
{
	struct exposure e;

	intervals_unite(work);
	e.busy_ns = intervals_length(work);
	e.hidden_ns = 0;
	/* A search for each: a little work beside very much is the usual case. */
	for (size_t i = 0; i < work->n; i++)
		e.hidden_ns += intervals_length_within(beside, work->items[i].start_ns,
						       work->items[i].end_ns);
	e.exposed_ns = e.busy_ns - e.hidden_ns;
	return e;
}
