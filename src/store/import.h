/*
 * Files, folders and archives into a run of a store, all or nothing: detects
 * each file's format, reads it, and publishes the store with the new run in it.
 *
 * A file that is named is a trace, or it is refused.  One that is found, in a
 * folder or in an archive, may be anything: what no reader knows is passed over.
 */
#ifndef PTOOL_STORE_IMPORT_H
#define PTOOL_STORE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ingest/reader.h"

/* What happened to one file. */
struct import_file {
	const char *path; /* as the user spelt it; "folder/file", "archive.zip/file" */
	uint64_t bytes;   /* decompressed */
	int64_t slices, functions, stacks, operators;
	int64_t findings; /* warnings and errors */
	int64_t rank;   /* NUMBER_NONE: not known, or told by the order of files alone */
	int64_t dur_ns; /* of reading and writing it, since the file before it */
};

/* Files passed over that are told one by one. */
#define IMPORT_PASSED_TOLD 20

struct import_result {
	size_t stored, refused, passed; /* files */
	/* Profiles whose rank their name told; workers numbered in order; all ranks. */
	size_t named_ranks, ordered_ranks;
	size_t placed_ranks;           /* profiles whose rank axes told */
	int64_t first_rank, last_rank; /* of those */
	bool is_refusal; /* after -1: err is a file's, and was told to `refused` */
};

/* Told while it goes on; each may be NULL. */
struct import_events {
	void *to;
	/* `size`: compressed bytes of all files, 0 when that is not known. */
	void (*begin)(void *to, const char *path, uint64_t size);
	/* Now and then: -1 with err set stops the import.  Bytes of all files so far, or 0. */
	int (*progress)(void *to, uint64_t consumed, struct err *err);
	/*
	 * Once, before anything is written: these two are there until the import ends,
	 * and shall not outlive the process; borrowed.  -1 with err set stops it.
	 */
	int (*unfinished)(void *to, const char *temporary, const char *lock,
			  struct err *err);
	/* At the end, once the store is there: each file in it. */
	void (*done)(void *to, const struct import_file *file);
	/* The first IMPORT_PASSED_TOLD files that were passed over, and why. */
	void (*passed)(void *to, const char *path, const struct err *why);
	/* Once behind them. */
	void (*summed)(void *to, const struct import_result *result);
	/* And each that was refused; with options.strict there is one at most. */
	void (*refused)(void *to, const char *path, const struct err *err);
};

/* Which runs have summaries (schema.sql, *_part). */
enum import_summaries {
	IMPORT_SUMMARIES_AUTO, /* of several profiles, or of one of several ranks */
	IMPORT_SUMMARIES_YES,
	IMPORT_SUMMARIES_NO
};

struct part_sink;
struct store;

struct import_options {
	const char *store;           /* path */
	const char *run;             /* NULL: import_run_name() */
	const struct reader *reader; /* NULL: by content */
	struct read_options read;
	bool fresh;        /* forget what the store holds */
	bool summary_only; /* without slices: profile.has_slices */
	bool one_by_one; /* all threads read one file: no other is in memory beside it */
	enum import_summaries summaries;
	/*
	 * Makes them, once the run is written and before the store is published: reads
	 * the run there and gives rows to `to`.  NULL: there are none.
	 */
	int (*summarize)(struct store *store, const char *run, const struct part_sink *to,
			 struct err *err);
	/*
	 * Likewise, and before, whether there are summaries or not: names of what replayed
	 * graphs run, from elsewhere.  NULL: there are none.
	 */
	int (*name)(void *to, struct store *store, const char *run,
		    const struct part_sink *sink, struct err *err);
	void *name_to;       /* borrowed */
	uint64_t max_expand; /* times its size that a file may expand to; 0: as usual */
};

/*
 * 0 when at least one file was stored.  -1: nothing was changed; err says why,
 * and when every file was refused it is the first one's.  A file that cannot be
 * read, is no trace, or is given twice is refused: ERR_INPUT; so is a folder or
 * an archive without a trace.
 */
int import_files(const struct import_options *options, const char *const *paths,
		 size_t npaths, const struct import_events *events,
		 struct import_result *result, struct err *err);

/*
 * Is the store already of these files, and of nothing else under the run's name: each by
 * its path and when it was changed?  False also where that cannot be told, as of a pipe.
 */
bool import_is_there(const struct import_options *options, const char *const *paths,
		     size_t npaths);

/*
 * The name of a run of these files: the resolved path of the one, the folder
 * that all have in common; "-" for standard input alone.  Files that are not
 * there have no say.  The caller frees it.
 */
char *import_run_name(const char *const *paths, size_t npaths);

/* Length of the longest folder of a's first n bytes that b lies in too; 0: there is none. */
size_t import_common_folder(const char *a, const char *b, size_t n);

/*
 * Deletes runs, each given once, all of them or nothing.  ERR_EMPTY when there is none of
 * one of the names, ERR_INPUT when there is no store.
 */
int import_remove(const char *store, const char *const *runs, size_t nruns,
		  struct import_events *events, struct err *err);

#endif
