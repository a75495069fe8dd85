/*
 * The chain of blame: what a slice was called by, from the outermost, as one line.
 */
#ifndef PTOOL_QUERY_GAP_CHAIN_H
#define PTOOL_QUERY_GAP_CHAIN_H

#include <stdbool.h>

#include "base/buf.h"
#include "query/text_pool.h"

#define GAP_CHAIN_MAX 24   /* links that are kept: the innermost */
#define GAP_CHAIN_FAR 1024 /* links that are looked at for the user's own frame */

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
 * until the next call.  *own: text of the innermost Python frame that is the user's own;
 * or TEXT_NONE.
 */
int gap_chain_text(struct gap_chain *c, int64_t slice_id, struct str *out, uint32_t *own,
		   struct err *err);

/* Is the frame neither Python's own nor of an installed package, as far as names tell? */
bool gap_frame_is_own(struct str name);

#endif
