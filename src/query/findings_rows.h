/*
 * The rows of the table of findings, between the file that reads them and the
 * one that lays them out for people.
 */
#ifndef PTOOL_QUERY_FINDINGS_ROWS_H
#define PTOOL_QUERY_FINDINGS_ROWS_H

#include "base/memtable.h"
#include "query/pick.h"
#include "trace/finding.h"

/* The columns: those of views/finding.sql, then what the code means. */
enum finding_column {
	FINDING_PROFILE,
	FINDING_RANK,
	FINDING_PATH,
	FINDING_SEVERITY,
	FINDING_CODE,
	FINDING_DETAIL,
	FINDING_COUNT,
	FINDING_OFFSET,
	FINDING_EXCERPT,
	FINDING_TIME,
	FINDING_SHARE,
	NVIEW_COLUMNS,
	FINDING_FOUND = NVIEW_COLUMNS,
	FINDING_DONE,
	FINDING_DISABLES,
	FINDING_ADVICE,
	FINDING_SHARE_OF,
	NFINDING_COLUMNS
};

extern const struct column finding_columns[NFINDING_COLUMNS];

/* NULL for the code of a newer ptool's store. */
const struct finding_kind *findings_kind(struct str code);

/*
 * For people: a table of what was damaged, and below it one of what the recording
 * lacks, each explained once.  `all`, whose caption stands above, is moved.
 */
struct table *findings_for_people(struct memtable *all, const struct scope *scope);

#endif
