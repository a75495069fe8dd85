/*
 * The rows of several profiles on their way into a database, so that they share an INSERT
 * a table: a server's work for one is the same for ten rows as for ten thousand.  They are
 * kept packed, and without the ids of their pushes, so that what is sent again is sent
 * under fresh ones.
 */
#ifndef PTOOL_REMOTE_PUSH_BATCH_H
#define PTOOL_REMOTE_PUSH_BATCH_H

#include "base/buf.h"
#include "base/err.h"
#include "remote/push_profile.h"
#include "remote/rows.h"
#include "remote/tables.h"

struct batch_table {
	struct batch_piece *pieces; /* owned; rows of one profile each */
	size_t n, cap;
	struct buf packed;
};

struct push_batch {
	struct batch_table *tables;    /* owned; one of each of the pushed */
	struct push_profile *profiles; /* owned; those that are whole come first */
	size_t ntables, nprofiles, cap;
	size_t bytes;    /* packed, of all */
	size_t largest;  /*   and of the largest profile */
	size_t whole;    /*   and of the profiles that are whole */
	struct buf rows; /* that are not packed yet */
};

/* push_batch_release() frees what is in it. */
void push_batch_init(struct push_batch *b, size_t ntables);
void push_batch_release(struct push_batch *b);
/*
 * The rows that the next profile has in a table: 0; 1: the batch has no room for them; or
 * -1 with err set.
 */
int push_batch_add(struct push_batch *b, size_t table, struct remote_rows *rows,
		   struct err *err);
/* That profile is whole; takes what it owns. */
void push_batch_keep(struct push_batch *b, struct push_profile *profile);
/* Forgets the rows of a profile that is not whole; with `all` of all profiles, too. */
void push_batch_drop(struct push_batch *b, bool all);
/* Would another profile probably find no room? */
bool push_batch_is_full(const struct push_batch *b);

/* What is sent of one table.  push_batch_read_end() frees what is in it. */
struct batch_reader {
	const struct push_batch *batch;
	const struct batch_table *table;
	size_t next;     /* piece */
	struct buf rows; /* of the last */
};
void push_batch_read(const struct push_batch *b, size_t table, struct batch_reader *out);
void push_batch_read_end(struct batch_reader *r);
/* As http_request.give of a struct batch_reader. */
int push_batch_give(void *from, struct buf *piece, struct err *err);

#endif
