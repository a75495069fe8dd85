/*
 * What a reader or the loader repaired, skipped or could not use: never
 * silently.  The codes are public (ptool doctor, the store's finding table).
 */
#ifndef PTOOL_INGEST_FINDING_H
#define PTOOL_INGEST_FINDING_H

#include <stdbool.h>

enum finding {
	FINDING_TRUNCATED,
	FINDING_COMPRESSION,
	FINDING_EVENT_SYNTAX,
	FINDING_EVENT_NOT_OBJECT,
	FINDING_NAME_REPAIRED,
	FINDING_ESCAPE,
	FINDING_CONTROL_CHARACTER,
	FINDING_UTF8,
	FINDING_NUMBER_SYNTAX,
	FINDING_NOT_FINITE,
	FINDING_BYTE_ORDER_MARK,
	FINDING_UTF16,
	FINDING_NUL_BYTES,
	FINDING_SINGLE_QUOTES,
	FINDING_BARE_KEY,
	FINDING_DUPLICATE_KEY,
	FINDING_INTEGER_RANGE,
	FINDING_EXTRA_COMMA,
	FINDING_MISSING_COMMA,
	FINDING_STRAY_TEXT,
	FINDING_TRAILING_BYTES,
	FINDING_METADATA_SIZE,
	FINDING_REPEATED_METADATA,
	FINDING_EMPTY_EVENT,
	FINDING_NO_PHASE,
	FINDING_UNKNOWN_PHASE,
	FINDING_UNUSED_PHASE,
	FINDING_UNUSED_SECTION,
	FINDING_NO_TIME,
	FINDING_TIME_RANGE,
	FINDING_NO_DURATION,
	FINDING_NEGATIVE_DURATION,
	FINDING_IMPOSSIBLE_DURATION,
	FINDING_IMPOSSIBLE_TIME,
	FINDING_NO_NAME,
	FINDING_NO_THREAD,
	FINDING_ARGS_NOT_OBJECT,
	FINDING_NO_ID,
	FINDING_COUNTER_VALUE,
	FINDING_MANY_ARGS,
	FINDING_MEMORY_FIELDS,
	FINDING_END_WITHOUT_BEGIN,
	FINDING_BEGIN_WITHOUT_END,
	FINDING_END_NAME,
	FINDING_CHILD_OVERRUNS,
	FINDING_FLOW_UNBOUND,
	FINDING_LAUNCH_UNKNOWN,
	FINDING_EXTERNAL_ID_UNUSABLE,
	FINDING_STREAM_OVERLAP,
	/* From here on: nothing is damaged, but the recording cannot answer all. */
	FINDING_NO_DEVICE_WORK,
	FINDING_KERNELS_MISSING,
	FINDING_FIRST_KERNELS_MISSING,
	FINDING_KERNEL_BEFORE_LAUNCH,
	FINDING_GRAPH_KERNELS,
	FINDING_SYNC_ROWS,
	FINDING_DEVICE_ANNOTATIONS,
	FINDING_DUPLICATE_SLICES,
	FINDING_NO_STACKS,
	FINDING_NO_SHAPES,
	FINDING_NO_MEMORY,
	FINDING_RANK_UNKNOWN,
	FINDING_PROFILER_OVERHEAD,
	FINDING_UNCOVERED_TIME,
	NFINDINGS
};

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

struct finding_kind {
	const char *code; /* "truncated": stable, for scripts */
	const char *what; /* one lower-case line: what was found */
	const char *done; /* what ptool did about it */
	enum severity severity;
	/* Where nothing is damaged; else NULL. */
	const char *disables; /* what ptool cannot tell, or not exactly */
	const char *advice;   /* how to record it better */
	const char *share_of; /* what a share of it is a share of; NULL: it has none */
};

/* A finding of the health of a recording, in which nothing is damaged. */
static inline bool finding_is_health(enum finding finding)
{
	return finding >= FINDING_NO_DEVICE_WORK;
}

/* By enum finding. */
extern const struct finding_kind finding_kinds[NFINDINGS];
const char *severity_name(enum severity severity);

#endif
