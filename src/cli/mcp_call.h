/*
 * A tool's call as a command line of ptool, for programs that ask by the Model Context
 * Protocol: nothing is written, and nothing outside of some folders is read.
 */
#ifndef PTOOL_CLI_MCP_CALL_H
#define PTOOL_CLI_MCP_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "cli/opt.h"

#define MCP_WORDS_MAX 96

struct mcp_call {
	struct arena *arena;           /* of the words */
	const struct opt_args *places; /* folders that may be read, resolved */
	struct str arguments; /* of the tool: the text of a JSON object, or n 0 */
	char *words[MCP_WORDS_MAX + 1]; /* "ptool", "top", ...; NULL behind the last */
	int nwords;
	char *folders[MCP_WORDS_MAX]; /* that were looked through, resolved */
	int nfolders;
	int64_t budget; /* tokens of the answer */
	bool is_cut;    /* the command heeds --budget */
};

/* A parameter of a tool, as the client is told. */
struct mcp_parameter {
	const char *name;
	const char *schema; /* the members of its JSON schema but the description */
	const char *help;
	const char *const
		*words; /* the only values, those of them that are commands; or NULL */
	bool is_optional;
};

/* A new tool is a row of mcp_tools. */
struct mcp_tool {
	const char *name, *help;
	const struct mcp_parameter *parameters; /* until one without a name */
	/* Adds the words behind "ptool"; 0, or -1 with err set: what is wrong with it. */
	int (*make)(struct mcp_call *call, struct err *err);
};

/* Until one without a name. */
extern const struct mcp_tool mcp_tools[];

/*
 * The place of a recording or store, resolved, in the arena; NULL with err set where it is
 * not in the folders.  One message says that it is missing and that it is elsewhere: a
 * client learns nothing of what is outside.
 */
char *mcp_place(struct mcp_call *call, struct str path, struct err *err);

#endif
