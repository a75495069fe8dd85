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
#include "query/sortkey.h"
#include "query/text_pool.h"
#include "trace/opstat.h"

/* Columns of the table; a row is split by some, and each may be sorted by. */
enum top_column {
	TOP_NONE,   /* the order of first calls */
	TOP_MEMORY, /* for sorting: the device's memory, or else the host's */
	TOP_NAME,
	TOP_CALLS,
	TOP_PRIMITIVE_CALLS,
	TOP_SELF_CPU,
	TOP_TOTAL_CPU,
	TOP_AVG_CPU,
	TOP_SELF_DEVICE,
	TOP_TOTAL_DEVICE,
	TOP_AVG_DEVICE,
	TOP_CPU_MEM,
	TOP_SELF_CPU_MEM,
	TOP_DEVICE_MEM,
	TOP_SELF_DEVICE_MEM,
	TOP_IS_ANNOTATION,
	TOP_IS_ASYNC,
	TOP_SHAPES,
	TOP_STACK,
	TOP_OVERLOAD,
	TOP_FLOPS,
	TOP_RANK, /* splits from here ... */
	TOP_PROFILE,
	TOP_STEP,
	TOP_THREAD,
	TOP_STREAM,
	TOP_CATEGORY,
	TOP_MODULE,          /* ... to here */
	TOP_TENSOR_ELIGIBLE, /* those of --tensor-cores, from here ... */
	TOP_TENSOR_SELF,
	TOP_TENSOR_TOTAL,
	TOP_TENSOR_SELF_SHARE,
	TOP_TENSOR_TOTAL_SHARE,
	TOP_TENSOR_SELF_UNKNOWN,
	TOP_TENSOR_TOTAL_UNKNOWN, /* ... to here */
	/* for people */
	TOP_KIND,
	TOP_SELF_CPU_SHARE,
	TOP_TOTAL_CPU_SHARE,
	TOP_SELF_DEVICE_SHARE,
	NTOP_COLUMNS
};

#define TOP_FIRST_SPLIT TOP_RANK
#define NTOP_SPLITS     (TOP_MODULE - TOP_RANK + 1)

/* A split's place in arrays of them. */
static inline size_t top_split(enum top_column column)
{
	return (size_t)column - TOP_FIRST_SPLIT;
}

/* What rows are told apart by, beside their names. */
struct top_by {
	bool shape, stack, overload, annotation;
	bool split[NTOP_SPLITS]; /* by top_split() */
	int64_t stack_frames;    /* of a stack; 0: all */
};

/*
 * Adds "shape", "stack:5,rank", ... to what rows are told apart by.  ERR_USAGE
 * names the word that is none; top_by_name(i) lists those there are, NULL behind
 * the last.
 */
int top_by_add(struct top_by *by, const char *list, struct err *err);
const char *top_by_name(size_t i);

struct top_query {
	struct top_by by;
	const struct filter *filter; /* borrowed */
	const struct sort_key
		*sort;     /* of top_sort_keys; NULL: device self, else CPU self */
	int64_t limit;     /* 0: all */
	bool reverse;      /* the other direction; ties keep their order */
	bool spans_last;   /* labels on devices after all rows that are in a share */
	bool flops;        /* the column is asked for */
	bool tensor_cores; /* how much ran on Tensor Cores */
	bool top_level;    /* only rows whose first call has no parent */
	bool torch_times;  /* make self_us and total_us, and sort by them */
};

extern const struct sort_key top_sort_keys[];

/* Torch's own float64 microseconds, added up in its order. */
struct top_float {
	double self_us, total_us;
};

/* All rows of the scope, and which of them to show in which order. */
struct top_rows {
	struct text_pool texts;   /* of names, shapes, stacks, overloads, threads, ... */
	struct opstats stats;     /* key.step is a number in `splits` */
	struct intern splits;     /* int64_t[NTOP_SPLITS]: a number, or a text's number */
	struct top_float *floats; /* owned, by row; NULL unless torch_times */
	struct top_tensor *tensor; /* owned, by row; NULL unless tensor_cores */
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
	enum top_column sorted_by;
};

/*
 * 0 with at least one row, or -1: ERR_EMPTY when nothing matched or when what was
 * asked for was not recorded.  top_release() frees, in both cases.
 */
int top_load(struct store *store, const struct scope *scope,
	     const struct top_query *query, struct top_rows *out, struct err *err);
void top_release(struct top_rows *rows);

/* Is it a time on the device? */
bool top_is_device_time(enum top_column column);
/*
 * What part of the time the rows to show make up: "93.1% of self CPU time", in the
 * arena; NULL when they are all rows there are.
 */
const char *top_shown_share(const struct top_rows *rows, struct arena *arena);
/* Is the row device work, or a label's span on a device? */
bool top_is_device_row(const struct top_rows *rows, uint32_t row);
/* A value of a row; text is borrowed from the rows. */
struct cell top_cell(const struct top_rows *rows, const struct scope *scope, uint32_t row,
		     enum top_column column);

/* How the table is drawn. */
struct top_style {
	bool people; /* shares and headings for people, what is empty left out */
	int width;   /* 0: unlimited */
};

/* The table of the rows; borrows all three.  table_free() frees it. */
struct table *top_table(const struct top_rows *rows, const struct scope *scope,
			const struct top_query *query, const struct top_style *style);

/*
 * --by annotation: labels with the host's time and the device work launched
 * inside them.  0 and *out, or -1.
 */
int top_annotations(struct store *store, const struct scope *scope,
		    const struct top_query *query, const struct top_style *style,
		    struct table **out, struct err *err);
extern const struct sort_key annotation_sort_keys[];

/* "12 ranks added up": a note for tables that sum over profiles; NULL for one. */
const char *top_scope_note(const struct scope *scope, struct arena *arena);
/* What --sort could not do, or does unseen: a note; NULL when all is well. */
const char *top_sort_note(const struct top_rows *rows, const struct scope *scope,
			  const struct top_query *query, struct arena *arena);

#endif
