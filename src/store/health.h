/*
 * Is a recording healthy?  Nothing in it is damaged, and yet something that is
 * not there, or not as it should be, keeps questions from being answered: such
 * remarks are findings too, each once (ptool-findings(7) has the thresholds).
 */
#ifndef PTOOL_STORE_HEALTH_H
#define PTOOL_STORE_HEALTH_H

#include "store/model.h"

/* Adds the findings; behind link_rows() and flow_rows(). */
void health_rows(struct model *m);

#endif
