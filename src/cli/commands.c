/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_advise, cmd_callees, cmd_callers, cmd_comm, cmd_devices,
	cmd_diff, cmd_doctor, cmd_export, cmd_flame, cmd_gaps, cmd_gc, cmd_help, cmd_info,
	cmd_ingest, cmd_kernels, cmd_lines, cmd_list, cmd_memory, cmd_merge, cmd_migrate,
	cmd_modules, cmd_overview, cmd_pstats, cmd_pull, cmd_push, cmd_ranks, cmd_report,
	cmd_rm, cmd_schema, cmd_sql, cmd_steps, cmd_streams, cmd_top, cmd_timeline,
	cmd_transfers, cmd_tree, cmd_trend, cmd_view;
extern const struct command cmd_gate;

const char *const command_parts[NCOMMAND_PARTS] = {
	[COMMAND_START] = "Start here",    [COMMAND_GPU] = "GPU",
	[COMMAND_MEMORY] = "Memory",       [COMMAND_RANKS] = "Ranks",
	[COMMAND_PYTHON] = "Code, Python", [COMMAND_STORE] = "Store and recording",
};

/* clang-format off */
const struct command *const commands[] = {
	&cmd_overview,
	&cmd_view,
	&cmd_info,
	&cmd_top,
	&cmd_steps,
	&cmd_timeline,
	&cmd_advise,
	&cmd_report,
	&cmd_diff,
	&cmd_trend,
	&cmd_gate,
	&cmd_gaps,
	&cmd_devices,
	&cmd_streams,
	&cmd_kernels,
	&cmd_transfers,
	&cmd_memory,
	&cmd_comm,
	&cmd_ranks,
	&cmd_tree,
	&cmd_flame,
	&cmd_modules,
	&cmd_callers,
	&cmd_callees,
	&cmd_pstats,
	&cmd_lines,
	&cmd_ingest,
	&cmd_list,
	&cmd_sql,
	&cmd_export,
	&cmd_doctor,
	&cmd_merge,
	&cmd_migrate,
	&cmd_rm,
	&cmd_push,
	&cmd_pull,
	&cmd_schema,
	&cmd_gc,
	&cmd_help,
	NULL,
};
