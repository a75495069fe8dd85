/*
 * The parts of a snapshot's pickle, within src/ingest/snapshot*.c: entries of a
 * device's trace, their frames, and what they do to an allocator's totals.
 */
#ifndef PTOOL_INGEST_SNAPSHOT_ENTRY_H
#define PTOOL_INGEST_SNAPSHOT_ENTRY_H

#include <stdbool.h>

#include "ingest/pickle.h"

#define SNAPSHOT_KEYS_MAX 64 /* of one dict: torch writes a dozen */

struct snapshot_entry {
	struct str action;
	int64_t address, size, time_us; /* or NUMBER_NONE */
	uint32_t frames;                /* value, or PICKLE_NONE */
};

struct snapshot_frame {
	/* empty where not told */
	struct str file, name;
	int64_t line;
};

/* What an entry adds to what is allocated and to what is reserved. */
struct snapshot_effect {
	int allocated, reserved; /* -1, 0 or 1 times its size */
	bool is_known;
};

/* How many dicts may be looked at, in lists that may refer to one again and again. */
struct snapshot_budget {
	uint64_t spent, limit;
};

static inline const struct pickle_value *snapshot_value(const struct pickle *p,
							uint32_t value)
{
	return &p->values[value];
}

/* Counts one dict; an ERR_INPUT where the limit is passed. */
int snapshot_budget_spend(struct snapshot_budget *budget, const struct pickle_value *v,
			  struct err *err);
/* NUMBER_NONE for what is no int. */
int64_t snapshot_number(const struct pickle_value *v);
/* The value of a key: the last one of that name, PICKLE_NONE when there is none. */
uint32_t snapshot_key(const struct pickle *p, const struct pickle_value *dict,
		      const char *key);
/* Is it a dict of a few keys; is it a list?  Else an ERR_INPUT that says `what` is none. */
int snapshot_check_dict(const struct pickle *p, uint32_t value, const char *what,
			struct err *err);
int snapshot_check_list(const struct pickle *p, uint32_t value, const char *what,
			struct err *err);

/* An entry with all that its action needs. */
int snapshot_entry_read(const struct pickle *p, uint32_t value,
			struct snapshot_entry *out, struct err *err);
struct snapshot_effect snapshot_effect_of(struct str action);
/* The innermost frame of Python in the list, else the innermost. */
struct snapshot_frame snapshot_frame_of(const struct pickle *p,
					const struct pickle_value *list);
bool snapshot_frame_is_python(const struct snapshot_frame *frame);

#endif
