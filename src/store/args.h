/*
 * args of events, kept as JSON text: those of an end are its begin's as well.
 */
#ifndef PTOOL_STORE_ARGS_H
#define PTOOL_STORE_ARGS_H

#include "store/model.h"

/* Behind order_rows(): what an end says is added to its begin; no end keeps args. */
void args_of_ends(struct model *m);

#endif
