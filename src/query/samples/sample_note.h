/* What tables of sampled stacks say below: what was added up, and what was left out. */
#ifndef PTOOL_QUERY_SAMPLE_NOTE_H
#define PTOOL_QUERY_SAMPLE_NOTE_H

#include "base/memtable.h"
#include "query/samples/sample_set.h"

void sample_add_notes(const struct sample_set *set, const struct scope *scope,
		      struct memtable *to);

#endif
