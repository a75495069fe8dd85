/*
 * What the rules of `ptool advise` judge by, of one profile: gathered when the first
 * rule asks, kept for the others.  All of it comes from the modules that the commands
 * of the same names use, so that no number is computed twice, and all of it is of one
 * window: the host's ranges of the steps, or the whole recording where there are none.
 * Nanoseconds.
 */
#ifndef PTOOL_QUERY_ADVISE_FACTS_H
#define PTOOL_QUERY_ADVISE_FACTS_H

#include <stdbool.h>

#include "base/memtable.h"
#include "query/advise/ddp_buffers.h"
#include "query/advise/rules.h"
#include "query/devices/device_figures.h"
#include "query/devices/device_properties.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_blame.h"
#include "query/gaps/gap_ranks.h"
#include "query/gaps/gap_read.h"
#include "query/memory/memory_peak.h"
#include "query/steps/step_windows.h"
#include "query/steps/steps.h"

/* The time that is judged. */
struct fact_window {
	struct step_windows steps;
	struct intervals when; /* a set: when any step is open */
	int64_t ns;            /* its length */
	int64_t nsteps;        /* recorded; 1 when there are none: */
	bool is_single;        /*   the whole recording is one */
	bool is_serving;       /* steps of an inference engine */
};

/* What a device did in the window. */
struct fact_use {
	int64_t busy_ns, kernel_ns; /* any work ran; any kernel but collectives ran */
	int64_t kernel_sum_ns;      /* of these kernels: more, where some ran at once */
	size_t pieces;              /* of work that have a part there; */
	bool is_at_most; /* so many, as a summary counts those of all devices */
};

/* Idle time of a device in the window, charged as with `ptool gaps --root`. */
struct fact_idle {
	int64_t ns[NGAP_CAUSES], all_ns;
	int64_t later_allocation_ns; /* charged to allocation after the first step */
};

/* The peak of a device's memory, as of `ptool memory`: only what a summary has, too. */
struct fact_peak {
	struct memory_device device;
	struct memory_peak peak;
};

struct advise_stored; /* query/advise/advise_stored.h */

/* A name of the operator table, whatever its arguments. */
struct fact_name {
	const char *name; /* in the arena */
	int64_t name_id, calls;
	/* Of operators, in steps (in all of the recording when there are none). */
	int64_t step_calls, self_ns;
	int64_t beside_ns; /* of self_ns: its own thread loads data or communicates */
	bool is_operator;  /* by its name: labels have no namespace; of those that
			    * communicate not where f->beside is known */
};

/*
 * Of recordings of the host alone that load data or communicate, from slices: operators
 * in steps, on any thread.  They run while their thread does not communicate.
 */
struct fact_beside {
	int64_t threads_ns, any_ns; /* summed over threads; while any thread runs one */
	int64_t communication_ns;   /* of any_ns, while any thread communicates */
	int64_t outside_ns;         /* as any_ns, of threads that load no data then */
	int64_t loading_ns;         /* of outside_ns, while others do */
	bool is_known;
};

struct advise_facts {
	struct store *store;                 /* borrowed, as all down to ranks */
	const struct scope *scope;           /* of the command */
	const struct scope_profile *profile; /* NULL while rules of the run are asked */
	struct text_pool *texts;
	struct gap_ranks *ranks;
	struct advise_stored *stored; /* borrowed; NULL: slices are read */
	struct scope own; /* of this profile alone; its texts are in the arena */
	struct arena arena;
	struct work_profile work;
	uint8_t *
		words; /* owned; of kernels, by the number of their name: kernel_words() */
	struct fact_window window;
	struct fact_use *uses; /* owned; by device; NULL: not made yet */
	struct steps steps;
	struct memtable *devices;  /* columns of device_rows.h; NULL: not made yet */
	struct kernel_load *loads; /* owned; by item; NULL: not read yet */
	struct device_properties_list properties; /* when has_properties */
	struct device_figures *figures; /* owned; by device; NULL: not made yet */
	struct gap_range range;
	struct gap_blame blame;
	struct gap_roots roots;
	struct gap_reader reader; /* of that, charged to roots */
	struct fact_idle *idles;  /* owned; by device; NULL: not made yet */
	struct fact_name *names;  /* owned */
	size_t nnames, names_cap;
	struct fact_call *calls; /* owned */
	size_t ncalls, calls_cap;
	struct fact_beside beside;
	struct intervals others; /* data is loaded, or ranks communicate; when is_known */
	struct fact_buffers buffers;
	struct memory_events memory;
	struct device_launches launches;
	struct fact_peak *peaks; /* owned */
	size_t npeaks, peaks_cap;
	bool has_launches, has_buffers, has_properties, has_peaks;
	/* Where summaries are read: there are rows; any device ran a collective. */
	bool has_rows, has_collectives;
	bool is_cut;       /* no work of a device that was there was recorded */
	bool is_gpu;       /* has_work: facts_read_profile() */
	int64_t run_ranks; /* likewise: of the whole run, whatever the scope */
	bool has_work, has_window, has_steps, has_blame, has_names, has_calls, has_memory;
};

/* A device, for rules that judge each. */
struct rule_device {
	size_t place; /* of the work, uses, idles and figures */
	const struct work_device *device;
	const struct fact_use *use;
	struct cell cell; /* for findings */
};

/* What the name of this piece of work says: bits of kernel_words.h. */
static inline unsigned fact_words(const struct advise_facts *f,
				  const struct work_item *item)
{
	return item->name == TEXT_NONE ? 0 : f->words[item->name];
}

/* Reads what a rule asks for (bits of enum rule_fact).  -1 with err set. */
int facts_load(struct advise_facts *f, unsigned wanted, struct err *err);

/* Of another profile (NULL: of none); advise_facts_release() before, and at the end. */
void advise_facts_begin(struct advise_facts *f, const struct scope_profile *profile);
void advise_facts_release(struct advise_facts *f);

/* All of these: NULL with err set on failure.  Borrowed from the facts. */

/* Device work with its launches; n is 0 when there is none. */
const struct device_work *facts_work(struct advise_facts *f, struct err *err);
const struct fact_window *facts_window(struct advise_facts *f, struct err *err);
/* is_gpu, by the device's type and the classes of its work, and run_ranks.  -1: err is set. */
int facts_read_profile(struct advise_facts *f, struct err *err);
/* Of facts whose work is there: was any recorded? */
bool facts_has_work(const struct advise_facts *f);
/* By device of the work. */
const struct fact_use *facts_uses(struct advise_facts *f, struct err *err);
/* Rows as of `ptool steps`: devices one after the other, each with its mean. */
const struct steps *facts_steps(struct advise_facts *f, struct err *err);
/* What the recording says of its devices. */
const struct device_properties_list *facts_properties(struct advise_facts *f,
						      struct err *err);
/* Those of `ptool memory`. */
const struct memory_events *facts_memory(struct advise_facts *f, struct err *err);
/* facts->peaks: -1 with err set. */
int facts_peaks(struct advise_facts *f, struct err *err);
/* Idle time by cause, by device. */
const struct fact_idle *facts_idles(struct advise_facts *f, struct err *err);

/* Idle time of all devices of the profile, as `ptool gaps` charges it. */
struct fact_loss {
	int64_t cause_ns[NGAP_CAUSES], idle_ns, span_ns;
};
int facts_loss(struct advise_facts *f, struct fact_loss *out, struct err *err);

/* Idle time of some causes (bits), in gaps of some length. */
struct fact_share {
	int64_t ns, gaps, long_ns; /* as in struct gap_loss */
	int64_t edge_ns;           /* of it, before the first work of a step */
	enum gap_cause cause;      /* the largest */
	struct str culprit; /* of that, what is charged most; empty: it has no name */
};
/* Of idles.  Gaps of [from_ns, below_ns) long count. */
struct fact_share facts_share(struct advise_facts *f, size_t device, uint64_t causes,
			      int64_t from_ns, int64_t below_ns);
/*
 * The gaps that are mostly of the cause, as a set: added to a zeroed one, the caller's.
 * Returns what of them the cause is.
 */
int64_t facts_gaps_of(struct advise_facts *f, size_t device, enum gap_cause cause,
		      struct intervals *out);

/* Operators, labels and calls; *n of them. */
const struct fact_name *facts_names(struct advise_facts *f, size_t *n, struct err *err);
/* Sets f->beside and beside_ns of the names; names and window are read.  -1: err is set. */
int facts_find_beside(struct advise_facts *f, struct err *err);
/* An operator, but none that communicates. */
bool facts_computes(const struct fact_name *name);
/* facts->launches, where no device work was recorded; else 0.  -1: err is set. */
int facts_launches(struct advise_facts *f, struct err *err);
/* Of recordings without device work: was there a device, whose work is missing? */
static inline bool facts_lack_work(const struct advise_facts *f)
{
	return f->is_cut || f->launches.run > 0;
}
/* Does anything tell that gradients are computed, or weights updated? */
bool facts_trains(const struct fact_name *names, size_t n);
/* Does it not, though operators, which would tell, computed in steps? */
bool facts_infers(const struct advise_facts *f);

/* The rest of the window, of whose steps are there. */
void facts_set_window(struct advise_facts *f);
/* The mean of the first device; NULL when there is none. */
const struct step_row *facts_mean(const struct steps *steps);
/* For rows of a device: its number, or its text. */
struct cell facts_device_cell(const struct step_row *row);
/* Does anything say what launched the device work? */
bool facts_has_launches(const struct device_work *work);

#endif
