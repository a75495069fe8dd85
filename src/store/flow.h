/*
 * Flow arrows: their ends bound to slices (trace-event-format.md section 5) and
 * joined by (category, name, id) in the order of time.
 */
#ifndef PTOOL_STORE_FLOW_H
#define PTOOL_STORE_FLOW_H

#include "store/model.h"

/* Makes flows into arrows; ends without a slice or a partner are findings. */
void flow_rows(struct model *m);

#endif
