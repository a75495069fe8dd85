/*
 * The gaps whose work was launched before they began, or whose launch is not known:
 * one piece each, for what the device waited for.
 *
 * event_wait      its stream was told to wait for an event between the launch of the
 *                 stream's work before it and its own
 * copy_engine     it is a copy
 * stream_order    the work before it on its stream is what ran last
 * launch_latency  none of these, or the launching call still ran when the gap began
 */
#ifndef PTOOL_QUERY_GAP_DEVICE_H
#define PTOOL_QUERY_GAP_DEVICE_H

#include "query/gaps/gap_blame.h"

int gap_device_blame(const struct gap_blame_request *request, struct gap_blame *blame,
		     struct err *err);

#endif
