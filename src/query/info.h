/*
 * What was recorded: the profiles of a scope with what is known of each, for ptool info
 * and the first screen.
 */
#ifndef PTOOL_QUERY_INFO_H
#define PTOOL_QUERY_INFO_H

#include "base/err.h"
#include "base/memtable.h"
#include "query/view.h"
#include "store/store.h"

/* clang-format off */
/* The cells of a row: the columns of info.sql. */
enum { INFO_PROFILE, INFO_RUN, INFO_NAME, INFO_PATH, INFO_FORMAT, INFO_DIALECT, INFO_HOST,
       INFO_RANK, INFO_WORLD, INFO_RANK_SOURCE, INFO_WORKER, INFO_SPAN, INFO_START,
       INFO_START_MINUTE, INFO_SPAN_NS, INFO_SLICES, INFO_STEPS, INFO_DEVICES, INFO_MEMORY,
       INFO_SHAPES, INFO_STACKS, INFO_FLOPS, INFO_FINDINGS, INFO_BYTES, INFO_DEVICE_TYPE,
       NINFO_CELLS };
/* clang-format on */

extern const struct view info_view;

/* A row for each profile; the caller frees *out.  0, or -1 with err set. */
int info_load(struct store *store, const struct scope *scope, struct memtable **out,
	      struct err *err);
/* The sum of a column of whole numbers. */
int64_t info_sum(const struct memtable *rows, int cell);

/*
 * Their table; for people with notes on what was recorded, and below it how well the
 * devices were used.  `path`: the file that is read.
 */
int info_open(struct store *store, const struct scope *scope, const char *path,
	      bool for_people, struct table **out, struct err *err);

#endif
