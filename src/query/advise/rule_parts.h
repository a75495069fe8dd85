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
/* Evidence that the others are shares of: steps and mean length. */
void rule_add_step(const struct rule_run *run, const struct step_row *mean);
/* The same of idle time, which counts by the host's ranges of all steps. */
void rule_add_steps(const struct rule_run *run, const struct fact_idles *idles);

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
/* Calls of names that begin so. */
int64_t rule_calls(const struct fact_name *names, size_t n, const char *prefix);

#endif
