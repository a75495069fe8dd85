/* Wanted slices, one by one: see slice_scan.h. */
#include "query/slices/slice_scan.h"

#include "query/slices/slice_pack.h"

/* 1: enough; 0; -1. */
static int offer(struct slices *slices, const struct slice_scan *scan,
		 const struct slices_track *track, const struct slice_row *row,
		 struct err *err)
{
	int wanted = slices_is_wanted(slices, row, err);

	return wanted > 0 ? scan->each(scan->to, track, row, err) : wanted;
}

static int scan_rows(struct slices *slices, const struct slice_scan *scan,
		     const struct slices_track *track, struct err *err)
{
	int64_t first = track->first_id;
	struct slice_row row;
	int rc, done = 0;

	if (track->from_ns > 0 &&
	    slices_seek(slices, track, track->from_ns, &first, err) < 0)
		return -1;
	slices_from(slices, track, first);
	while (!done && (rc = slices_next(slices, &row, err)) > 0 &&
	       row.ts_ns < track->to_ns)
		done = offer(slices, scan, track, &row, err);
	return done ? done : rc < 0 ? -1 : 0;
}

/* Packed slices are read from the track's first on. */
static int scan_packed(struct slices *slices, const struct slice_scan *scan,
		       struct slice_pack *packed, const struct slices_track *track,
		       struct err *err)
{
	const struct packed_slice *s = &packed->slice;
	int rc, done = 0;

	if (slice_pack_seek(packed, track->first_id, track->slices, err) < 0)
		return -1;
	while (!done && (rc = slice_pack_next(packed, err)) > 0 &&
	       s->start_ns < track->to_ns) {
		const struct slice_row row = { .id = s->id,
					       .ts_ns = s->start_ns,
					       .dur_ns = s->end_ns - s->start_ns,
					       .name_id = s->name_id,
					       .step_id = s->step_id,
					       .launch_id = s->launch_id };
		if (row.ts_ns >= track->from_ns)
			done = offer(slices, scan, track, &row, err);
	}
	return done ? done : rc < 0 ? -1 : 0;
}

/* What is set apart is not packed, and neither are self times and categories. */
static int scan_tracks(struct slices *slices, const struct slice_scan *scan,
		       struct slice_pack *packed, struct err *err)
{
	bool needs_rows = scan->whole || slices->is_by_category;
	int rc = 0;

	for (size_t i = 0; i < slices->ntracks && rc == 0; i++) {
		const struct slices_track *track = &slices->tracks[i];
		if (!track->is_wanted)
			continue;
		rc = needs_rows || track->is_apart
			     ? scan_rows(slices, scan, track, err)
			     : scan_packed(slices, scan, packed, track, err);
	}
	return rc < 0 ? -1 : 0;
}

int slice_scan(struct store *store, struct slices *slices, const struct slice_scan *scan,
	       struct err *err)
{
	struct slice_pack packed;
	int rc = slice_pack_open(store, PACKED_NAME | PACKED_STEP | PACKED_LAUNCH,
				 &packed, err);

	if (rc == 0)
		rc = scan_tracks(slices, scan, &packed, err);
	slice_pack_close(&packed);
	return rc;
}
