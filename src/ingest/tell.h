/* How readers tell what they found wrong, and what they keep of a file as metadata. */
#ifndef PTOOL_INGEST_TELL_H
#define PTOOL_INGEST_TELL_H

#include "ingest/json.h"
#include "ingest/reader.h"

/*
 * A finding at a byte of the input, with the beginning of `excerpt`.  0; -1 with err set:
 * --strict makes it an error, unless it is information only.
 */
int tell_finding(struct sink *sink, const struct read_options *options, enum finding what,
		 uint64_t offset, struct str excerpt, struct err *err);

/*
 * Metadata, a member of an object in the file: its key as it stands there, and its value,
 * with the flaws (enum json_flaw) of that.  What breaks the rules of JSON becomes a string.
 */
void tell_metadata(struct sink *sink, struct str key, const struct json_value *value,
		   unsigned flaws);
/* The same of a member that may be a list or an object, which are not kept. */
void tell_scalar(struct sink *sink, struct str key, const struct json_value *value);
/* The same of texts that no JSON is around. */
void tell_text(struct sink *sink, struct str key, struct str text);

#endif
