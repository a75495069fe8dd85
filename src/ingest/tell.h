/* How readers tell what they found wrong. */
#ifndef PTOOL_INGEST_TELL_H
#define PTOOL_INGEST_TELL_H

#include "ingest/reader.h"

/*
 * A finding at a byte of the input, with the beginning of `excerpt`.  0; -1 with err set:
 * --strict makes it an error, unless it is information only.
 */
int tell_finding(struct sink *sink, const struct read_options *options, enum finding what,
		 uint64_t offset, struct str excerpt, struct err *err);

#endif
