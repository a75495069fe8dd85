/* An SQL function of lift_7.sql. */
#ifndef PTOOL_STORE_LIFT_SQUARES_H
#define PTOOL_STORE_LIFT_SQUARES_H

struct sqlite3_context;
struct sqlite3_value;

/*
 * lift_squares(limb, calls, sum, m2): 32 bits, the lowest at limb 0, of the sum of the
 * squares of `calls` numbers that add up to `sum` and whose squared deviations from
 * their mean add up to `m2`, a double.
 */
void lift_squares(struct sqlite3_context *context, int n, struct sqlite3_value **values);

#endif
