/* Which kernels' names say Tensor Cores, and which operators could use them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/kernels/tensor_core.h"

static const char *const words[] = { "unknown", "no", "yes" };

static void assert_on(int capability, const char *const *names, enum tensor_core expected)
{
	for (; *names; names++) {
		enum tensor_core got = tensor_core_kernel(str_of(*names), capability);
		if (got != expected)
			fail_msg("%s: %s, not %s", *names, words[got], words[expected]);
	}
}

static void assert_all(const char *const *names, enum tensor_core expected)
{
	assert_on(0, names, expected);
}

static void the_plugins_names_are_known(void **state)
{
	static const char *const names[] = {
		"volta_h884gemm_64x128_ldg8_nn",
		"volta_fp16_s884cudnn_fp16_128x128_ldg8_splitK_relu_f2f_exp_small_nhwc2nchw",
		"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn",
		"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_nn",
		("void xmma_new::gemm::kernel<xmma_new::implicit_gemm::fprop::Kernel_traits<"
		 "xmma_new::Ampere_hmma_tf32_traits<unsigned int, float> > >"),
		"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64_32x6_tn_align4>(Params)",
		("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_"
		 "warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"),
		"turing_fp16_s1688cudnn_fp16_256x64_ldg8_relu_f2f_exp_conv1x1",
		NULL,
	};

	(void)state;
	assert_all(names, TENSOR_CORE_YES);
}

static void hopper_and_blackwell_are_known(void **state)
{
	static const char *const names[] = {
		"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT",
		"nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT",
		"nvjet_sm120_tst_mma_64x64x128_3_32x32x128_tmaAB_alignCD4_bz_TNNN",
		"cutlass3x_sm100_bstensorop_s128x128x64gemm_block_scaled",
		("void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<"
		 "flash::CollectiveMainloopFwdSm90<2> > > >"),
		"kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_0",
		"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(Flash_fwd_params)",
		("void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<"
		 "pytorch_flash::Flash_bwd_kernel_traits<64> >"),
		"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x128",
		"cudnn_generated_fort_native_sdpa_sm80_flash_bprop_f16_knob_31_128x64",
		("sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw_"
		 "tilesize128x128x16_stage4_warpsize2x2x1_g1_tensor16x8x8_execute_kernel__5x_cudnn"),
		("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_"
		 "tilesize128x128x64_warpgroupsize1x1x1_g1_execute_kernel__5x_cudnn"),
		"void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 2112u, 7168u>",
		"fmha_cutlassF_f32_aligned_64x64_rf_sm80(Params)",
		"fmha_cutlassF_f16_aligned_64x64_rf_sm75(Params)",
		"bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_TN_transOut_schedS_sm100f",
		("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<"
		 "cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<7> > >"),
		NULL,
	};

	(void)state;
	assert_all(names, TENSOR_CORE_YES);
}

static void matrix_cores_of_amd_are_known(void **state)
{
	static const char *const yes[] = {
		"Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN_LDSB0",
		"Cijk_Ailk_Bljk_HHS_BH_MT128x128x16_MI32x32x8x1_SN_1LDSB0",
		"void ck::kernel_gemm_xdl_cshuffle_v1<ck::GridwiseGemm>",
		"igemm_fwd_gtcx3_nhwc_fp16_bx0_ex0_bt256x64x32",
		"Custom_Cijk_Alik_Bljk_BBS_BH_MT256x256x64_MI16x16x1_UserArgs_shortname0_gfx950",
		"aiter::fmha_fwd_hd128_bf16_rtna",
		"_ZN5aiter30fmha_fwd_hd128_bf16_rtna_groupE.kd",
		"aiter::mla_dec_stage1_bf16_a16w16_subQ16_mqa16",
		"_ZN5aiter43fp8gemm_bf16_blockscale_BpreShuffle_128x128E",
		("void ck_tile::kentry<2, ck_tile::FmhaBatchPrefillWithPagedKVCacheKernel<"
		 "ck_tile::BlockFmhaBatchPrefillPipelineQRKSVSAsync<int> > >(int)"),
		"_ZN7ck_tile6kentryILi1ENS_13FmhaFwdKernelIiiEEJiEEEvv",
		("void ck_tile::kentry<1, ck_tile::GemmKernel<ck_tile::GemmTile1DPartitioner<int>, "
		 "ck_tile::GemmPipelineAGmemBGmemCRegV1<int> > >(int)"),
		"attn_fwd",
		"bwd_kernel_dk_dv",
		("void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, __hip_bfloat16, "
		 "(vllm::Fp8KVCacheDataType)0>(int)"),
		NULL,
	};
	static const char *const no[] = {
		"Cijk_Ailk_Bljk_SB_MT16x16x16_SE_AF0EM1_AMAS2_ASEM1_BL0_TT2_2_WG8_8_1_WGM1",
		"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >",
		"SubTensorOpWithScalar1d",
		"SubTensorOpWithCastTensor1d",
		"MIOpenBatchNormFwdTrainSpatial",
		"batched_transpose_32x32_half",
		"miopenSp3AsmConv_v30_3_1_gfx9_fp32_f2x3_stride1",
		"void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipeline<int> > >(int)",
		("void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128>("
		 "__hip_bfloat16*)"),
		"_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_RKS3_EXadL_Z4siluIS2_ES3_S5_EEEEvPS3_PS4_i",
		"aiter::fmha_bwd_hd128_odo_bf16",
		"kn_mla_reduce_v1<MlaReduceKernelV1Traits<512, 16, 1>, float, bfloat16>",
		NULL,
	};

	(void)state;
	assert_all(yes, TENSOR_CORE_YES);
	assert_all(no, TENSOR_CORE_NO);
}

static void cutlass_3_and_todays_libraries_are_known(void **state)
{
	static const char *const yes[] = {
		("void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel>("
		 "dpsk::grouped_gemm::cuda::fp8_ptp128c::GemmKernel::Params)"),
		("void cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<"
		 "cutlass::gemm::kernel::GemmUniversal<cute::tuple<int> > > >(int)"),
		"_ZN7cutlass13device_kernelIN5flash11enable_sm90INS1_15FlashAttnFwdSm90IiEEEEEEvi",
		"void flash::compute_attn_ws<Flash_fwd_kernel_traits<192, 128, 128, 12> >(int)",
		"void cutlass::device_kernel<flash::FlashAttnBwd<flash::CollectiveMainloopBwd<2> > >(int)",
		"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu",
		"_p_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128",
		"_w8a8_block_fp8_matmul",
		"fused_moe_kernel",
		"_attn_fwd",
		"kernel_unified_attention_2d",
		"fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64VarSeqQ8Kv128StaticSwapsAbForGen",
		"void flashinfer::BatchPrefillWithPagedKVCacheKernel<flashinfer::KernelTraits<1> >(int)",
		"void flash_fwd_splitkv_mla_kernel<Flash_fwd_kernel_traits_mla<576> >(int)",
		"void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899907892224l>(int)",
		"void qk_int_sv_f8_attn_kernel<128u, 64u>(int)",
		NULL,
	};
	static const char *const no[] = {
		"void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cute::tuple<int> > >(int)",
		("void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<"
		 "cutlass::bfloat16_t, cutlass::arch::Sm90, cute::SM90_64x64x16> >(int)"),
		"kernel_cutlass_kernel_flash_attncuteflash_bwd_preprocessFlashAttentionBackwardPreprocess_0",
		"void cuda::per_token_cast_to_fp8_with_channels<__nv_bfloat16, 128>(int)",
		"_silu_mul_fp8_quant_deep_gemm",
		"_finalize_matmul_scatter_bf16",
		"void deep_gemm::transpose_fp32<512u>(int)",
		"void fbgemm_gpu::permute_2D_data_kernel<false, int>(int)",
		"void flashinfer::BatchDecodeWithPagedKVCacheKernel<1>(int)",
		"void vllm::paged_attention_v1_kernel<c10::BFloat16, (vllm::Fp8KVCacheDataType)0>(int)",
		"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>(int)",
		"void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)",
		"void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*)",
		"triton_poi_fused_addmm_gelu_view_15",
		"triton_red_fused__softmax_3",
		"Memcpy HtoD (Pageable -> Device)",
		"void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false>(int)",
		"void (anonymous namespace)::store_kvcache<2048l, 4, false, long>(int)",
		NULL,
	};

	(void)state;
	assert_all(yes, TENSOR_CORE_YES);
	assert_all(no, TENSOR_CORE_NO);
}

static void a_name_that_does_not_say_is_not_known(void **state)
{
	static const char *const names[] = {
		"triton_tem_fused_mm_0",
		"triton__0d1d2d3d",
		"mine",
		"Cijk_Alik_Bljk_SB_Bias_HA_S_SAV_UserArgs_shortname0_gfx942",
		"void my_gemm_kernel<float>(float*)",
		"void cutlass::Kernel<cutlass::gemm::kernel::Gemm<int> >(int)",
		"_fwd_kernel",
		"prefill_kernel",
		NULL,
	};

	(void)state;
	assert_all(names, TENSOR_CORE_UNKNOWN);
}

static void a_device_must_have_them(void **state)
{
	static const char *const ampere[] = {
		"fmha_cutlassF_f32_aligned_64x64_rf_sm80(Params)",
		"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int> >(int)",
		NULL,
	};
	static const char *const any[] = { "_matmul_kernel", "attn_fwd", "mine", NULL };

	(void)state;
	assert_on(70, ampere, TENSOR_CORE_NO);
	assert_on(80, ampere, TENSOR_CORE_YES);
	assert_on(61, any, TENSOR_CORE_NO);
	assert_int_equal(70, tensor_core_capability("7.0"));
	assert_int_equal(103, tensor_core_capability("10.3"));
	assert_int_equal(0, tensor_core_capability("gfx942"));
	assert_int_equal(0, tensor_core_capability(NULL));
}

static void shares_are_of_what_is_known(void **state)
{
	const struct tensor_core_times times = { .yes_ns = 30, .unknown_ns = 40 };

	(void)state;
	assert_true(tensor_core_pct(times, 100) == 50);
	assert_true(tensor_core_unknown_pct(times, 100) == 40);
	assert_true(tensor_core_pct(times, 40) < 0); /* nothing is known */
	assert_true(tensor_core_pct(times, 0) < 0);
	assert_true(tensor_core_pct(times, INT64_MAX) < 0); /* a sum that stuck */
}

static void plain_multiply_adds_are_no_tensor_cores(void **state)
{
	static const char *const names[] = {
		"volta_sgemm_128x64_nn",
		"ampere_sgemm_32x32_sliced1x4_tn",
		"ampere_scudnn_128x64_relu_interior_nn_v1",
		"void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)",
		"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_tn_align1>(Params)",
		("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_stage3_warpsize1x2x1_"
		 "ffma_aligna4_alignc4_execute_kernel__5x_cublas"),
		"sm86_xmma_fprop_implicit_gemm_indexed_f32f32_f32f32_f32_nchwkcrs_nchw",
		"void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128> >",
		"void flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<64> >",
		"fmha_cutlassF_f32_aligned_64x64_rf_sm75(Params)",
		"void cublasLt::splitKreduce_kernel<32, 16, int, float>",
		"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		NULL,
	};

	(void)state;
	assert_all(names, TENSOR_CORE_NO);
}

/* A text that is no C string: nothing behind its end is looked at. */
static void a_name_ends_where_it_ends(void **state)
{
	(void)state;
	assert_int_equal(TENSOR_CORE_UNKNOWN,
			 tensor_core_kernel((struct str){ "xx_h884", 6 }, 0));
	assert_int_equal(TENSOR_CORE_YES,
			 tensor_core_kernel((struct str){ "xx_h884", 7 }, 0));
	assert_int_equal(TENSOR_CORE_UNKNOWN, tensor_core_kernel(str_of(""), 0));
	assert_false(tensor_core_op((struct str){ "aten::mm", 7 }));
	assert_true(tensor_core_op((struct str){ "aten::mm_x", 8 }));
	assert_true(tensor_core_op(STR_LIT("aten::mm.out")));
}

static void operators_are_eligible_by_their_whole_name(void **state)
{
	static const char *const yes[] = {
		"aten::mm",
		"aten::linear",
		"aten::conv2d",
		"aten::_convolution",
		"aten::cudnn_convolution_backward",
		"AddmmBackward",
		"AddbmmBackward",
		"BmmBackward0",
		"ConvolutionBackward0",
		"aten::scaled_dot_product_attention",
		"aten::_scaled_mm",
		"aten::einsum",
		"aten::prelu",
		NULL,
	};
	static const char *const no[] = { "",          "mm",       "aten::mm2",
					  "aten::add", "aten::MM", NULL };

	(void)state;
	for (size_t i = 0; yes[i]; i++)
		if (!tensor_core_op(str_of(yes[i])))
			fail_msg("%s is not eligible", yes[i]);
	for (size_t i = 0; no[i]; i++)
		if (tensor_core_op(str_of(no[i])))
			fail_msg("%s is eligible", no[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plugins_names_are_known),
		cmocka_unit_test(hopper_and_blackwell_are_known),
		cmocka_unit_test(matrix_cores_of_amd_are_known),
		cmocka_unit_test(cutlass_3_and_todays_libraries_are_known),
		cmocka_unit_test(a_name_that_does_not_say_is_not_known),
		cmocka_unit_test(a_device_must_have_them),
		cmocka_unit_test(shares_are_of_what_is_known),
		cmocka_unit_test(plain_multiply_adds_are_no_tensor_cores),
		cmocka_unit_test(a_name_ends_where_it_ends),
		cmocka_unit_test(operators_are_eligible_by_their_whole_name),
	};

	return cmocka_run_group_tests_name("tensor_core", tests, NULL, NULL);
}
