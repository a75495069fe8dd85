/* The standard normal distribution. */
#ifndef PTOOL_QUERY_NORMAL_H
#define PTOOL_QUERY_NORMAL_H

/* P(Z > z). */
double normal_above(double z);
/* The z with P(Z > z) = p, for 0 < p < 1. */
double normal_quantile_above(double p);

#endif
