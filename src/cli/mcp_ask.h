/*
 * A command line of ptool in a process of its own, which can be broken off: its time and
 * what it may write are limited, and when it fails nothing else does.
 */
#ifndef PTOOL_CLI_MCP_ASK_H
#define PTOOL_CLI_MCP_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct mcp_answer {
	struct buf out, told; /* what it wrote: standard output, and standard error */
	int code; /* its exit status; -1: it was broken off, `told` says why */
};

/* argv begins with "ptool" and ends with NULL.  mcp_answer_release() frees in any case. */
void mcp_ask(int argc, char **argv, int64_t timeout_ns, struct mcp_answer *out);
void mcp_answer_release(struct mcp_answer *a);

#endif
