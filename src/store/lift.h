/*
 * Lifting a store of an older format to today's, all or nothing.  What a released
 * version wrote can be lifted; older formats were never released, and their
 * recordings are ingested again.
 */
#ifndef PTOOL_STORE_LIFT_H
#define PTOOL_STORE_LIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct import_events;

/* Is a store of this format lifted by store_lift()? */
bool lift_knows(uint32_t format);

/*
 * Writes what `path` holds into `out`, which may be the same: it is replaced when the
 * new store is whole.  *from is the format that it had; where that is today's, `out` is
 * a copy, and nothing is written where it is the same.  `is_new`: ERR_USAGE where `out` is
 * there once this writer has its lock.  Of the events only `unfinished` is told.
 *
 * ERR_INPUT: no store, one of a format that cannot be lifted, damaged or not as ptool
 * wrote it.  ERR_USAGE: `out` is something else than a store.  ERR_IO: it cannot be
 * written.
 */
int store_lift(const char *path, const char *out, bool is_new,
	       struct import_events *events, uint32_t *from, struct err *err);

#endif
