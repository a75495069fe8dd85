/*
 * Files that no reader takes, told by their first bytes, so that the refusal can say
 * what they are, and what to make of them.
 */
#ifndef PTOOL_INGEST_FOREIGN_HEAD_H
#define PTOOL_INGEST_FOREIGN_HEAD_H

#include <stdbool.h>

#include "base/str.h"

/* Both static; what NULL: nothing known. */
struct foreign_file {
	const char *what;    /* "compiled Python (.pyc)": completes "this is" */
	const char *instead; /* what ptool reads of its producer, or NULL */
};

/* The name tells a file where its bytes are not known. */
struct foreign_file foreign_file(struct bytes head, struct str name);
/* A database of SQLite, which could be taken for a store. */
struct foreign_file foreign_database(struct bytes head);
/* Does it begin as pickles of any protocol do? */
bool foreign_is_pickle(struct bytes head);

#endif
