/* How device work calls GPUs: see agents.h. */
#include "store/agents.h"

#include <string.h>

#include "store/model.h"
#include "trace/op_memory.h"

/* Different numbers, ascending; n > AGENTS_MAX: too many. */
struct numbers {
	int64_t items[AGENTS_MAX];
	size_t n;
};

static void add_number(struct numbers *to, int64_t number)
{
	size_t at = 0;

	if (number < 0 || to->n > AGENTS_MAX)
		return;
	while (at < to->n && to->items[at] < number)
		at++;
	if (at < to->n && to->items[at] == number)
		return;
	if (to->n++ == AGENTS_MAX)
		return;
	for (size_t i = to->n - 1; i > at; i--)
		to->items[i] = to->items[i - 1];
	to->items[at] = number;
}

/* NVIDIA's devices have names and warps of 32 threads. */
static bool is_of_rocm(const struct model *m)
{
	for (size_t i = 0; i < m->ndevice_infos; i++) {
		const struct device_info_fact *d = &m->device_infos[i];
		if (str_starts_with(d->name, STR_LIT("AMD ")) ||
		    str_contains(d->json, STR_LIT("\"warpSize\": 64")) ||
		    str_contains(d->json, STR_LIT("\"warpSize\":64")))
			return true;
	}
	return false;
}

/* As the work of devices numbers them. */
static struct numbers find_agents(const struct model *m)
{
	struct numbers found = { .n = 0 };

	for (size_t i = 0; i < m->device_setups.n; i++) {
		const struct device_fact *setup =
			uniques_at(&m->device_setups, (uint32_t)i);
		add_number(&found, setup->device);
	}
	return found;
}

static struct numbers find_described(const struct model *m)
{
	struct numbers found = { .n = 0 };

	for (size_t i = 0; i < m->ndevice_infos; i++)
		add_number(&found, m->device_infos[i].id);
	return found;
}

static struct numbers find_allocating(const struct model *m)
{
	struct numbers found = { .n = 0 };

	for (size_t i = 0; i < m->memory_kinds.n; i++) {
		const struct memory_kind *kind =
			uniques_at(&m->memory_kinds, (uint32_t)i);
		if (!op_memory_is_cpu(kind->device_type))
			add_number(&found, kind->device);
	}
	return found;
}

void agents_find(const struct model *m, struct agents *out)
{
	out->n = 0;
	if (!is_of_rocm(m))
		return;
	const struct numbers agents = find_agents(m);
	const struct numbers allocating = find_allocating(m);
	const struct numbers described = find_described(m);
	const struct numbers *gpus =
		agents.n == 1 && allocating.n == 1 ? &allocating : &described;
	if (agents.n != gpus->n || agents.n > AGENTS_MAX)
		return;
	out->n = agents.n;
	memcpy(out->agents, agents.items, agents.n * sizeof(*agents.items));
	memcpy(out->gpus, gpus->items, gpus->n * sizeof(*gpus->items));
}

int64_t agents_of(const struct agents *a, int64_t gpu)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->gpus[i] == gpu)
			return a->agents[i];
	return NUMBER_NONE;
}
