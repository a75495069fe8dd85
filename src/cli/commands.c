/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_doctor, cmd_help, cmd_info, cmd_ingest, cmd_rm;

/* clang-format off */
const struct command *const commands[] = {
	&cmd_ingest,
	&cmd_info,
	&cmd_doctor,
	&cmd_rm,
	&cmd_help,
	NULL,
};
