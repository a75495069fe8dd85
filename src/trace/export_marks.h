/*
 * What ptool's own export adds to a trace, which its reader knows again: idle time, which
 * is no work; lanes of a stream, which are one stream; and an entry that tells how the
 * recording that the export was made from is read.
 */
#ifndef PTOOL_TRACE_EXPORT_MARKS_H
#define PTOOL_TRACE_EXPORT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Category of events that show idle time and its causes. */
#define EXPORT_IDLE "ptool_idle"
/* The entry beside the events: {"dialect": "F"}, as profile.dialect has it. */
#define EXPORT_ENTRY "ptool"

#define EXPORT_LANE_MAX 64 /* bytes of "7 lane 2" */

/* The tid of the lane, from 2, of a stream. */
void export_lane(int64_t stream, size_t lane, char text[EXPORT_LANE_MAX]);
/* The stream of such a tid; false: it is none. */
bool export_lane_stream(struct str tid, int64_t *stream);

#endif
