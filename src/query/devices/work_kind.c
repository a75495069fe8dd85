/* Kinds of device work: see work_kind.h. */
#include "query/devices/work_kind.h"

#include <stddef.h>

#include "query/comm/comm_kernel.h"

/* Copies and sets that a tracer shows as kernels (ROCm, MTIA); what a name begins with. */
static const struct memory_name {
	const char *prefix;
	enum work_kind kind;
} memory_names[] = {
	{ "Memcpy", WORK_MEMCPY },       { "hipMemcpy", WORK_MEMCPY },
	{ "MEMORY_COPY_", WORK_MEMCPY }, { "__amd_rocclr_copyBuffer", WORK_MEMCPY },
	{ "dma", WORK_MEMCPY },          { "Memset", WORK_MEMSET },
	{ "hipMemset", WORK_MEMSET },    { "__amd_rocclr_fillBuffer", WORK_MEMSET },
};

enum work_kind work_kind_of(enum slice_class class, struct str name)
{
	enum collective collective;

	if (comm_kernel_find(name, &collective))
		return WORK_COMMUNICATION;
	if (class == CLASS_MEMCPY)
		return WORK_MEMCPY;
	if (class == CLASS_MEMSET)
		return WORK_MEMSET;
	for (size_t i = 0; i < sizeof(memory_names) / sizeof(*memory_names); i++)
		if (str_starts_with(name, str_of(memory_names[i].prefix)))
			return memory_names[i].kind;
	return WORK_COMPUTE;
}
