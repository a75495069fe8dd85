/* What rules of steps and devices have in common. */
#ifndef PTOOL_QUERY_RULE_PARTS_H
#define PTOOL_QUERY_RULE_PARTS_H

#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"

#define RULE_CAUSE(cause) (UINT64_C(1) << (cause))
/* What the host does between launches, and the launch itself. */
#define RULE_HOST_CAUSES                                                              \
	(RULE_CAUSE(GAP_OPTIMIZER) | RULE_CAUSE(GAP_OPERATOR) |                       \
	 RULE_CAUSE(GAP_ANNOTATION) | RULE_CAUSE(GAP_PYTHON) | RULE_CAUSE(GAP_CALL) | \
	 RULE_CAUSE(GAP_LATENCY))

/* "each step", "the step" where there is one, or "the recording" where it has no steps; facts_window() was called. */
const char *rule_whole(const struct rule_run *run);
/* "GPU", or "device" of another accelerator. */
const char *rule_device_word(const struct rule_run *run);
/* A mean step, or the recording. */
int64_t rule_step_ns(const struct rule_run *run);
/* The part of a sum over the window that is of one step. */
int64_t rule_per_step(const struct rule_run *run, int64_t ns);
/* Judges each device by what it did in the window; as a rule's check() returns. */
int rule_each_device(const struct rule_run *run,
		     void (*judge)(const struct rule_run *run,
				   const struct work_device *device,
				   const struct fact_use *use),
		     struct err *err);
/* Evidence that the others are shares of: steps and mean length. */
void rule_add_window(const struct rule_run *run);
/* Evidence of a mean step; ns is of the whole window, as in rule_add_share(). */
void rule_add_ns(const struct rule_run *run, const char *item, int64_t ns);
/* Evidence `item` and the share of the window that it is, and its saving. */
void rule_add_share(const struct rule_run *run, const char *item, int64_t ns,
		    const char *pct_item, const char *formula);

/* A category of the mean step that is too large a part of it. */
struct rule_share {
	enum step_category category;
	const char *finding; /* after "33.4% of each step: " */
	const char *ns_item, *pct_item, *formula, *suggestion;
};

/* A finding when it is more than min_pct of the step; as a rule's check() returns. */
int rule_judge_share(const struct rule_run *run, const struct rule_share *share,
		     double min_pct, struct err *err);

/* The name, of at most 48 cells; in the list's arena, as those below. */
const char *rule_name(const struct rule_run *run, struct str name);
/* " (mostly NAME)", of at most 60 bytes; empty without a name.  In the list's arena. */
const char *rule_culprit(const struct rule_run *run, struct str name);
/* "149.2 us", in the list's arena. */
const char *rule_ns_text(const struct rule_run *run, int64_t ns);

/* A number of a row by its column's name; NUMBER_NONE: null, or no such column. */
int64_t rule_number(const struct table *t, const struct cell *cells, const char *column);
/* Likewise a text; empty: none. */
struct str rule_text(const struct table *t, const struct cell *cells, const char *column);
/* "cuda:1" of `ptool memory` is device 1; the CPU, and what has no number, its text. */
struct cell rule_memory_device(struct str name, struct arena *arena);
/* Calls of names that begin so. */
int64_t rule_calls(const struct fact_name *names, size_t n, const char *prefix);

/* Self time of the operators that are wanted, in all steps together, and their calls. */
struct rule_operators {
	int64_t ns, calls, all_ns, all_calls;
	const struct fact_name *most; /* of those wanted, the one with most; NULL: none */
};
struct rule_operators rule_operators(const struct fact_name *names, size_t n,
				     bool (*is_wanted)(const struct fact_name *name));
bool rule_any_operator(const struct fact_name *name);
/* Of host-copies and host-reads, and of no other rule. */
bool rule_is_copy(const struct fact_name *name);
bool rule_is_read(const struct fact_name *name);
/*
 * Their share of the time in which any operator runs, of a mean step, in ns: threads
 * may run several at once.  -1 with err set.
 */
int64_t rule_operators_ns(const struct rule_run *run, const struct rule_operators *of,
			  struct err *err);
/* Evidence "<item>_ns" and "<item>_pct", of a mean step, and the saving. */
void rule_add_operators(const struct rule_run *run, const char *item, int64_t ns,
			const char *formula);

/* Operators that take too large a part of the step. */
struct rule_operator_share {
	bool (*is_wanted)(const struct fact_name *name);
	const char *finding; /* after "12.3% of each step goes to " */
	const char *item, *suggestion;
};

/* A finding when they take more than min_pct of it; as a rule's check() returns. */
int rule_judge_operators(const struct rule_run *run,
			 const struct rule_operator_share *share, double min_pct,
			 struct err *err);

#endif
