/*
 * The tables of a profile as bulk rows: what each column takes from the model.
 * Ids in the store are places in the model plus a base, which is the largest id
 * before this profile.
 */
#ifndef PTOOL_STORE_WRITE_ROWS_H
#define PTOOL_STORE_WRITE_ROWS_H

#include "store/bulk.h"
#include "store/model.h"
#include "store/summary.h"

struct write_rows {
	const struct model *m;
	const struct summary *summary;
	int64_t profile_id;
	/* largest ids before this profile */
	int64_t process, thread, track, op_detail, step, slice;
	const uint32_t *place_thread;   /* place -> thread, or ROW_NONE */
	const uint32_t *threads;        /* thread -> place */
	const uint32_t *kernels, *copies, *waits; /* rows of slices */
	const struct counter_track *counter_tracks;
	const uint32_t *slice_row;      /* index into slices -> row */
};

struct counter_track {
	uint32_t process, name, series;
};

/* slice_row and what hangs on it: write_slices.c. */
extern const struct bulk bulk_slice, bulk_kernel, bulk_copy, bulk_wait, bulk_collective;
extern const struct bulk bulk_allocation, bulk_flow, bulk_step, bulk_args;
/* the frame: write_tracks.c */
extern const struct bulk bulk_process, bulk_thread, bulk_track, bulk_counter_track;
extern const struct bulk bulk_counter, bulk_op_detail, bulk_device;
/* summaries and findings: write_stats.c */
extern const struct bulk bulk_full_stat, bulk_name_stat, bulk_annotation_stat, bulk_finding;

/* Cells that many tables have.  ROW_NONE and TEXT_NONE are NULL. */
void cell_row(struct sqlite3_context *to, int64_t base, uint32_t row);
void cell_string(struct sqlite3_context *to, const struct model *m, uint32_t text);
void cell_text_id(struct sqlite3_context *to, uint32_t text);

#endif
