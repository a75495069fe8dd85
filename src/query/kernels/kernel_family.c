/*
 * Which family a kernel belongs to: one table of names, the first row that fits decides.
 * Names were read in recordings and in the sources of vLLM, SGLang, TensorRT-LLM, FlashInfer, FlashAttention, flash-linear-attention,
 * Mamba, CUTLASS, DeepGEMM, TileKernels, FBGEMM, Transformer Engine, Apex, AITER,
 * Composable Kernel, MIOpen, PyTorch and its Inductor.  What communicates is told by
 * comm_kernel.c, what copies under a tracer's own name by work_kind_of().
 */
#include "query/kernels/kernel_family.h"

#include "query/kernels/kernel_name.h"

struct family_row {
	enum kernel_family family;
	enum kernel_name_place place;
	const char *part; /* alternatives with '|' between them */
	const char *
		and; /* likewise, one of which must be there too; NULL: `part` is enough */
};

#define ANYWHERE NAME_ANYWHERE
#define WORD     NAME_WORD
#define START    NAME_START

/* clang-format off */
static const struct family_row rows[] = {
	/*
	 * Inductor names a kernel by all operators whose values it uses, so that a
	 * pointwise kernel after a product has "addmm" in its name.  What it is itself is
	 * told by its kind, and of a reduction by the operators that reduce.
	 */
	{ FAMILY_ATTENTION, START, "triton_tem_|triton_flex", "attention" },
	{ FAMILY_CONVOLUTION, START, "triton_tem_", "conv" },
	{ FAMILY_MOE, START, "triton_tem_", "grouped_mm" },
	{ FAMILY_LINEAR, START, "triton_tem_", "mm|linear|matmul" },
	{ FAMILY_SOFTMAX, START, "triton_red_|triton_per_", "softmax|logsumexp" },
	{ FAMILY_SAMPLING, START, "triton_red_|triton_per_", "argmax|argmin|topk|multinomial" },
	{ FAMILY_NORM, START, "triton_red_|triton_per_", "_norm|rsqrt" },
	{ FAMILY_LOSS, START, "triton_red_|triton_per_", "nll_loss|_loss_" },
	{ FAMILY_REDUCTION, START, "triton_red_|triton_per_|triton_spl_", NULL },
	{ FAMILY_ELEMENTWISE, START, "triton_poi_|triton_for_", NULL },
	/* its names before PyTorch 2.1, and templates without operators, say nothing */
	{ FAMILY_UNKNOWN, START, "triton_tem_|triton_unk_|triton__0d1d", NULL },
	/* XLA's fusions */
	{ FAMILY_LINEAR, START, "gemm_fusion|triton_gemm", NULL },
	{ FAMILY_SOFTMAX, START, "triton_softmax", NULL },
	{ FAMILY_REDUCTION, START, "input_reduce|wrapped_reduce", NULL },
	{ FAMILY_ELEMENTWISE, START, "loop_|input_|wrapped_", NULL },

	/* Mixture of experts: routing, permutation, products of groups.  vLLM, SGLang, TensorRT-LLM, AITER */
	{ FAMILY_MOE, WORD, "moe|expert|topkgating|grouped_topk|deepseek_v3_topk|router_|_router|deepep_", NULL },
	{ FAMILY_MOE, WORD, "expandinputrows|shuffleinputrows|ep_scatter|ep_gather|doactivationkernel|computestridestma|get_group_gemm|dogatedactivation", NULL },
	{ FAMILY_MOE, ANYWHERE, "MoeSorting|MoeFlatmm|MoeGemm|Fused_Moe|FusedMoe", NULL },
	/* a product of groups of rows: CUTLASS, DeepGEMM, TensorRT-LLM's own, PyTorch, Triton's examples */
	{ FAMILY_MOE, ANYWHERE, "GroupProblemShape|MoEProblemShape|GemmGrouped|GroupedGemm|grouped_gemm_|_grouped_gemm|m_grouped_|k_grouped_", NULL },
	{ FAMILY_MOE, ANYWHERE, "GemmType)1|GemmType)2|GemmType)3", NULL },
	{ FAMILY_MOE, START, "bmm_", "dynB|routeAct" },
	{ FAMILY_MOE, WORD, "group_gemm|grouped_mm|grouped_matmul", NULL },
	/* rows in the order of their experts: Transformer Engine, torchtitan, SGLang, vLLM */
	{ FAMILY_MOE, WORD, "row_id_map|chunk_sort_map|sort_chunks|unpermute|_fill_indices_kernel|src2dst|pre_reorder_triton|post_reorder_triton|fill_gateup_input|compute_masked_m|batched_triton_kernel", NULL },
	/* OpenAI's triton_kernels */
	{ FAMILY_MOE, WORD, "matmul_ogs|_topk_forward|_topk_backward|_combined_routing|_bitmatrix|_writeback_idx|_matmul_scatter|_routing_compute|_routing_kernel", NULL },
	/* DeepSeek's TileKernels */
	{ FAMILY_MOE, START, "cuda::", "expand_to_fused|reduce_fused|get_fused_mapping|topk_sum_and_topk|unique_group_indices|aux_fi" },

	{ FAMILY_KV_CACHE, WORD, "kv_indices|mla_kv_buffer|and_cache_mla|indexer_k_quant|dequant_cache|vllm::gather_cache", NULL },
	/* Attention, with what prepares it and adds up its parts: FlashAttention, cuDNN, TensorRT-LLM */
	{ FAMILY_ATTENTION, WORD, "flash_fwd|flash_bwd|flash::|flashattn|flash_attn|flashattention|sdpa|fmha|kernel_mha|masked_multihead|mmha|xqa", NULL },
	/* in a template's argument: CUTLASS 3, Composable Kernel */
	{ FAMILY_ATTENTION, ANYWHERE, "flash::FlashAttn|FlashAttentionForward|FlashAttentionBackward|Fmha|FlashAttnFwd|FlashAttnBwd", NULL },
	/* FlashInfer */
	{ FAMILY_ATTENTION, WORD, "decodewithpagedkv|decodewithkv|prefillwithpagedkv|prefillwithraggedkv|prefillwithkv|batchdecode|batchprefill|batchmla|mergestate", NULL },
	/* vLLM, SGLang, AITER, SageAttention, AOTriton */
	{ FAMILY_ATTENTION, WORD, "attn_fwd|attn_bwd|_attn_|attention|merge_state|merge_attn|reduce_segments|decode_att|splitkv|sparse_attn|dsa_", NULL },
	{ FAMILY_ATTENTION, WORD, "_grouped_kernel_stage1|_fwd_kernel_stage1|_fwd_kernel_stage2|bwd_kernel_dk_dv|bwd_kernel_dq|bwd_kernel_fuse|sage_fwd|qk_int_sv|aiter::pa_", NULL },
	/* latent and sparse: FlashMLA, DeepGEMM's and vLLM's indexers */
	{ FAMILY_ATTENTION, WORD, "mla_|_mla|flashmla|mqa_logits|clean_logits|topkperrow|topk_transform|indexer|varlen_num_blocks|_nsa_|req_index_to_global_index", NULL },
	/* linear: flash-linear-attention */
	{ FAMILY_ATTENTION, WORD, "delta_rule|kda_|_kda|fused_recurrent|chunk_fwd_kernel|chunk_bwd_kernel|chunk_scaled_dot|recompute_w_u|chunk_local_cumsum|solve_tril|16x16_to_64x64_inverse|wkv", NULL },
	/* state spaces: Mamba */
	{ FAMILY_ATTENTION, WORD, "selective_scan|selective_state|chunk_scan_|chunk_state_|state_passing_|_chunk_cumsum|bmm_chunk", NULL },

	/* Caches of keys and values: writes, gathers, and where their pages are */
	{ FAMILY_KV_CACHE, WORD, "reshape_and_cache|kv_cache|kvcache|kv_buffer|slot_mapping|block_table|req_to_token|append_kv|appendkv|appendpagedkv|store_cache|copy_blocks|swap_blocks|kv_insert|alloc_extend_kernel|alloc_decode_kernel|get_last_loc|cache_loc|page_indices|transfer_kernel_impl|transfer_page_head", NULL },
	{ FAMILY_ROPE, WORD, "rotary|rope", NULL },
	/* PyTorch, vLLM's vocabularies; FBGEMM's tables of recommendation models, with what sorts their indices */
	{ FAMILY_EMBEDDING, WORD, "embedding|_embs_|bounds_check_indices|linearize_index", NULL },
	{ FAMILY_EMBEDDING, WORD, "permute_2d_|permute_indices_weights|block_bucketize|recat_copy|offsets_range|to_dense_representation|krn_partial|compute_grad_weight|sum_and_scatter", NULL },

	/* gradients' norms, in PyTorch and Apex, are sums */
	{ FAMILY_REDUCTION, ANYWHERE, "LpNormFunctor|L2NormFunctor|lpnorm_cleanup", NULL },
	{ FAMILY_NORM, WORD, "layer_norm|layernorm|rms_norm|rmsnorm|group_norm|groupnorm|batch_norm|batchnorm|instance_norm|l2norm|qknorm|qk_norm|norm_fwd|norm_bwd|normkernel|norm_kernel|fused_rms_", NULL },
	/* Transformer Engine and Apex, cuDNN, PyTorch */
	{ FAMILY_NORM, WORD, "ln_fwd|ln_bwd|ln_parallel_residual|bn_fw|bn_bw|bn_relu|rowwisemoments|gammabeta|computefusedparams|welford", NULL },
	{ FAMILY_NORM, ANYWHERE, "Rmsnorm2d|Layernorm2d|batch_norm|layer_norm|RMSNorm", NULL },

	/* Convolutions: cuDNN, MIOpen, Mamba's causal ones */
	{ FAMILY_CONVOLUTION, WORD, "conv1d|conv2d|conv3d|_conv_|conv_fwd|conv_bwd|conv_depthwise|conv_kernel|convol|winograd|im2col|im2d2col|col2im|sp3asmconv|fprop|dgrad|wgrad", NULL },
	{ FAMILY_CONVOLUTION, WORD, "scudnn|hcudnn|dcudnn|igemm_fwd|igemm_bwd|igemm_wrw|implicit_gemm|_bwd_weight|_bwd_data", NULL },
	{ FAMILY_CONVOLUTION, START, "cask_cudnn", NULL },
	/* in a template's argument: CUTLASS, Composable Kernel */
	{ FAMILY_CONVOLUTION, ANYWHERE, "fprop|dgrad|wgrad|ImplicitGemm|GroupedConvolution|grouped_conv|Conv2d|Conv3d|cutlass_cudnn", NULL },

	/* Products of matrices and vectors, and what adds up their parts: cuBLAS, Tensile, MAGMA, Marlin, vLLM */
	{ FAMILY_LINEAR, WORD, "gemm|gemv|nvjet|matmul|cijk_|_mm_|bmm_|splitkreduce|splitk_reduce|marlin|machete|wvsplitk|wv_splitk|llmm1|scaled_mm|flatmm|einsum|deep_gemm::", NULL },
	/* adapters; llama.cpp; cuBLAS */
	{ FAMILY_LINEAR, WORD, "_lora_|lora_shrink|lora_expand|sgmv|bgmv|mul_mat|cublas|dot_kernel|reduce_1block", NULL },
	{ FAMILY_LINEAR, START, "epilogue::impl::globalKernel", NULL },
	{ FAMILY_LINEAR, ANYWHERE, "gemm|Gemm|GEMM|gemvx::|gemvNSP|ReduceSplitK", NULL },

	{ FAMILY_POOLING, WORD, "max_pool|maxpool|avg_pool|avgpool|adaptive_average|pooling|upsample|downsample|interpolate|grid_sampl|roi_align", NULL },
	{ FAMILY_LOSS, WORD, "nll_loss|cross_entropy|crossentropy|_loss_|losskernel|ctc_|_cce_|_indexed_neg_dot", NULL },

	/* What picks tokens: PyTorch, FlashInfer, vLLM, TensorRT-LLM */
	{ FAMILY_SAMPLING, ANYWHERE, "ArgMaxOps|ArgMinOps|sbtopk|mbtopk|radixSelect", NULL },
	{ FAMILY_SAMPLING, WORD, "sampling|sample_|_sample|topk|top_k|top_p|topprenorm|argmax|multinomial|renormrows|bitonicsort|gumbel|penalt|logits|logprob|min_p|temperature|speculative|rejection|eagle_|bitmask|verifytree|verify_tree|build_tree|logit_bias|bad_words", NULL },
	{ FAMILY_SOFTMAX, WORD, "softmax|soft_max", NULL },
	/* PyTorch's foreach kernels, Apex, DeepSpeed */
	{ FAMILY_OPTIMIZER, ANYWHERE, "Adam|adam_|LAMB|lamb_|Adagrad|adagrad|SGDFunctor|SgdMath|FusedSgd|Adadelta|RMSprop", NULL },

	{ FAMILY_ELEMENTWISE, WORD, "act_and_mul|silu|swiglu|gelu|geglu|gated_act|activation", NULL },
	/* To numbers of fewer bits, and back: vLLM, DeepSeek, Transformer Engine, TensorRT-LLM */
	{ FAMILY_QUANTIZATION, WORD, "quant|cast_fp8_|cast_mxfp8|cast_nvfp4|cast_to_fp8|per_token_cast|per_channel_cast|cast_back|cast_transpose|cvt_fp|fp8_cast|to_fp4|hadamard", NULL },

	{ FAMILY_RANDOM, WORD, "distribution|random|philox|bernoulli|dropout", NULL },
	/* Values that move: copies, casts, fills, layouts, concatenation, gather and scatter */
	{ FAMILY_COPY, ANYWHERE, "direct_copy_kernel|FillFunctor|copy_kernel_cuda|copy_device_to_device|float8_copy|CopyFunctor", NULL },
	{ FAMILY_COPY, WORD, "catarray|copy|memcpy|memset|fillbuffer|_fill_|transpose|permute|nchwtonhwc|nhwctonchw|nchw2nhwc|nhwc2nchw|concat|cast_kernel", NULL },
	{ FAMILY_COPY, WORD, "gather|scatter|index_elementwise|indexselect|indexfunc|index_put|index_add|indexing_backward|masked_select|triu_tril|nonzero|at::native::flip|roll_cuda", NULL },

	/* Sums, scans, sorts and searches: PyTorch, CUB, Thrust, rocPRIM */
	{ FAMILY_REDUCTION, WORD, "reduce|reduction|scan|cumsum|cumprod|sort|histogram|unique|searchsorted|bucketize|devicecompact|deviceselect|devicepartition|bincount", NULL },
	{ FAMILY_REDUCTION, ANYWHERE, "scan_config|reduce_config|sort_config|partition_config|select_config|lookback_scan|__reduce", NULL },

	/* Each value by itself: PyTorch, MIOpen, cuDNN, serving engines' numbers of tokens */
	{ FAMILY_ELEMENTWISE, WORD, "elementwise|pointwise|relu|sigmoid|bias_act|add_kernel|mul_kernel|scale|clamp|multi_tensor_apply|arange|_func_tensor|_func_scalar", NULL },
	{ FAMILY_ELEMENTWISE, WORD, "op1dtensor|op2dtensor|op3dtensor|op4dtensor|op5dtensor|optensor|subtensorop|position|token_ids", NULL },
	{ FAMILY_ELEMENTWISE, ANYWHERE, "Elementwise|transform_config|__transform|for_each", NULL },
};
/* clang-format on */

static const char *const names[NKERNEL_FAMILIES] = {
	[FAMILY_UNKNOWN] = "unknown",
	[FAMILY_ATTENTION] = "attention",
	[FAMILY_LINEAR] = "linear",
	[FAMILY_MOE] = "moe",
	[FAMILY_CONVOLUTION] = "convolution",
	[FAMILY_NORM] = "norm",
	[FAMILY_ELEMENTWISE] = "elementwise",
	[FAMILY_SOFTMAX] = "softmax",
	[FAMILY_ROPE] = "rope",
	[FAMILY_EMBEDDING] = "embedding",
	[FAMILY_QUANTIZATION] = "quantization",
	[FAMILY_KV_CACHE] = "kv_cache",
	[FAMILY_SAMPLING] = "sampling",
	[FAMILY_COMMUNICATION] = "communication",
	[FAMILY_COPY] = "copy",
	[FAMILY_REDUCTION] = "reduction",
	[FAMILY_POOLING] = "pooling",
	[FAMILY_LOSS] = "loss",
	[FAMILY_OPTIMIZER] = "optimizer",
	[FAMILY_RANDOM] = "random",
};

/* The row that decides; NULL: none does. */
static const struct family_row *row_of(struct str name)
{
	const struct family_row *found = NULL;
	struct kernel_name read;

	kernel_name_read(name, &read);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !found; i++)
		if (kernel_name_has(&read, rows[i].place, rows[i].part) &&
		    (!rows[i].and || kernel_name_has(&read, ANYWHERE, rows[i].and)))
			found = &rows[i];
	kernel_name_release(&read);
	return found;
}

enum kernel_family kernel_family_of(enum work_kind kind, struct str name)
{
	if (kind == WORK_COMMUNICATION)
		return FAMILY_COMMUNICATION;
	if (work_kind_is_memory(kind))
		return FAMILY_COPY;
	const struct family_row *row = row_of(name);
	return row ? row->family : FAMILY_UNKNOWN;
}

const char *kernel_family_name(enum kernel_family family)
{
	return names[family];
}
