/*
 * The findings of profiles as a table: what the reader met, what it means, what
 * was done about it, and what the recording lacks.
 */
#ifndef PTOOL_QUERY_FINDINGS_H
#define PTOOL_QUERY_FINDINGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/table.h"
#include "query/view.h"
#include "trace/finding.h"

extern const struct view findings_view;

/*
 * Those as bad as `least`, worst first; a table without rows when there are none.
 * For people in two tables, where each code is explained once, below.  *out is the
 * caller's.
 */
int findings_open(struct store *store, const struct scope *scope, enum severity least,
		  bool for_people, struct table **out, struct err *err);
/* Has a profile a finding of this kind?  What cannot be read is told elsewhere. */
bool findings_have(struct store *store, const struct scope *scope, enum finding what);

#endif
