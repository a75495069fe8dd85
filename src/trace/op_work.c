/* The table of operators whose work is known: see op_work.h. */
#include "trace/op_work.h"

#include <string.h>

#include "base/search.h"
#include "trace/fact.h"
#include "trace/op_kind.h"

/* clang-format off */
enum { VALUES = OP_KIND_VALUES, TORCH = OP_KIND_TORCH, COMPOSITE = OP_KIND_COMPOSITE };

/* By name.  What the four numbers of a row mean, its rule says. */
static const struct op_kind kinds[] = {
	{ "_C::cutlass_scaled_fp4_mm", op_rule_mm_fp4, 1, 2, -1, -2, 0 },
	{ "_C::cutlass_scaled_mm", op_rule_mm, 1, 2, 5, -2, 0 },
	{ "_C::fused_add_rms_norm", op_rule_like, 7, 5, 3, 0, 0 },
	{ "_C::gelu_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "_C::gelu_tanh_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "_C::rms_norm", op_rule_like, 6, 4, 1, 0, 0 },
	{ "_C::rotary_embedding", op_rule_like, 7, 3, 6, -1, 0 },
	{ "_C::silu_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "_C_cache_ops::reshape_and_cache_flash", op_rule_like, 19, 0, 3, -1, 0 },
	{ "__and__", op_rule_each, 2, 1, 0, 0, 0 },
	{ "__lshift__", op_rule_each, 2, 1, 0, 0, 0 },
	{ "__or__", op_rule_each, 2, 1, 0, 0, 0 },
	{ "__rshift__", op_rule_each, 2, 1, 0, 0, 0 },
	{ "__xor__", op_rule_each, 2, 1, 0, 0, 0 },
	{ "_adaptive_avg_pool2d", op_rule_like, 1, 1, 0, 0, 0 },
	{ "_adaptive_avg_pool2d_backward", op_rule_like, 1, 1, 2, 1, 0 },
	{ "_addmm_activation", op_rule_mm, 1, 2, 0, -1, 0 },
	{ "_batch_norm_with_update", op_rule_like, 31, 8, 1, 0, 0 },
	{ "_convolution", op_rule_conv, 0, 3, 2, 0, VALUES | TORCH },
	{ "_efficient_attention_backward", op_rule_attention_backward, 6, 14, 1, 1, VALUES | TORCH },
	{ "_efficient_attention_forward", op_rule_attention, 4, 9, 1, 1, VALUES | TORCH },
	{ "_flash_attention_backward", op_rule_attention_backward, 6, 11, 0, 1, VALUES | TORCH },
	{ "_flash_attention_forward", op_rule_attention, 3, 8, 0, 1, VALUES | TORCH },
	{ "_foreach_copy_", op_rule_move, 0, 0, 0, 0, 0 },
	{ "_foreach_zero_", op_rule_move, 0, 0, 0, 0, 0 },
	{ "_fused_rms_norm", op_rule_like, 5, 4, 1, 0, 0 },
	{ "_fused_rms_norm_backward", op_rule_like, 27, 8, 18, 1, 0 },
	{ "_grouped_mm", op_rule_grouped, 0, 1, 2, 4, VALUES },
	{ "_index_put_impl_", op_rule_move, 0, 0, 0, 0, 0 },
	{ "_int_mm", op_rule_mm, 0, 1, -1, -1, 0 },
	{ "_log_softmax", op_rule_like, 1, 5, 1, 0, 0 },
	{ "_log_softmax_backward_data", op_rule_like, 3, 4, 1, 0, 0 },
	{ "_native_batch_norm_legit", op_rule_like, 31, 8, 1, 0, 0 },
	{ "_prelu_kernel", op_rule_each, 2, 1, 0, 0, 0 },
	{ "_scaled_dot_product_cudnn_attention", op_rule_attention, -1, 6, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_cudnn_attention_backward", op_rule_attention_backward, 9, 13, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_efficient_attention", op_rule_attention, -1, 6, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_efficient_attention_backward", op_rule_attention_backward, -1, 11, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_flash_attention", op_rule_attention, -1, 4, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_flash_attention_backward", op_rule_attention_backward, 6, 11, 0, 0, VALUES | TORCH },
	{ "_scaled_dot_product_flash_attention_for_cpu", op_rule_attention, -1, 4, 0, 0, VALUES },
	{ "_scaled_dot_product_flash_attention_for_cpu_backward", op_rule_attention_backward, -1, 8, 0, 0, VALUES },
	{ "_scaled_dot_product_fused_attention_overrideable", op_rule_attention, -1, 5, 0, 0, VALUES },
	{ "_scaled_dot_product_fused_attention_overrideable_backward", op_rule_attention_backward, 8, 13, 0, 0, VALUES },
	{ "_scaled_grouped_mm", op_rule_grouped, 0, 1, 4, 7, VALUES },
	{ "_scaled_mm", op_rule_mm, 0, 1, 4, 6, VALUES | TORCH },
	{ "_scaled_mm_v2", op_rule_mm, 0, 1, 8, 9, VALUES },
	{ "_softmax", op_rule_like, 1, 5, 1, 0, 0 },
	{ "_softmax_backward_data", op_rule_like, 3, 4, 1, 0, 0 },
	{ "_vllm_fa2_C::varlen_fwd", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "_vllm_fa3_C::fwd", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "abs", op_rule_each, 1, 1, 0, 0, 0 },
	{ "acos", op_rule_each, 1, 1, 0, 0, 0 },
	{ "acosh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "add", op_rule_each, 2, 1, 0, 0, 0 },
	{ "addcdiv", op_rule_each, 3, 3, 0, 0, 0 },
	{ "addcmul", op_rule_each, 3, 3, 0, 0, 0 },
	{ "addmm", op_rule_mm, 1, 2, 0, -1, TORCH },
	{ "addmv", op_rule_mv, 1, 2, 0, -1, 0 },
	{ "aiter::_groupnorm_run", op_rule_like, 13, 8, 1, 0, 0 },
	{ "aiter::add_rmsnorm", op_rule_like, 22, 5, 9, 0, 0 },
	{ "aiter::mha_batch_prefill", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "aiter::rmsnorm", op_rule_like, 6, 4, 1, 0, 0 },
	{ "all", op_rule_reduce, 1, 1, 'b', 0, VALUES },
	{ "amax", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "amin", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "any", op_rule_reduce, 1, 1, 'b', 0, VALUES },
	{ "argmax", op_rule_reduce, 1, 1, 'i', 0, VALUES },
	{ "argmin", op_rule_reduce, 1, 1, 'i', 0, VALUES },
	{ "asin", op_rule_each, 1, 1, 0, 0, 0 },
	{ "asinh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "atan", op_rule_each, 1, 1, 0, 0, 0 },
	{ "atan2", op_rule_each, 2, 1, 0, 0, 0 },
	{ "atanh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "avg_pool2d", op_rule_max_pool, 3, 0, 0, 0, VALUES },
	{ "avg_pool2d_backward", op_rule_like, 1, 1, 2, 1, 0 },
	{ "baddbmm", op_rule_bmm, 1, 2, 0, -1, TORCH },
	{ "bernoulli_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "binary_cross_entropy_with_logits", op_rule_like, 3, 5, 0, 0, 0 },
	{ "bitwise_and", op_rule_each, 2, 1, 0, 0, 0 },
	{ "bitwise_left_shift", op_rule_each, 2, 1, 0, 0, 0 },
	{ "bitwise_not", op_rule_each, 1, 1, 0, 0, 0 },
	{ "bitwise_or", op_rule_each, 2, 1, 0, 0, 0 },
	{ "bitwise_right_shift", op_rule_each, 2, 1, 0, 0, 0 },
	{ "bitwise_xor", op_rule_each, 2, 1, 0, 0, 0 },
	{ "bmm", op_rule_bmm, 0, 1, -1, -1, TORCH },
	{ "cat", op_rule_move, 0, 0, 0, 0, 0 },
	{ "ceil", op_rule_each, 1, 1, 0, 0, 0 },
	{ "celu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "clamp", op_rule_each, 1, 1, 0, 0, 0 },
	{ "clamp_max", op_rule_each, 1, 1, 0, 0, 0 },
	{ "clamp_min", op_rule_each, 1, 1, 0, 0, 0 },
	{ "convolution", op_rule_conv, 0, 3, 2, 0, VALUES | TORCH },
	{ "convolution_backward", op_rule_conv_backward, 0, 4, 0, 0, VALUES | TORCH },
	{ "convolution_overrideable", op_rule_conv, 0, 3, 2, 0, VALUES | TORCH },
	{ "copy_", op_rule_copy, 0, 0, 0, 0, 0 },
	{ "cos", op_rule_each, 1, 1, 0, 0, 0 },
	{ "cosh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "cudnn_batch_norm", op_rule_like, 31, 8, 1, 0, 0 },
	{ "cudnn_batch_norm_backward", op_rule_like, 103, 16, 5, 0, 0 },
	{ "cudnn_convolution", op_rule_conv, 0, 2, -1, 1, VALUES | TORCH },
	{ "cumprod", op_rule_each, 1, 1, 0, 0, 0 },
	{ "cumsum", op_rule_each, 1, 1, 0, 0, 0 },
	{ "digamma", op_rule_each, 1, 1, 0, 0, 0 },
	{ "div", op_rule_each, 2, 1, 0, 0, 0 },
	{ "dot", op_rule_dot, 0, 1, -1, -1, 0 },
	{ "elu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "elu_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "embedding", op_rule_embedding, 1, 0, 0, 0, 0 },
	{ "embedding_dense_backward", op_rule_embedding_backward, 0, 0, 0, 0, VALUES },
	{ "eq", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "erf", op_rule_each, 1, 1, 0, 0, 0 },
	{ "erfc", op_rule_each, 1, 1, 0, 0, 0 },
	{ "erfinv", op_rule_each, 1, 1, 0, 0, 0 },
	{ "exp", op_rule_each, 1, 1, 0, 0, 0 },
	{ "exp2", op_rule_each, 1, 1, 0, 0, 0 },
	{ "expm1", op_rule_each, 1, 1, 0, 0, 0 },
	{ "exponential_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "fill_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "flip", op_rule_each, 1, 0, 0, 0, 0 },
	{ "floor", op_rule_each, 1, 1, 0, 0, 0 },
	{ "floor_divide", op_rule_each, 2, 1, 0, 0, 0 },
	{ "fmax", op_rule_each, 2, 1, 0, 0, 0 },
	{ "fmin", op_rule_each, 2, 1, 0, 0, 0 },
	{ "fmod", op_rule_each, 2, 1, 0, 0, 0 },
	{ "frac", op_rule_each, 1, 1, 0, 0, 0 },
	{ "gather", op_rule_gather, 2, 0, 0, 0, 0 },
	{ "ge", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "gelu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "gelu_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "gt", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "hardshrink", op_rule_each, 1, 1, 0, 0, 0 },
	{ "hardsigmoid", op_rule_each, 1, 1, 0, 0, 0 },
	{ "hardsigmoid_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "hardswish", op_rule_each, 1, 1, 0, 0, 0 },
	{ "hardswish_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "hardtanh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "hardtanh_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "hypot", op_rule_each, 2, 1, 0, 0, 0 },
	{ "index", op_rule_move, 0, 0, 0, 0, 0 },
	{ "index_put_", op_rule_move, 0, 0, 0, 0, 0 },
	{ "isfinite", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "isinf", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "isnan", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "isneginf", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "isposinf", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "le", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "leaky_relu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "leaky_relu_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "lerp", op_rule_each, 3, 3, 0, 0, 0 },
	{ "lgamma", op_rule_each, 1, 1, 0, 0, 0 },
	{ "linalg_vector_norm", op_rule_reduce, 2, 2, 'x', 0, VALUES },
	{ "linear", op_rule_linear, 0, 1, 2, -1, COMPOSITE },
	{ "log", op_rule_each, 1, 1, 0, 0, 0 },
	{ "log10", op_rule_each, 1, 1, 0, 0, 0 },
	{ "log1p", op_rule_each, 1, 1, 0, 0, 0 },
	{ "log2", op_rule_each, 1, 1, 0, 0, 0 },
	{ "log_sigmoid_forward", op_rule_each, 1, 1, 0, 0, 0 },
	{ "logical_and", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "logical_not", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "logical_or", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "logical_xor", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "logit", op_rule_each, 1, 1, 0, 0, 0 },
	{ "logit_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "logsumexp", op_rule_reduce, 1, 3, 'x', 0, VALUES },
	{ "lt", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "masked_fill", op_rule_select, 2, 0, 0, 0, 0 },
	{ "matmul", op_rule_matmul, 0, 1, -1, -1, COMPOSITE },
	{ "max", op_rule_reduce, 1, 1, 'p', 0, VALUES },
	{ "max_pool2d_with_indices", op_rule_max_pool, 4, 8, 0, 0, VALUES },
	{ "max_pool2d_with_indices_backward", op_rule_like, 1, 1, 2, 0, 0 },
	{ "maximum", op_rule_each, 2, 1, 0, 0, 0 },
	{ "mean", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "min", op_rule_reduce, 1, 1, 'p', 0, VALUES },
	{ "minimum", op_rule_each, 2, 1, 0, 0, 0 },
	{ "miopen_batch_norm", op_rule_like, 31, 8, 1, 0, 0 },
	{ "miopen_batch_norm_backward", op_rule_like, 103, 16, 5, 0, 0 },
	{ "miopen_convolution", op_rule_conv, 0, 3, 2, 1, VALUES },
	{ "mish", op_rule_each, 1, 1, 0, 0, 0 },
	{ "mish_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "mkldnn::_linear_pointwise", op_rule_linear, 0, 1, 2, -1, 0 },
	{ "mkldnn_convolution", op_rule_conv, 0, 3, 2, 1, VALUES },
	{ "mkldnn_linear", op_rule_linear, 0, 1, 2, -1, 0 },
	{ "mm", op_rule_mm, 0, 1, -1, -1, TORCH },
	{ "mse_loss", op_rule_like, 3, 3, 0, 0, 0 },
	{ "mse_loss_backward", op_rule_like, 7, 3, 2, 1, 0 },
	{ "mul", op_rule_each, 2, 1, 0, 0, 0 },
	{ "mv", op_rule_mv, 0, 1, -1, -1, 0 },
	{ "nan_to_num", op_rule_each, 1, 1, 0, 0, 0 },
	{ "nansum", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "native_batch_norm", op_rule_like, 31, 8, 1, 0, 0 },
	{ "native_batch_norm_backward", op_rule_like, 103, 16, 6, 1, 0 },
	{ "native_dropout", op_rule_like, 1, 2, 1, 0, 0 },
	{ "native_group_norm", op_rule_like, 7, 8, 1, 0, 0 },
	{ "native_group_norm_backward", op_rule_like, 31, 16, 18, 1, 0 },
	{ "native_layer_norm", op_rule_like, 13, 8, 1, 0, 0 },
	{ "native_layer_norm_backward", op_rule_like, 59, 16, 98, 1, 0 },
	{ "ne", op_rule_compare, 2, 1, 0, 0, 0 },
	{ "neg", op_rule_each, 1, 1, 0, 0, 0 },
	{ "nll_loss_backward", op_rule_like, 4, 0, 2, 1, 0 },
	{ "nll_loss_forward", op_rule_like, 2, 1, 0, 1, 0 },
	{ "norm", op_rule_reduce, 2, 2, 'x', 0, VALUES },
	{ "normal_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "pow", op_rule_each, 2, 1, 0, 0, 0 },
	{ "prelu", op_rule_each, 2, 1, 0, 0, 0 },
	{ "prod", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "random_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "reciprocal", op_rule_each, 1, 1, 0, 0, 0 },
	{ "relu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "remainder", op_rule_each, 2, 1, 0, 0, 0 },
	{ "roll", op_rule_each, 1, 0, 0, 0, 0 },
	{ "round", op_rule_each, 1, 1, 0, 0, 0 },
	{ "rsqrt", op_rule_each, 1, 1, 0, 0, 0 },
	{ "rsub", op_rule_each, 2, 1, 0, 0, 0 },
	{ "scaled_dot_product_attention", op_rule_attention, -1, 5, 0, 0, VALUES | COMPOSITE },
	{ "scatter_", op_rule_gather, 2, 0, 0, 0, 0 },
	{ "scatter_add", op_rule_gather, 2, 1, 1, 0, 0 },
	{ "scatter_add_", op_rule_gather, 2, 1, 1, 0, 0 },
	{ "selu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "sgl_kernel::cutlass_scaled_fp4_mm", op_rule_mm_fp4, 1, 2, -1, -2, 0 },
	{ "sgl_kernel::fp8_blockwise_scaled_mm", op_rule_mm, 0, 1, -1, 4, VALUES },
	{ "sgl_kernel::fp8_scaled_mm", op_rule_mm, 0, 1, 5, 4, VALUES },
	{ "sgl_kernel::fused_add_rmsnorm", op_rule_like, 7, 5, 3, 0, 0 },
	{ "sgl_kernel::fwd", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "sgl_kernel::gelu_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "sgl_kernel::gelu_tanh_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "sgl_kernel::rmsnorm", op_rule_like, 6, 4, 1, 0, 0 },
	{ "sgl_kernel::rotary_embedding", op_rule_like, 7, 3, 6, -1, 0 },
	{ "sgl_kernel::silu_and_mul", op_rule_like, 2, 2, 1, 0, 0 },
	{ "sglang::store_cache", op_rule_like, 3, 0, 3, -1, 0 },
	{ "sgn", op_rule_each, 1, 1, 0, 0, 0 },
	{ "sigmoid", op_rule_each, 1, 1, 0, 0, 0 },
	{ "sigmoid_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "sign", op_rule_each, 1, 1, 0, 0, 0 },
	{ "signbit", op_rule_compare, 1, 1, 0, 0, 0 },
	{ "silu", op_rule_each, 1, 1, 0, 0, 0 },
	{ "silu_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "sin", op_rule_each, 1, 1, 0, 0, 0 },
	{ "sinh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "softplus", op_rule_each, 1, 1, 0, 0, 0 },
	{ "softplus_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "softshrink", op_rule_each, 1, 1, 0, 0, 0 },
	{ "sqrt", op_rule_each, 1, 1, 0, 0, 0 },
	{ "square", op_rule_each, 1, 1, 0, 0, 0 },
	{ "std", op_rule_reduce, 1, 4, 'x', 0, VALUES },
	{ "std_mean", op_rule_reduce, 1, 4, '2', 0, VALUES },
	{ "sub", op_rule_each, 2, 1, 0, 0, 0 },
	{ "sum", op_rule_reduce, 1, 1, 'x', 0, VALUES },
	{ "tan", op_rule_each, 1, 1, 0, 0, 0 },
	{ "tanh", op_rule_each, 1, 1, 0, 0, 0 },
	{ "tanh_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "threshold", op_rule_each, 1, 1, 0, 0, 0 },
	{ "threshold_backward", op_rule_each, 2, 1, 0, 0, 0 },
	{ "tril", op_rule_each, 1, 0, 0, 0, 0 },
	{ "triu", op_rule_each, 1, 0, 0, 0, 0 },
	{ "true_divide", op_rule_each, 2, 1, 0, 0, 0 },
	{ "trunc", op_rule_each, 1, 1, 0, 0, 0 },
	{ "uniform_", op_rule_fill, 0, 0, 0, 0, 0 },
	{ "var", op_rule_reduce, 1, 4, 'x', 0, VALUES },
	{ "var_mean", op_rule_reduce, 1, 4, '2', 0, VALUES },
	{ "vdot", op_rule_dot, 0, 1, -1, -1, 0 },
	{ "vllm::unified_attention", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "vllm::unified_attention_with_output", op_rule_paged, 0, 1, 0, 0, 0 },
	{ "where", op_rule_select, 3, 0, 1, 0, 0 },
	{ "xlogy", op_rule_each, 2, 1, 0, 0, 0 },
	{ "zero_", op_rule_fill, 0, 0, 0, 0, 0 },
};
/* clang-format on */

/* Kernels that Inductor generated are called for what is fused in them. */
static const struct op_kind generated = { "triton_", op_rule_generated, 0, 0, 0, 0, 0 };

#define NKINDS (sizeof(kinds) / sizeof(*kinds))

static int compare(const char *name, struct str wanted)
{
	return str_compare(str_of(name), wanted);
}

static const struct op_kind *find(struct str name)
{
	size_t at;

	SEARCH(at, 0, NKINDS, compare(kinds[at].name, name) < 0);
	return at < NKINDS && compare(kinds[at].name, name) == 0 ? &kinds[at] : NULL;
}

const struct op_kind *op_kind_find(struct str name)
{
	const struct str aten = STR_LIT("aten::");

	if (str_starts_with(name, STR_LIT("triton_")))
		return &generated;
	if (!str_starts_with(name, aten))
		return memchr(name.p, ':', name.n) ? find(name) : NULL;
	name = str_behind(name, aten.n);
	const struct op_kind *kind = find(name);
	/* In place: the result has the place of the first input. */
	if (!kind && name.n > 1 && name.p[name.n - 1] == '_')
		kind = find((struct str){ name.p, name.n - 1 });
	return kind;
}

enum op_role op_kind_role(const struct op_kind *kind)
{
	if (!kind)
		return OP_UNKNOWN;
	return kind->flags & COMPOSITE ? OP_COMPOSITE : OP_COUNTS;
}

bool op_kind_needs_values(const struct op_kind *kind)
{
	return kind && kind->flags & VALUES;
}

void op_work_of(const struct op_kind *kind, const struct op_call *call,
		struct op_work *out)
{
	*out = (struct op_work){ .flops = NUMBER_NONE,
				 .torch_flops = NUMBER_NONE,
				 .bytes = NUMBER_NONE };
	if (kind)
		kind->rule(kind, call, out);
}

const char *op_kind_name(size_t i)
{
	return i < NKINDS ? kinds[i].name : NULL;
}
