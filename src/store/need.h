/*
 * What a question reads of many stores, or of a database: for who copies no more than that
 * into a temporary store, which the command then reads as any other.
 */
#ifndef PTOOL_STORE_NEED_H
#define PTOOL_STORE_NEED_H

#include <stdbool.h>

/* What every question about traces reads, and little of it. */
#define FETCH_SMALL "step,finding"

/* Grains of op_stat (schema.sql). */
enum {
	FETCH_OPS_BY_NAME = 1 << 0,
	FETCH_OPS_IN_DETAIL = 1 << 1,
	FETCH_OPS_OF_STEPS = 1 << 2,
	FETCH_OPS_ALL = 7
};

/* What a question reads beside the profiles. */
struct fetch_need {
	/* Names with ',' between them, "gap_*" for all that begin so; NULL: all tables. */
	const char *tables;
	/* Grains of op_stat, as bits; 0: all. */
	unsigned grains;
	/*
	 * Of these grains it does not tell the profiles apart: who reads op_stat may give
	 * one row in place of each group's.
	 */
	unsigned merges;
};

/* Pure: is the table among them? */
bool fetch_need_has(const struct fetch_need *need, const char *table);
/* Pure: grains of op_stat, never 0 but where it is not needed. */
unsigned fetch_need_grains(const struct fetch_need *need);

#endif
