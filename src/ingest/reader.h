/*
 * An input format: a probe and a streaming reader.  A new format is one file
 * and one row in readers.c.
 */
#ifndef PTOOL_INGEST_READER_H
#define PTOOL_INGEST_READER_H

#include "base/err.h"
#include "base/expand.h"
#include "base/input.h"
#include "base/str.h"
#include "ingest/sink.h"

/* How sure a probe is, from the first bytes alone. */
enum probe { PROBE_NO, PROBE_MAYBE, PROBE_LIKELY, PROBE_SURE };

/* Bytes that a probe gets to see at most. */
#define PROBE_BYTES 65536

struct spill;

/*
 * Which report of a text to read.  The input holds that report and its neighbours of the
 * same reader, which the reader needs, too.  All 0: the input is one report.
 */
struct report_place {
	size_t from;   /* offset of the input in the whole text */
	size_t number; /* of the report in the input, from 1 */
};

struct read_options {
	bool strict; /* what would be a finding of severity error or warning is an error */
	bool keep_args;    /* pass each event's args on as JSON text */
	int torch_version; /* major * 100 + minor, instead of the dialect's; 0: by content */
	const char *step_name; /* regular expression of steps' names; NULL: known ones */
	unsigned threads;      /* beside the caller's */
	const struct limits *limits; /* borrowed; NULL: the usual ones */
	struct spill *spill; /* borrowed, or NULL: where what grows with the file lies */
	uint64_t memory_limit;      /* bytes of it in memory; 0: half of the machine's */
	size_t block_size;          /* bytes that a thread takes at once; 0: the usual */
	struct report_place report; /* of readers that have reads_beside */
};

static inline const struct limits *read_limits(const struct read_options *options)
{
	return options->limits ? options->limits : &usual_limits;
}

struct reader {
	const char *name; /* value of --input-format */
	const char *help; /* one lower-case line */
	/* Pure: looks at the first bytes, allocates nothing, never fails. */
	enum probe (*probe)(struct bytes head);
	/* Streams the input into the sink.  0, or -1 with err set. */
	int (*read)(struct input *in, const struct read_options *options,
		    struct sink *sink, struct err *err);
	/*
	 * Of reports that programs print, several in a text (parts.h): does this line
	 * begin one, and whose is it ("" where it does not say)?  NULL: an input is one.
	 */
	bool (*begins)(struct str line, struct str *name);
	/*
	 * Of such reports: not all begin with a line that `begins` knows.  Those between
	 * two such lines are one profile, whatever else the lines between are.
	 */
	bool is_anywhere;
	/*
	 * Not 0: its reports may have lines among those of their neighbours, and it reads
	 * so many reports before and after the one it is asked for.  It is given the whole
	 * text and the report's place.  `begins` is asked only where its probe takes the text.
	 */
	size_t reads_beside;
	/*
	 * What is printed or drawn of a profile: rounded, and perhaps of one that lies beside it.
	 * Of a folder or archive it is read only where there is nothing else.
	 */
	bool is_print;
	/*
	 * Its events are of processes, which may be several ranks (store/split.h); it tells
	 * tracks, slices, counters, arrows, names and metadata, and nothing else.
	 */
	bool has_processes;
};

/* What options.threads is to be for that many threads in all; 0: one a core. */
unsigned read_threads(int64_t jobs);
/* NULL-terminated, cheap probes first. */
extern const struct reader *const readers[];
/* The most certain one, the earlier on a tie; NULL when none knows the bytes. */
const struct reader *reader_detect(struct bytes head);
/* By the value of --input-format; NULL: none has that name. */
const struct reader *reader_find(const char *name);

#endif
