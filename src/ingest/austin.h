/* What Austin writes into a file of collapsed stacks: its header and its metrics. */
#ifndef PTOOL_INGEST_AUSTIN_H
#define PTOOL_INGEST_AUSTIN_H

#include "ingest/stacks.h"

/* The value of "# mode: " as a series_fact's, static; NULL: it is no mode of time. */
const char *austin_mode(struct str value);

/* The metrics of a line. */
struct austin {
	bool has_time, is_idle, has_bytes;
	int64_t time_ns; /* of the wall; of "# mode: cpu" of the CPU */
	int64_t bytes;   /* by which memory grew; below 0 it shrank */
};
/* "time" or, is_memory, "bytes"; "time,idle,bytes" of full mode. */
enum stacks_number austin_metrics(struct str text, bool is_memory, struct austin *out);

#endif
