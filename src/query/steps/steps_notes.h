/* What people and agents should know about the steps that are shown. */
#ifndef PTOOL_QUERY_STEPS_NOTES_H
#define PTOOL_QUERY_STEPS_NOTES_H

#include "base/memtable.h"
#include "query/steps/steps.h"

/* Of marks, of what the recording lacks and how to record it, of what tells phases. */
void steps_add_notes(const struct steps *s, const struct steps_request *request,
		     struct memtable *m);
/* "Kernel", "CPU Exec": as the TensorBoard plugin calls it. */
const char *steps_category_name(enum step_category category);

#endif
