/* What of many stores, or of a database, a command reads. */
#ifndef PTOOL_CLI_OPERAND_NEED_H
#define PTOOL_CLI_OPERAND_NEED_H

#include "cli/operand.h"
#include "store/need.h"

/* What the request says, else what its command reads at most; never NULL. */
const struct fetch_need *operand_need(const struct operand_wish *wish);

#endif
