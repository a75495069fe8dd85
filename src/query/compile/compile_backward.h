/* Which region a backward pass is of: that whose forward pass has its sequence number. */
#ifndef PTOOL_QUERY_COMPILE_BACKWARD_H
#define PTOOL_QUERY_COMPILE_BACKWARD_H

#include "query/compile/compile_read.h"

/* 0, or -1 with err set.  A pass whose forward pass was not recorded stays as it is. */
int compile_join_backward(struct store *store, struct compile *c, struct compile_read *r,
			  struct err *err);

#endif
