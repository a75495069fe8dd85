/* What of many stores, or of a database, a command reads. */
#ifndef PTOOL_CLI_OPERAND_NEED_H
#define PTOOL_CLI_OPERAND_NEED_H

#include "cli/operand.h"
#include "store/need.h"

/* What the request says, else what its command reads at most; never NULL. */
const struct fetch_need *operand_need(const struct operand_wish *wish);
/*
 * The same where rows of all profiles are read, also of those that the options do not
 * choose: then no rows are added up.
 */
struct fetch_need operand_need_of_all(const struct operand_wish *wish);
/*
 * Does the command read slices, if only for what it has more of with them?  Then one rank of
 * a folder is asked in its own store.  Others are answered as of all ranks: who is late, and
 * the numbers of profiles, one store does not know.
 */
bool operand_reads_slices(const struct operand_wish *wish);
/* Do other ranks of the run tell of the chosen ones: whom they waited for, say? */
bool operand_compares_ranks(const struct operand_wish *wish);

#endif
