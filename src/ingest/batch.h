/*
 * What a reader says about one part of its input, kept to be said again: a
 * thread reads the part ahead, the sink hears it when its turn comes, and is
 * told exactly what it would have been told without threads (blocks.h).
 *
 * A batch numbers texts and tracks for itself; saying it again gives them the
 * sink's own numbers, in the order of their first use.
 */
#ifndef PTOOL_INGEST_BATCH_H
#define PTOOL_INGEST_BATCH_H

#include "base/intern.h"
#include "ingest/sink.h"

struct batch {
	struct sink sink; /* first: the callbacks cast back */
	char *said;       /* owned: records, each aligned for any type */
	size_t nsaid, said_cap;
	struct intern texts, tracks;
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);
/* Empty again; keeps its memory for the records. */
void batch_clear(struct batch *b);
/*
 * The sink that keeps what it is told.  It takes what events say: neither
 * profile() nor device_info(), which are NULL.  Borrowed.
 */
struct sink *batch_sink(struct batch *b);
/* Says it all to `to`, once, and is to be cleared then: 0, or -1 with its err. */
int batch_replay(struct batch *b, struct sink *to, struct err *err);

#endif
