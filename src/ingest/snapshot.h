/*
 * What a snapshot of torch's caching allocator holds: entries of its traces, segments,
 * frames.  Inside the reader only.
 */
#ifndef PTOOL_INGEST_SNAPSHOT_H
#define PTOOL_INGEST_SNAPSHOT_H

#include <stdbool.h>

#include "ingest/pickle.h"

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

#define SNAPSHOT_DEVICES_MAX 1024

struct snapshot_segment {
	int64_t device;          /* 0 .. SNAPSHOT_DEVICES_MAX - 1 */
	int64_t total_bytes;     /* that the device reserves for it */
	int64_t requested_bytes; /* of its blocks that are allocated, as asked for */
};

/* snapshot_entry.c.  What gives int: 0, or -1 with err set. */
/* Lists and entries that are given again and again would take for ever. */
int snapshot_budget_spend(struct snapshot_budget *budget, const struct pickle_value *v,
			  struct err *err);
/* Is it a dict of a few keys; is it a list?  Else an ERR_INPUT that says `what` is none. */
int snapshot_check_dict(const struct pickle *p, uint32_t value, const char *what,
			struct err *err);
int snapshot_check_list(const struct pickle *p, uint32_t value, const char *what,
			struct err *err);
/* The value of a key: the last one of that name, PICKLE_NONE when there is none. */
uint32_t snapshot_key(const struct pickle *p, const struct pickle_value *dict,
		      const char *key);
/* An entry with all that its action needs. */
int snapshot_entry_read(const struct pickle *p, uint32_t value,
			struct snapshot_entry *out, struct err *err);
/* What an action changes; of an unknown one nothing. */
struct snapshot_effect snapshot_effect_of(struct str action);
/* The innermost frame of Python in the list, else the innermost; frames come so. */
struct snapshot_frame snapshot_frame_of(const struct pickle *p,
					const struct pickle_value *list);
bool snapshot_frame_is_python(const struct snapshot_frame *frame);
/* Reads one; the budget is of its dict and of each of its blocks. */
int snapshot_segment_read(const struct pickle *p, uint32_t value,
			  struct snapshot_budget *budget, struct snapshot_segment *out,
			  struct err *err);

#endif
