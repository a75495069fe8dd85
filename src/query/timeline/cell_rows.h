/*
 * A timeline in cells: the streams and threads of profiles, and idle time of devices, as
 * rows of cells over a span of time.
 */
#ifndef PTOOL_QUERY_CELL_ROWS_H
#define PTOOL_QUERY_CELL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "query/filter.h"
#include "query/gaps/gap_cause.h"
#include "query/scope.h"
#include "query/slices/slices.h"
#include "query/timeline/cell_span.h"
#include "query/timeline/cell_sweep.h"

enum row_kind { ROW_STREAM, ROW_IDLE, ROW_THREAD };

/* What covers most of a cell. */
struct row_cell {
	int64_t ns;      /* that is covered, or idle; 0: nothing */
	struct str name; /* of the slices, or what is charged for the idle time */
	uint8_t kind;    /* enum cover, or of idle time enum gap_cause */
};

struct cell_row {
	enum row_kind kind;
	const struct slices_track *track; /* NULL: idle time */
	size_t profile;                   /* place in the scope */
	int64_t device;                   /* or NUMBER_NONE */
	struct str label;
	struct row_cell *cells; /* owned; rows->ncells of them */
	int64_t busy_ns;
	int64_t work_ns; /* without labels and Python frames */
	size_t rank; /* how interesting it is among those of its device or its threads */
	bool is_shown;
};

/* What a device was idle for. */
struct cell_cause {
	size_t profile; /* place in the scope */
	int64_t device; /* or NUMBER_NONE */
	enum gap_cause cause;
	int64_t idle_ns, gaps, longest_ns;
	struct str blamed; /* what is charged most within it; may be empty */
};

struct cell_device {
	size_t profile;
	int64_t device;
	int64_t idle_ns, span_ns;
};

struct cells_request {
	const struct filter *filter;
	int64_t width;  /* terminal cells for labels and cells */
	int64_t ncells; /* so many cells; 0: as many as fit `width` */
	int64_t limit;  /* rows to show; 0: all; -1: as many as fit `lines` */
	int64_t lines;  /* of the terminal */
	bool for_people;
};

struct cell_rows {
	const struct scope *scope; /* borrowed */
	struct filter
		filter; /* for slices: neither times nor steps; its texts borrowed */
	struct cell_spans spans; /* owned */
	struct slices *slices;   /* owned: names of cells are its texts */
	struct arena arena;      /* owned: labels, names of idle time */
	struct cell_axis *axes;  /* owned; by place of the profile */
	size_t ncells, label_cells;
	struct cell_row *items; /* owned; in the order in which they are drawn */
	size_t n, cap, nshown;
	struct cell_cause *causes; /* owned; by device, the largest first */
	size_t ncauses, causes_cap;
	struct cell_device *devices; /* owned; those that have idle rows or had none */
	size_t ndevices, devices_cap;
	uint8_t *covers; /* owned; by name of device work or label: enum cover + 1 */
	size_t covers_cap;
};

/*
 * Scope and request are borrowed and outlive the rows; cell_rows_release() in both cases,
 * before the store is closed.  ERR_EMPTY: nothing is left.
 */
int cell_rows_load(struct store *store, const struct scope *scope,
		   const struct cells_request *request, struct cell_rows *out,
		   struct err *err);
void cell_rows_release(struct cell_rows *r);
/* Where --thread or --stream leave less than a device, nothing is said of idle time. */
bool cell_rows_have_idle(const struct cells_request *request);

/*
 * cell_read.c: rows of streams and threads that cover anything, and for each stream one of
 * idle time of its device.
 */
int cell_rows_read(struct store *store, const struct cells_request *request,
		   struct cell_rows *rows, struct err *err);
/* cell_label.c: safe to print; the arena's. */
struct str cell_row_label(struct cell_rows *r, enum row_kind kind, size_t profile,
			  const struct slices_track *track, int64_t device);
/* The row of idle time of the device, once rows are in order; NULL: there is none. */
struct cell_row *cell_rows_find_idle(struct cell_rows *r, size_t profile, int64_t device);
/* cell_idle.c: devices and causes, and the cells of rows of idle time that are shown. */
int cell_idle_load(struct store *store, const struct cells_request *request,
		   struct cell_rows *rows, struct err *err);
/* A row without cells, labelled; its cells are zeroed. */
struct cell_row *cell_rows_add(struct cell_rows *r, enum row_kind kind, size_t profile,
			       const struct slices_track *track, int64_t device);

#endif
