/*
 * The ceilings on what a file may be made of, all in one place (ptool-formats(5),
 * LIMITS).  They lie far above what programs record: who meets one has a file that
 * somebody made to be met.  Tests give smaller ones.
 */
#ifndef PTOOL_BASE_LIMITS_H
#define PTOOL_BASE_LIMITS_H

#include <stdint.h>

struct limits {
	/* Bytes that a file, an archive or a member may expand to, whatever the factor. */
	uint64_t expand_bytes;
	uint64_t expand_nested_bytes; /* the same for compression within compression */
	/* Bytes beyond the factor that all files of one ingest may expand to together. */
	uint64_t expand_run_bytes;
};

static const struct limits usual_limits = {
	.expand_bytes = UINT64_C(1) << 30,
	.expand_nested_bytes = UINT64_C(64) << 20,
	.expand_run_bytes = UINT64_C(4) << 30,
};

/*
 * How many times its size a file may expand to beyond that.  Traces that programs
 * recorded reach 63 (zstd --ultra -22 --long=27), 30 in ordinary gzip.
 */
#define EXPAND_FACTOR 200

#endif
