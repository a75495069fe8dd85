/*
 * Files that are read and summed up by threads before their turn, while the caller
 * writes those in front of them.  The caller takes them in their order, so that the
 * store is the one that reading them one by one gives.
 *
 * Threads: as many are at work as were asked for, the caller's included while it
 * holds a file; for a moment one more.  Files of a size for it are read by several
 * threads each, when there are fewer files than threads.
 *
 * Memory: at most one file more than there are threads is there at once, and a file
 * of which all together make more than AHEAD_BYTES of text waits where it is, be it
 * before its beginning or amidst (compression tells no size), unless it is the
 * oldest or the next to that.  So it is what AHEAD_BYTES of text and the two biggest
 * neighbours take as models.  With less memory than that, what may be there is less
 * text, and only the oldest file goes on beyond it.
 */
#ifndef PTOOL_STORE_AHEAD_H
#define PTOOL_STORE_AHEAD_H

#include "base/expand.h"
#include "base/intern.h"
#include "store/import_read.h"

#define AHEAD_BYTES ((uint64_t)256 << 20)

struct ahead;

/* A file to be read. */
struct ahead_file {
	const char *shown; /* borrowed; the pointer is what ahead_take() looks for */
	uint64_t size;     /* on disk */
	int64_t mtime_ns;  /* when it was listed */
	bool is_found;     /* import_source's */
};

struct ahead_plan {
	struct ahead_file *files; /* moved */
	size_t nfiles;
	const struct reader *reader; /* NULL: by content */
	struct read_options options; /* its threads are those of all files, too */
	struct spill *spill;         /* borrowed, or NULL: of the records of all files */
	struct expand expand;        /* what each file may expand to */
};

/* What came of a file. */
struct ahead_result {
	bool is_left; /* not read: an archive, reports in a text, or what cannot be opened */
	struct intern texts; /* its own, in the order in which it said them */
	struct reading reading;
	struct expand expand;
	uint64_t size; /* of the input, or what was read of it: for progress */
};

/* NULL: no thread is to be had, or no need for one.  ahead_free accepts NULL, and stops them. */
struct ahead *ahead_new(const struct ahead_plan *plan);
void ahead_free(struct ahead *a);

/* Asked some times a second while the caller waits: -1 with err set ends the waiting. */
typedef int ahead_wait_fn(void *to, struct err *err);
struct ahead_wait {
	ahead_wait_fn *ask;
	void *to;
};

/*
 * Waits for that file; it is borrowed until ahead_give_back(), and those before it
 * are forgotten.  *out is NULL when it is none of those to be read.  -1: see
 * ahead_wait_fn.
 */
int ahead_take(struct ahead *a, const char *shown, const struct ahead_wait *wait,
	       struct ahead_result **out, struct err *err);
void ahead_give_back(struct ahead *a);
/* Bytes on disk that were read of the files that are there; 0 for NULL. */
uint64_t ahead_consumed(struct ahead *a);

#endif
