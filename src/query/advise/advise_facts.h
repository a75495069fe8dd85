/*
 * What the rules of `ptool advise` judge by, of one profile: gathered when the first
 * rule asks, kept for the others.  All of it comes from the modules that the commands
 * of the same names use, so that no number is computed twice.  Nanoseconds.
 */
#ifndef PTOOL_QUERY_ADVISE_FACTS_H
#define PTOOL_QUERY_ADVISE_FACTS_H

#include <stdbool.h>

#include "base/memtable.h"
#include "query/devices/device_figures.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_blame.h"
#include "query/gaps/gap_ranks.h"
#include "query/gaps/gap_root.h"
#include "query/steps/steps.h"

/* Idle time of a device that lies in steps (in all of it, when there are none). */
struct fact_idle {
	int64_t ns[NGAP_CAUSES];      /* as in `ptool gaps`, */
	int64_t root_ns[NGAP_CAUSES]; /* and with --root */
	/* Charged to allocation with --root, in steps but the first. */
	int64_t later_allocation_ns;
	/* Of what the host did between launches, in gaps shorter than was asked for. */
	int64_t burst_ns[NGAP_CAUSES], burst_gaps;
};

struct fact_idles {
	struct fact_idle *devices; /* owned; by place; NULL: not made yet */
	int64_t burst_below_ns;
	int64_t steps;    /* recorded; 1 when there are none */
	int64_t steps_ns; /* what they last together */
};

/* A name of the operator table, whatever its arguments. */
struct fact_name {
	const char *name; /* in the arena */
	int64_t name_id, calls;
};

struct advise_facts {
	struct store *store;                 /* borrowed, as all down to ranks */
	const struct scope *scope;           /* of the command */
	const struct scope_profile *profile; /* NULL while rules of the run are asked */
	struct text_pool *texts;
	struct gap_ranks *ranks;
	struct scope own; /* of this profile alone; its texts are in the arena */
	struct arena arena;
	struct work_profile work;
	struct steps steps;
	struct memtable *devices;       /* columns of device_rows.h; NULL: not made yet */
	struct kernel_load *loads;      /* owned; by item; NULL: not read yet */
	struct device_figures *figures; /* owned; by device; NULL: not made yet */
	struct gap_range range;
	struct gap_blame blame;
	struct gap_roots roots;
	struct fact_idles idles;
	struct fact_name *names; /* owned */
	size_t nnames, names_cap;
	bool has_work, has_steps, has_blame, has_names;
};

/* Of another profile (NULL: of none); advise_facts_release() before, and at the end. */
void advise_facts_begin(struct advise_facts *f, const struct scope_profile *profile);
void advise_facts_release(struct advise_facts *f);

/* All of these: NULL with err set on failure.  Borrowed from the facts. */

/* Device work with its launches; n is 0 when there is none. */
const struct device_work *facts_work(struct advise_facts *f, struct err *err);
/* Rows as of `ptool steps`: devices one after the other, each with its mean. */
const struct steps *facts_steps(struct advise_facts *f, struct err *err);
/* Rows as of `ptool devices`. */
const struct memtable *facts_devices(struct advise_facts *f, struct err *err);
/* By device of the work, as of `ptool devices` without the kernels of collectives. */
const struct device_figures *facts_figures(struct advise_facts *f, struct err *err);
#define FACTS_ANY_BURST (-1)
/*
 * Idle time by cause.  A gap shorter than burst_below_ns may be of a burst; who does not
 * look at bursts says FACTS_ANY_BURST, and takes what is there.
 */
const struct fact_idles *facts_idles(struct advise_facts *f, int64_t burst_below_ns,
				     struct err *err);
/* Operators, labels and calls; *n of them. */
const struct fact_name *facts_names(struct advise_facts *f, size_t *n, struct err *err);

/* The mean of device `place`; NULL when there is none. */
const struct step_row *facts_mean(const struct steps *steps, size_t place);
/* For rows of a device: its number, or its text. */
struct cell facts_device_cell(const struct step_row *row);
/* 100 * part / whole; 0 of nothing. */
double facts_pct(int64_t part, int64_t whole);
/* Does anything say what launched the device work? */
bool facts_has_launches(const struct device_work *work);

#endif
