/*
 * What the views of `ptool memory` share: the memory events of all profiles, and a
 * walk over the devices that are wanted.
 */
#ifndef PTOOL_QUERY_MEMORY_SOURCE_H
#define PTOOL_QUERY_MEMORY_SOURCE_H

#include "base/memtable.h"
#include "query/memory/memory.h"
#include "query/memory/memory_blocks.h"
#include "query/memory/memory_events.h"
#include "query/memory/memory_names.h"
#include "query/view.h"

struct memory_source {
	struct store *store;       /* borrowed */
	const struct scope *scope; /* borrowed */
	struct memory_request request;
	struct memory_names names;
	struct memory_events *profiles; /* owned; as many as the scope has */
	struct memory_blocks *blocks;   /* owned; likewise; empty when not asked for */
	size_t n;
};

/* A device of a profile. */
struct memory_place {
	size_t profile, device;
	const struct memory_events *events;
	const struct memory_blocks *blocks;
	const struct memory_device *of;
};

/* A view: `s` is moved when it streams, else borrowed. */
typedef int memory_view_fn(struct memory_source *s, struct table **out, struct err *err);

memory_view_fn memory_open_peaks, memory_open_stats, memory_open_live, memory_open_events,
	memory_open_curve, memory_open_growth, memory_open_leaks, memory_open_spikes,
	memory_open_oom;

void memory_source_free(struct memory_source *s);

/* Zeroed it is the first; false: there is no more. */
bool memory_place_get(const struct memory_source *s, struct memory_place *place);
/* for (p = zeroed; memory_place_get(s, &p); memory_place_next(&p)) */
void memory_place_next(struct memory_place *place);

/* Are its events changes of what categories hold, as in a memory timeline? */
bool memory_place_is_timeline(const struct memory_place *place);

/* The first cells of every row, and their fields. */
enum { MEMORY_PROFILE, MEMORY_RANK, MEMORY_DEVICE, NMEMORY_PLACE_COLUMNS };
/* clang-format off */
#define MEMORY_PLACE_FIELDS							\
	{ "profile", "Profile", "profile", NULL, UNIT_ID, .get = view_cell,	\
	  .arg = MEMORY_PROFILE, .flags = FIELD_PROFILE },			\
	{ "rank", "Rank", "rank", NULL, UNIT_ID, .get = view_cell, .arg = MEMORY_RANK }, \
	{ "device", "Device", "device", NULL, UNIT_TEXT, .get = view_cell,	\
	  .arg = MEMORY_DEVICE }
/* clang-format on */
void memory_place_cells(const struct memory_place *place, struct cell *cells);
/* Who reads notes wants to know of which profile: "cuda:0", "cuda:0 of rank 1". */
void memory_place_text(const struct memory_source *s, const struct memory_place *place,
		       char *out, size_t size);

/* The view of such rows, which are moved, as the request wants it. */
struct table *memory_show(const struct memory_source *s, const struct view *view,
			  struct table *from);

/*
 * Adds the row, one behind `given` others; behind the limit of --limit it is only
 * counted, so that readers see how many there are.
 */
void memory_add_limited(const struct memory_source *s, struct memtable *to,
			const struct cell *cells, int64_t *given);

/* The number of the step, or null. */
struct cell memory_step_cell(const struct memory_events *m, uint32_t step);
/* Null for NUMBER_NONE. */
struct cell memory_number_cell(int64_t number);

#define MEMORY_SIZE_MAX 24 /* room for a power of two of bytes */
/* "512 B", "4 MiB": the power of two itself. */
void memory_size_text(int power, char out[MEMORY_SIZE_MAX]);

#endif
