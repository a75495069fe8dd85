/*
 * A sink that writes down what it is told, a line a fact, so that tests read
 * like the format's manual:
 *
 *     slice thread 1/1 "a" 10000+5000
 *     counter 1 "queue"/"depth" 100000 = 3
 *
 *     function "a.py":10 "f" calls=3/1 self=0.5 total=2
 *     call from "a.py":1 "<module>" calls=1/1 self=0.5 total=2
 *
 * Times of slices are ns, those of functions seconds.  What a fact leaves out (no category, class other, not
 * recorded) is left out of its line.
 */
#ifndef PTOOL_TESTS_RECORDING_SINK_H
#define PTOOL_TESTS_RECORDING_SINK_H

#include "base/buf.h"
#include "base/intern.h"
#include "ingest/reader.h"

struct recording {
	struct sink sink; /* first: the callbacks cast back */
	struct buf lines;
	struct intern texts, tracks, functions, sampled, stacks;
	uint32_t nseries, nframes;
	unsigned nslices, nfindings, nticks;
	uint32_t callee;             /* of the calls that come */
	bool is_ill;                 /* a fact broke what sink.h promises */
	uint64_t far_offset, nbytes; /* the largest offset named; bytes that were read */
	int fail_after; /* slices after which the sink fails; negative: never */
	int stop_after; /* ticks, likewise: as when the user interrupts */
};

void recording_init(struct recording *r);
void recording_release(struct recording *r);
/* All lines, NUL-terminated; borrowed until the next fact. */
const char *recording_text(const struct recording *r);
/*
 * Reads the bytes as a Chrome trace, through windows of that size (0: the usual
 * one).  0, or -1 with err set.
 */
int recording_read(struct recording *r, struct str text,
		   const struct read_options *options, size_t window, struct err *err);
/* The same with a reader of its own. */
int recording_read_as(struct recording *r, const struct reader *reader, struct str text,
		      const struct read_options *options, struct err *err);

#endif
