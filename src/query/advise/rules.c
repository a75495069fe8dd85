/* The table of rules: a new one is its row, in the file that fits, and its name here. */
#include "query/advise/rules.h"

#include <string.h>

/* Those of the TensorBoard plugin first; those of recordings without device work last. */
#define RULES(X)                 \
	X(data_loading)          \
	X(data_parallel)         \
	X(ddp_backend)           \
	X(ddp_buffers)           \
	X(communication)         \
	X(low_utilization)       \
	X(mixed_precision)       \
	X(memory_limit)          \
	X(synchronization)       \
	X(launch_bound)          \
	X(host_bound)            \
	X(idle_time)             \
	X(first_use)             \
	X(compiling)             \
	X(pageable_copies)       \
	X(device_copies)         \
	X(exposed_communication) \
	X(stragglers)            \
	X(memory_growth)         \
	X(allocator_churn)       \
	X(low_occupancy)         \
	X(small_batch)           \
	X(unfused)               \
	X(attention)             \
	X(missing_kernels)       \
	X(profiler_overhead)     \
	X(warm_up)               \
	X(small_operators)       \
	X(host_copies)           \
	X(python_time)           \
	X(host_reads)            \
	X(threads)               \
	X(slow_calls)            \
	X(long_calls)

#define DECLARE(name) extern const struct rule rule_##name;
#define ROW(name)     &rule_##name,

RULES(DECLARE)

const struct rule *const rules[] = { RULES(ROW) NULL };

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
	for (size_t i = 0; i < RULE_YIELDS_MAX && rule->yields_to[i]; i++)
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
