/*
 * Words in the names of kernels: see kernel_words.h.  Those of PyTorch
 * (aten/src/ATen/native/cuda: CUDALoops.cuh, Reduce.cuh, layer_norm_kernel.cu,
 * PersistentSoftmax.cuh, MultiTensorApply.cuh, Shape.cu), cuDNN and MIOpen.
 */
#include "query/advise/kernel_words.h"

#include <string.h>

#include "query/kernels/kernel_family.h"

static const char simple[] =
	"elementwise_kernel|reduce_kernel|LogSoftMax|layer_norm|LayerNorm|RowwiseMoments|"
	"GammaBeta|GroupNorm|group_norm|rms_norm|rmsnorm|batch_norm|bn_fw|bn_bw|BatchNorm|"
	"multi_tensor_apply|CatArrayBatchedCopy|fused_dropout|OpTensor|SubTensorOp";

/* cuBLAS, cuDNN and MAGMA. */
static const char single[] = "_sgemm|sgemmEx|_scudnn|convolve_sgemm";

/* C10's, CUDA's, CUTLASS's and Triton's names of 16 bits and fewer. */
static const char past_half[] = "f16|loat16|half|Half|fp16|hgemm|fp8|e4m3|e5m2|gemv";

/* PersistentSoftmax.cuh, SoftMax.cu; losses have LogSoftMax in their names. */
static const char softmax[] = "softmax_warp|SoftMax|softmax_";

/* What Inductor and fused optimizers have fused already; and parts of products. */
static const char fused[] =
	"triton_|FusedOptimizer|FusedAd|FusedSgd|AdamFunctor|LAMBStage|splitK";

static const char top_k[] = "topk|TopK|radixSelect";

static bool any(struct str name, const char *words, bool whole)
{
	while (*words) {
		const struct str word = { words, strcspn(words, "|") };
		if (whole ? str_equal(name, word) : str_contains(name, word))
			return true;
		words += word.n + (words[word.n] == '|');
	}
	return false;
}

bool name_has_any(struct str name, const char *parts)
{
	return any(name, parts, false);
}

bool name_is_any(struct str name, const char *names)
{
	return any(name, names, true);
}

bool kernel_is_dense(struct str name)
{
	enum kernel_family family = kernel_family_of(WORK_COMPUTE, name);

	return family == FAMILY_ATTENTION || family == FAMILY_LINEAR ||
	       family == FAMILY_MOE || family == FAMILY_CONVOLUTION;
}

bool kernel_is_simple(struct str name)
{
	return name_has_any(name, simple) && !name_has_any(name, fused);
}

bool kernel_is_single(struct str name)
{
	return name_has_any(name, single);
}

bool kernel_is_past_half(struct str name)
{
	return name_has_any(name, past_half);
}

bool kernel_is_softmax(struct str name)
{
	return name_has_any(name, softmax) &&
	       !str_contains(name, STR_LIT("LogSoftMax")) && !name_has_any(name, fused) &&
	       !kernel_is_dense(name);
}

unsigned kernel_words(struct str name)
{
	return (kernel_is_dense(name) ? KERNEL_DENSE : 0U) |
	       (kernel_is_simple(name) ? KERNEL_SIMPLE : 0U) |
	       (kernel_is_softmax(name) ? KERNEL_SOFTMAX : 0U) |
	       (str_contains(name, STR_LIT("multi_tensor_apply")) ? KERNEL_OF_LISTS
								  : 0U) |
	       (name_has_any(name, top_k) ? KERNEL_TOP_K : 0U);
}
