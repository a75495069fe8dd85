/* The table of commands: a new one is its file and its row here. */
#include "cli/command.h"

extern const struct command cmd_advise;
extern const struct command cmd_baseline;
extern const struct command cmd_callees;
extern const struct command cmd_callers;
extern const struct command cmd_comm;
extern const struct command cmd_compile;
extern const struct command cmd_devices;
extern const struct command cmd_diff;
extern const struct command cmd_doctor;
extern const struct command cmd_export;
extern const struct command cmd_flame;
extern const struct command cmd_gaps;
extern const struct command cmd_gate;
extern const struct command cmd_gc;
extern const struct command cmd_graphs;
extern const struct command cmd_help;
extern const struct command cmd_info;
extern const struct command cmd_ingest;
extern const struct command cmd_kernels;
extern const struct command cmd_lines;
extern const struct command cmd_list;
extern const struct command cmd_mcp;
extern const struct command cmd_memory;
extern const struct command cmd_merge;
extern const struct command cmd_migrate;
extern const struct command cmd_modules;
extern const struct command cmd_overview;
extern const struct command cmd_pstats;
extern const struct command cmd_pull;
extern const struct command cmd_push;
extern const struct command cmd_ranks;
extern const struct command cmd_report;
extern const struct command cmd_rm;
extern const struct command cmd_roofline;
extern const struct command cmd_schema;
extern const struct command cmd_sql;
extern const struct command cmd_steps;
extern const struct command cmd_streams;
extern const struct command cmd_timeline;
extern const struct command cmd_top;
extern const struct command cmd_transfers;
extern const struct command cmd_tree;
extern const struct command cmd_trend;
extern const struct command cmd_view;

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
	&cmd_graphs,
	&cmd_streams,
	&cmd_kernels,
	&cmd_roofline,
	&cmd_transfers,
	&cmd_memory,
	&cmd_comm,
	&cmd_ranks,
	&cmd_tree,
	&cmd_flame,
	&cmd_modules,
	&cmd_compile,
	&cmd_callers,
	&cmd_callees,
	&cmd_pstats,
	&cmd_lines,
	&cmd_ingest,
	&cmd_list,
	&cmd_baseline,
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
	&cmd_mcp,
	&cmd_help,
	NULL,
};
