/*
 * What a reader or the loader repaired, skipped or could not use: never
 * silently.  The codes are public (ptool doctor, the store's finding table).
 */
#ifndef PTOOL_INGEST_FINDING_H
#define PTOOL_INGEST_FINDING_H

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
	FINDING_EXTRA_COMMA,
	FINDING_MISSING_COMMA,
	FINDING_TRAILING_BYTES,
	FINDING_METADATA_SIZE,
	FINDING_NO_PHASE,
	FINDING_UNKNOWN_PHASE,
	FINDING_UNUSED_PHASE,
	FINDING_UNUSED_SECTION,
	FINDING_NO_TIME,
	FINDING_TIME_RANGE,
	FINDING_NO_DURATION,
	FINDING_NEGATIVE_DURATION,
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
	NFINDINGS
};

enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

struct finding_kind {
	const char *code; /* "truncated": stable, for scripts */
	const char *what; /* one lower-case line: what was found */
	const char *done; /* what ptool did about it */
	enum severity severity;
};

/* By enum finding. */
extern const struct finding_kind finding_kinds[NFINDINGS];
const char *severity_name(enum severity severity);

#endif
