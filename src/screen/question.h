/*
 * A question that is being answered by a process of its own, so that it can be broken
 * off at any moment, and the memory it took is given back.
 */
#ifndef PTOOL_SCREEN_QUESTION_H
#define PTOOL_SCREEN_QUESTION_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/table.h"
#include "screen/screen.h"

struct question {
	pid_t pid;
	int fd; /* readable when some of the answer has come, or all of it */
	struct buf answer;
};

/* argv ends with NULL and is copied.  0, or -1 with err set and nothing to release. */
int question_start(struct question *q, const struct screen_source *source, int argc,
		   char **argv, struct err *err);
/* Takes what has come.  Is there more to come? */
bool question_read(struct question *q);
/*
 * The answer, when all of it has come: a table that the caller frees, whose parts are
 * memtables; NULL with err set.  Releases the question.
 */
struct table *question_end(struct question *q, struct err *err);
/* Breaks it off, and releases it. */
void question_break(struct question *q);

#endif
