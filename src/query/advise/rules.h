/*
 * The rules of `ptool advise`: each looks at one thing, and says that it is a problem,
 * that it is none, or that the recording cannot tell.  A new rule is a row and a function
 * that judges, in the rules_<what>.c that fits, and its name in rules.c.
 */
#ifndef PTOOL_QUERY_RULES_H
#define PTOOL_QUERY_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define RULE_PARAMETERS_MAX 3
#define RULE_YIELDS_MAX     10

struct rule_run;    /* query/advise/advice.h */
struct rule_device; /* query/advise/advise_facts.h */

struct rule_parameter {
	const char *name; /* with its unit: "min_pct"; NULL after the last */
	double value;     /* unless the user says otherwise; 0 or more */
	const char *help; /* "share of the step that is no problem yet" */
};

/* What a recording must hold for a rule to run: bits. */
enum rule_need {
	NEED_STEPS = 1,      /* steps, operators or device work */
	NEED_NAMES = 2,      /* operators */
	NEED_WORK = 4,       /* device work */
	NEED_RUN = 8,        /* device work that ran: no graph was captured instead */
	NEED_ENOUGH = 16,    /* enough device work to judge how the device is used */
	NEED_LAUNCHES = 32,  /* the calls that launch device work */
	NEED_HOST_ONLY = 64, /* no device work: other recordings are not asked */
	NEED_SHAPES = 128,   /* shapes of operators */
	NEED_MEMORY = 256,   /* memory events */
};

/*
 * What is read before a rule judges: bits.  Work, window, uses, names and launches of a
 * profile always are.
 */
enum rule_fact {
	FACT_STEPS = 1,
	FACT_IDLES = 2,
	FACT_LOADS = 4,
	FACT_FIGURES = 8,
	FACT_DEVICES = 16,
	FACT_BUFFERS = 32,
	FACT_MEMORY = 64,
};

#define RULE_SHARE_OF_STEPS(pct)                                                  \
	{                                                                         \
		{                                                                 \
			"min_pct", (pct), "share of the steps that is acceptable" \
		}                                                                 \
	}

struct rule {
	const char *name;   /* what --rule takes */
	const char *title;  /* what people see in front of a finding */
	const char *looks;  /* what it looks at, and when it fires: sentences */
	const char *source; /* where the threshold comes from: a sentence */
	struct rule_parameter parameters[RULE_PARAMETERS_MAX + 1];
	unsigned needs; /* bits of enum rule_need */
	unsigned facts; /* bits of enum rule_fact */
	/*
	 * Does the recording tell?  Where not, `lacks` is why, and `record` how it would;
	 * `record_xprof` in JAX and TensorFlow.  NULL: nothing is known to help.
	 */
	bool (*can_tell)(const struct rule_run *run);
	const char *lacks, *record, *record_xprof;
	/* Causes of idle time (bits: 1 << enum gap_cause) that this rule reports. */
	uint64_t causes;
	/*
	 * Rules that see the same time and say more of it.  A finding of this rule is
	 * left out when theirs, of the same device, save at least half as much; those of
	 * rules of the run count for the other ranks.
	 */
	const char *yields_to[RULE_YIELDS_MAX]; /* NULL after the last one */
	bool of_summaries;                      /* needs no slices: advise_stored.h */
	bool is_of_run; /* asked once of all profiles, not once of each */
	/* One of these: of each device of the profile; of the profile; ... */
	void (*each_device)(const struct rule_run *run, const struct rule_device *on);
	void (*judge)(const struct rule_run *run);
	/* ... of either, where more is read: 0, whatever it found; -1 with err set. */
	int (*check)(const struct rule_run *run, struct err *err);
};

/* NULL-terminated, in the order of help. */
extern const struct rule *const rules[];
/* NULL when there is none. */
const struct rule *rule_find(const char *name);
/* Its place in rules[]. */
int rule_place(const struct rule *rule);
size_t rule_count(void);
/* Does it say that it yields to the other? */
bool rule_yields_to(const struct rule *rule, const struct rule *other);
/* The place of a parameter by its name of n bytes; RULE_PARAMETERS_MAX: it has none such. */
size_t rule_parameter_find(const struct rule *rule, const char *name, size_t n);

#endif
