/*
 * What the views of `ptool memory` share: the memory events of all profiles, and a
 * walk over the devices that are wanted.
 */
#ifndef PTOOL_QUERY_MEMORY_SOURCE_H
#define PTOOL_QUERY_MEMORY_SOURCE_H

#include <stdint.h>

#include "base/err.h"
#include "base/memtable.h"
#include "query/memory/memory.h"
#include "query/memory/memory_events.h"
#include "query/slices/slice_around.h"
#include "query/text_pool.h"
#include "query/view.h"
#include "store/store.h"

/*
 * The operators of memory events: their names, and what is around them.  Looked up
 * when they are shown; mostly a few of those that there are.
 */

/* The operator of an event that lies in none. */
#define MEMORY_NO_OP "<unknown>"

struct memory_names {
	struct text_pool texts;
	uint32_t unknown; /* the text MEMORY_NO_OP */
	struct slices_around around;
};

/* memory_names_close() in both cases, before the store is closed. */
int memory_names_open(struct store *store, struct memory_names *out, struct err *err);
void memory_names_close(struct memory_names *n);

/* The place of the slice in `around`, where all that is around it is then, too. */
int memory_names_find(struct memory_names *n, int64_t id, uint32_t *place,
		      struct err *err);
/*
 * Who did it: the operator's name; without one that of the event itself, which is a
 * Python frame in a snapshot and a category in a memory timeline; else MEMORY_NO_OP.
 */
int memory_names_of(struct memory_names *n, const struct memory_event *e, uint32_t *name,
		    struct err *err);
int memory_names_str(struct memory_names *n, const struct memory_event *e,
		     struct str *out, struct err *err);
/*
 * The innermost slice around the operator that is no Python frame; *out is empty, with
 * p NULL, where there is none.
 */
int memory_names_parent(struct memory_names *n, int64_t id, struct str *out,
			struct err *err);

/*
 * Blocks of memory: allocations joined to their frees by device and address.
 */
#define MEMORY_EVENT_NONE UINT32_MAX

enum memory_fate {
	MEMORY_FREED,
	MEMORY_ALIVE,   /* at the end of the recording */
	MEMORY_UNKNOWN, /* freed; where it was allocated is not recorded */
	MEMORY_REUSED   /* its address was allocated again, its free is not recorded */
};

struct memory_block {
	int64_t bytes;   /* allocated; of MEMORY_UNKNOWN freed; 0 or more */
	uint32_t device; /* place in devices */
	uint32_t alloc;  /* event, or MEMORY_EVENT_NONE for MEMORY_UNKNOWN */
	uint32_t end; /* event that freed it or took its place; none for MEMORY_ALIVE */
	uint8_t fate; /* enum memory_fate */
};

struct memory_blocks {
	struct memory_block *items; /* owned; by (device, first event) */
	size_t n, cap;
	size_t nameless; /* events without an address, which are in no block */
};

/* Events without an address and those that were refused make none. */
void memory_blocks_make(const struct memory_events *m, struct memory_blocks *out);
/* Accepts a zeroed one. */
void memory_blocks_release(struct memory_blocks *b);

/* The place of the first block of that device or one behind it. */
size_t memory_blocks_first(const struct memory_blocks *b, size_t device);

/* The allocation, else the free. */
static inline uint32_t memory_block_first(const struct memory_block *b)
{
	return b->alloc != MEMORY_EVENT_NONE ? b->alloc : b->end;
}

/* Is it there just behind the event, which is of its device? */
static inline bool memory_block_is_live(const struct memory_block *b, size_t event)
{
	return b->alloc != MEMORY_EVENT_NONE && b->alloc <= event &&
	       (b->end == MEMORY_EVENT_NONE || b->end > event);
}

/* "freed", "alive", "unknown", "reused" */
const char *memory_fate_name(enum memory_fate fate);

struct memory_figures;

struct memory_source {
	struct store *store;       /* borrowed */
	const struct scope *scope; /* borrowed */
	struct memory_request request;
	struct memory_names names;
	struct memory_events *profiles; /* owned; as many as the scope has */
	struct memory_blocks *blocks;   /* owned; likewise; empty when not asked for */
	/*
	 * Owned: of each profile those of its devices, which then have no events; NULL: there
	 * are events.
	 */
	struct memory_figures **stored;
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

/* The events of all profiles, and their blocks where they are wanted. */
int memory_source_load(struct memory_source *s, bool has_blocks, struct err *err);
/* What it has; the second frees the source, too. */
void memory_source_release(struct memory_source *s);
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
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, .get = view_cell,	\
	  .arg = MEMORY_PROFILE, .flags = FIELD_PROFILE },			\
	{ "rank", "Rank", "its rank", NULL, UNIT_ID, .get = view_cell, .arg = MEMORY_RANK, .flags = FIELD_KEY }, \
	{ "device", "Device", "device as torch calls it: 'cpu', 'cuda:0'", NULL, UNIT_TEXT, .get = view_cell,	\
	  .arg = MEMORY_DEVICE, .flags = FIELD_KEY }
/* clang-format on */
/*
 * A curve of 16 cells, from nothing (or what is less) to the highest: 4 bits each, the
 * first in the lowest, of 0 to BARS_HIGHEST; and its text.
 */
#define MEMORY_CURVE_CELLS 16
/* The cell of a moment of a recording that lasts dur_ns. */
size_t memory_curve_cell(int64_t at_ns, int64_t dur_ns);
int64_t memory_curve(const int64_t highs[MEMORY_CURVE_CELLS]);
struct str memory_curve_text(int64_t curve, struct arena *arena);

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

/* The number of the step, or NUMBER_NONE; as a cell, or null. */
int64_t memory_step_number(const struct memory_events *m, uint32_t step);
struct cell memory_step_cell(const struct memory_events *m, uint32_t step);
/* Null for NUMBER_NONE. */
struct cell memory_number_cell(int64_t number);

#define MEMORY_SIZE_MAX 24 /* room for a power of two of bytes */
/* "512 B", "4 MiB": the power of two itself. */
void memory_size_text(int power, char out[MEMORY_SIZE_MAX]);

#endif
