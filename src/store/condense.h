/*
 * The store of a baseline, smaller still: of the operators of each step (op_stat, grain 2)
 * it keeps what they add up to within all steps (grain 3), in small pages.
 */
#ifndef PTOOL_STORE_CONDENSE_H
#define PTOOL_STORE_CONDENSE_H

#include "base/err.h"

/* The store is changed where it lies: it is the caller's alone.  0, or -1 with err set. */
int store_condense(const char *path, struct err *err);

#endif
