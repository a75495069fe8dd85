/*
 * What rules judge by where slices were left out: summaries of profiles in place of device
 * work and memory events, for the rules that need no more (rule.of_summaries).
 */
#ifndef PTOOL_QUERY_ADVISE_STORED_H
#define PTOOL_QUERY_ADVISE_STORED_H

#include "query/advise/advise_facts.h"

/* Of all profiles of a scope. */
struct advise_stored {
	struct summary_reader reader;
	struct memtable *devices; /* owned: columns of device_rows.h, by profile */
};

/* advise_stored_close() in both cases. */
int advise_stored_open(struct store *store, const struct scope *scope,
		       struct text_pool *texts, struct advise_stored *out,
		       struct err *err);
void advise_stored_close(struct advise_stored *s);

/*
 * Work (devices without pieces), window, uses and steps of the facts' profile; facts->stored
 * is set.
 */
int advise_stored_load(struct advise_facts *f, struct err *err);

#endif
