/*
 * One input into memory: finds its reader, reads and settles it.  Nothing of the
 * import is touched, so that any thread can do it; import_file.c stores what came of
 * it, or notes why not.
 */
#ifndef PTOOL_STORE_IMPORT_READ_H
#define PTOOL_STORE_IMPORT_READ_H

#include "base/input.h"
#include "ingest/reader.h"
#include "store/importing.h"
#include "store/load.h"

struct reading_how {
	const struct reader *reader; /* NULL: by content */
	struct read_options options;
	struct intern *texts; /* as for loader_new() ... */
	struct spill *spill;  /* ... likewise */
	load_progress *progress;
	void *to;
	int64_t mtime_ns; /* of the file that the input is in, before it was opened */
	bool may_split;   /* the input can be read again, */
	bool is_kept;     /*   by input_again() */
};

/* What came of it. */
struct reading {
	struct loader *loader; /* owned; NULL: no reader takes the input */
	struct load_source
		about; /* its name and bytes; the name borrows from the source's */
	bool is_sure; /* what cannot be read is a damaged trace, and not something else */
	/*
	 * Owned; not NULL: it holds several ranks, there is no loader, and it is to be read
	 * again by `reader` for each of them.
	 */
	struct split *split;
	const struct reader *reader;
	struct input
		*again; /* borrowed, for input_again(); NULL: the file is opened again */
	struct err why; /* why there is nothing to be stored; ERR_NONE: there is */
};

/* All of the input; then reading_settle(). */
void reading_read(const struct reading_how *how, const struct import_source *source,
		  struct input *in, struct reading *out);
/* What loader_settle() does, unless it is known already that nothing is to be stored. */
void reading_settle(const struct reading_how *how, struct reading *reading);
/* Frees the loader and the split. */
void reading_release(struct reading *reading);

#endif
