/*
 * ptool FILE: the most important numbers of a scope on one screen, each read from the
 * table of the command that shows more.
 */
#ifndef PTOOL_QUERY_OVERVIEW_H
#define PTOOL_QUERY_OVERVIEW_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/memtable.h"
#include "query/scope.h"
#include "query/steps/step_parts.h"
#include "query/view.h"

enum overview_block {
	OVERVIEW_RECORDING,
	OVERVIEW_STEPS,
	OVERVIEW_PHASES,
	OVERVIEW_IDLE,
	OVERVIEW_OPERATORS,
	OVERVIEW_KERNELS,
	OVERVIEW_FUNCTIONS,
	OVERVIEW_MEMORY,
	OVERVIEW_FINDINGS,
	NOVERVIEW_BLOCKS
};

/* The columns of machine formats; the unit is a word of units_word(). */
enum {
	OVERVIEW_BLOCK,
	OVERVIEW_ITEM,
	OVERVIEW_VALUE,
	OVERVIEW_UNIT,
	OVERVIEW_SHARE, /* in percent of what the block is of; null: of nothing */
	OVERVIEW_COMMAND,
	NOVERVIEW_COLUMNS
};

/* Why it is slow, in a sentence, and what mending that is worth in another. */
struct overview_verdict {
	const char *sentence, *worth;
};

/* A step on the first device of the first recording that has steps. */
struct overview_step {
	int64_t number, start_ns, total_ns;
	int64_t category_ns[NSTEP_CATEGORIES]; /* they add up to the total */
};

/* What was read for the rows tells that, too; for who wants it. */
struct overview_more {
	struct arena arena; /* of the verdict's texts; the caller's to release */
	struct overview_verdict verdict;
	struct table *advice; /* as `ptool advise` for machines; NULL: not of traces */
	struct overview_step *steps; /* owned, the caller's to free */
	size_t nsteps, steps_cap;
};

struct overview_request {
	const char *name;      /* what people call the recording */
	const char *arguments; /* behind each command: "--rank 0 trace.json"; "": none */
	bool for_people;
	int width;                  /* of the terminal, 0: unlimited */
	struct overview_more *more; /* NULL: nobody wants it; zeroed before */
};

extern const struct view overview_view;

/* 0 and *out, which table_free() frees, or -1 with err set. */
int overview_open(struct store *store, const struct scope *scope,
		  const struct overview_request *request, struct table **out,
		  struct err *err);

/* "steps"; and the command that shows more. */
const char *overview_block_name(enum overview_block block);
const char *overview_block_command(enum overview_block block);

/* overview_people.c: at most 23 lines, as wide as the request, but at most 120 cells. */
struct table *overview_text(const struct memtable *rows,
			    const struct overview_request *request,
			    const struct scope *scope);

#endif
