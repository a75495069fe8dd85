/*
 * A text that holds several reports, as logs do and files that are appended to: each
 * is a profile of its own.
 */
#ifndef PTOOL_INGEST_PARTS_H
#define PTOOL_INGEST_PARTS_H

#include "base/arena.h"
#include "ingest/reader.h"

struct part {
	const struct reader *reader;
	size_t at, n;    /* bytes of the text, which may be another reader's part, too */
	struct str name; /* "FIT/run_training_epoch", unlike the others' */
};

struct parts {
	struct part *items; /* owned */
	size_t n, cap;
	struct arena names;
};

/* Is there a report within the first bytes, so that the text may have several? */
bool parts_may_be(struct bytes head);
/* Is it text, as far as a report could stand behind it? */
bool parts_is_text(struct bytes head);
/*
 * The reports of a text, `only` those of one reader (NULL: of any).  parts_release()
 * frees.
 */
void parts_find(struct bytes text, const struct reader *only, struct parts *out);
void parts_release(struct parts *p);

/* lightning.c: "FIT Profiler Report", above reports of Lightning; the stage may be "". */
bool lightning_stage(struct str line, struct str *stage);

#endif
