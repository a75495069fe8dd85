/*
 * What a file expands to, against its size: compression and archives can make
 * terabytes of a few bytes.  Whatever the factor, limits.h leaves some bytes free.
 */
#ifndef PTOOL_BASE_EXPAND_H
#define PTOOL_BASE_EXPAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/limits.h"

struct expand {
	const struct limits *limits; /* borrowed */
	uint64_t factor;             /* it may expand to so many times its size */
	uint64_t read;          /* bytes of the file; of a member, those of its archive */
	uint64_t made;          /* bytes that were made of them */
	uint64_t inside;        /* of an archive: bytes that its members made of those */
	uint64_t beyond;        /* the most that was made beyond the factor */
	struct expand *archive; /* of a member: its archive's, borrowed; else NULL */
};

/* The file's read bytes are known to be so many at least. */
void expand_set_read(struct expand *e, uint64_t read);
/*
 * Another n bytes were made, through nested compression or not: 0, or -1 with err
 * set when it or its archive is too large for its size.
 */
int expand_add(struct expand *e, uint64_t n, bool is_nested, struct err *err);
/* Whether the members of an archive together are. */
bool expand_is_over_inside(const struct expand *e);
/* What a user can do about it: of `what`, "it" or "its members". */
int expand_tell(const struct expand *e, const char *what, struct err *err);

#endif
