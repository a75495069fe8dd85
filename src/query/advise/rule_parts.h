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

/* The value of a parameter of the rule. */
double rule_value(const struct rule_run *run, const char *parameter);
/* "each step", "the step" where there is one, or "the recording" where it has no steps; facts_window() was called. */
const char *rule_whole(const struct rule_run *run);
/* "GPU", or "device" of another accelerator. */
const char *rule_device_word(const struct rule_run *run);
/* What to try: in PyTorch, or what holds in JAX and TensorFlow where these recorded. */
const char *rule_try(const struct rule_run *run, const char *torch, const char *xprof);
/* Likewise, or what the user of an inference engine can try: its code is not theirs. */
const char *rule_try_serving(const struct rule_run *run, const char *serving,
			     const char *torch, const char *xprof);
/* A mean step, or the recording. */
int64_t rule_step_ns(const struct rule_run *run);
/* The part of a sum over the window that is of one step. */
int64_t rule_per_step(const struct rule_run *run, int64_t ns);
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
	const char *ns_item, *pct_item, *suggestion;
	const char *formula; /* NULL: what it could save is not known */
	int64_t less_ns;     /* of it, what costs nothing */
};

/* A finding when it is more than min_pct of the step.  FACT_STEPS. */
void rule_judge_share(const struct rule_run *run, const struct rule_share *share);

/* The name, of at most 48 cells; in the list's arena, as those below. */
const char *rule_name(const struct rule_run *run, struct str name);
/* " (mostly NAME)", of at most 60 bytes; empty without a name.  In the list's arena. */
const char *rule_culprit(const struct rule_run *run, struct str name);
/* "149.2 us", in the list's arena. */
const char *rule_ns_text(const struct rule_run *run, int64_t ns);
/* "3,487", likewise. */
const char *rule_count_text(const struct rule_run *run, int64_t n);
/* "3 in 5 steps", of the whole window: of a step there may be less than one. */
const char *rule_in_steps(const struct rule_run *run, int64_t n);

/* Calls of names that begin so. */
int64_t rule_calls(const struct advise_facts *f, const char *prefix);
/* Adam, AdamW, Adagrad or SGD with fused=True. */
bool rule_has_fused_optimizer(const struct advise_facts *f);

/*
 * Self time of the operators that are wanted, in all steps together, without what is
 * known to pass beside data loading and communication; and their calls.
 */
struct rule_operators {
	int64_t ns, calls, all_ns, all_calls;
	const struct fact_name *most; /* of those wanted, the one with most; NULL: none */
};
struct rule_operators rule_operators(const struct fact_name *names, size_t n,
				     bool (*is_wanted)(const struct fact_name *name));
bool rule_any_operator(const struct fact_name *name);
/* Evidence "<item>_ns" and "<item>_pct", of a mean step, and the saving. */
void rule_add_operators(const struct rule_run *run, const char *item, int64_t ns,
			const char *formula);

#endif
