/*
 * The slices of some profiles, read in blocks by id and filtered: what views
 * made in C over single slices start from.  Memory is a few blocks, the tracks
 * and the steps, however many slices there are.
 */
#ifndef PTOOL_QUERY_SLICES_H
#define PTOOL_QUERY_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "query/filter.h"
#include "query/scope.h"

struct slices_track {
	const struct scope_profile *profile;
	const char *kind; /* as in the store: "thread", "stream", ... */
	const char *pid, *thread,
		*thread_name;   /* NULL: none; thread is its number or text */
	const char *name;       /* of the track: of a stream without number; or NULL */
	int64_t device, stream; /* when is_device; or NUMBER_NONE */
	int64_t first_id, slices;
	int64_t from_ns, to_ns; /* those wanted start in [from, to) */
	bool is_device;
	bool is_apart; /* those of it that are set apart: behind the others in any order */
	bool is_wanted; /* by --thread, --stream and --device; nothing apart by --time */
};

/* A row of slice_row; ids are 0 where the store has NULL. */
struct slice_row {
	int64_t id, ts_ns, dur_ns, self_ns, name_id, category_id, parent_id, step_id,
		correlation, launch_id;
	int class, depth;
	bool is_unfinished, is_instant, has_correlation;
};

struct slices {
	struct slices_track *tracks; /* in the order of their ids; some are there twice */
	size_t ntracks;
	bool has_devices;    /* they are of several */
	int64_t total;       /* slices of all tracks */
	bool is_filtered;    /* some may not be wanted */
	bool is_by_category; /* by their categories, too */
	struct slices_state *state;
};

/*
 * Scope and filter (NULL: none) are borrowed and outlive *out, which
 * slices_close() frees before the store is closed; NULL on failure.
 */
int slices_open(struct store *store, const struct scope *scope,
		const struct filter *filter, struct slices **out, struct err *err);
/* Accepts NULL. */
void slices_close(struct slices *s);

/*
 * The slices of the track from an id on are next, one after the other by slices_next(),
 * until this, slices_read() or slices_seek() is called.
 */
void slices_from(struct slices *s, const struct slices_track *track, int64_t id);
/* 1: the next slice; 0: the track is at its end; -1: err is set. */
int slices_next(struct slices *s, struct slice_row *row, struct err *err);
/* At most n of them at once: how many; 0 at its end; -1 with err set. */
int slices_read(struct slices *s, const struct slices_track *track, int64_t id,
		struct slice_row *rows, size_t n, struct err *err);
/* The id of the track's first slice that starts at or after ts_ns; one behind the last if none. */
int slices_seek(struct slices *s, const struct slices_track *track, int64_t ts_ns,
		int64_t *id, struct err *err);
/* NULL when no track of the scope holds it. */
const struct slices_track *slices_track_of(const struct slices *s, int64_t id);

/* Does the filter want this slice of a wanted track?  1, 0, or -1 with err set. */
int slices_is_wanted(struct slices *s, const struct slice_row *row, struct err *err);

/* The step's number; false when the slice is in none. */
bool slices_step(const struct slices *s, const struct slice_row *row, int64_t *number);
const char *slices_class(const struct slices *s, const struct slice_row *row);
/* The text of name_id or category_id; empty for 0; lives as long as the slices. */
int slices_text(struct slices *s, int64_t id, struct str *out, struct err *err);

#endif
