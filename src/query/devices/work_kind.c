/* Kinds of device work: see work_kind.h. */
#include "query/devices/work_kind.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/*
 * Parts of the names, in any capitals, of the collectives of NCCL, RCCL, HCCL,
 * oneCCL, MSCCL++ and NVSHMEM, of PyTorch's symmetric memory (one_shot_all_reduce,
 * multimem_all_gather), of TensorRT-LLM (oneShotAllReduce) and FlashInfer
 * (allreduce_fusion_kernel_oneshot), of what vLLM and SGLang bring along
 * (cross_device_reduce, quickreduce::allreduce_prototype), and of DeepEP
 * (deep_ep::internode::dispatch).
 */
static const char *const communication[] = { "nccl",
					     "rccl",
					     "hccl",
					     "oneccl",
					     "mscclpp",
					     "nvshmem",
					     "multimem_",
					     "shot_all_reduce",
					     "shotAllReduce",
					     "cross_device_reduce",
					     "allreduce_fusion_kernel",
					     "allreduce_prototype",
					     "deep_ep::int" };

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

static bool has_part(struct str name, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= name.n; i++)
		if (strncasecmp(name.p + i, part, n) == 0)
			return true;
	return false;
}

enum work_kind work_kind_of(enum slice_class class, struct str name)
{
	for (size_t i = 0; i < sizeof(communication) / sizeof(*communication); i++)
		if (has_part(name, communication[i]))
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
