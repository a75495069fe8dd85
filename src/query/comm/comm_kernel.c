/* Kernels that communicate: see comm_kernel.h. */
#include "query/comm/comm_kernel.h"

#include "base/demangle.h"

/* What a kernel's name must have, and what it then is; the first row that fits holds. */
struct comm_kernel {
	const char *part;
	bool is_communication;
	enum collective collective; /* OTHER: spellings[] of collective_name.c may know */
};

#define COMPUTES       false, COLLECTIVE_OTHER
#define BY_NAME        true, COLLECTIVE_OTHER /* the rest of the name says which */
#define ALL_REDUCE     true, COLLECTIVE_ALL_REDUCE
#define ALL_GATHER     true, COLLECTIVE_ALL_GATHER
#define REDUCE_SCATTER true, COLLECTIVE_REDUCE_SCATTER
#define ALL_TO_ALL     true, COLLECTIVE_ALL_TO_ALL
#define SEND_RECV      true, COLLECTIVE_SEND_RECV
#define BARRIER        true, COLLECTIVE_BARRIER

static const struct comm_kernel kernels[] = {
	/*
	 * Names that only speak of collectives.  PyTorch's Inductor names a kernel by the
	 * operators whose values it uses: triton_poi_fused_add_all_reduce_4.
	 */
	{ "^triton_poi_fused", COMPUTES },
	{ "^triton_per_fused", COMPUTES },
	{ "^triton_red_fused", COMPUTES },
	{ "^triton_tem_fused", COMPUTES },
	{ "^triton_spl_fused", COMPUTES },
	{ "^triton_for_fused", COMPUTES },
	{ "^triton_unk_fused", COMPUTES },
	{ "^triton_fused", COMPUTES },
	/* XLA does the same: loop_all_reduce_fusion. */
	{ "^loop_", COMPUTES },
	{ "^input_", COMPUTES },
	{ "^wrapped_", COMPUTES },
	/* Within a block or a warp: LeetCUDA, OneFlow, PaddlePaddle. */
	{ "block_all_reduce", COMPUTES },
	{ "warp_all_reduce", COMPUTES },

	/* PyTorch's symmetric memory; multimem_ is Megatron-LM's and vLLM's, too. */
	{ "multimem", BY_NAME },
	{ "c10d::symmetric_memory", BY_NAME },
	{ "symm_mem", BY_NAME },
	{ "hybrid_cube_mesh_all_reduce", ALL_REDUCE },
	/* PyTorch, TensorRT-LLM, FasterTransformer, FBGEMM: oneShot..., two_shot_... */
	{ "shot_all_reduce", ALL_REDUCE },

	/* vLLM, SGLang, AITER, FlashInfer: cross_device_reduce_1stage, ... */
	{ "cross_device_reduce", ALL_REDUCE },
	/* AITER */
	{ "reduce_scatter_cross_device", REDUCE_SCATTER },
	/* FlashInfer: also its rmsNormLamport, which waits for what other ranks send. */
	{ "trtllm_mnnvl_allreduce", ALL_REDUCE },
	/* vLLM and AITER on ROCm: quickreduce::allreduce_prototype_twoshot */
	{ "quickreduce", ALL_REDUCE },

	/* NVIDIA TransformerEngine, and TensorRT-LLM's copy of it; kuserbuffers_pushsend. */
	{ "userbuffers_fp16_sum_inplace_gpu_rr_rs", REDUCE_SCATTER },
	{ "userbuffers_fp16_sum_inplace_gpu_mc_rs", REDUCE_SCATTER },
	{ "userbuffers_fp16_sum_inplace_gpu_rr_ag", ALL_GATHER },
	{ "userbuffers_fp16_sum_inplace_gpu_rw_ag", ALL_GATHER },
	{ "userbuffers_fp16_sum_inplace_gpu_mc_ag", ALL_GATHER },
	{ "userbuffers_fp16_sum_inplace_gpu", ALL_REDUCE },
	{ "userbuffers", BY_NAME },

	/*
	 * DeepSeek DeepEP, in what namespace it may be (deep_ep::, dpsk::ep::, uccl::,
	 * primus_turbo::deep_ep::, nccl_ep::): dispatch, combine, and what leads up to
	 * them: notify_dispatch, cached_notify, get_dispatch_layout.
	 */
	{ "internode::barrier", BARRIER },
	{ "intranode::barrier", BARRIER },
	{ "internode::", ALL_TO_ALL },
	{ "intranode::", ALL_TO_ALL },
	{ "internode_ll::", ALL_TO_ALL },
	{ "intranode_ll::", ALL_TO_ALL },
	{ "get_dispatch_layout", ALL_TO_ALL },
	/* DeepEP 2; its epilogues copy what has come. */
	{ "deep_ep::elastic::barrier", BARRIER },
	{ "deep_ep::elastic::dispatch_impl", ALL_TO_ALL },
	{ "deep_ep::elastic::combine_impl", ALL_TO_ALL },
	{ "deep_ep::elastic::hybrid_dispatch", ALL_TO_ALL },
	{ "deep_ep::elastic::hybrid_combine", ALL_TO_ALL },
	/* NVIDIA NIXL's, which has other namespaces; what cleans its buffers computes. */
	{ "nixl_ep::ep_kernels::barrier", BARRIER },
	{ "nixl_ep::ep_kernels::dispatch", ALL_TO_ALL },
	{ "nixl_ep::ep_kernels::combine", ALL_TO_ALL },
	{ "nixl_ep::ht::", ALL_TO_ALL },
	/* NVIDIA Hybrid-EP */
	{ "hybrid_ep::dispatch", ALL_TO_ALL },
	{ "hybrid_ep::combine", ALL_TO_ALL },
	{ "hybrid_ep::device_sync", BARRIER },
	/* AMD MoRI: EpDispatchIntraNodeKernel */
	{ "^ep_dispatch", ALL_TO_ALL },
	{ "^ep_combine", ALL_TO_ALL },
	/* Perplexity's pplx-garden: a2a_dispatch_send_kernel */
	{ "^a2a_dispatch", ALL_TO_ALL },
	{ "^a2a_combine", ALL_TO_ALL },
	/* TensorRT-LLM, FlashInfer: moeA2ADispatchKernel */
	{ "moe_a2a_dispatch", ALL_TO_ALL },
	{ "moe_a2a_combine", ALL_TO_ALL },

	/* NVIDIA NCCL and NCCL EP, AMD RCCL; RCCL before */
	{ "nccl", BY_NAME },
	{ "rccl", BY_NAME },
	/* Microsoft MSCCL++; MSCCL within RCCL: mscclKernel_Sum_half_LL */
	{ "mscclpp", BY_NAME },
	{ "mscclkernel", BY_NAME },
	/* Huawei HCCL and Habana's: hcom_allReduce__428_0_1 */
	{ "hccl", BY_NAME },
	{ "^hcom_", BY_NAME },
	{ "^broadcast_aicpu_kernel", BY_NAME },
	/* Intel oneCCL: oneccl_allreduce_pcie */
	{ "oneccl", BY_NAME },
	/* NVIDIA NVSHMEM: nvshmemi_..., barrier_on_stream_kernel_...; AMD rocSHMEM */
	{ "nvshmem", BY_NAME },
	{ "on_stream_kernel", BY_NAME },
	{ "rocshmem", BY_NAME },
	/* XLA, as the name of an operation */
	{ "^collective_permute", SEND_RECV },

	/* Of a pipeline, as ByteDance's StragglerAnalysis calls its operations. */
	{ "^forward_send", BY_NAME },
	{ "^forward_recv", BY_NAME },
	{ "^backward_send", BY_NAME },
	{ "^backward_recv", BY_NAME },
	{ "^optimizer_clip_main_grad", ALL_REDUCE },

	/* A product with a collective in it: Triton-distributed, Flux, HCCL. */
	{ "gemm", COMPUTES },
	{ "matmul", COMPUTES },
	/*
	 * A collective's own name, whoever writes the kernel: all_reduce_one_shot_push_kernel
	 * (SGLang), allreduce_fusion_kernel_... (FlashInfer, AITER), allgather_vec (AITER),
	 * RaggedAllToAllKernelImpl (XLA), allreduceAicpuKernel (HCCL).  Not "broadcast",
	 * "gather" or "reduce", which one device does alone.
	 */
	{ "all_reduce", ALL_REDUCE },
	{ "all_gather", ALL_GATHER },
	{ "reduce_scatter", REDUCE_SCATTER },
	{ "all_to_all", ALL_TO_ALL },
	{ "all2all", ALL_TO_ALL },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What of a mangled name can be read without understanding its types: "a::b::kernel". */
static struct str read_source_names(struct str name, char out[FUNCTION_NAME_MAX])
{
	size_t n = 0, i = 2; /* after "_Z" */

	while (i < name.n && !is_digit(name.p[i]) && strchr("NKVrRL", name.p[i]))
		i++;
	while (i < name.n && is_digit(name.p[i])) {
		size_t length = 0;
		for (; i < name.n && is_digit(name.p[i]); i++)
			if (length < name.n)
				length = length * 10 + (size_t)(name.p[i] - '0');
		if (length > name.n - i)
			length = name.n - i; /* a name that was cut */
		if (n + length + 2 > FUNCTION_NAME_MAX)
			break;
		if (n > 0) {
			out[n++] = ':';
			out[n++] = ':';
		}
		memcpy(out + n, name.p + i, length);
		n += length;
		i += length;
	}
	return (struct str){ out, n };
}

/* Is what follows a space, at `next`, no part of the name? */
static bool is_behind_name(struct str next)
{
	return next.n == 0 || *next.p == '[' ||
	       (*next.p == '(' &&
		!str_starts_with(next, STR_LIT("(anonymous namespace)")));
}

static struct str read_plain(struct str name, char out[FUNCTION_NAME_MAX])
{
	const struct str anonymous = STR_LIT("(anonymous namespace)");
	size_t n = 0, depth = 0;

	for (size_t i = 0; i < name.n && n < FUNCTION_NAME_MAX; i++) {
		const struct str rest = str_behind(name, i);
		if (*rest.p == '<') {
			depth++;
		} else if (*rest.p == '>' && depth > 0) {
			depth--;
		} else if (depth > 0) {
			continue;
		} else if (str_starts_with(rest, anonymous)) {
			i += anonymous.n - 1 + 2; /* and "::" */
		} else if (*rest.p == '(') {
			break;
		} else if (*rest.p == ' ') {
			if (is_behind_name(str_behind(rest, 1)))
				break;
			n = 0; /* that was the type it returns */
		} else {
			out[n++] = *rest.p;
		}
	}
	return (struct str){ out, n };
}

struct str function_name(struct str name, char out[FUNCTION_NAME_MAX])
{
	if (!str_starts_with(name, STR_LIT("_Z")))
		return read_plain(name, out);
	struct buf plain;
	struct str function = demangle(name, &plain) ? read_plain(buf_str(&plain), out)
						     : read_source_names(name, out);
	buf_release(&plain);
	return function;
}

static bool is_separator(char c)
{
	return c == '_' || c == '-';
}

static bool begins_with(struct str name, const char *part)
{
	size_t i = 0;

	for (; *part; part++) {
		if (i < name.n && (*part == '_' ? is_separator(name.p[i])
						: str_lower(name.p[i]) == *part))
			i++;
		else if (*part != '_')
			return false;
	}
	return true;
}

/* Without namespaces. */
static struct str last_part(struct str name)
{
	for (size_t i = name.n; i > 0; i--)
		if (name.p[i - 1] == ':')
			return str_behind(name, i);
	return name;
}

bool function_name_has(struct str name, const char *part)
{
	if (*part == '^')
		return begins_with(last_part(name), part + 1);
	for (size_t i = 0; i < name.n; i++)
		if ((*part == '_' || str_lower(name.p[i]) == *part) &&
		    begins_with(str_behind(name, i), part))
			return true;
	return false;
}

bool comm_function_find(struct str function, enum collective *collective)
{
	*collective = COLLECTIVE_OTHER;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (!function_name_has(function, kernels[i].part))
			continue;
		*collective = kernels[i].collective;
		return kernels[i].is_communication;
	}
	return false;
}

bool comm_kernel_find(struct str name, enum collective *collective)
{
	char text[FUNCTION_NAME_MAX];

	return comm_function_find(function_name(name, text), collective);
}
