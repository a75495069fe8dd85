/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_advise, cmd_callees, cmd_callers, cmd_comm, cmd_devices,
	cmd_diff, cmd_doctor, cmd_export, cmd_gaps, cmd_help, cmd_info, cmd_ingest,
	cmd_kernels, cmd_list, cmd_memory, cmd_modules, cmd_pstats, cmd_rm, cmd_sql,
	cmd_steps, cmd_streams, cmd_top, cmd_transfers, cmd_tree;

/* clang-format off */
const struct command *const commands[] = {
	&cmd_ingest,
	&cmd_top,
	&cmd_steps,
	&cmd_devices,
	&cmd_streams,
	&cmd_kernels,
	&cmd_gaps,
	&cmd_advise,
	&cmd_transfers,
	&cmd_comm,
	&cmd_modules,
	&cmd_memory,
	&cmd_tree,
	&cmd_callers,
	&cmd_callees,
	&cmd_diff,
	&cmd_export,
	&cmd_pstats,
	&cmd_info,
	&cmd_list,
	&cmd_doctor,
	&cmd_sql,
	&cmd_rm,
	&cmd_help,
	NULL,
};
