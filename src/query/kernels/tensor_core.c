/* Operators that could use Tensor Cores, and what devices have them: see tensor_core.h. */
#include "query/kernels/tensor_core.h"

#include <stdlib.h>

#include "base/sum.h"
#include "query/devices/device_properties.h"
#include "trace/optree.h"

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
	name = op_name_plain(name);
	if (name.n == 0)
		return false;
	return bsearch(&name, ops, sizeof(ops) / sizeof(ops[0]), sizeof(ops[0]),
		       by_name) != NULL;
}

int tensor_core_capability(const char *text)
{
	char *end;

	if (!text)
		return 0;
	long major = strtol(text, &end, 10);
	if (*end != '.' || major < 1 || major > 99)
		return 0;
	long minor = strtol(end + 1, NULL, 10);
	return (int)(major * 10) + (minor > 0 && minor < 10 ? (int)minor : 0);
}

int tensor_core_of_scope(struct store *store, const struct scope *scope, int *capability,
			 struct err *err)
{
	bool is_first = true;

	*capability = 0;
	for (size_t i = 0; i < scope->n; i++) {
		struct device_properties_list devices;
		int rc =
			device_properties_load(store, &scope->profiles[i], &devices, err);
		for (size_t d = 0; rc == 0 && d < devices.n; d++) {
			int has = tensor_core_capability(devices.items[d].capability);
			*capability = is_first || has == *capability ? has : 0;
			is_first = false;
		}
		device_properties_release(&devices);
		if (rc < 0)
			return -1;
	}
	return 0;
}

static bool is_whole(int64_t all_ns)
{
	return all_ns > 0 && !sum_is_stuck(all_ns);
}

double tensor_core_pct(struct tensor_core_times times, int64_t all_ns)
{
	int64_t known_ns = sum_sub(all_ns, times.unknown_ns);

	return is_whole(all_ns) && known_ns > 0 && times.yes_ns >= 0
		       ? 100.0 * (double)times.yes_ns / (double)known_ns
		       : -1;
}

double tensor_core_unknown_pct(struct tensor_core_times times, int64_t all_ns)
{
	return is_whole(all_ns) ? 100.0 * (double)times.unknown_ns / (double)all_ns : -1;
}
