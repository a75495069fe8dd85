/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_doctor, cmd_help, cmd_info, cmd_ingest, cmd_list, cmd_rm,
	cmd_sql, cmd_top;

/* clang-format off */
const struct command *const commands[] = {
	&cmd_ingest,
	&cmd_top,
	&cmd_info,
	&cmd_list,
	&cmd_doctor,
	&cmd_sql,
	&cmd_rm,
	&cmd_help,
	NULL,
};
