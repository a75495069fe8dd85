/*
 * How the first screen is made, for the files of this folder: rows are added block by
 * block, most of what the rules of `ptool advise` have read.
 */
#ifndef PTOOL_QUERY_OVERVIEW_MAKE_H
#define PTOOL_QUERY_OVERVIEW_MAKE_H

#include "query/advise/advise.h"
#include "query/gaps/gap_cause.h"
#include "query/memory/memory_peak.h"
#include "query/overview/overview.h"
#include "query/steps/steps.h"
#include "query/steps/steps_by_phase.h"

struct overview_peak {
	const char *device;
	int64_t bytes;
};

/* What the first screen wants of the facts of all profiles. */
struct overview_facts {
	struct advice_list advice;
	struct step_row mean; /* the first, when has_mean; its texts are gone */
	bool has_mean;
	/* Of the first profile whose steps have phases. */
	struct phase_row phases[NENGINE_PHASES];
	size_t nphases;
	struct overview_more *more; /* whose steps are wanted; or NULL */
	int64_t cause_ns[NGAP_CAUSES], idle_ns, span_ns; /* of all devices */
	struct intern ranks;   /* scope_is_new_rank() of devices */
	int64_t devices;       /* that did work; of a rank each once */
	struct intern kernels; /* names; by their numbers: */
	int64_t *kernel_ns;    /* owned */
	size_t kernels_cap;
	int64_t all_kernels_ns;
	struct overview_peak *peaks; /* owned; of memory, by profile and device */
	size_t npeaks, peaks_cap;
	struct intern device_names;
	struct arena arena; /* texts of these */
};

struct overview_making {
	struct store *store;
	const struct scope *scope;
	const struct overview_request *request;
	struct memtable *out;
	enum overview_block block;   /* of the rows that are added */
	struct overview_facts facts; /* of traces */
};

void overview_add(struct overview_making *m, struct str item, enum unit unit,
		  struct cell value, struct cell share);

/* overview_facts.c: reads all profiles once. */
int overview_facts_load(struct overview_making *m, struct err *err);
void overview_facts_release(struct overview_making *m);
/* As `ptool steps --by phase` has them. */
int overview_add_phases(struct overview_facts *to, struct store *store,
			const struct steps *steps, struct err *err);
void overview_add_device(struct overview_facts *to, const struct scope_profile *profile,
			 struct cell device);
void overview_add_device_name(struct overview_facts *to, const char *name);
void overview_add_peak(struct overview_facts *to, const struct memory_device *device,
		       const struct memory_peak *peak);
/*
 * overview_parts.c: the same from summaries, where the slices of a profile are not there;
 * no findings.
 */
int overview_parts_load(struct overview_making *m, struct err *err);

/* The blocks.  0, also where the recording has nothing of it, or -1 with err set. */
int overview_steps(struct overview_making *m, struct err *err);
int overview_phases(struct overview_making *m, struct err *err);
int overview_idle(struct overview_making *m, struct err *err);
int overview_kernels(struct overview_making *m, struct err *err);
int overview_memory(struct overview_making *m, struct err *err);
int overview_findings(struct overview_making *m, struct err *err);
/* overview_tables.c: of the tables of other commands. */
int overview_recording(struct overview_making *m, struct err *err);
int overview_operators(struct overview_making *m, struct err *err);
int overview_functions(struct overview_making *m, struct err *err);
/* Of mprof, and of profiles of lines that tell memory. */
int overview_sampled_memory(struct overview_making *m, struct err *err);

#endif
