/* The short road of reading an event (event.h): its layout was seen before (layout.h). */
#ifndef PTOOL_INGEST_EVENT_KNOWN_H
#define PTOOL_INGEST_EVENT_KNOWN_H

#include "ingest/event.h"

/*
 * As event_parse, of an event whose layout is known and whose values are as usual; else
 * false, *e is unspecified and *j is as it was.
 */
bool event_parse_known(struct json *j, struct event *e);

#endif
