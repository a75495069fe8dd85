/*
 * What sampled stacks weigh, for exporters: the store has counts in units of
 * 10^-decimals.  They are written with a point or, where a format holds whole numbers
 * alone, rounded.
 */
#ifndef PTOOL_CLI_EXPORT_AMOUNT_H
#define PTOOL_CLI_EXPORT_AMOUNT_H

#include <stdint.h>
#include <stdio.h>

#define EXPORT_AMOUNT_MAX 32 /* bytes of a text */

/* 10^decimals; decimals: 0 to 18. */
static inline int64_t export_amount_power(int64_t decimals)
{
	int64_t power = 1;

	while (decimals-- > 0)
		power *= 10;
	return power;
}

/* As decimal text, in `out`. */
static inline const char *export_amount_text(int64_t amount, int64_t decimals,
					     char out[EXPORT_AMOUNT_MAX])
{
	uint64_t power = (uint64_t)export_amount_power(decimals);
	uint64_t size = amount < 0 ? 0 - (uint64_t)amount : (uint64_t)amount;

	if (power == 1)
		snprintf(out, EXPORT_AMOUNT_MAX, "%lld", (long long)amount);
	else
		snprintf(out, EXPORT_AMOUNT_MAX, "%s%llu.%0*llu", amount < 0 ? "-" : "",
			 (unsigned long long)(size / power), (int)decimals,
			 (unsigned long long)(size % power));
	return out;
}

/* As a whole number, half to even; *rounded is counted up where that is another. */
static inline int64_t export_amount_whole(int64_t amount, int64_t decimals,
					  int64_t *rounded)
{
	int64_t power = export_amount_power(decimals);
	int64_t whole = amount / power, rest = amount % power;
	int64_t size = rest < 0 ? -rest : rest;

	if (rest == 0)
		return whole;
	++*rounded;
	if (size > power - size || (size == power - size && whole % 2 != 0))
		whole += amount < 0 ? -1 : 1;
	return whole;
}

#endif
