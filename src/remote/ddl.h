/* The tables of a ClickHouse database as SQL: `ptool schema clickhouse` prints it. */
#ifndef PTOOL_REMOTE_DDL_H
#define PTOOL_REMOTE_DDL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct ddl_request {
	const char *cluster;  /* NULL: one server */
	const char *database; /* that a cluster's tables name */
	bool replicated;      /* ReplicatedMergeTree; wants a cluster */
	bool codecs;          /* and LowCardinality texts: for ClickHouse 20 and newer */
};

/* Appends the statements, each with its ';'.  -1 with err set. */
int ddl_write(const struct ddl_request *request, struct buf *to, struct err *err);

/* The first columns of `profile`, which no store has; `schema` is the format of the store. */
#define DDL_PROFILE_OWN                                                                  \
	"run_id UInt64, run String, profile_key UInt64, push_id UInt64, deleted Int64, " \
	"schema Int64, ptool String, pushed_ns Int64, store_key UInt64, place Int64, "   \
	"counts String, largest_sum Int64, store_push_id UInt64, store_bytes Int64, "    \
	"store_sha256 String"
#define DDL_PROFILE_OWN_NAMES                                                               \
	"run_id, run, profile_key, push_id, deleted, schema, ptool, pushed_ns, store_key, " \
	"place, counts, largest_sum, store_push_id, store_bytes, store_sha256"

#endif
