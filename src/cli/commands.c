/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_help, cmd_ingest;

/* clang-format off */
const struct command *const commands[] = {
	&cmd_ingest,
	&cmd_help,
	NULL,
};
