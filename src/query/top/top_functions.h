/*
 * ptool top on call graphs: the functions and what each took, from their own rows.
 */
#ifndef PTOOL_QUERY_TOP_FUNCTIONS_H
#define PTOOL_QUERY_TOP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/sortkey.h"

struct function_query {
	const struct filter
		*filter; /* borrowed: --focus and --ignore, of standard names */
	const struct sort_key *sort; /* of function_sort_keys; NULL: self time */
	int64_t limit;               /* 0: all */
	bool reverse, for_people;
};

extern const struct sort_key function_sort_keys[];

/*
 * Functions of all profiles of the scope, added up as pstats does.  0 and *out, or
 * -1: ERR_EMPTY when none matches.
 */
int top_functions(struct store *store, const struct scope *scope,
		  const struct function_query *query, struct table **out,
		  struct err *err);

#endif
