/*
 * The rules of `ptool advise`: each looks at one thing, and says that it is a problem,
 * that it is none, or that the recording cannot tell.  A new rule is one file
 * rule_<name>.c and one row in rules.c.
 */
#ifndef PTOOL_QUERY_RULES_H
#define PTOOL_QUERY_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define RULE_PARAMETERS_MAX 3

struct rule_run; /* query/advice.h */

struct rule_parameter {
	const char *name; /* with its unit: "min_pct"; NULL behind the last */
	double value;     /* unless the user says otherwise; 0 or more */
	const char *help; /* "share of the step that is no problem yet" */
};

struct rule {
	const char *name;   /* what --rule takes */
	const char *title;  /* what people see above a finding */
	const char *looks;  /* what it looks at, and when it fires: sentences */
	const char *source; /* where the threshold comes from: a sentence */
	struct rule_parameter parameters[RULE_PARAMETERS_MAX + 1];
	bool is_of_run; /* asked once of all profiles, not once of each */
	/* 0, whatever it found; -1 with err set. */
	int (*check)(const struct rule_run *run, struct err *err);
};

/* NULL-terminated, in the order of help. */
extern const struct rule *const rules[];
/* NULL when there is none. */
const struct rule *rule_find(const char *name);
/* Its place in rules[]. */
int rule_place(const struct rule *rule);
size_t rule_count(void);
/* The place of a parameter by its name of n bytes; RULE_PARAMETERS_MAX: it has none such. */
size_t rule_parameter_find(const struct rule *rule, const char *name, size_t n);

#endif
