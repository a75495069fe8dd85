/*
 * A store's own bytes out of a database, as push_file.h sent them, into a file.  What a
 * server says is not believed: its pieces may not expand further than those of a file do.
 */
#ifndef PTOOL_REMOTE_PULL_FILE_H
#define PTOOL_REMOTE_PULL_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "base/expand.h"
#include "base/sha256.h"
#include "remote/rowbinary.h"

/* What the pieces are written to. */
struct pull_file {
	int fd;
	const char *path;            /* borrowed: what the file is called in messages */
	const struct limits *limits; /* borrowed */
	int64_t wanted;              /* bytes that the store has */
	int64_t bytes;               /* that came */
	/* Private. */
	char *piece; /* owned; PUSH_FILE_PIECE */
	int64_t seq; /* of the next piece */
	struct expand expand;
	struct sha256 sum;
};

/* `fd`, `path`, `limits` and `wanted` are set, all else zeroed; pull_file_end() ends it. */
void pull_file_begin(struct pull_file *f);
/*
 * As rowbinary_reader.row, of the columns seq and data.  -1 with an ERR_IO: it is not the
 * next piece, there are too many, they expand too far, or the file cannot be written.
 */
int pull_file_take(void *to, const struct rowbinary_cell *cells, struct err *err);
/* All pieces have come: -1 with an ERR_IO if the store has other bytes. */
int pull_file_check(struct pull_file *f, const char *sha256, struct err *err);
void pull_file_end(struct pull_file *f);

#endif
