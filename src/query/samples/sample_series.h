/* The series of sampled stacks of a scope, each a row: what ptool info shows below. */
#ifndef PTOOL_QUERY_SAMPLE_SERIES_H
#define PTOOL_QUERY_SAMPLE_SERIES_H

#include "query/scope.h"
#include "query/view.h"

/* 0 and *out, which is NULL where there is none; or -1. */
int sample_series_open(struct store *store, const struct scope *scope, struct table **out,
		       struct err *err);

#endif
