/*
 * By how much the exporter widened the spans of annotations on the device.  It
 * changed several times, and not with anything else that a file shows.
 */
#ifndef PTOOL_STORE_FUDGE_H
#define PTOOL_STORE_FUDGE_H

#include "store/model.h"

/*
 * Sets the profile's annotation_fudge_ns to what most spans show, if any shows it:
 * a known distance between a span and the work in it.  Behind order_rows().
 */
void fudge_of_annotations(struct model *m);

#endif
