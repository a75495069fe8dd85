/*
 * What a reader may say: facts (trace/fact.h), one at a time, in file order.  A
 * reader knows no SQL and keeps nothing; the sink (store/load.h) copies what it
 * needs.  Text is interned first: `text` gives the number that facts carry.
 * Callbacks return 0, or -1 with err set, and the reader stops at once.
 */
#ifndef PTOOL_INGEST_SINK_H
#define PTOOL_INGEST_SINK_H

#include "base/err.h"
#include "trace/fact.h"
#include "trace/finding.h"

struct sink {
	/* The number of a text, equal for equal texts; the bytes are copied. */
	uint32_t (*text)(struct sink *s, struct str text);
	/* The number of a track; the same facts give the same number. */
	uint32_t (*track)(struct sink *s, const struct track_fact *track);
	int (*slice)(struct sink *s, const struct slice_fact *slice, struct err *err);
	int (*counter)(struct sink *s, const struct counter_fact *counter,
		       struct err *err);
	int (*flow)(struct sink *s, const struct flow_fact *flow, struct err *err);
	void (*naming)(struct sink *s, const struct naming_fact *naming);
	/* An entry beside the events, or an unknown metadata event: JSON text. */
	void (*metadata)(struct sink *s, struct str key, struct str json);
	void (*device_info)(struct sink *s, const struct device_info_fact *device);
	/* A row of an operator table, in the order of the listing. */
	int (*op_sum)(struct sink *s, const struct op_sum_fact *sum, struct err *err);
	/* The number of a function; the same facts give the same number. */
	uint32_t (*function)(struct sink *s, const struct function_fact *function);
	/*
	 * A function's own row, in the order of the listing.  Of two for one function
	 * the last one counts, in the place of the first; its calls go with it.
	 */
	int (*function_stat)(struct sink *s, const struct function_stat_fact *stat,
			     struct err *err);
	/* Calls from one caller, behind the callee's row; again the last one counts. */
	int (*call)(struct sink *s, const struct call_fact *call, struct err *err);
	/* A line of a function that has its row. */
	int (*line)(struct sink *s, const struct line_fact *line, struct err *err);
	/*
	 * Sampled stacks, a series at a time or several side by side.  Numbers are the
	 * sink's: SAMPLE_NONE for `known` asks for a new one, a number that was given
	 * says again what it is, and what was said last counts.  So a file may tell its
	 * frames behind its stacks: `frame` may be NULL until then.  A stack is one more
	 * frame, called by `caller` (SAMPLE_NONE: the outermost); the same caller and
	 * frame give the same number.  Equal frames may have several numbers; one may turn
	 * out to be none, FRAME_LEFT_OUT.
	 */
	uint32_t (*series)(struct sink *s, uint32_t known,
			   const struct series_fact *series);
	/* The same facts give the same number. */
	uint32_t (*sample_thread)(struct sink *s,
				  const struct sample_thread_fact *thread);
	uint32_t (*frame)(struct sink *s, uint32_t known, const struct frame_fact *frame);
	uint32_t (*stack)(struct sink *s, uint32_t caller, uint32_t frame);
	/*
	 * Adds a weight to its series, thread and stack.  A sum beyond int64 is a finding
	 * of the sink's, and the sample is left out.
	 */
	int (*sample)(struct sink *s, const struct sample_fact *sample, struct err *err);
	/* Once, behind the last event. */
	void (*profile)(struct sink *s, const struct profile_fact *profile);
	/* detail: "" or what tells kinds of this finding apart (the ph); excerpt may be empty. */
	void (*finding)(struct sink *s, enum finding finding, uint64_t offset,
			struct str detail, struct str excerpt);
	/* Now and then: progress, interruption.  -1 with err set stops the reader. */
	int (*tick)(struct sink *s, uint64_t consumed, uint64_t size, struct err *err);
};

#endif
