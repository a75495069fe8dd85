/*
 * What a file expands to, against its size: compression and archives can make
 * terabytes of a few bytes.  Whatever the factor, struct limits leaves some bytes free.
 */
#ifndef PTOOL_BASE_EXPAND_H
#define PTOOL_BASE_EXPAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * The ceilings on what a file may be made of, all in one place (ptool-formats(5),
 * LIMITS).  They lie far above what programs record: who meets one has a file that
 * somebody made to be met.  Tests give smaller ones.
 */
struct limits {
	/* Bytes that a file, an archive or a member may expand to, whatever the factor. */
	uint64_t expand_bytes;
	uint64_t expand_nested_bytes; /* the same for compression within compression */
	/* Bytes beyond the factor that all files of one ingest may expand to together. */
	uint64_t expand_run_bytes;
	uint64_t event_bytes; /* of one entry of a trace's list; more is skipped */
	uint64_t text_bytes;  /* of a name, a stack or another text; the rest is cut */
	uint64_t steps;       /* of a profile; those beyond are ranges like others */
	uint64_t tracks;      /* threads, streams, asynchronous tracks of a profile */
	uint64_t devices;     /* of a profile */
	uint64_t profiles;    /* of an ingest */
	uint64_t ranks;       /* of a merged file; all are in memory together */
	/* Frames of stacks that a file names by reference, beyond STACKS_FACTOR. */
	uint64_t stack_frames;
	/* No ceilings: from so many on ... */
	uint64_t page_rows;   /* ... rows of a table are written as pages */
	uint64_t shared_rows; /* ... rows, or arrows, are shared out among threads */
};

static const struct limits usual_limits = {
	.expand_bytes = UINT64_C(1) << 30,
	.expand_nested_bytes = UINT64_C(64) << 20,
	.expand_run_bytes = UINT64_C(4) << 30,
	.event_bytes = UINT64_C(64) << 20,
	.text_bytes = UINT64_C(1) << 20,
	.steps = 1000000,
	.tracks = 1000000,
	.devices = 65536,
	.profiles = 200000,
	.ranks = 16384,
	.stack_frames = 1000000,
	.page_rows = 4096,
	.shared_rows = 65536,
};

/*
 * How many times its size a file may expand to beyond that.  Traces that programs
 * recorded reach 63 (zstd --ultra -22 --long=27), 40 in gzip.
 */
#define EXPAND_FACTOR 200

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
