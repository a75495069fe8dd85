/*
 * What `ptool advise` has to say: findings of rules with their evidence, rules that
 * could not run, and how busy each device was.  All texts are owned by the list's arena.
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
	int64_t saving_ns;    /* at most, of a step; NUMBER_NONE: cannot be computed */
	int64_t of_ns;        /* the step (or recording) that it is saved of */
	const char *formula;  /* of saving_ns; NULL without it */
	bool is_whole;        /* it is saved of the whole recording, which has no steps */
	bool is_of_recording; /* another recording says more of the time, none saves it */
	const char *suggestion;
	bool is_gpu; /* the device is one */
	/* What tells apart findings of one rule on one device: a cause of idle time. */
	int about;
	struct advice_evidence *evidence; /* owned by the list */
	size_t nevidence, evidence_cap;
	size_t place; /* as they were found: what makes their order unique */
};

/* A rule that the recording does not let run. */
struct advice_lack {
	const struct rule *rule;
	const struct scope_profile *profile; /* NULL: of the run */
	const char *why;                     /* what is missing */
	const char *record; /* how to record it; NULL: it cannot be recorded */
	bool of_slices;     /* it was recorded, and is not in the store */
};

/* How busy a device was, or a host without device work. */
struct advice_view {
	const struct scope_profile *profile;
	struct cell device;  /* null: the host */
	int64_t steps;       /* 0: the recording has none */
	int64_t window_ns;   /* all steps together, or the recording */
	int64_t busy_ns;     /* of it; of a host: operators ran */
	bool is_gpu;         /* else another accelerator, or the host */
	const char *longest; /* of a host: the operator that takes most; NULL: none */
	const char *unfit;   /* why it cannot be judged; NULL: it can; in the arena */
};

struct advice_list {
	struct advice *items; /* owned */
	size_t n, cap;
	struct advice_lack *lacks; /* owned */
	size_t nlacks, lacks_cap;
	struct advice_view *views; /* owned */
	size_t nviews, views_cap;
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
 * A finding of the rule on the profile of its facts, of low severity and without a
 * saving.  Borrowed until the next one is added.
 */
struct advice *advice_add(const struct rule_run *run, struct cell device,
			  const char *suggestion, const char *finding, ...)
	__attribute__((format(printf, 4, 5)));
void advice_evidence(const struct rule_run *run, const char *item, enum unit unit,
		     struct cell value);
/*
 * What the newest finding could save of a step that takes of_ns, which is its severity:
 * high from a tenth, medium from a twentieth.
 */
void advice_save(const struct rule_run *run, int64_t ns, int64_t of_ns,
		 const char *formula);
/* The rule cannot run; the texts are literals.  0, for who returns it. */
int advice_lacks(const struct rule_run *run, const char *why, const char *record);
/* It reads slices, which are not in the store; 0. */
int advice_lacks_slices(const struct rule_run *run);
/* Is there a rule for want of slices alone? */
bool advice_has_unexamined(const struct advice_list *list);
void advice_add_view(struct advice_list *list, const struct advice_view *view);

/*
 * Leaves out findings whose rule yields to that of others on the same time; then high
 * severity first, then those that could save most, then in the order of rules.
 */
void advice_settle(struct advice_list *list);

const char *advice_severity_name(enum advice_severity severity);

#endif
