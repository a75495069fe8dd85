/*
 * What a kernel's name says of Tensor Cores: one table of names, the first that fits
 * decides.  Names were read in recordings (PyTorch 1.9 to 2.9 on V100 to B200 and MI210
 * to MI355X; vLLM, SGLang, xDiT), in trackers, and in the sources named at each group.
 */
#include "query/kernels/kernel_name.h"
#include "query/kernels/tensor_core.h"

/* Parts are alternatives with '|' between them; `and` NULL: `part` is enough. */
struct name_row {
	const char *part, *and;
	enum kernel_name_place place;
	enum tensor_core says;
	int least; /* compute capability x 10: devices below it have none for these */
};

#define YES TENSOR_CORE_YES
#define NO  TENSOR_CORE_NO
#define ASK TENSOR_CORE_UNKNOWN

#define ANYWHERE NAME_ANYWHERE
#define HEAD     NAME_HEAD
#define WORD     NAME_WORD
#define START    NAME_START

static const struct name_row rows[] = {
	/* Helpers of the families below, which multiply no matrices: FlashAttention 2 to 4
	   (csrc/flash_attn, hopper, flash_attn/cute), Composable Kernel, AITER's fmha_v3,
	   split-K sums of cuBLAS and CUTLASS, AOTriton and Triton */
	{ "Preprocess|Postprocess|preprocess|postprocess", NULL, HEAD, NO, 0 },
	{ "FlashAttn|FlashAttention", "Preprocess|Postprocess|FwdCombine|ForwardCombine",
	  ANYWHERE, NO, 0 },
	{ "flash_bwd_dot_do_o|flash_bwd_convert_d|flash_bwd_clear_d|flash::prepare_",
	  NULL, ANYWHERE, NO, 0 },
	{ "splitkv_combine|mla_combine|fwd_combine|_combine_kernel", NULL, ANYWHERE, NO,
	  0 },
	{ "FmhaBwdOGradDotO|FmhaBwdConvertQGrad|FmhaFwdSplitKVCombine|FmhaFwdAppendKV",
	  NULL, ANYWHERE, NO, 0 },
	{ "fmha_bwd_", "_odo_|_dq_convert|_dq_shuffle", ANYWHERE, NO, 0 },
	{ "ReduceSplitK|splitKreduce|splitk_reduce|reduce_kernel|reduce_segments", NULL,
	  ANYWHERE, NO, 0 },
	{ "merge_attn_states|merge_state", NULL, HEAD, NO, 0 },
	{ "tensormap|finalize|metadata|mla_reduce|reduce_wgrad|utils::", NULL, WORD, NO,
	  0 },
	{ "fp8_quant|quant_fp8|fp4_quant|quant_fp4|quantize_with_block", NULL, WORD, NO,
	  0 },
	{ "deep_gemm::", "transpose|clean_logits", ANYWHERE, NO, 0 },
	/* MIOpen's elementwise kernels of tensors */
	{ "SubTensorOp|Op1dTensor|Op2dTensor|Op3dTensor|Op4dTensor|Op5dTensor|OpTensorFwd",
	  NULL, HEAD, NO, 0 },
	/* names of the families below whose work plain multiply-adds do, where PyProf says
	   yes: cuBLAS, CUTLASS, Composable Kernel for devices without matrix cores */
	{ "_ffma|_simt_|OpClassSimt|_dlops_|_gemm_dl_|_conv_fwd_dl_", NULL, ANYWHERE, NO,
	  0 },
	{ "_xmma_", "_f32f32_f32f32", ANYWHERE, NO, 0 },
	{ "conv_depthwise|gemvx::kernel|gemv2|gemvNSP|gemmk1_kernel|gemmSN_", NULL,
	  ANYWHERE, NO, 0 },

	/* PyProf's tc.py, as torch_tb_profiler has it: Volta to Ampere */
	{ "h884|s884|h1688|s1688|hmma|i8816|16816|c1688", NULL, ANYWHERE, YES, 0 },
	{ "dgrad_1x1_stride_2x2|first_layer_wgrad_kernel|conv1x1|conv2d_c1_k1|direct_group",
	  NULL, ANYWHERE, YES, 0 },
	{ "xmma_implicit_gemm|xmma_sparse_conv|xmma_warp_specialized_implicit_gemm|xmma_gemm|"
	  "xmma_sparse_gemm",
	  NULL, ANYWHERE, YES, 0 },
	/* cuBLAS: integers and doubles of Ampere, and nvjet, which has no other kernels */
	{ "i16832|d884|161616|nvjet_", NULL, ANYWHERE, YES, 0 },
	/* cuDNN and cuBLAS: sm80_xmma_fprop_implicit_gemm_..._tensor16x8x16_..., Hopper's
	   warp groups, and cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_... */
	{ "_xmma_", "_implicit_gemm", ANYWHERE, YES, 0 },
	{ "_warpgroupsize|_native_sdpa_sm|wgmma|tcgen05", NULL, ANYWHERE, YES, 80 },
	/* CUTLASS, by the names of its library, of its types, and of CuTe's atoms */
	{ "tensorop|TensorOp|_wmma|m16n8k", NULL, ANYWHERE, YES, 0 },
	{ "Gmma|Umma|GMMA|SM80_16x8x|SM90_64x|SM100_MMA", NULL, ANYWHERE, YES, 80 },
	{ "sm90_|sm100_|sm103_|sm120_", "gemm", ANYWHERE, YES, 80 },
	/* CUTLASS 3: what device_kernel runs are its GEMMs, convolutions and attention */
	{ "device_kernel<", "Gemm|gemm|Conv|Fmha|Mla", ANYWHERE, YES, 80 },
	{ "cutlass_scaled_|cutlass_moe_|cutlass3x_", NULL, HEAD, YES, 80 },
	/* TensorRT-LLM's kernels, which end in the architecture, and its attention */
	{ "bmm_|gemm_", "_sm90|_sm100|_sm103|_sm120", ANYWHERE, YES, 80 },
	{ "fmhaSm100|fmhaSm103|fmhaSm120|fmha_v2_", NULL, HEAD, YES, 0 },
	/* FlashAttention 1 to 4 */
	{ "fmha_fwd_loop_kernel|fmha_bwd_dq_dk_dv_loop", NULL, ANYWHERE, YES, 0 },
	{ "flash_fwd|flash_bwd|flash::compute_attn|FlashAttnFwd|FlashAttnBwd", NULL,
	  ANYWHERE, YES, 0 },
	{ "FlashAttentionForward|FlashAttentionBackward|flash_mla", NULL, ANYWHERE, YES,
	  0 },
	/* PyTorch's memory-efficient attention: floats from Ampere on, halves before */
	{ "fmha_cutlass", "_sm80", ANYWHERE, YES, 80 },
	{ "fmha_cutlass", "f16_aligned", ANYWHERE, YES, 0 },
	{ "fmha_cutlass", NULL, ANYWHERE, NO, 0 },
	/* FlashInfer: prefill and MLA by mma, decoding by plain multiply-adds */
	{ "PrefillWithPagedKVCache|PrefillWithRaggedKVCache|PrefillWithKVCache|"
	  "BatchMLAPagedAttention|BatchPrefill",
	  NULL, HEAD, YES, 0 },
	{ "DecodeWithPagedKVCache|DecodeWithKVCache", NULL, HEAD, NO, 0 },
	/* vLLM's attention of its own, as in csrc/attention, and its kernel for AMD */
	{ "paged_attention_v1_kernel|paged_attention_v2_kernel", NULL, HEAD, NO, 0 },
	/* kernels for language models: Marlin, DeepGEMM, SageAttention, PyTorch's int4 */
	{ "::Marlin<|Marlin_24<|deep_gemm::|qk_int_sv_f|tinygemm_m16n8k", NULL, ANYWHERE,
	  YES, 0 },
	/* AMD: Tensile (MI tags are matrix instructions, TT tags threads' tiles; shortened
	   names have neither), Composable Kernel, MIOpen, AITER */
	{ "Cijk_", "_MI1|_MI3|_MI4|_MI6", ANYWHERE, YES, 0 },
	{ "Cijk_", "_TT", ANYWHERE, NO, 0 },
	{ "Cijk_", NULL, ANYWHERE, ASK, 0 },
	{ "_xdl|Xdl|_gtcx|mfma|MFMA|mxgemm", NULL, ANYWHERE, YES, 0 },
	{ "ck_tile::",
	  "Fmha|Gemm|GEMM|Flatmm|GroupedConvolutionForward|GroupedConvolutionBackward",
	  ANYWHERE, YES, 0 },
	{ "ck_tile::",
	  "norm|Norm|Sorting|Topk|TopK|quant|Quant|Reduce|Elementwise|Permute|Transpose|Pool",
	  ANYWHERE, NO, 0 },
	{ "aiter::fmha_fwd|aiter::fmha_bwd|aiter::mla_|aiter::fmoe_", NULL, ANYWHERE, YES,
	  0 },
	{ "aiter::", "gemm", HEAD, YES, 0 },
	/* Triton: matmul_ogs of triton_kernels, tutorials, vLLM, SGLang, AOTriton */
	{ "matmul|fused_moe_kernel|attn_fwd|attn_bwd|sage_fwd|bwd_kernel_dk_dv|bwd_kernel_dq|"
	  "bwd_kernel_fuse|kernel_unified_attention|_fwd_grouped_kernel_stage1",
	  NULL, HEAD, YES, 0 },
	/* 8 and 4 bits: nothing else multiplies matrices of these */
	{ "gemm|bmm_|_mm_|attn|attention|fmha", "fp8|e4m3|e5m2|fp4|e2m1|mxf4|mxf8", WORD,
	  YES, 0 },

	/* Plain by what they do, though the name has a product in it: cuBLAS and cuDNN
	   without a tag, MAGMA, MIOpen, FBGEMM's embeddings, PyTorch's own kernels */
	{ "at::native::|at::cuda::|fbgemm_gpu::|cub::|thrust::|rocprim::|hipcub::", NULL,
	  START, NO, 0 },
	{ "_sgemm|sgemmEx|_dgemm|_cgemm|_zgemm|_hgemm|_scudnn|_hcudnn|_dcudnn|convolve_sgemm",
	  NULL, ANYWHERE, NO, 0 },
	{ "epilogue::impl::globalKernel", NULL, ANYWHERE, NO, 0 },
	{ "dgrad_engine|wgrad_alg|dgrad_alg|grouped_direct_kernel|dgrad2d|wgrad2d", NULL,
	  HEAD, NO, 0 },
	{ "winograd|im2col|col2im|im2d2col|naive_conv|miopensp3asmconv_v|offsets", NULL,
	  WORD, NO, 0 },
	{ "triton_poi_|triton_red_|triton_per_|triton_for_", NULL, START, NO, 0 },
	/* a product of matrices that does not say how, a template of Inductor's too */
	{ "gemm|matmul|_mm_|bmm|conv_|conv1|conv2|conv3|convol|fprop|dgrad|wgrad|attn|attention|"
	  "fmha|mla_|sdpa|prefill|decode|lstm|rnn|triton_tem_",
	  NULL, WORD, ASK, 0 },
	/* what is no product at all */
	{ "nccl|rccl|allreduce|all_reduce|allgather|all_gather|alltoall|all_to_all|broadcast|"
	  "reduce|nvshmem|multimem|::ep::|cross_device",
	  NULL, WORD, NO, 0 },
	{ "elementwise|element_wise|activation|relu|gelu|silu|sigmoid|swiglu|geglu|softmax|"
	  "softcap|act_and_mul|dropout|bias|scale",
	  NULL, WORD, NO, 0 },
	{ "reduc|norm|bn_fw|bn_bw|ln_fwd|ln_bwd|cumsum|scan|histogram|argmax|topk|top_k|sort|"
	  "unique|count|mean",
	  NULL, WORD, NO, 0 },
	{ "copy|memcpy|memset|fill|cast|convert|transpose|permute|nchwtonhwc|nhwctonchw|catarray|concat|"
	  "gather|scatter|index|indices|embedding|embs|slice|pad|bucketize|segment",
	  NULL, WORD, NO, 0 },
	{ "rotary|rope|kv_cache|kvcache|reshape_and_cache|quantize|quant_kernel|position|routing|"
	  "bitmatrix|moe_align|moe_sum|moesorting|sampling|token_ids",
	  NULL, WORD, NO, 0 },
	{ "pool|upsample|interpolate|loss|nll|criterion|adam|lamb_|sgd|multi_tensor_apply|"
	  "arange|random|philox|distribution|uniform",
	  NULL, WORD, NO, 0 },
};

static bool fits(const struct name_row *row, const struct kernel_name *name)
{
	return kernel_name_has(name, row->place, row->part) &&
	       (!row->and || kernel_name_has(name, row->place, row->and));
}

static enum tensor_core judge(const struct kernel_name *name, int capability)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (fits(&rows[i], name))
			return capability && capability < rows[i].least ? TENSOR_CORE_NO
									: rows[i].says;
	return TENSOR_CORE_UNKNOWN;
}

enum tensor_core tensor_core_kernel(struct str name, int capability)
{
	struct kernel_name read;

	if (capability && capability < TENSOR_CORE_FIRST)
		return TENSOR_CORE_NO;
	kernel_name_read(name, &read);
	enum tensor_core says = judge(&read, capability);
	kernel_name_release(&read);
	return says;
}
