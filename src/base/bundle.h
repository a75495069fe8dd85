/*
 * An archive of files (zip, tar of any flavour) as a stream of inputs.  Nothing
 * is ever written to disk, and memory does not grow with what the members
 * unpack to.  The compression around a tar is the input's to remove.
 */
#ifndef PTOOL_BASE_BUNDLE_H
#define PTOOL_BASE_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/input.h"
#include "base/str.h"

/* The bytes that bundle_is() looks at, if there are so many. */
#define BUNDLE_HEAD 512

struct bundle;

/* Does an archive begin like this?  Pure. */
bool bundle_is(struct bytes head);
/* If so: a zip, not a tar?  Pure. */
bool bundle_is_zip(struct bytes head);
/*
 * Reads members out of `in`: borrowed, at its start, not to be read by others
 * until the bundle is closed.  NULL with err set.
 */
struct bundle *bundle_open(struct input *in, struct err *err);
/* Accepts NULL. */
void bundle_close(struct bundle *b);
/*
 * The next regular file; folders, links and devices are passed over (in a zip
 * that comes through a pipe a link is a file that holds its target).  1 with
 * its name (borrowed until the next call; as stored, made safe to print) and
 * its size (0: unknown); 0 at the end; -1 with err set, whose offset is in `in`:
 * the archive is damaged or encrypted from here on, or cannot be read.
 */
int bundle_next(struct bundle *b, struct str *name, uint64_t *size, struct err *err);
/*
 * The bytes of the member that bundle_next() found, as an input (compression
 * inside removed as always), once: the caller closes it before the next call.
 * Where the member is damaged it ends, and input_damage() says why, in a text
 * that lives until the next call.
 */
struct input *bundle_member(struct bundle *b);
/*
 * Counts there, too, what is read of the archive: what a member is made of.  Borrowed,
 * until it is NULL again.
 */
struct expand;
void bundle_count(struct bundle *b, struct expand *member);

#endif
