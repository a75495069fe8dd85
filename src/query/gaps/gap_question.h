/*
 * What is asked of the host: which thread is charged for which part of which gap.
 */
#ifndef PTOOL_QUERY_GAP_QUESTION_H
#define PTOOL_QUERY_GAP_QUESTION_H

#include "query/gaps/gap_blame.h"

#define GAP_NONE_ENDED UINT32_MAX

/*
 * The host's part of a gap, on the thread that launched what ends it, or that marks the
 * steps after the last work; it is empty when the launch was made before.
 */
struct gap_question {
	int64_t track_id; /* 0: no thread is known */
	int64_t from_ns, to_ns;
	int64_t until_ns; /* to_ns, or just after the launch; slices until then are read */
	uint32_t gap;
};

struct gap_questions {
	struct gap_question *items; /* owned; by (track, from, gap) */
	size_t n;
	uint32_t *gap_of; /* owned; by item: the gap that it ends, or GAP_NONE_ENDED */
};

/* gap_questions_release() afterwards. */
void gap_questions_find(const struct gap_blame_request *request, const struct gaps *gaps,
			struct gap_questions *out);
void gap_questions_release(struct gap_questions *q);

#endif
