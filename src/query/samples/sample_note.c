/* Notes of tables of sampled stacks: see sample_note.h. */
#include "query/samples/sample_note.h"

void sample_add_notes(const struct sample_set *set, const struct scope *scope,
		      struct memtable *to)
{
	bool is_rounded = false;

	for (size_t i = 0; i < set->nseries; i++)
		is_rounded |= set->series[i].is_chosen && set->series[i].is_rounded;
	if (set->nchosen > 1)
		memtable_add_note(to, "%zu series%s added up; --series shows one",
				  set->nchosen, scope->n > 1 ? " of all files" : "");
	if (set->others)
		memtable_add_note(to, "also recorded: %s; --series shows it",
				  set->others);
	if (is_rounded)
		memtable_add_note(to, "the profiler rounded these numbers");
}
