/*
 * The files below a folder, as a list: in natural order, hidden ones passed
 * over.  Links to files count as files; links to folders are not followed, so
 * that no loop and no other part of the disk is walked into.
 */
#ifndef PTOOL_BASE_WALK_H
#define PTOOL_BASE_WALK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"

/* Folders within folders, and files: who has more has named the wrong folder. */
#define WALK_DEPTH_MAX 64
#define WALK_FILES_MAX 200000

enum walk_kind {
	WALK_FILE,   /* a regular file, perhaps behind a link */
	WALK_LINK,   /* a link to a folder */
	WALK_OTHER,  /* a pipe, a socket, a device */
	WALK_FAILED, /* what could not be looked at, a folder perhaps: `error` */
};

struct walk_file {
	const char
		*path; /* the folder's as given, '/', and the rest; in the list's arena */
	enum walk_kind kind;
	int error;      /* errno of WALK_FAILED */
	struct stat st; /* of WALK_FILE: of the file itself */
};

struct walk {
	struct walk_file *files; /* owned; by natural order of path */
	size_t n, cap;
	uint64_t bytes; /* of all WALK_FILE */
	struct arena arena;
};

/* Asked before each folder: -1 with err set ends the walk.  NULL: nobody asks. */
typedef int walk_stop_fn(void *to, struct err *err);

/*
 * 0, or -1 with err set: ERR_INPUT when the folder itself cannot be listed, or
 * there is too much below it.  walk_release() frees, also after a failure.
 */
int walk_folder(const char *folder, struct walk *out, walk_stop_fn *stop, void *to,
		struct err *err);
void walk_release(struct walk *w);

#endif
