/*
 * The dialects of PyTorch's traces (torch-profiler.md b.1) and how torch of that
 * time counted: one table, whose rows are found by what a file looks like or by
 * the version that the user names.
 */
#ifndef PTOOL_TRACE_TORCH_DIALECT_H
#define PTOOL_TRACE_TORCH_DIALECT_H

#include <stdbool.h>

#include "base/buf.h"
#include "trace/fact.h"

/* What the events of a file show of who wrote it. */
struct torch_marks {
	bool metadata_first, one_line; /* the first names something; stands in one line */
	bool operator_category, event_index;
	bool list;        /* of CPU functions and CUDA functions: torch without Kineto */
	bool long_memory; /* a memory record is a complete event */
	bool fractional;  /* a time has a fraction; and of the first such: */
	bool relative;    /* it is not since 1970 */
};

/* What the entries beside its events show. */
struct torch_entries {
	bool has_base, base_before_events; /* baseTimeNanoseconds; before traceEvents */
	bool host_name, trace_id;
	bool memory_behind_id; /* profile_memory stands behind trace_id */
};

struct torch_dialect {
	const char *name;
	/* Versions of torch, major * 100 + minor; 0: no release writes it. */
	int first_version, last_version;
	/* Who writes it, where it is no release; NULL: those versions of PyTorch. */
	const char *writer;
	/* Does a file that is none of the rows before look so? */
	bool (*is)(const struct torch_marks *m, const struct torch_entries *e);
	struct op_rules rules;
};

/* What the file is, from all that was noted of it. */
const struct torch_dialect *torch_dialect_of_content(const struct torch_marks *m,
						     const struct torch_entries *e);
/* What that version writes without options; NULL: there is no such torch. */
const struct torch_dialect *torch_dialect_of_version(int version);

/*
 * "PyTorch 2.4-2.6": for people, who are not told a dialect's letter.  Nothing when there
 * is no such dialect.
 */
void torch_dialect_add_text(struct str name, struct buf *out);

/* Letter i of the table, in which some stand twice; NULL after the last. */
const char *torch_dialect_name_at(size_t i);

#define TORCH_VERSIONS_MAX 128

/* "1.8 to 1.13, 2.0 to 2.15": the versions of the table. */
void torch_versions_text(char text[TORCH_VERSIONS_MAX]);
/* "2.6" is 206; false when the text is not two numbers and a dot. */
bool torch_version_parse(struct str text, int *version);

#endif
