/*
 * Which columns of a table are shown.  Machine formats get all that is stable
 * and known; a table that people read has room for what they look at.
 */
#ifndef PTOOL_QUERY_PICK_H
#define PTOOL_QUERY_PICK_H

#include <stdbool.h>

#include "base/table.h"
#include "query/scope.h"

enum shown {
	SHOWN_ALWAYS,
	SHOWN_TO_PEOPLE,
	SHOWN_TO_MACHINES,
	SHOWN_IF_RANKS, /* to machines; to people when there are several ranks */
	SHOWN_IF_PROFILES, /* to machines; to people when ranks do not tell the profiles apart */
	SHOWN_NEVER
};

/* One for each column of `from`, which is moved: table_free() of the result frees it. */
struct table *table_pick(struct table *from, const enum shown *shown,
			 const struct scope *scope, bool for_people);

#endif
