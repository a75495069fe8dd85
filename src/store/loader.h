/* What the two files of the sink share: load.c has facts of traces, load_sums.c of sums. */
#ifndef PTOOL_STORE_LOADER_H
#define PTOOL_STORE_LOADER_H

#include "base/idmap.h"
#include "store/load.h"
#include "store/model.h"

struct write_found;

struct loader {
	struct sink sink; /* first: the callbacks cast back */
	struct model model;
	struct idmap category_of_text; /* text -> index into categories */
	struct idmap metadata_of_key;  /* text -> index into metadata */
	uint32_t category_text;        /* of the newest category, to skip the search */
	uint16_t category;
	struct write_found *found; /* owned; NULL: before loader_sum_up() */
	load_progress *progress;
	void *to;
};

static inline struct model *loader_model(struct sink *s)
{
	return &((struct loader *)s)->model;
}

/* Sets the callbacks of what was added up as it was recorded. */
void loader_take_sums(struct sink *sink);

#endif
