/*
 * What `ptool memory` shows of a device, its peaks and what was live at them: from its
 * events, or from the rows of memory_part (memory_stored.c), which say the same.
 */
#ifndef PTOOL_QUERY_MEMORY_FIGURES_H
#define PTOOL_QUERY_MEMORY_FIGURES_H

#include "query/memory/memory_peak.h"
#include "query/memory/memory_source.h"

/* Blocks that were live at a peak: those of one operator, size or step. */
struct memory_group {
	uint32_t key; /* text of the operator; power of two; place of the step */
	struct str
		name; /* MEMORY_BY_OP: the operator or category; of memory_source.names */
	int64_t step; /* MEMORY_BY_STEP: its number, or NUMBER_NONE */
	int64_t blocks; /* NUMBER_NONE: not known */
	int64_t bytes;
};

struct memory_live {
	struct memory_group *items; /* owned; the most bytes first */
	size_t n, cap;
};

struct memory_figures {
	struct memory_peak peak; /* `event` and `step` are of events alone */
	int64_t step;            /* number of the step of the peak, or NUMBER_NONE */
	int64_t older_bytes; /* from before the recording, and not freed at the peak */
	int64_t curve;       /* memory_curve() */
	struct memory_live live[NMEMORY_BYS];
};

/* Bits of `enum memory_by`: what is wanted of memory_figures.live. */
#define MEMORY_BY_BIT(by) (1u << (by))

/*
 * Those of a device within the request's filter: 1; 0: no event of it is wanted; -1.
 * Where the source has them already they are copied: memory_figures_release() in all cases.
 */
int memory_figures_find(struct memory_source *s, const struct memory_place *place,
			unsigned bys, struct memory_figures *out, struct err *err);
/* Accepts a zeroed one. */
void memory_figures_release(struct memory_figures *f);

/*
 * Is what was live known?  By addresses; or of a memory timeline, which has what categories
 * hold, by name alone.
 */
bool memory_live_is_known(const struct memory_place *place, enum memory_by by);
/* Groups what was live just after an event of the device, of which that is known. */
int memory_live_find(struct memory_source *s, const struct memory_place *place,
		     size_t event, enum memory_by by, struct memory_figures *out,
		     struct err *err);

/*
 * Can rows of summaries answer in place of events?  1: they are loaded, and s->stored is
 * set; 0; -1.
 */
int memory_stored_load(struct memory_source *s, struct err *err);
/* Accepts NULL. */
void memory_stored_free(struct memory_source *s);

#endif
