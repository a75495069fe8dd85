/*
 * Memory that was sampled (mprof): peaks and curves of processes, and the functions whose
 * calls were followed.  There are no allocations, so that other views have nothing.
 */
#ifndef PTOOL_QUERY_MEMORY_SAMPLES_H
#define PTOOL_QUERY_MEMORY_SAMPLES_H

#include "query/memory/memory.h"
#include "query/view.h"

extern const struct view memory_processes_view, memory_functions_view,
	memory_samples_view;

/* As memory_open(). */
int memory_open_sampled(struct store *store, const struct scope *scope,
			const struct memory_request *request, struct table **out,
			struct err *err);

#endif
