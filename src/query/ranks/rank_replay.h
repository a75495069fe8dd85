/*
 * A run played again with other durations: what it would have taken without stragglers, as
 * ByteDance's StragglerAnalysis asks (Lin and others 2025, "Understanding stragglers in
 * large model training using what-if analysis").
 *
 * Between two points at which it comes to or leaves a collective, a rank works for as long
 * as it did: a segment.  A collective begins for all when the last rank has come to it,
 * and takes each rank as long as it did from then on.  Other work may cut it into pieces:
 * one that the last arrival lies in waits for that, and goes on as transfer.  What is freed of stragglers takes
 * what is usual instead: a segment the mean of all ranks' and steps' segments at the same
 * place of steps with as many segments, each kind of time apart; a collective the median of
 * those of the same kind, size and number of ranks.
 */
#ifndef PTOOL_QUERY_RANK_REPLAY_H
#define PTOOL_QUERY_RANK_REPLAY_H

#include "query/ranks/ranks.h"

/* Kinds of time that can be freed of stragglers: bits are 1 << kind. */
enum replay_kind {
	REPLAY_COMPUTE,
	REPLAY_COPY,
	REPLAY_IDLE,
	REPLAY_TRANSFER, /* of collectives */
	NREPLAY_KINDS
};
#define REPLAY_ALL ((1U << NREPLAY_KINDS) - 1)

extern const char *const replay_kind_names[NREPLAY_KINDS];

struct replay;

/* Of aligned ranks, borrowed; replay_free() frees. */
struct replay *replay_new(const struct ranks *r);
void replay_free(struct replay *p);
/*
 * From the first rank's begin to the last one's end; where ranks recorded several times,
 * the sum of these times, without the pauses between them.  fixed: by participant, the kinds of
 * time that take what is usual.
 */
int64_t replay_run(struct replay *p, const unsigned *fixed);
/* The same as it was recorded. */
int64_t replay_recorded(const struct replay *p);

#endif
