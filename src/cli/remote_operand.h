/* clickhouse://... as the operand of a reading command. */
#ifndef PTOOL_CLI_REMOTE_OPERAND_H
#define PTOOL_CLI_REMOTE_OPERAND_H

#include "base/err.h"
#include "cli/operand.h"

/*
 * As operand_open_for(), of an URL: brings what the question needs into a temporary store.
 * After a failure the caller closes what is in *out.
 */
int remote_operand_open(const struct operand_wish *wish, struct operand *out,
			struct err *err);

#endif
