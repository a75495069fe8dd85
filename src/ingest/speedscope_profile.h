/*
 * A profile of a speedscope file while it is read: what its files share.  Inside the
 * reader only.
 */
#ifndef PTOOL_INGEST_SPEEDSCOPE_PROFILE_H
#define PTOOL_INGEST_SPEEDSCOPE_PROFILE_H

#include "ingest/speedscope.h"

/* What weights and times of a profile are spelt in. */
struct speedscope_unit {
	const char *name;
	enum sample_unit unit;
	int digits; /* behind the point, of what the sink gets */
};

struct speedscope_open {
	int64_t index;
	uint32_t stack; /* that it is the innermost frame of */
};

struct speedscope_profile {
	struct speedscope *s;
	const struct speedscope_unit *unit; /* NULL: not read yet */
	const char *mode; /* the member that ptool export writes, or NULL */
	unsigned members; /* bits of those that were read */
	bool is_sampled, is_evented, has_samples, has_weights, has_events;
	bool has_end, waits; /* waits: for the file's exporter, with weights of 1 */
	struct buf name, weights, events; /* lists that wait for others, as text */
	uint64_t weights_at, events_at;
	struct buf start, end; /* numbers as texts; empty: not there */
	uint32_t *stacks;      /* spilled: by sample */
	size_t nstacks, stacks_cap;
	uint64_t nweights, nones; /* weights that were read; of 1 that wait */
	int64_t at, sum;          /* of the newest sample or event; of all weights */
	int64_t lasts;            /* from start to end, if it has_end */
	uint64_t end_at;          /* where its text ends */
	unsigned decimals;        /* of the events' times, of counts */
	uint64_t nevents;
	struct speedscope_open *open; /* owned */
	size_t nopen, open_cap;
	struct speedscope_series series;
	uint32_t thread;
	uint32_t *indexes; /* owned: sink's frames of a sample */
	size_t nindexes, indexes_cap;
};

/* A number of the profile's unit, as the sink wants it. */
struct speedscope_number {
	int64_t value;
	unsigned decimals;
};

static inline bool speedscope_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* speedscope_unit.c.  NULL: there is no such unit. */
const struct speedscope_unit *speedscope_unit(struct str name);
enum decimal_status speedscope_scale(const struct speedscope_profile *p, struct str text,
				     struct speedscope_number *out);
/* A number without decimals, for times and ends: those of counts are rounded. */
bool speedscope_whole(const struct speedscope_profile *p, const struct buf *text,
		      int64_t *value);
/*
 * Gives a time of counts and the newest one, p->at, as many decimals, so that they can be
 * compared.  False: it is too large.
 */
bool speedscope_same_digits(struct speedscope_profile *p, struct speedscope_number *at);

/* speedscope_profile.c: adds a sample to the series. */
int speedscope_tell(struct speedscope_profile *p, uint32_t stack,
		    const struct speedscope_number *weight, uint64_t offset,
		    struct err *err);

/*
 * speedscope_sampled.c: the stacks or weights that are next, at least one: 1; 0: it is
 * cut; -1.
 */
int speedscope_sample(struct speedscope_profile *p, struct err *err);
int speedscope_weight(struct speedscope_profile *p, struct err *err);
/* Behind all of the profile.  0 or -1. */
int speedscope_end_sampled(struct speedscope_profile *p, struct err *err);
/* Tells weights of 1 that were held back, as parts of what the profile lasts if they may be. */
int speedscope_end_ones(struct speedscope_profile *p, bool may_scale, struct err *err);

/* speedscope_evented.c: the same of an event. */
int speedscope_event(struct speedscope_profile *p, struct err *err);
int speedscope_end_evented(struct speedscope_profile *p, struct err *err);

#endif
