/*
 * What the checks of a recording's health look at: gathered in one pass over
 * the rows, so that each check is a few lines over small numbers.
 */
#ifndef PTOOL_STORE_HEALTH_SWEEP_H
#define PTOOL_STORE_HEALTH_SWEEP_H

#include "base/sparse.h"
#include "store/model.h"

/* Slices that something is to be said of. */
struct tally {
	int64_t n, time_ns;
	uint64_t offset; /* of the first one in the file */
	uint32_t name;   /* its name */
};

/* What a name says of calls, steps and operators; names are looked at once. */
enum name_kind {
	NAME_UNSEEN,
	NAME_OTHER,
	NAME_LAUNCH, /* a call that launches a kernel ... */
	NAME_GRAPH,  /* ... or a graph ... */
	NAME_COPY,   /* ... or a copy or set */
	NAME_CAPTURE_BEGIN,
	NAME_CAPTURE_END,
	NAME_STEP,
	NAME_COLLECTIVE
};

/* A thread's time that slices cover, steps aside. */
struct cover {
	int64_t first_ns, reach_ns, covered_ns;
	uint64_t offset; /* of the first slice */
	uint32_t name;
	bool has_operators; /* or Python frames */
};

struct health {
	struct model *m;
	struct sparse kinds; /* uint8_t, an enum name_kind, by text; owned */
	struct tally classes[NCLASSES];
	struct tally repeated;   /* slices that are there twice, ids and all */
	struct tally coincident; /* or may be two: no length, or ids of their own */
	struct tally sync_rows, annotated, overhead;
	struct tally collectives;        /* host slices of one */
	struct cover busiest;            /* thread, of those with operators */
	MODEL_ARRAY(uint32_t, calls);    /* rows of launches and copies */
	MODEL_ARRAY(uint32_t, captures); /* rows of begins and ends of captures */
};

static inline bool name_is_launch(enum name_kind kind)
{
	return kind == NAME_LAUNCH || kind == NAME_GRAPH || kind == NAME_COPY;
}

void health_sweep(struct health *h, struct model *m);
void health_release(struct health *h);
/* What the row's name says. */
enum name_kind health_name_kind(struct health *h, uint32_t row);

void tally_add(struct tally *t, const struct slice_rec *s, int64_t time_ns);
/* Is it a recording of torch.profiler? */
bool health_is_torch(const struct health *h);

#define SHARE_NONE (-1.0)

/* health.c.  The finding with that tally; none where it counted nothing. */
void health_tell(struct health *h, enum finding finding, const struct tally *t,
		 double share_pct);
/* part of whole in percent, SHARE_NONE of nothing. */
double health_share(int64_t part, int64_t whole);
/* Slices of device work. */
int64_t health_device_slices(const struct health *h);

/* health_launches.c: the check of launches without device work. */
void health_launches(struct health *h);

#endif
