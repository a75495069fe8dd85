/* What commands read: see operand_need.h. */
#include "cli/operand_need.h"

#include <stddef.h>
#include <string.h>

#include "cli/scope_options.h"

/* Those that do not read all; what they leave out is told by a failure, never by an answer. */
static const struct {
	const char *command;
	struct fetch_need need;
} needs[] = {
	{ "overview",
	  { .tables = FETCH_SMALL ",device,op_stat,graph_name_part,step_part,gap_*,"
				  "kernel_part,device_part,memory_part",
	    .grains = FETCH_OPS_BY_NAME,
	    .merges = FETCH_OPS_BY_NAME } },
	{ "info", { .tables = FETCH_SMALL ",process,thread,track,device,device_part" } },
	{ "doctor", { .tables = FETCH_SMALL } },
	{ "gaps", { .tables = FETCH_SMALL ",gap_*" } },
	{ "devices", { .tables = FETCH_SMALL ",device,device_part" } },
	{ "streams", { .tables = FETCH_SMALL ",stream_part" } },
	{ "kernels", { .tables = FETCH_SMALL ",device,kernel_part" } },
	{ "advise",
	  { .tables = FETCH_SMALL
	    ",device,op_stat,step_part,device_part,memory_part,comm_*",
	    .grains = FETCH_OPS_BY_NAME | FETCH_OPS_OF_STEPS } },
	{ "memory", { .tables = FETCH_SMALL ",memory_part" } },
	{ "transfers",
	  { .tables = FETCH_SMALL ",transfer_part,op_stat",
	    .grains = FETCH_OPS_BY_NAME,
	    .merges = FETCH_OPS_BY_NAME } },
	{ "trend", { .tables = FETCH_SMALL ",device,step_part,memory_part" } },
	{ "ranks",
	  { .tables = FETCH_SMALL ",rank_part,comm_*,op_stat",
	    .grains = FETCH_OPS_BY_NAME } },
};

const struct fetch_need *operand_need(const struct operand_wish *wish)
{
	static const struct fetch_need everything;

	if (wish->need)
		return wish->need;
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (strcmp(needs[i].command, wish->command) == 0)
			return &needs[i].need;
	return &everything;
}

struct fetch_need operand_need_of_all(const struct operand_wish *wish)
{
	const struct scope_opts *scope = wish->scope;
	struct fetch_need need = *operand_need(wish);

	if (scope && (scope->run || scope->rank || scope->profile))
		need.merges = 0;
	return need;
}

static bool is_among(const char *command, const char *const *names)
{
	while (*names && strcmp(*names, command) != 0)
		names++;
	return *names;
}

bool operand_reads_slices(const struct operand_wish *wish)
{
	static const char *const names[] = { "overview", "advise", NULL };

	return !operand_need(wish)->tables || is_among(wish->command, names);
}

bool operand_compares_ranks(const struct operand_wish *wish)
{
	static const char *const names[] = { "ranks",    "gaps",   "comm", "diff",
					     "overview", "advise", NULL };

	return is_among(wish->command, names);
}
