/*
 * Words in the names of kernels: see kernel_words.h.  Those of PyTorch
 * (aten/src/ATen/native/cuda: CUDALoops.cuh, Reduce.cuh, layer_norm_kernel.cu,
 * PersistentSoftmax.cuh, MultiTensorApply.cuh, Shape.cu), cuDNN and MIOpen.
 */
#include "query/advise/kernel_words.h"

#include <stddef.h>

static const char *const dense[] = {
	"gemm",     "Gemm",   "GEMM",  "gemv", "cutlass", "conv1d", "conv2d",
	"conv3d",   "convol", "conv_", "Conv", "wgrad",   "dgrad",  "fprop",
	"xmma",     "flash",  "fmha",  "Fmha", "attn",    "nvjet",  "attention",
	"winograd", "matmul", "Cijk_", NULL,
};

static const char *const simple[] = {
	"elementwise_kernel", /* vectorized_, unrolled_ and legacy ones */
	"reduce_kernel",
	"LogSoftMax",
	"layer_norm",
	"LayerNorm",
	"RowwiseMoments",
	"GammaBeta",
	"GroupNorm",
	"group_norm",
	"rms_norm",
	"rmsnorm",
	"batch_norm",
	"bn_fw",
	"bn_bw",
	"BatchNorm",
	"multi_tensor_apply",
	"CatArrayBatchedCopy",
	"fused_dropout",
	"OpTensor",
	"SubTensorOp",
	NULL,
};

/* cuBLAS, cuDNN and MAGMA. */
static const char *const single[] = { "_sgemm", "sgemmEx", "_scudnn", "convolve_sgemm",
				      NULL };

/* PersistentSoftmax.cuh, SoftMax.cu; losses have LogSoftMax in their names. */
static const char *const softmax[] = { "softmax_warp", "SoftMax", "softmax_", NULL };

/* What Inductor and others have fused already. */
static const char *const fused[] = { "triton_", NULL };

static bool has_any(struct str name, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (str_contains(name, str_of(words[i])))
			return true;
	return false;
}

bool kernel_is_dense(struct str name)
{
	return has_any(name, dense);
}

bool kernel_is_simple(struct str name)
{
	return has_any(name, simple) && !has_any(name, fused);
}

bool kernel_is_single(struct str name)
{
	return has_any(name, single);
}

bool kernel_is_softmax(struct str name)
{
	return has_any(name, softmax) && !str_contains(name, STR_LIT("LogSoftMax")) &&
	       !has_any(name, fused) && !has_any(name, dense);
}

unsigned kernel_words(struct str name)
{
	return (kernel_is_dense(name) ? KERNEL_DENSE : 0U) |
	       (kernel_is_simple(name) ? KERNEL_SIMPLE : 0U) |
	       (kernel_is_softmax(name) ? KERNEL_SOFTMAX : 0U);
}
