/* The table of rules: a new one is its file and its row here. */
#include "query/advise/rules.h"

#include <string.h>

extern const struct rule rule_data_loading, rule_data_parallel, rule_ddp_backend,
	rule_communication, rule_low_utilization, rule_mixed_precision, rule_memory_limit,
	rule_synchronization, rule_launch_bound, rule_host_bound, rule_idle_time,
	rule_pageable_copies, rule_exposed_communication, rule_stragglers,
	rule_memory_growth, rule_allocator_churn, rule_low_occupancy, rule_small_batch,
	rule_unfused, rule_attention, rule_first_use, rule_profiler_overhead,
	rule_warm_up, rule_small_operators, rule_host_copies, rule_python_time,
	rule_host_reads, rule_threads, rule_slow_calls, rule_long_calls,
	rule_missing_kernels, rule_ddp_buffers, rule_device_copies;

/* clang-format off */
/* Those of the TensorBoard plugin first; those of recordings without device work last. */
const struct rule *const rules[] = {
	&rule_data_loading,
	&rule_data_parallel,
	&rule_ddp_backend,
	&rule_ddp_buffers,
	&rule_communication,
	&rule_low_utilization,
	&rule_mixed_precision,
	&rule_memory_limit,
	&rule_synchronization,
	&rule_launch_bound,
	&rule_host_bound,
	&rule_idle_time,
	&rule_first_use,
	&rule_pageable_copies,
	&rule_device_copies,
	&rule_exposed_communication,
	&rule_stragglers,
	&rule_memory_growth,
	&rule_allocator_churn,
	&rule_low_occupancy,
	&rule_small_batch,
	&rule_unfused,
	&rule_attention,
	&rule_missing_kernels,
	&rule_profiler_overhead,
	&rule_warm_up,
	&rule_small_operators,
	&rule_host_copies,
	&rule_python_time,
	&rule_host_reads,
	&rule_threads,
	&rule_slow_calls,
	&rule_long_calls,
	NULL,
};
/* clang-format on */

const struct rule *rule_find(const char *name)
{
	for (size_t i = 0; rules[i]; i++)
		if (strcmp(rules[i]->name, name) == 0)
			return rules[i];
	return NULL;
}

int rule_place(const struct rule *rule)
{
	int i = 0;

	while (rules[i] != rule)
		i++;
	return i;
}

size_t rule_count(void)
{
	return sizeof(rules) / sizeof(rules[0]) - 1;
}

bool rule_yields_to(const struct rule *rule, const struct rule *other)
{
	for (size_t i = 0; rule->yields_to[i]; i++)
		if (strcmp(rule->yields_to[i], other->name) == 0)
			return true;
	return false;
}

size_t rule_parameter_find(const struct rule *rule, const char *name, size_t n)
{
	for (size_t i = 0; rule->parameters[i].name; i++)
		if (strlen(rule->parameters[i].name) == n &&
		    strncmp(rule->parameters[i].name, name, n) == 0)
			return i;
	return RULE_PARAMETERS_MAX;
}
