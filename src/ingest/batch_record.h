/* The records of a batch, between batch.c, which writes them, and batch_replay.c. */
#ifndef PTOOL_INGEST_BATCH_RECORD_H
#define PTOOL_INGEST_BATCH_RECORD_H

#include "ingest/sink.h"

enum batch_kind {
	BATCH_TEXT,  /* the next text of the batch is used for the first time */
	BATCH_TRACK, /* likewise the next track: struct track_fact */
	BATCH_SLICE, /* struct slice_fact, the structs that it points to, and its args */
	BATCH_COUNTER,
	BATCH_FLOW,
	BATCH_NAMING,   /* struct naming_fact, and its text behind it */
	BATCH_METADATA, /* struct batch_texts */
	BATCH_FINDING,  /* struct batch_finding */
	BATCH_KINDS
};

/* In front of each record's body. */
struct batch_head {
	uint32_t kind;
	uint32_t size; /* of head and body, a multiple of BATCH_ALIGN */
};

#define BATCH_ALIGN sizeof(int64_t)

/* Behind it both texts. */
struct batch_texts {
	size_t n[2];
};

struct batch_finding {
	struct batch_texts texts; /* detail and excerpt; they stand behind this struct */
	uint64_t offset;
	enum finding finding;
};

#endif
