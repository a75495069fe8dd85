/*
 * The modules of a report of DeepSpeed's FLOPs profiler, as stacks with three measures.
 * Inside the reader only.
 */
#ifndef PTOOL_INGEST_FLOPS_MODEL_H
#define PTOOL_INGEST_FLOPS_MODEL_H

#include "ingest/stacks.h"

#define FLOPS_NONE UINT32_MAX

enum flops_measure { FLOPS_TIME, FLOPS_MACS, FLOPS_PARAMS, NFLOPS };

/* What a module has of each measure, and from where to where what was rounded may be. */
struct flops_numbers {
	int64_t value[NFLOPS], least[NFLOPS], most[NFLOPS];
};

/* A module of the model; those within it follow it. */
struct flops_module {
	uint32_t stack, above; /* above: its place among the modules, or FLOPS_NONE */
	size_t indent;
	int64_t times, all_times; /* it is printed for so many, with those above it */
	bool has_numbers;         /* some kinds are printed without */
	bool is_closed;
	struct flops_numbers all, below; /* all: with what is below it */
	bool has_own[NFLOPS];            /* more than rounding explains is its own */
	int64_t shift[NFLOPS];           /* by which those below it are to be more */
	size_t at;
};

struct flops_model {
	struct stacks *stacks;        /* borrowed */
	struct flops_module *modules; /* owned */
	size_t nmodules, modules_cap;
	uint32_t innermost; /* of those that are open, or FLOPS_NONE */
	bool has_closed;    /* one of them at least */
};

void flops_model_init(struct flops_model *model, struct stacks *stacks);
void flops_model_release(struct flops_model *model);
/* The innermost module that is open, or NULL; borrowed until the next is opened. */
struct flops_module *flops_model_open(const struct flops_model *model);
/* All below: 0, or -1 with err set.  A module within the innermost; its stack is set. */
int flops_model_enter(struct flops_model *model, const struct flops_module *module,
		      struct str name, struct err *err);
/* One is open. */
int flops_model_leave(struct flops_model *model, struct err *err);
/* Behind the last: what each module has itself. */
int flops_model_tell(struct flops_model *model, struct err *err);

#endif
