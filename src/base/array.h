/* Arrays that grow, as `items`, `nitems` and `items_cap` of a struct or as variables. */
#ifndef PTOOL_BASE_ARRAY_H
#define PTOOL_BASE_ARRAY_H

#include "base/alloc.h"

/* One more at the end of an array on the heap: a pointer to it.  The first three are lvalues. */
#define ARRAY_PUSH(items, n, cap)                                                   \
	((items) = (n) < (cap) ? (items)                                            \
			       : xgrow((items), &(cap), (n) + 1, sizeof(*(items))), \
	 &(items)[(n)++])

/* Item `at` of an array on the heap that is 0 wherever nothing was set yet: a pointer to it. */
#define ARRAY_AT(items, cap, at)                                                  \
	((items) = (at) < (cap) ? (items)                                         \
				: xgrow_zeroed((items), &(cap), (at) + (size_t)1, \
					       sizeof(*(items))),                 \
	 &(items)[at])

#endif
