/* Agents of ROCm: see agents.h. */
#include "store/agents.h"

#include "trace/op_memory.h"

/* More are never certain. */
#define NUMBERS_MAX 64

/* Different numbers, ascending; n > NUMBERS_MAX: too many. */
struct numbers {
	int64_t items[NUMBERS_MAX];
	size_t n;
};

static void add_number(struct numbers *to, int64_t number)
{
	size_t at = 0;

	if (number < 0 || to->n > NUMBERS_MAX)
		return;
	while (at < to->n && to->items[at] < number)
		at++;
	if (at < to->n && to->items[at] == number)
		return;
	if (to->n++ == NUMBERS_MAX)
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

int64_t agents_of(const struct model *m, size_t place)
{
	const int64_t gpu = m->device_infos[place].id;

	if (!is_of_rocm(m))
		return NUMBER_NONE;
	const struct numbers agents = find_agents(m);
	const struct numbers allocating = find_allocating(m);
	const struct numbers described = find_described(m);
	const struct numbers *gpus =
		agents.n == 1 && allocating.n == 1 ? &allocating : &described;
	if (agents.n != gpus->n || agents.n > NUMBERS_MAX)
		return NUMBER_NONE;
	for (size_t i = 0; i < gpus->n; i++)
		if (gpus->items[i] == gpu)
			return agents.items[i];
	return NUMBER_NONE;
}
