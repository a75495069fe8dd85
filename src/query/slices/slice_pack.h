/*
 * The slices of a track, or of many, one after the other, read from the packed columns of the store
 * (ptool-store(5), PACKED SLICES): ten times as fast as rows of slice_row, which say the
 * same.  Times are nanoseconds from the profile's first event.
 */
#ifndef PTOOL_QUERY_SLICE_PACK_H
#define PTOOL_QUERY_SLICE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "query/scope.h"
#include "store/store.h"
#include "trace/slice_bits.h"

struct sqlite3_stmt;

/* The bits of what is read besides id, start and end: slice_packs.sql. */
enum {
	PACKED_NAME = 1,
	PACKED_CLASS = 2,
	PACKED_MARKS = 4,
	PACKED_STEP = 8,
	PACKED_LAUNCH = 16,
	PACKED_OP = 32,
	PACKED_DETAIL = 64
};

/* What was not asked for is 0; so are ids where none is known. */
struct packed_slice {
	int64_t id, start_ns, end_ns;
	int64_t name_id; /* string.id, at least 1, else not checked */
	int64_t step_id, launch_id, op_id, op_detail_id;
	uint8_t class; /* enum slice_class */
	uint8_t marks; /* trace/slice_bits.h */
};

/* The bytes of a column that are not read yet; end is NULL where all are 0. */
struct packed_bytes {
	const uint8_t *at, *end;
};

#define NPACKED 9 /* columns that are packed */

struct slice_pack {
	struct store *store; /* borrowed */
	struct sqlite3_stmt *stmt;
	int64_t next_id, last_id; /* of the range: all are to come up */
	int64_t left;             /* slices of the row that the statement stands on */
	struct packed_bytes bytes[NPACKED];
	bool has_ids;              /* of the row: there are marks or ids */
	bool has_names;            /* they were asked for: each slice has one */
	struct packed_slice slice; /* the newest; of ids what differences start from */
};

/* slice_pack_close() in both cases, also of a zeroed one. */
int slice_pack_open(struct store *store, unsigned columns, struct slice_pack *out,
		    struct err *err);
void slice_pack_close(struct slice_pack *p);

/* The slices first_id to first_id + n - 1 are next: all of a track, as `track` says. */
int slice_pack_seek(struct slice_pack *p, int64_t first_id, int64_t n, struct err *err);
/*
 * 1: p->slice is the next one; 0: there is none left; -1: err is set.  Classes are
 * some, and ends not before starts; that starts ascend is not looked at.
 */
int slice_pack_next(struct slice_pack *p, struct err *err);

/*
 * All slices of a profile's tracks, as a statement of views/ lists these by :profile: id,
 * first_slice_id, slices, then what its user wants, in the order of their slices.
 */
struct slice_walk {
	struct slice_pack slices;    /* those of the newest track come up */
	struct sqlite3_stmt *tracks; /* on its row */
	int64_t track_id, first_id, n;
	int64_t next_id; /* no track begins before it: each slice comes up once */
};

/* slice_walk_close() in both cases, also of a zeroed one. */
int slice_walk_open(struct store *store, const unsigned char *tracks, int64_t profile_id,
		    unsigned columns, struct slice_walk *out, struct err *err);
void slice_walk_close(struct slice_walk *w);
/* 1: the slices of the next track are next; 0: there is none; -1: err is set. */
int slice_walk_track(struct slice_walk *w, struct err *err);

/*
 * Many slices of a profile by their ids: in the order of ids they meet the packed slices
 * of one track after the other, so that none is looked up.
 */

/* `slice` is the one that ids[place] asks for. */
typedef int slice_pick_fn(void *context, size_t place, const struct packed_slice *slice,
			  int64_t track_id, struct err *err);

/* All borrowed. */
struct slice_picks {
	const int64_t *ids;
	size_t n;
	unsigned columns; /* slice_pack_open()'s */
	slice_pick_fn *each;
	void *context;
};

/*
 * Calls the function once for each id that is not 0, in the order of ids, until it fails.
 * 0; -1 with err set, an ERR_INPUT when an id names no slice of a track of the profile.
 */
int slice_pick(struct store *store, const struct scope_profile *profile,
	       const struct slice_picks *picks, struct err *err);

#endif
