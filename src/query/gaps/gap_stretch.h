/*
 * What the list says of a stretch of a gap, as far as --time and --step leave it: what it
 * is charged to, what lies around it, and its times as text.
 */
#ifndef PTOOL_QUERY_GAP_STRETCH_H
#define PTOOL_QUERY_GAP_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/memtable.h"
#include "base/str.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_sums.h"
#include "query/slices/slice_around.h"
#include "query/text_pool.h"

struct gap_stretch {
	int64_t start_ns, end_ns;
	uint32_t gap;
};

/* What is charged most in it: 1; 0 when nothing of it is wanted; -1 with err set. */
int gap_stretch_blame(const struct gap_profile *p, struct gap_reader *reader,
		      const struct gap_stretch *s, struct gap_row *out, struct err *err);
/* The longest in it that is charged so; false when there is none. */
bool gap_stretch_longest(const struct gap_profile *p, struct gap_reader *reader,
			 const struct gap_stretch *s, const struct gap_sum *of,
			 struct gap_amount *out);
/* The step that has most of it, of equal ones the first; or GAP_NO_STEP. */
size_t gap_stretch_step(const struct gap_profile *p, const struct gap_stretch *s);

/*
 * What lies around a single gap and led to it, as a sentence for people: its row has no
 * room for that.
 */

/* All borrowed; empty where there is none. */
struct gap_around {
	struct str time;          /* of the gap, as --time takes it */
	struct str before, after; /* work; one of them at least is there */
	struct str launch;        /* the call that launched `after` */
	struct str own_frame;     /* of the user */
	struct str chain;         /* gap_chain_text() of what is blamed */
	struct str root;          /* what emptied the queue */
};

/* Adds it to the table's notes. */
void gap_around_note(struct memtable *out, const struct gap_around *around);

/*
 * Stretches of time as people read them in a column and paste them after --time: all in
 * one unit, with as many decimals as the shortest needs.  They are rounded outwards, so
 * that what is pasted holds all of the stretch.
 */

/* Zeroed it has seen nothing, and writes nanoseconds. */
struct gap_times {
	int64_t last_ns;     /* the latest end */
	int64_t shortest_ns; /* the length of the shortest; 0: none yet */
};

void gap_times_see(struct gap_times *t, int64_t start_ns, int64_t end_ns);
/* "138.320ms..155.103ms"; lives as long as the arena. */
const char *gap_times_text(const struct gap_times *t, struct arena *arena,
			   int64_t start_ns, int64_t end_ns);

/*
 * The chain of blame: what a slice was called by, from the outermost, as one line.
 */
#define GAP_CHAIN_MAX 24   /* links that are kept: the innermost */
#define GAP_CHAIN_FAR 1024 /* links that are looked at for the user's own frame */
/*
 * Bytes of each link, and of the innermost: every slice has a chain of its own, and one
 * long name may be in all of them.
 */
#define GAP_LINK_BYTES 256
#define GAP_LAST_BYTES 1024

struct gap_chain {
	struct slices_around around;
	struct text_pool *texts; /* borrowed */
	uint8_t *is_own; /* owned; by text: 1 and gap_frame_is_own(); 0: not asked */
	size_t is_own_cap;
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
