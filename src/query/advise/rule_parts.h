/* What rules of steps and devices have in common. */
#ifndef PTOOL_QUERY_RULE_PARTS_H
#define PTOOL_QUERY_RULE_PARTS_H

#include "query/advise/advice.h"
#include "query/advise/advise_facts.h"

/* Reasons why a rule cannot run, with how to record what lacks; 0. */
int rule_lacks_steps(const struct rule_run *run);
int rule_lacks_work(const struct rule_run *run);
int rule_lacks_launches(const struct rule_run *run);
int rule_lacks_names(const struct rule_run *run);

/* "the step", or "the recording" where it has no steps. */
const char *rule_step_word(const struct step_row *mean);
/* "the steps", or "the recording", of what is measured from the first step to the last. */
const char *rule_steps_word(const struct rule_run *run);
/* Evidence that the others are shares of: steps and mean length. */
void rule_add_step(const struct rule_run *run, const struct step_row *mean);
/* The same of idle time, which counts by the host's ranges of all steps. */
void rule_add_steps(const struct rule_run *run, const struct fact_idles *idles);

/* A category of the mean step that is too large a part of it. */
struct rule_share {
	enum step_category category;
	const char *what; /* "data loading, while no device works" */
	const char *ns_item, *pct_item, *formula, *suggestion;
};

/* A finding when it is more than min_pct of the step; as a rule's check() returns. */
int rule_judge_share(const struct rule_run *run, const struct rule_share *share,
		     double min_pct, struct err *err);

/*
 * The idle time that can be judged: with device work and launches, else NULL, which is
 * told, or with err->kind set.
 */
const struct fact_idles *rule_idles(const struct rule_run *run, int64_t burst_below_ns,
				    struct err *err);
/* A number of a row by its column's name; NUMBER_NONE: null, or no such column. */
int64_t rule_number(const struct table *t, const struct cell *cells, const char *column);
/* Likewise a text; empty: none. */
struct str rule_text(const struct table *t, const struct cell *cells, const char *column);
/* "cuda:1" of `ptool memory` is device 1; the CPU, and what has no number, its text. */
struct cell rule_memory_device(struct str name, struct arena *arena);
/* Calls of names that begin so. */
int64_t rule_calls(const struct fact_name *names, size_t n, const char *prefix);

#endif
