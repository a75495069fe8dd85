/*
 * The operator table: torch's key_averages() from the store.  Two roads lead to
 * the same rows: the summaries made at ingest, and, where a filter or a grouping
 * needs single calls, the slices through the same operator tree.
 */
#ifndef PTOOL_QUERY_TOP_H
#define PTOOL_QUERY_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/text_pool.h"
#include "query/view.h"
#include "trace/opstat.h"

/* What can tell rows apart beside what is known of an operator. */
enum top_split {
	TOP_BY_RANK,
	TOP_BY_PROFILE,
	TOP_BY_STEP,
	TOP_BY_THREAD,
	TOP_BY_STREAM,
	TOP_BY_CATEGORY,
	TOP_BY_MODULE,
	TOP_BY_AXES, /* by enum axis from here on */
	NTOP_SPLITS = TOP_BY_AXES + NAXES
};

/* What is of a whole profile, and tells its rows from others'. */
#define TOP_PROFILE_SPLITS                                    \
	(TOP_SPLIT(TOP_BY_RANK) | TOP_SPLIT(TOP_BY_PROFILE) | \
	 (((1u << NAXES) - 1) << TOP_BY_AXES))

/* What `show.asked` has bits for: what tells rows apart, and columns. */
#define TOP_SPLIT(split) (1u << (split)) /* of enum top_split */
#define TOP_SPLITS       ((1u << NTOP_SPLITS) - 1)
#define TOP_SHAPE        (1u << NTOP_SPLITS)
#define TOP_STACK        (2u << NTOP_SPLITS)
#define TOP_OVERLOAD     (4u << NTOP_SPLITS)
#define TOP_ANNOTATION   (8u << NTOP_SPLITS) /* another table: top_annotations() */
#define TOP_FLOPS        (16u << NTOP_SPLITS)
#define TOP_TENSOR_CORES (32u << NTOP_SPLITS)  /* how much ran on Tensor Cores */
#define TOP_KINDS        (64u << NTOP_SPLITS)  /* set by top_table() itself */
#define TOP_LINE         (128u << NTOP_SPLITS) /* of sampled stacks alone, as ... */
#define TOP_FILE         (256u << NTOP_SPLITS) /* ... this */

struct top_query {
	const struct filter *filter; /* borrowed */
	struct view_request show;    /* sort NULL: device self, else CPU self */
	int64_t stack_frames;        /* of a stack; 0: all */
	/*
	 * Nobody asked for an order: labels on devices come after all rows that are in a
	 * share, and rows of one device time by their CPU time.
	 */
	bool own_order;
	bool top_level;   /* only rows whose first call has no parent */
	bool torch_times; /* make self_us and total_us, and sort by them */
};

/* Sets those of place->split, as many as there are. */
void top_split_by_profile(int64_t *split, const struct scope_profile *profile);

/* Operators; --by annotation; and functions of call graphs. */
extern const struct view top_view, label_view, function_view;
/* People's table of top_view where top_is_plain(). */
extern const struct view_part top_plain_people[];

/*
 * Adds "shape", "stack:5,rank", ... to what rows are told apart by.  ERR_USAGE names
 * the word that is none.
 */
int top_by_add(struct top_query *query, const char *list, struct err *err);

/* Torch's own float64 microseconds, added up in its order. */
struct top_float {
	double self_us, total_us;
};

/* All rows of the scope, and which of them to show in which order. */
struct top_rows {
	const struct scope *scope; /* borrowed */
	struct text_pool texts;    /* of names, shapes, stacks, overloads, threads, ... */
	struct opstats stats;      /* key.step is a number in `splits` */
	struct intern splits;     /* int64_t[NTOP_SPLITS]: a number, or a text's number */
	uint32_t last_split;      /* of them: the one asked for last */
	struct top_float *floats; /* owned, by row; NULL unless torch_times */
	struct top_tensor *tensor; /* owned, by row; NULL unless they are asked for */
	uint32_t *order;           /* owned: the rows that match, sorted */
	size_t nmatched;           /* of them */
	size_t norder;             /* within the limit: to show */
	bool has_memory;           /* memory was recorded */
	bool has_device;           /* device work was recorded */
	bool has_device_memory;
	const char *device; /* as torch calls it: "CUDA", "XPU"; static */
	/*
	 * Over all rows, also those that --focus and --ignore hide.  Device time is
	 * that of device work; where filters left none, what operators launched.
	 * launched_of_ns is what an operator's device time is a share of: the same,
	 * or, where filters choose among calls, what the operators left launched,
	 * since that is no part of the device work left.
	 */
	int64_t self_cpu_ns, self_device_ns, launched_of_ns;
	bool has_printed_totals; /* these are what printed tables say, not sums */
	const struct field *sorted_by;
};

/*
 * 0 with at least one row, or -1: ERR_EMPTY when nothing matched or when what was
 * asked for was not recorded.  top_release() frees, in both cases.
 */
int top_load(struct store *store, const struct scope *scope,
	     const struct top_query *query, struct top_rows *out, struct err *err);
void top_release(struct top_rows *rows);

/* Is the row device work, or a label's span on a device? */
bool top_is_device_row(const struct top_rows *rows, uint32_t row);
/* Are rows sorted by a time on the device? */
bool top_is_by_device(const struct top_rows *rows);
/* The cell of a row in a field, by its name; text is borrowed from the rows. */
struct cell top_cell(const struct top_rows *rows, const uint32_t *row, const char *field);
/* Did another tracer record it?  "CPU time" is PyTorch's word for the host's time. */
bool top_is_plain(const struct scope *scope);
/* Has no row of the scope anything there? */
bool top_is_nowhere(const struct top_rows *rows, const struct field *field);

/* The table of the rows; table_free() frees it. */
struct table *top_table(const struct top_rows *rows, const struct top_query *query);

/*
 * --by annotation: labels with the host's time and the device work launched
 * inside them.  0 and *out, or -1.
 */
int top_annotations(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct table **out, struct err *err);

/*
 * ptool top on call graphs: functions of all profiles of the scope, added up as pstats
 * does.  `filter`: --focus and --ignore, of standard names; sort NULL: self time.  0 and
 * *out, or -1: ERR_EMPTY when none matches.
 */
int top_functions(struct store *store, const struct scope *scope,
		  const struct filter *filter, const struct view_request *show,
		  struct table **out, struct err *err);

/* "12 ranks added up": a note for tables that sum over profiles; NULL for one.  has_by: --by
 * tells them apart. */
const char *top_scope_note(const struct scope *scope, bool has_by, struct arena *arena);

#endif
