/*
 * The chain of blame: what a slice was called by, from the outermost, as one line.
 */
#ifndef PTOOL_QUERY_GAP_CHAIN_H
#define PTOOL_QUERY_GAP_CHAIN_H

#include "base/buf.h"
#include "query/text_pool.h"

#define GAP_CHAIN_MAX 24 /* links, of which the innermost are kept */

struct gap_chain {
	struct sqlite3_stmt *stmt;
	struct text_pool *texts; /* borrowed */
	struct buf line;
};

/* gap_chain_close() in both cases, and of a zeroed one, before the store is closed. */
int gap_chain_open(struct store *store, struct text_pool *texts, struct gap_chain *out,
		   struct err *err);
void gap_chain_close(struct gap_chain *c);

/*
 * "ProfilerStep#3 > aten::item > cudaStreamSynchronize"; empty for slice 0.  Borrowed
 * until the next call.
 */
int gap_chain_text(struct gap_chain *c, int64_t slice_id, struct str *out,
		   struct err *err);

#endif
