/*
 * A folder of stores as the operand of a reading command: one store for each rank, as the
 * tasks of a cluster write them.
 */
#ifndef PTOOL_CLI_FLEET_OPERAND_H
#define PTOOL_CLI_FLEET_OPERAND_H

#include "base/err.h"
#include "cli/operand.h"

/*
 * As operand_open_for(): 1, or 0 where the operand is no folder with stores in it, or -1.
 * What the question needs of each is merged into a store in the cache, without slices; where
 * the options choose what lies in one of the stores, that one is opened.  After a failure the
 * caller closes what is in *out.
 */
int fleet_operand_open(const struct operand_wish *wish, struct operand *out,
		       struct err *err);

#endif
