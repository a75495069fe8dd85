/* Begins are paired with ends: slices of a track that came as two events or more. */
#ifndef PTOOL_STORE_PAIR_H
#define PTOOL_STORE_PAIR_H

#include "store/model.h"

/*
 * Pairs the slices of every track that has_pairs; m->order has them by time.  Begins get
 * their duration, ends the place of their begin as their key (ROW_NONE: none was open);
 * what cannot be paired is a finding.  An end without a category may
 * also end what is on a stream of its pid and tid.
 */
void pair_all(struct model *m);

#endif
