/*
 * The call graph of a profile in memory: functions, what each took, and what its
 * calls from each caller took.  Part of the model (model.h), filled through the
 * loader's sink.
 */
#ifndef PTOOL_STORE_FUNCTIONS_H
#define PTOOL_STORE_FUNCTIONS_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/spelt.h"
#include "trace/fact.h"

struct spill;

/* 40 bytes; NUMBER_NONE and TEXT_NONE where there is none. */
struct sums_rec {
	int64_t calls, primitive;
	double self_s, total_s;              /* undefined without times ... */
	uint32_t calls_text, primitive_text; /* digits, of counts beyond int64 */
};

struct function_rec {
	int64_t line;
	uint32_t file, name; /* texts */
	uint32_t stat;       /* index of its row, or ROW_NONE */
};

struct stat_rec {
	struct sums_rec sums;
	uint32_t function;
	uint32_t first, n; /* its calls, in `calls` */
};

struct call_rec {
	struct sums_rec sums;
	uint32_t caller, callee; /* functions; caller ROW_NONE: replaced by a later one */
	bool has_times;
};

/* Zeroed is empty, but for the keys. */
struct functions {
	struct spill *spill; /* borrowed, or NULL: where it lies */
	struct intern keys;  /* of function_facts as bytes; numbers are indexes */
	struct buf key;      /* of the newest */
	struct function_rec *functions;
	size_t nfunctions, functions_cap;
	struct stat_rec *stats;
	size_t nstats, stats_cap;
	struct call_rec *calls;
	size_t ncalls, calls_cap;
	/* The newest call of each caller, to find one that is given twice. */
	uint32_t *newest;
	size_t newest_cap;
	bool has_dead; /* some calls were replaced */
	struct line_fact *lines;
	size_t nlines, lines_cap;
	bool *is_used; /* by text: a function has it; owned */
	size_t is_used_cap;
	struct spelt spelt; /* long texts of further functions that have them */
};

void functions_init(struct functions *f, struct spill *spill);
void functions_release(struct functions *f);
/*
 * The number of a function; the same facts give the same number.  Each answer spells file
 * and name of each function: beyond what spelt.h lets texts that functions share take, they
 * are cut, and *is_cut is set.
 */
uint32_t functions_add(struct functions *f, struct intern *texts,
		       const struct function_fact *given, bool *is_cut);
/* Adds a row, true; or puts it where that function's row was: false. */
bool functions_stat(struct functions *f, struct intern *texts,
		    const struct function_stat_fact *stat);
/* Adds calls to the newest row, which is the callee's. */
void functions_call(struct functions *f, struct intern *texts,
		    const struct call_fact *call);
void functions_line(struct functions *f, const struct line_fact *line);
/* Behind the last: calls that were replaced go. */
void functions_settle(struct functions *f);
/* What all functions took themselves; where that is not recorded, the longest one. */
int64_t functions_dur_ns(const struct functions *f);

#endif
