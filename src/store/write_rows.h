/*
 * The tables of a profile as bulk rows: what each column takes from the model.
 * Ids in the store are places in the model plus a base, which is the largest id
 * before this profile.
 */
#ifndef PTOOL_STORE_WRITE_ROWS_H
#define PTOOL_STORE_WRITE_ROWS_H

#include "base/buf.h"
#include "store/agents.h"
#include "store/bulk.h"
#include "store/columns.h"
#include "store/model.h"
#include "store/ranges.h"
#include "store/steps.h"
#include "store/summary.h"
#include "trace/slice_bits.h"

struct counter_track {
	uint32_t process, name;
};

/* Rows of one track, which are packed together. */
struct pack_range {
	uint32_t first, n;
};

/* Which rows and places each table has rows of; owned. */
struct write_lists {
	uint32_t *place_thread;             /* place -> thread, or ROW_NONE */
	uint32_t *threads;                  /* thread -> place */
	uint32_t *kernels, *copies, *waits; /* rows */
	uint32_t *sources;                  /* likewise; NULL: there are none */
	uint32_t *collectives, *args;       /* indexes into the model's */
	uint32_t *counter_track;            /* counter -> counter_tracks */
	struct counter_track *counter_tracks;
	size_t nsources, sources_cap;
	size_t nthreads, nkernels, ncopies, nwaits, nallocations, ncollectives, nargs,
		nranges;
	size_t ncounter_tracks, counter_tracks_cap;
	struct pack_range *packs;
	size_t npacks;
	struct agents agents;
};

void write_lists_make(const struct model *m, struct write_lists *l);
void write_lists_release(const struct model *m, struct write_lists *l);

/* What rows say that no array holds, found row after row. */
struct row_walk {
	struct step_cursor steps;
	MODEL_ARRAY(uint32_t, around); /* the newest row, and those that it stands in */
	struct allocation_walk allocations;
	struct samples_cursor samples;
	struct buf blob; /* of the newest row */
	uint8_t *packed; /* columns of the newest row, one after the other; owned */
};

void row_walk_init(struct row_walk *walk, const struct model *m);
void row_walk_release(struct row_walk *walk);
/* Slices are asked for from this row on, as if those before it had been. */
void row_walk_seek(struct row_walk *walk, uint32_t row);

struct write_rows {
	const struct model *m;
	const struct summary *summary;
	struct row_walk *walk; /* the state of cells; borrowed */
	int64_t profile_id;
	/* largest ids before this profile */
	int64_t process, thread, track, op_detail, step, slice, function;
	int64_t sample_series, sample_thread, sample_node, sample_sum, sample;
	struct write_lists lists; /* borrowed */
	const uint32_t *text_ids; /* load_source's */
};

/* slice_row and what hangs on it: write_slices.c. */
extern const struct bulk bulk_slice, bulk_kernel, bulk_kernel_source, bulk_copy,
	bulk_wait, bulk_collective, bulk_memory_range;
extern const struct bulk bulk_allocation, bulk_flow, bulk_step, bulk_args;
/* what is set apart */
extern const struct bulk bulk_apart, bulk_quarantine;
/* its columns, packed: write_packs.c */
extern const struct bulk bulk_pack;
/* call graphs: functions.c */
extern const struct bulk bulk_function, bulk_function_stat, bulk_call_edge,
	bulk_line_stat;
/* sampled stacks: write_samples.c */
extern const struct bulk bulk_sample_series, bulk_sample_thread, bulk_sample_node;
extern const struct bulk bulk_sample_sum, bulk_sample;
/* the frame: write_tracks.c */
extern const struct bulk bulk_process, bulk_thread, bulk_track, bulk_counter_track;
extern const struct bulk bulk_counter, bulk_op_detail, bulk_device;
/* summaries and findings: write_stats.c */
extern const struct bulk bulk_name_stat, bulk_full_stat, bulk_step_stat;
extern const struct bulk bulk_annotation_stat, bulk_finding;

/* string.id, or 0 for TEXT_NONE. */
static inline int64_t text_id(const struct write_rows *w, uint32_t text)
{
	if (text == TEXT_NONE)
		return 0;
	return (int64_t)(w->text_ids ? w->text_ids[text] : text) + 1;
}

/* Cells that many tables have.  ROW_NONE and TEXT_NONE are NULL. */
static inline struct bulk_cell cell_row(int64_t base, uint32_t row)
{
	return row == ROW_NONE ? bulk_null() : bulk_int(base + 1 + row);
}

static inline struct bulk_cell cell_string(const struct model *m, uint32_t text)
{
	return text == TEXT_NONE ? bulk_null() : bulk_text(intern_str(m->texts, text));
}

static inline struct bulk_cell cell_text_id(const struct write_rows *w, uint32_t text)
{
	return text == TEXT_NONE ? bulk_null() : bulk_int(text_id(w, text));
}

/* Of each row once, in their order. */
struct bulk_cell cell_depth(const struct write_rows *w, uint32_t row);
struct bulk_cell cell_step(const struct write_rows *w, uint32_t row);

#endif
