/*
 * The names of Tensor Core kernels and operators, as lists.  Where they are from
 * stands at each group; names were read in recordings and in the libraries' sources.
 */
#include "query/kernels/tensor_core.h"

#include <stdlib.h>

/* Two parts of a name, the second somewhere behind the first; NULL: one part. */
struct name_parts {
	const char *first, *second;
};

static const struct name_parts kernels[] = {
	/* PyProf's tc.py, as torch_tb_profiler has it: Volta to Ampere */
	{ "h884", NULL },
	{ "s884", NULL },
	{ "h1688", NULL },
	{ "s1688", NULL },
	{ "hmma", NULL },
	{ "i8816", NULL },
	{ "16816", NULL },
	{ "dgrad_1x1_stride_2x2", NULL },
	{ "first_layer_wgrad_kernel", NULL },
	{ "conv1x1", NULL },
	{ "conv2d_c1_k1", NULL },
	{ "direct_group", NULL },
	{ "xmma_implicit_gemm", NULL },
	{ "xmma_sparse_conv", NULL },
	{ "xmma_warp_specialized_implicit_gemm", NULL },
	{ "xmma_gemm", NULL },
	{ "xmma_sparse_gemm", NULL },
	{ "c1688", NULL },
	/* cuBLAS: integers and doubles of Ampere, and nvjet, which has no other kernels */
	{ "i16832", NULL },
	{ "d884", NULL },
	{ "161616", NULL },
	{ "nvjet_", NULL },
	/* cuDNN and cuBLAS: sm80_xmma_fprop_implicit_gemm_..._tensor16x8x16_..., Hopper's
	   warp groups, and cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_... */
	{ "_xmma_", "_implicit_gemm" },
	{ "_warpgroupsize", NULL },
	{ "_sdpa_sm", "_flash_" },
	{ "wgmma", NULL },
	{ "tcgen05", NULL },
	/* CUTLASS, by the names of its library, of its types, and of CuTe's atoms */
	{ "tensorop", NULL },
	{ "TensorOp", NULL },
	{ "Gmma", NULL },
	{ "Umma", NULL },
	{ "GMMA", NULL },
	{ "SM80_16x8x", NULL },
	{ "SM90_64x", NULL },
	{ "SM100_MMA", NULL },
	{ "sm90_", "gemm" },
	{ "sm100_", "gemm" },
	{ "sm103_", "gemm" },
	{ "sm120_", "gemm" },
	/* TensorRT-LLM's kernels for Blackwell, which end in the architecture */
	{ "bmm_", "_sm100" },
	{ "gemm_", "_sm100" },
	{ "fmhaSm100", NULL },
	/* FlashAttention 1 to 4; its kernels that only sum or convert are not here */
	{ "fmha_fwd_loop_kernel", NULL },
	{ "fmha_bwd_dq_dk_dv_loop", NULL },
	{ "flash_fwd_kernel", NULL },
	{ "flash_fwd_splitkv_kernel", NULL },
	{ "flash_fwd_splitkv_mla", NULL },
	{ "flash_bwd_dq_dk_dv_loop", NULL },
	{ "FlashAttnFwdSm", NULL },
	{ "FlashAttnBwdSm", NULL },
	{ "FlashAttentionForwardSm", NULL },
	{ "FlashAttentionBackwardSm", NULL },
	/* PyTorch's memory-efficient attention: floats from Ampere on, halves before */
	{ "fmha_cutlass", "_sm80" },
	{ "fmha_cutlass", "f16_aligned" },
	/* kernels for language models */
	{ "marlin::Marlin<", NULL },
	{ "deep_gemm::", "gemm" },
	/* AMD: Tensile's matrix instruction, Composable Kernel and MIOpen, by name */
	{ "Cijk_", "_MI1" },
	{ "Cijk_", "_MI3" },
	{ "Cijk_", "_MI4" },
	{ "_xdl", NULL },
	{ "Xdl", NULL },
	{ "_gtcx", NULL },
	{ "mfma", NULL },
	{ "MFMA", NULL },
	{ "ck_tile::FmhaFwdKernel<", NULL },
	{ "ck_tile::FmhaBwdDQDKDVKernel<", NULL },
};

/* Names of the same families whose work is done by plain multiply-adds. */
static const struct name_parts plain[] = {
	{ "_ffma", NULL },
	{ "_simt_", NULL },
	{ "OpClassSimt", NULL },
	{ "_xmma_", "_f32f32_f32f32" },
};

/* Sorted. */
static const char *const ops[] = {
	"AddbmmBackward",
	"AddbmmBackward0",
	"AddmmBackward",
	"AddmmBackward0",
	"AddmvBackward",
	"AddmvBackward0",
	"BaddbmmBackward0",
	"BmmBackward0",
	"ConvolutionBackward0",
	"CudnnConvolutionBackward",
	"CudnnConvolutionBackward0",
	"CudnnConvolutionTransposeBackward",
	"CudnnConvolutionTransposeBackward0",
	"MmBackward",
	"MmBackward0",
	"MvBackward",
	"MvBackward0",
	"ScaledDotProductCudnnAttentionBackward0",
	"ScaledDotProductEfficientAttentionBackward0",
	"ScaledDotProductFlashAttentionBackward0",
	"aten::_convolution",
	"aten::_convolution_nogroup",
	"aten::_efficient_attention_backward",
	"aten::_efficient_attention_forward",
	"aten::_flash_attention_backward",
	"aten::_flash_attention_forward",
	"aten::_grouped_mm",
	"aten::_int_mm",
	"aten::_scaled_dot_product_cudnn_attention",
	"aten::_scaled_dot_product_cudnn_attention_backward",
	"aten::_scaled_dot_product_efficient_attention",
	"aten::_scaled_dot_product_efficient_attention_backward",
	"aten::_scaled_dot_product_flash_attention",
	"aten::_scaled_dot_product_flash_attention_backward",
	"aten::_scaled_grouped_mm",
	"aten::_scaled_mm",
	"aten::_thnn_fused_gru_cell",
	"aten::_thnn_fused_lstm_cell",
	"aten::addbmm",
	"aten::addmm",
	"aten::addmm_",
	"aten::addmv",
	"aten::addr",
	"aten::baddbmm",
	"aten::bmm",
	"aten::chain_matmul",
	"aten::conv1d",
	"aten::conv2d",
	"aten::conv3d",
	"aten::conv_tbc",
	"aten::conv_transpose1d",
	"aten::conv_transpose2d",
	"aten::conv_transpose3d",
	"aten::convolution",
	"aten::convolution_backward",
	"aten::cudnn_convolution",
	"aten::cudnn_convolution_add_relu",
	"aten::cudnn_convolution_backward",
	"aten::cudnn_convolution_backward_input",
	"aten::cudnn_convolution_backward_weight",
	"aten::cudnn_convolution_relu",
	"aten::cudnn_convolution_transpose",
	"aten::cudnn_convolution_transpose_backward",
	"aten::cudnn_convolution_transpose_backward_input",
	"aten::cudnn_convolution_transpose_backward_weight",
	"aten::einsum",
	"aten::gru_cell",
	"aten::linalg_multi_dot",
	"aten::linalg_vecdot",
	"aten::linear",
	"aten::lstm_cell",
	"aten::matmul",
	"aten::miopen_convolution",
	"aten::miopen_convolution_transpose",
	"aten::mm",
	"aten::mv",
	"aten::prelu",
	"aten::rnn_relu_cell",
	"aten::rnn_tanh_cell",
	"aten::scaled_dot_product_attention",
};

/* Where the part ends in the text from an offset on; 0: it is not there. */
static size_t end_of(struct str text, size_t from, const char *part)
{
	size_t n = strlen(part);
	const char *at = text.p + from, *end = text.p + text.n;

	while ((size_t)(end - at) >= n) {
		const char *found = memchr(at, part[0], (size_t)(end - at) - n + 1);

		if (!found)
			return 0;
		if (memcmp(found, part, n) == 0)
			return (size_t)(found - text.p) + n;
		at = found + 1;
	}
	return 0;
}

static bool has_any(struct str name, const struct name_parts *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t end = end_of(name, 0, list[i].first);

		if (end > 0 && (!list[i].second || end_of(name, end, list[i].second) > 0))
			return true;
	}
	return false;
}

bool tensor_core_kernel(struct str name)
{
	if (name.n == 0)
		return false;
	return has_any(name, kernels, sizeof(kernels) / sizeof(kernels[0])) &&
	       !has_any(name, plain, sizeof(plain) / sizeof(plain[0]));
}

static int by_name(const void *key, const void *item)
{
	const struct str *name = key;
	const char *text = *(const char *const *)item;
	size_t n = strlen(text);
	int order = memcmp(name->p, text, name->n < n ? name->n : n);

	return order ? order : (name->n > n) - (name->n < n);
}

bool tensor_core_op(struct str name)
{
	if (name.n == 0)
		return false;
	return bsearch(&name, ops, sizeof(ops) / sizeof(ops[0]), sizeof(ops[0]),
		       by_name) != NULL;
}
