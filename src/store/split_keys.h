/* What the two halves of a split share: who finds it (split.c), who tells (splitter.c). */
#ifndef PTOOL_STORE_SPLIT_KEYS_H
#define PTOOL_STORE_SPLIT_KEYS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "store/model.h"
#include "store/split.h"

/* A process, or a thread of one that several ranks share. */
struct split_member {
	uint32_t
		rank; /* place among the ranks; if shared the first one's, or UINT32_MAX */
	size_t tag;   /* bytes of the pid's text before the rank's own pid */
	int64_t raw_pid; /* the rank's own pid, or NUMBER_NONE: what tag leaves */
	struct axes axes;
	bool is_shared; /* its threads tell their ranks, which do not differ from axes */
};

struct split {
	struct intern keys;           /* of processes and threads: key_of() in split.c */
	struct split_member *members; /* owned; by key */
	size_t nmembers, members_cap;
	struct intern rank_keys;
	struct split_rank *ranks; /* owned */
	size_t nranks, ranks_cap;
	uint64_t most;      /* ranks */
	bool is_of_workers; /* by split_workers(): also if there is only one rank */
	struct buf key;
	struct arena arena;
};

/* The rank's place among the ranks, which it is added to; UINT32_MAX: there are too many. */
uint32_t split_add_rank(struct split *s, const struct axes *axes, int64_t rank);
/* Whose the process (tid NULL) or the thread is. */
void split_add_member(struct split *s, const struct model *m, struct ident pid,
		      const struct ident *tid, struct split_member member);
static inline bool split_is_over(const struct split *s)
{
	return s->rank_keys.n > s->most;
}

/* split_workers.c: the ranks of a pipeline's timeline (trace/pipeline_op.h). */
void split_workers(struct split *s, const struct model *m);

/* Texts are those of the reading that the idents are of.  NULL: it says nothing. */
const struct split_member *split_process(struct split *s, const struct intern *texts,
					 struct ident pid);
/* Whose a thread, or where tid is NULL a process, is. */
uint32_t split_find_rank(struct split *s, const struct intern *texts, struct ident pid,
			 const struct ident *tid);

#endif
