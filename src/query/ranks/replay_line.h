/* What a rank did, as it is played again: segments of work between its collectives. */
#ifndef PTOOL_QUERY_REPLAY_LINE_H
#define PTOOL_QUERY_REPLAY_LINE_H

#include "query/ranks/rank_replay.h"

/* Where the last rank of a collective is waited for, its segment goes on: NODE_MEET. */
enum node_kind { NODE_WORK, NODE_COME, NODE_MEET, NODE_LEAVE };

/* One of work is a segment, or what is between two NODE_MEETs of it. */
struct replay_node {
	enum node_kind kind;
	bool goes_on;   /* of work: the segment has begun before */
	uint32_t usual; /* of a segment: place in usuals; of others: the match's part */
	uint32_t match;
	uint32_t step, place;          /* of a segment: place among those of the step */
	int64_t ns[NREPLAY_KINDS + 1]; /* of work; the last: outside of steps */
};

struct replay_line {
	struct replay_node *nodes; /* owned */
	size_t n, cap;
	int64_t start_ns, end_ns; /* on the aligned clock */
	size_t at;                /* while it is played */
	int64_t now_ns;
};

/* What a rank did of a match. */
struct replay_coming {
	int64_t start_ns, end_ns, slice_id;
	uint32_t match, part;
};

/* The collectives of all participants. */
struct replay_comings {
	struct replay_coming *items; /* owned; by participant, in time */
	size_t *first;               /* owned; by participant, and one behind */
};

/* Lists them; the caller frees what they own. */
void replay_list_comings(const struct comm_matches *m, struct replay_comings *c);
/* Of a participant; came_ns: when the last rank came, by match, on the aligned clock. */
void replay_make_line(const struct ranks *r, uint32_t p, const struct replay_comings *all,
		      const int64_t *came_ns, struct replay_line *l);

#endif
