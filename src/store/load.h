/*
 * The sink that readers fill: collects one profile in memory, finds out what
 * belongs together, and writes it into a store that is being built.
 */
#ifndef PTOOL_STORE_LOAD_H
#define PTOOL_STORE_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "ingest/file_name.h"
#include "ingest/sink.h"
#include "trace/axes.h"

struct sqlite3;
struct spill;
struct loader;

/* Called now and then with input bytes; -1 with err set stops the loading. */
typedef int load_progress(void *to, uint64_t consumed, uint64_t size, struct err *err);

/*
 * `texts`: those of the run, see write_texts(), or the loader's own, to be added to
 * the run's before loader_write(); `spill`: where records lie, or NULL.  All stay the
 * caller's.
 */
struct loader *loader_new(struct intern *texts, struct spill *spill,
			  load_progress *progress, void *to);
struct limits;
/* Other ones than the usual; borrowed. */
void loader_set_limits(struct loader *l, const struct limits *limits);
/* See struct read_options; borrowed. */
void loader_set_step_name(struct loader *l, const char *pattern);
void loader_free(struct loader *l);
/* Borrowed: hand it to a reader's read(). */
struct sink *loader_sink(struct loader *l);

/* What the profile is told about itself. */
struct load_source {
	int64_t run_id;
	const char *path;
	struct file_name name; /* what it tells where the recording does not */
	uint64_t bytes;        /* decompressed size of the input */
	int64_t mtime_ns;      /* of the file, since 1970, or NUMBER_NONE */
	unsigned threads;      /* others that may help */
	/* Numbers in the run of the loader's texts, where those are its own; else NULL. */
	const uint32_t *text_ids;
};

struct load_result {
	int64_t profile_id, slices, functions, stacks, operators;
	int64_t findings; /* of severity warning or error */
	int64_t rank;     /* or NUMBER_NONE */
	struct axes axes;
	bool is_alone; /* the recording says that there is no other rank */
	bool is_rank_of_name;
};

struct split;
/* Behind the reader: the ranks whose processes it gave, as split_find() does. */
int loader_find_split(const struct loader *l, struct split **out, struct err *err);
/* Did the reader give no slice, no counter, no function and no sample? */
bool loader_is_empty(const struct loader *l);

/*
 * Behind the reader: orders, nests and links; the file's name tells what the
 * recording does not.  0, or -1 when strict and a finding of
 * the passes is a warning or an error; those of the reader stop it there.
 */
int loader_settle(struct loader *l, const struct load_source *source, bool strict,
		  struct err *err);
/* Behind that, and optional: what loader_write() would find out before it can write all. */
void loader_sum_up(struct loader *l);
/*
 * Behind that: looks at the recording's health, sums up and inserts the rows of the
 * profile.  The transaction is the
 * caller's.
 */
int loader_write(struct loader *l, struct sqlite3 *db, const struct load_source *source,
		 struct load_result *result, struct err *err);

#endif
