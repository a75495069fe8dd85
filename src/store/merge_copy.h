/*
 * All rows of a store behind those of another one: ids are moved, texts renumbered.  Rows
 * are read and written one by one, so that memory is that of the texts.
 */
#ifndef PTOOL_STORE_MERGE_COPY_H
#define PTOOL_STORE_MERGE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/part_rows.h"
#include "store/bulk_writer.h"
#include "store/merge_ops.h"
#include "store/merge_source.h"
#include "store/merge_tables.h"

struct sqlite3;
struct store;

/* Makes the rows of summaries that a store has not: summaries_make_run(). */
typedef int merge_summarize_fn(struct store *store, const char *run,
			       const struct part_sink *to, struct err *err);

/* What is being made: tables without indexes, in a transaction. */
struct merge_target {
	struct sqlite3 *db; /* borrowed */
	struct merge_tables tables;
	struct bulk_places places;      /* of its tables */
	int64_t last[MERGE_TABLES_MAX]; /* the largest id of each table so far */
	int64_t run_id;
	struct intern texts;
	struct merge_wish wish; /* slices that are left out: profile.has_slices */
	struct merge_ops *ops;  /* borrowed: where op_stat is added up; NULL: as it is */
	merge_summarize_fn
		*summarize; /* makes rows of *_part that are missing; or NULL */
};

/*
 * 0, or -1 with err set.  ERR_INPUT: the store that is read is to blame; what is being
 * made is then of no use.  The source is open and was asked what the target wishes.
 */
int merge_copy(struct merge_target *to, struct merge_source *from, struct err *err);
/* Behind the last store: the rows of `ops`. */
int merge_copy_ops(struct merge_target *to, struct err *err);

#endif
