/* kernel_words.c: what the names of kernels say of their work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/advise/kernel_words.h"

static bool dense(const char *name)
{
	return kernel_is_dense(str_of(name));
}

static bool simple(const char *name)
{
	return kernel_is_simple(str_of(name));
}

static void products_convolutions_and_attention_are_dense(void **state)
{
	(void)state;
	assert_true(dense("ampere_sgemm_128x64_nn"));
	assert_true(dense("void cudnn::cnn::conv2d_grouped_direct_kernel<false>(int)"));
	assert_true(dense("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32"));
	assert_true(kernel_is_single(STR_LIT("volta_sgemm_128x32_nt")));
	assert_false(kernel_is_single(STR_LIT("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn")));
	assert_false(kernel_is_past_half(STR_LIT("volta_sgemm_128x32_nt")));
	assert_false(kernel_is_past_half(STR_LIT("sm80_xmma_gemm_tf32f32_f32_tn")));
	assert_true(kernel_is_past_half(STR_LIT("sm90_xmma_gemm_f16f16_f16_tn")));
	assert_true(kernel_is_past_half(STR_LIT("gemvx::kernel<int, __nv_bfloat16>")));
	assert_true(dense("attn_fwd"));
	assert_true(dense("fused_moe_kernel"));
	assert_true(dense("void marlin::Marlin<__nv_bfloat16, 256, 1, 8>(int4 const*)"));
	assert_true(dense("triton_tem_fused_addmm_relu_3"));
	assert_false(dense("void convert_fp8_kernel(float*)"));
	assert_false(dense("layer_norm_grad_gamma_beta"));
}

static void what_memory_limits_is_simple(void **state)
{
	(void)state;
	assert_true(
		simple("void at::native::vectorized_elementwise_kernel<4, Add>(int)"));
	assert_true(simple("_ZN2at6native18elementwise_kernelILi128ELi4EEEviT0_"));
	assert_true(simple("void at::native::reduce_kernel<512, 1, R>(R)"));
	assert_false(simple("ampere_sgemm_128x64_nn"));
	assert_false(simple("unheard_of"));
}

static void a_softmax_is_of_its_own_kind(void **state)
{
	struct str warp =
		STR_LIT("void (anonymous namespace)::softmax_warp_forward<float>(int)");

	(void)state;
	assert_true(kernel_is_softmax(warp));
	assert_false(kernel_is_simple(warp));
	assert_false(kernel_is_softmax(STR_LIT("triton_poi_fused_softmax_add_3")));
	assert_false(
		kernel_is_softmax(STR_LIT("void cunn_LogSoftMaxForward<4>(float*)")));
}

static void what_is_fused_already_is_not_simple(void **state)
{
	(void)state;
	assert_false(simple("triton_poi_fused_softmax_add_3"));
	assert_false(simple("triton_per_fused_native_layer_norm_0"));
	assert_false(
		simple("multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >"));
	assert_false(simple("void splitKreduce_kernel<32, 16, int, float>(float*)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_convolutions_and_attention_are_dense),
		cmocka_unit_test(what_memory_limits_is_simple),
		cmocka_unit_test(a_softmax_is_of_its_own_kind),
		cmocka_unit_test(what_is_fused_already_is_not_simple),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
