/*
 * Which ranks of a run can be in one process group, by their axes: for collectives whose
 * group is not recorded.
 */
#ifndef PTOOL_QUERY_SCOPE_AXES_H
#define PTOOL_QUERY_SCOPE_AXES_H

#include "query/scope.h"

/* Sets groups of all profiles, which are those of whole runs, by run. */
void scope_find_groups(struct scope *scope);

#endif
