/*
 * Squares from moments: see lift_squares.h.  sum of squares = m2 + sum^2 / calls, in
 * integers; what m2 has below 2^53 comes out exact.
 */
#include "store/lift_squares.h"

#include <math.h>
#include <sqlite3.h>
#include <stdint.h>

#define LIMB_BITS 32
#define LIMBS     4
/* Half of what fits: no sum of the two goes beyond. */
#define TOO_MUCH 0x1p127

__extension__ typedef unsigned __int128 wide;

static wide squares_of_moments(int64_t calls, int64_t sum, double m2)
{
	uint64_t size = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	wide square = (wide)size * size, count = (wide)(calls > 0 ? calls : 1);
	double rest = (double)(square % count) / (double)count;

	if (!(m2 >= 0)) /* not even a number */
		m2 = 0;
	if (m2 >= TOO_MUCH)
		m2 = TOO_MUCH;
	return square / count + (wide)round(m2 + rest);
}

void lift_squares(struct sqlite3_context *context, int n, struct sqlite3_value **values)
{
	int limb = sqlite3_value_int(values[0]) % LIMBS;
	wide squares = squares_of_moments(sqlite3_value_int64(values[1]),
					  sqlite3_value_int64(values[2]),
					  sqlite3_value_double(values[3]));

	(void)n;
	sqlite3_result_int64(context,
			     (int64_t)(squares >> limb * LIMB_BITS & UINT32_MAX));
}
