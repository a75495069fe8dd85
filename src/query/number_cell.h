/* Numbers that may be missing, in tables. */
#ifndef PTOOL_QUERY_NUMBER_CELL_H
#define PTOOL_QUERY_NUMBER_CELL_H

#include "base/table.h"
#include "trace/fact.h"

/* NULL for NUMBER_NONE. */
static inline struct cell number_cell(int64_t number)
{
	return number == NUMBER_NONE ? cell_null() : cell_int(number);
}

#endif
