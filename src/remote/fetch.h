/*
 * Rows of a database as a temporary ordinary store, which a command then reads as any
 * other: the profiles first, so that the command can choose among them, then what it needs
 * of those.  How many rows there have to be is known from the profiles, and fewer are an
 * error.
 */
#ifndef PTOOL_REMOTE_FETCH_H
#define PTOOL_REMOTE_FETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/http.h"
#include "remote/list.h"
#include "store/need.h"

/*
 * Of the rows that a command reads: what the server sends is written to the disk, whatever
 * the profiles say how many there are.
 */
#define FETCH_BYTES_MAX UINT64_C(10000000000)

struct fetch;

/*
 * Asks for the profiles and writes them into a new store at the path, in the order of
 * their ids from 1.  fetch_end() in both cases; it accepts NULL.
 */
int fetch_begin(struct http *http, const struct remote_wish *wish, const char *path,
		struct fetch **out, struct err *err);
/* How many were left out as their stores have another format. */
size_t fetch_others(const struct fetch *f);
/* Adds the rows of these profiles, ascending ids, to the store, which nobody has open. */
int fetch_rows(struct fetch *f, const int64_t *ids, size_t n,
	       const struct fetch_need *need, struct err *err);
void fetch_end(struct fetch *f);

#endif
