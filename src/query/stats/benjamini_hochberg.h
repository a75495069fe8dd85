/*
 * Which of many tests to believe: Benjamini and Hochberg's q (1995), R's
 * p.adjust(p, "BH").  Of the tests with q below alpha, at most alpha are expected
 * to be false.
 */
#ifndef PTOOL_QUERY_BENJAMINI_HOCHBERG_H
#define PTOOL_QUERY_BENJAMINI_HOCHBERG_H

#include <stddef.h>

/* q[i] belongs to p[i]; the arrays may be the same. */
void benjamini_hochberg(const double *p, double *q, size_t n);

#endif
