/*
 * The parts of what events say, by their phase (ph): slices and counters are in
 * phase.c, arrows in arrow.c, metadata in naming.c.
 */
#ifndef PTOOL_INGEST_PHASE_H
#define PTOOL_INGEST_PHASE_H

#include "ingest/event.h"
#include "ingest/sink.h"

struct chrome;

/* ts of the current event: 1 and *ns; 0 when it was skipped with a finding; -1. */
int phase_time(struct chrome *c, int64_t *ns, struct err *err);
/* The number of its name, empty when it has none. */
uint32_t phase_name(struct chrome *c);
/* TEXT_NONE when it has none. */
uint32_t phase_category(struct chrome *c);

/* The id itself or id2's, "local" or "global"; false when there is none. */
bool arrow_id(const struct event *e, struct json_value *id, bool *local);
/* s and t bind to the slice around them, f to the next unless bp is "e". */
int arrow_event(struct chrome *c, struct err *err);
/* The two halves of an arrow of version 2, which ride on a slice. */
int arrow_on_slice(struct chrome *c, const struct slice_fact *slice, struct err *err);

/* Metadata of a process or thread; an unknown kind is kept under its name. */
int naming_event(struct chrome *c, struct err *err);

#endif
