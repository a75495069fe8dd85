/*
 * What `ptool advise` has to say: findings of rules with their evidence, and rules that
 * could not run.  All texts are owned by the list's arena.
 */
#ifndef PTOOL_QUERY_ADVICE_H
#define PTOOL_QUERY_ADVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"
#include "query/advise/rules.h"
#include "query/scope.h"

enum advice_severity { ADVICE_LOW, ADVICE_MEDIUM, ADVICE_HIGH, NADVICE_SEVERITIES };

/* A measured number that the finding rests on. */
struct advice_evidence {
	const char *item; /* "data_loading_ns": machine spelling, with its unit */
	struct cell value;
	enum unit unit;
};

struct advice {
	const struct rule *rule;
	const struct scope_profile *profile; /* NULL: of the run */
	struct cell device; /* null: of none; a text where the device has no number */
	enum advice_severity severity;
	const char *finding;
	int64_t saving_ns;   /* at most, of a step; NUMBER_NONE: cannot be told */
	const char *formula; /* of saving_ns; NULL without it */
	bool is_whole;       /* it is saved of the whole recording, which has no steps */
	const char *suggestion;
	struct advice_evidence *evidence; /* owned by the list */
	size_t nevidence, evidence_cap;
	size_t place; /* as they were found: what makes their order unique */
};

/* A rule that the recording does not let run. */
struct advice_lack {
	const struct rule *rule;
	const struct scope_profile *profile; /* NULL: of the run */
	const char *why, *record;            /* what lacks; how to record it */
};

struct advice_list {
	struct advice *items; /* owned */
	size_t n, cap;
	struct advice_lack *lacks; /* owned */
	size_t nlacks, lacks_cap;
	size_t asked; /* rules, of each profile; nlacks of them could not run */
	struct arena arena;
};

/* One rule at work; all borrowed. */
struct rule_run {
	const struct rule *rule;
	const double *values; /* of its parameters */
	struct advise_facts *facts;
	struct advice_list *out;
};

/* Zeroed it is empty. */
void advice_list_release(struct advice_list *list);

/*
 * A finding of the rule on the profile of its facts, of medium severity and without a
 * saving.  Borrowed until the next one is added.
 */
struct advice *advice_add(const struct rule_run *run, struct cell device,
			  const char *suggestion, const char *finding, ...)
	__attribute__((format(printf, 4, 5)));
void advice_evidence(const struct rule_run *run, const char *item, enum unit unit,
		     struct cell value);
/*
 * What the newest finding could save of a step that takes of_ns: a tenth of it is of
 * high severity, less than a fiftieth of low.
 */
void advice_save(const struct rule_run *run, int64_t ns, int64_t of_ns,
		 const char *formula);
/* The rule cannot run; the texts are literals.  0, for who returns it. */
int advice_lacks(const struct rule_run *run, const char *why, const char *record);

/* High severity, then those that could save most, then in the order of rules. */
void advice_sort(struct advice_list *list);

const char *advice_severity_name(enum advice_severity severity);

#endif
