/* Single gaps as a table, made profile by profile, for who has read those. */
#ifndef PTOOL_QUERY_GAP_LIST_H
#define PTOOL_QUERY_GAP_LIST_H

#include "query/gaps/gap_profile.h"

struct gap_listing;

/*
 * All is borrowed, and outlives it; the request is one of a list.  gap_listing_close() in
 * both cases; NULL with err set.
 */
struct gap_listing *gap_listing_open(struct store *store, struct text_pool *texts,
				     const struct scope *scope,
				     const struct gap_table_request *request,
				     struct err *err);
/* The profile was loaded with a request of a list.  0, or -1 with err set. */
int gap_listing_add(struct gap_listing *l, const struct gap_profile *p, struct err *err);
/* The table, which is the caller's; NULL with an ERR_EMPTY. */
struct table *gap_listing_finish(struct gap_listing *l, struct err *err);
/* Accepts NULL. */
void gap_listing_close(struct gap_listing *l);

#endif
