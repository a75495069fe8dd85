/* What is found out of a profile behind its rows: see write_found.h. */
#include "store/write_found.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "store/health.h"
#include "store/write.h"

struct write_found *write_find_lists(struct model *m)
{
	struct write_found *found = xcalloc(1, sizeof(*found));

	found->m = m;
	write_lists_make(m, &found->lists);
	return found;
}

static size_t begin_rest(void *to)
{
	struct write_found *found = to;

	health_rows(found->m);
	found->summing_up = summary_begin(found->m, found->threads, &found->summary);
	return summary_parts(found->summing_up);
}

static void find_part(void *to, size_t part)
{
	struct write_found *found = to;

	summary_part(found->summing_up, part);
}

static void end_rest(void *to)
{
	struct write_found *found = to;

	summary_end(found->summing_up);
	found->is_all = true;
}

struct bulk_job write_find_rest(struct write_found *found, unsigned threads)
{
	found->threads = threads;
	return (struct bulk_job){ begin_rest, find_part, end_rest, found };
}

struct write_found *write_find(struct model *m)
{
	struct write_found *found = write_find_lists(m);

	health_rows(m);
	summary_make(m, &found->summary);
	found->is_all = true;
	return found;
}

void write_found_free(struct write_found *found)
{
	if (!found)
		return;
	write_lists_release(found->m, &found->lists);
	summary_release(&found->summary);
	free(found);
}
