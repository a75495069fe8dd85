/*
 * What kernels.c gathers groups with, while it goes over the work of one profile
 * after the other.  Inside query/ only.
 */
#ifndef PTOOL_QUERY_KERNELS_GATHER_H
#define PTOOL_QUERY_KERNELS_GATHER_H

#include "query/devices/device_work.h"
#include "query/devices/work_filter.h"
#include "query/graphs/graph_names.h"
#include "query/kernels/kernels.h"
#include "query/summary/summary.h"

struct duration {
	int64_t ns;
	uint32_t group;
};

/* Durations of a row of kernel_part, as it has them. */
struct packed_durations {
	struct str bytes; /* in kernels.arena */
	uint32_t group;
};

/* By text: what is found once for each name. */
struct name_facts {
	bool is_judged;
	bool has_tensor_core;         /* of an operator: a kernel of it uses them */
	enum tensor_core tensor_core; /* when is_judged, as the next */
	enum kernel_family family;    /* of what computes */
	uint32_t table_name; /* as the operator table spells it; TEXT_NONE: not known */
};

/* When a stream was at work: stretches that neither overlap nor touch, by start. */
struct busy_stretch {
	int64_t start_ns, end_ns;
	uint64_t before_ns; /* the lengths of all earlier ones */
};

struct stream_busy {
	struct busy_stretch *items; /* owned */
	size_t n, cap;
};

struct gathering {
	struct store *store;
	const struct kernels_query *query;
	struct kernels *out;
	const struct scope_profile *profile;
	struct graph_namer namer;
	struct device_work work;
	struct kernel_details details;
	uint32_t *ops; /* owned; by item, when they are asked for: kernels_find_ops() */
	struct name_facts *facts; /* owned; by text */
	size_t facts_cap;
	struct duration *durations; /* owned */
	size_t ndurations, durations_cap;
	struct packed_durations *packed; /* owned */
	size_t npacked, packed_cap;
	struct work_filter wanted;
	struct stream_busy *busy; /* owned; by stream: the work up to the newest */
	size_t nbusy;
	int capability; /* of all devices, times 10; 0: not known, or several */
	bool has_work;  /* that was asked for, whatever the filters say */
};

/* kernels_gather.c */
/* What its name says; facts that are nothing for TEXT_NONE. */
struct name_facts kernels_judge(struct gathering *g, uint32_t name);
/*
 * Sets `ops`, the names of the operators that work was launched for, as the operator
 * table spells them; TEXT_NONE: none is known.
 */
int kernels_find_ops(struct gathering *g, struct err *err);

/* That an operator launched that kernel, be it wanted or not. */
void kernels_note_op(struct gathering *g, uint32_t op, uint32_t kernel);
/*
 * while launches are asked for, all work of a stream goes through
 * here in the order of starts, so that what a launched piece waited for is known.
 */
void kernels_queue_begin(struct gathering *g);
void kernels_queue_pass(struct gathering *g, const struct work_item *item);
void kernels_queue_end(struct gathering *g);
/* When the stream's work so far ends; INT64_MIN: there is none. */
int64_t kernels_busy_until(const struct stream_busy *busy);
/* How long the stream was at work within [from_ns, to_ns). */
int64_t kernels_busy_ns(const struct stream_busy *busy, int64_t from_ns, int64_t to_ns);

/* Which operators are eligible, and sums. */
void kernels_finish(struct gathering *g);

/* kernels_percentiles.c: those of all groups. */
void kernels_set_percentiles(struct gathering *g);
/* Do varints say `calls` durations of least_ns to most_ns, which ascend? */
bool kernels_durations_fit(struct str packed, int64_t calls, int64_t least_ns,
			   int64_t most_ns);

/* kernels.c: the group of rows that are told apart by these. */
struct kernel_key {
	int64_t split[NKERNEL_SPLITS];
	uint32_t name, op, shape;
	uint32_t
		family; /* of rows by family; compared as bytes, so there is no padding */
};

/*
 * The group of a piece of work of that kind, to which `ns` are added, where keys say what
 * else tells rows apart than the name.
 */
struct kernel_group *kernels_add(struct gathering *g, struct kernel_key *key,
				 enum work_kind kind, int64_t ns);
static inline bool kernels_asked(const struct gathering *g, unsigned bit)
{
	return g->query->show.asked & bit;
}

/* Is work of this class among what is asked for? */
bool kernels_shows(const struct gathering *g, int class);

/* kernel_parts.c: adds the profile's rows of kernel_part; *is_there: it has them. */
int kernels_add_parts(struct gathering *g, struct summary_reader *reader, bool *is_there,
		      struct err *err);

#endif
