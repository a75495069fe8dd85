/*
 * A profile of Firefox's profiler while it is read: tables of columns, as texts and as
 * numbers, and what the sink calls their rows.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_GECKO_H
#define PTOOL_INGEST_GECKO_H

#include "ingest/json.h"
#include "ingest/stacks.h"

#define GECKO_UNKNOWN (UINT32_MAX - 1) /* not looked for yet; SAMPLE_NONE: nothing */

/* The columns that say what stacks are; all hold places in other tables, or lines. */
enum gecko_column_id {
	GECKO_STACK_PREFIX,
	GECKO_STACK_FRAME,
	GECKO_FRAME_FUNC,
	GECKO_FRAME_LOCATION, /* a text: before the profile was processed */
	GECKO_FRAME_LINE,
	GECKO_FUNC_NAME,
	GECKO_FUNC_FILE,
	GECKO_FUNC_SOURCE,
	GECKO_FUNC_RESOURCE,
	GECKO_FUNC_LINE,
	GECKO_RESOURCE_NAME,
	GECKO_SOURCE_FILE,
	NGECKO_COLUMNS
};

struct gecko_column {
	int64_t *at; /* owned; NUMBER_NONE where it is null */
	size_t n, cap;
};

struct gecko_string {
	struct str raw;    /* borrowed, escapes not undone */
	uint32_t text;     /* the sink's number, or GECKO_UNKNOWN */
	uint32_t function; /* of the location that it is: likewise, or SAMPLE_NONE */
	bool is_root;      /* known if `text` is */
};

struct gecko_tables {
	struct gecko_column columns[NGECKO_COLUMNS];
	struct gecko_string *strings; /* owned */
	size_t nstrings, strings_cap;
	unsigned of_tables; /* bits of the columns whose tables have rows */
	bool has_tables, has_strings;
	uint32_t *stacks, *frames; /* owned: the sink's numbers, by row */
	uint8_t *is_open;          /* owned: stacks whose numbers are looked for */
};

/* What of a file all threads need. */
struct gecko {
	struct stacks stacks;
	struct str text;             /* the whole file */
	struct gecko_tables *shared; /* of threads that have none of their own */
	int cpu_digits; /* threadCPUDelta is in units of 10^-digits ns; -1: none */
	bool is_cpu_cycles;
	struct buf name;
	uint64_t nsamples;  /* that were told */
	uint64_t thread_at; /* where the thread that is read begins */
	bool has_markers, has_allocations;
};

/* Samples as the file has them; columns may be empty. */
struct gecko_samples {
	struct gecko_column stack, time_ns, weight, cpu;
	enum sample_unit unit; /* of the weights */
};

/* -1 with what is wrong at a place of the text. */
int gecko_bad(const struct gecko *g, const char *at, const char *what, struct err *err);
/*
 * Calls `each` for every member of an object or, with an empty key, element of an array: only
 * complete values.  0, or -1 with err set, also by `each`.
 */
typedef int gecko_each(struct gecko *g, struct str key, const struct json_value *value,
		       void *to, struct err *err);
int gecko_members(struct gecko *g, struct str object, gecko_each *each, void *to,
		  struct err *err);

/* Takes a member of a thread, or of what threads share, if it is one of the tables. */
int gecko_take_table(struct gecko *g, struct gecko_tables *tables, struct str key,
		     const struct json_value *value, struct err *err);
void gecko_release_tables(struct gecko_tables *tables);
/* Fills *samples, which gecko_release_samples() frees.  0, or -1 with err set. */
int gecko_take_samples(struct gecko *g, struct str table, struct gecko_samples *samples,
		       struct err *err);
void gecko_release_samples(struct gecko_samples *samples);

/*
 * Do columns of one table have as many rows, and is what threads share not asked for too
 * often?  0, or -1 with err set.
 */
int gecko_check(struct gecko *g, const struct gecko_tables *own, struct err *err);
/*
 * The sink's number of a row of the stack table; `own` tables go before the shared ones.
 * SAMPLE_NONE: the empty stack.
 */
int gecko_stack(struct gecko *g, struct gecko_tables *own, int64_t row, uint32_t *stack,
		struct err *err);
/* A thread's text.  offset_ns: of its process's clock. */
int gecko_read_thread(struct gecko *g, struct str thread, int64_t offset_ns,
		      struct err *err);

#endif
