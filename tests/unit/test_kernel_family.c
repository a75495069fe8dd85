/*
 * Families of kernels by names as recordings have them (template arguments cut short), and
 * that no row of the table is without one.  Its rows are private, so the file is included.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/kernels/kernel_family.c" // NOLINT(bugprone-suspicious-include)

struct named {
	enum kernel_family family;
	const char *name;
};

/* clang-format off */
static const struct named known[] = {
	/* Inductor, XLA */
	{ FAMILY_ATTENTION, "triton_tem_fused_flex_attention_0" },
	{ FAMILY_CONVOLUTION, "triton_tem_fused_convolution_4" },
	/* cut, so that it cannot be demangled: NSA_ is a substitution, and no sparse attention */
	{ FAMILY_CONVOLUTION, "_ZN2ck6device23kernel_grouped_conv_fwdINS_8SequenceIJLi4EEEES_NSA_IJLi1E" },
	{ FAMILY_MOE, "triton_tem_fused__grouped_mm_2" },
	{ FAMILY_LINEAR, "triton_tem_fused_addmm_relu_3" },
	{ FAMILY_SOFTMAX, "triton_per_fused__softmax_add_7" },
	{ FAMILY_SAMPLING, "triton_red_fused_argmax_1" },
	{ FAMILY_NORM, "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_1" },
	{ FAMILY_NORM, "triton_per_fused_add_addmm_native_layer_norm_5" },
	{ FAMILY_LOSS, "triton_per_fused_nll_loss_forward_9" },
	{ FAMILY_REDUCTION, "triton_red_fused_2" },
	{ FAMILY_ELEMENTWISE, "triton_poi_fused_addmm_gelu_view_15" },
	{ FAMILY_ELEMENTWISE, "triton_poi_fused__scaled_dot_product_flash_attention_cat_transpose_view_10" },
	{ FAMILY_UNKNOWN, "triton__0d1d2d3d" },
	{ FAMILY_UNKNOWN, "triton_tem_fused_0" },
	{ FAMILY_LINEAR, "gemm_fusion_dot_14" },
	{ FAMILY_SOFTMAX, "triton_softmax_3" },
	{ FAMILY_REDUCTION, "input_reduce_fusion_8" },
	{ FAMILY_ELEMENTWISE, "loop_add_fusion" },

	/* mixture of experts */
	{ FAMILY_MOE, "fused_moe_kernel" },
	{ FAMILY_MOE, "void vllm::moe::topkGating<8, 128, 4, 16, 32, int, __nv_bfloat16, (vllm::moe::ScoringFunc)0>" },
	{ FAMILY_MOE, "void marlin_moe_wna16::Marlin<__nv_bfloat16, 1125899907892224l>(int)" },
	{ FAMILY_MOE, "void moe::dev::routing::routingCustom::routingIndicesBlockKernel<int>(int)" },
	{ FAMILY_MOE, "_ZN5aiter59fmoe_stage1_bf16_pertokenFp8_blockscale_g1u1_32x128_3tg_pf3E" },
	{ FAMILY_MOE, "void tensorrt_llm::kernels::cutlass_kernels::expandInputRowsKernel<__nv_bfloat16>(int)" },
	{ FAMILY_MOE, "void ck_tile::kentry<1, ck_tile::MoeSortingKernel<int> >(int)" },
	{ FAMILY_MOE, "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<int> > >(int)" },
	{ FAMILY_MOE, "void cutlass::device_kernel<dpsk::grouped_gemm::cuda::m_grouped_fp8_ptp128c::GemmKernel>(int)" },
	{ FAMILY_MOE, "void dpsk::gemm::fp8_gemm_kernel<4096u, 7168u, 128u, 128u, 128u, 5u, 128u, 128u, 2u, (dpsk::gemm::GemmType)1>(int)" },
	{ FAMILY_MOE, "bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_TN_transOut_schedS_routeAct_dynB_sm100f" },
	{ FAMILY_MOE, "void group_gemm_starts<int>(int)" },
	{ FAMILY_MOE, "_matmul_ogs_NNT_bf16xbf16xmxfp4_16x128x256x1_swiglu" },
	{ FAMILY_MOE, "_combined_routing_compute" },
	{ FAMILY_MOE, "deepep_permute_triton_kernel" },
	{ FAMILY_MOE, "void cuda::reduce_fused_impl<__nv_bfloat16, false, false>(int4 const*)" },
	{ FAMILY_MOE, "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::MoEProblemShape<int> > >(int)" },
	{ FAMILY_MOE, "kernel_cutlass_kernel_flashinfergrouped_gemm_masked_blackwellSm100BlockScaledPersistentDenseGemmKernel_object_at__" },
	{ FAMILY_MOE, "void at::cuda::detail::prepare_grouped_gemm_data<__nv_bfloat16>(int)" },
	{ FAMILY_MOE, "void tensorrt_llm::kernels::cutlass_kernels::doGatedActivationKernel<__nv_bfloat16>(int)" },
	{ FAMILY_MOE, "_row_id_map_pass_2_kernel" },
	{ FAMILY_MOE, "_sort_chunks_by_map_kernel" },
	{ FAMILY_MOE, "_fill_indices_kernel" },
	{ FAMILY_MOE, "deepgemm_compute_src2dst_triton_kernel" },
	{ FAMILY_MOE, "batched_triton_kernel" },

	/* attention */
	{ FAMILY_ATTENTION, "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128> >(int)" },
	{ FAMILY_ATTENTION, "void flash::prepare_varlen_num_blocks_kernel(int)" },
	{ FAMILY_ATTENTION, "kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__tensorptrbf16gmem" },
	{ FAMILY_ATTENTION, "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvDenseP64VarSeqQ8Kv128StaticSwapsAbForGen" },
	{ FAMILY_ATTENTION, "_convert_req_index_to_global_index_kernel" },
	{ FAMILY_ATTENTION, "parallel_nsa_fwd_kernel" },
	{ FAMILY_KV_CACHE, "void vllm::indexer_k_quant_and_cache_kernel<__nv_bfloat16>(int)" },
	{ FAMILY_KV_CACHE, "void vllm::gather_and_maybe_dequant_cache<__nv_bfloat16>(int)" },
	{ FAMILY_KV_CACHE, "alloc_extend_kernel" },
	{ FAMILY_KV_CACHE, "assign_draft_cache_locs" },
	{ FAMILY_KV_CACHE, "void transfer_kernel_impl<int>(int)" },
	{ FAMILY_ATTENTION, "void flash::prepare_varlen_num_blocks_kernel<1, true>" },
	{ FAMILY_ATTENTION, "fmhaSm100fKernel_QkvBfloat16OBfloat16H64PagedKvCausalP64VarSeqQ128Kv128PersistentContext" },
	{ FAMILY_ATTENTION, "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_3_64x128x128" },
	{ FAMILY_ATTENTION, "void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<int> > >" },
	{ FAMILY_ATTENTION, "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelIiEEE" },
	{ FAMILY_ATTENTION, "void flashinfer::BatchDecodeWithPagedKVCacheKernel<int>(int)" },
	{ FAMILY_ATTENTION, "kernel_unified_attention_3d" },
	{ FAMILY_ATTENTION, "reduce_segments" },
	{ FAMILY_ATTENTION, "_fwd_grouped_kernel_stage1" },
	{ FAMILY_ATTENTION, "_ZN5aiter42pa_bf16_pertokenFp8_gqa10_1tg_4w_mtp3_msk1E" },
	{ FAMILY_ATTENTION, "void deep_gemm::sm90_fp8_paged_mqa_logits<1u, 64u>" },
	{ FAMILY_ATTENTION, "aiter::mla_a8w8_qh16_qseqlen1_gqaratio16_ps" },
	{ FAMILY_ATTENTION, "chunk_gated_delta_rule_fwd_kernel_h_blockdim64" },
	{ FAMILY_ATTENTION, "_selective_scan_update_kernel" },

	/* caches, positions, embeddings */
	{ FAMILY_KV_CACHE, "create_flashinfer_kv_indices_triton" },
	{ FAMILY_KV_CACHE, "set_mla_kv_buffer_kernel" },
	{ FAMILY_KV_CACHE, "void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16>(int)" },
	{ FAMILY_KV_CACHE, "void (anonymous namespace)::store_kvcache<2048l, 4, false, long>((anonymous namespace)::StoreKVCacheParams)" },
	{ FAMILY_ROPE, "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)" },
	{ FAMILY_EMBEDDING, "void at::native::(anonymous namespace)::EmbeddingBag_updateOutputKernel_sum_mean<float>(int)" },
	{ FAMILY_EMBEDDING, "void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<float>(int)" },
	{ FAMILY_EMBEDDING, "void fbgemm_gpu::permute_2D_data_kernel<false, int>(int)" },

	/* norms and convolutions */
	{ FAMILY_REDUCTION, "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::LpNormFunctor<float> >(int)" },
	{ FAMILY_NORM, "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat16>" },
	{ FAMILY_NORM, "kernel_cutlass_kernel_flashinfernormkernelsfused_add_rmsnormFusedAddRMSNormKernel_object_at__tensorptrbf16gmem_0" },
	{ FAMILY_NORM, "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi64ELi8ELb0ELb0ELb1ELi1EEEvPT0_PT_PfS4_S4_S4_diiiiiiib" },
	{ FAMILY_NORM, "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>(int)" },
	{ FAMILY_NORM, "void ck_tile::kentry<1, ck_tile::Rmsnorm2dFwd<ck_tile::Rmsnorm2dFwdPipelineOnePass<int> > >(int)" },
	{ FAMILY_CONVOLUTION, "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(int)" },
	{ FAMILY_CONVOLUTION, "cudnn_infer_volta_scudnn_128x64_relu_medium_nn_v1" },
	{ FAMILY_CONVOLUTION, "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x64_wt32x32x8_ws1x1_wr1x1" },
	{ FAMILY_CONVOLUTION, "void cask_cudnn_infer::computeOffsetsKernel<true, false>(int)" },
	{ FAMILY_CONVOLUTION, "void cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_s16816fprop_optimized_bf16_256x64_32x4_nhwc_align8>(int)" },

	/* products */
	{ FAMILY_LINEAR, "nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT" },
	{ FAMILY_LINEAR, "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x32_MI16x16x1_SN" },
	{ FAMILY_LINEAR, "void marlin::Marlin<__half, 256>(int)" },
	{ FAMILY_LINEAR, "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)" },
	{ FAMILY_LINEAR, "_lora_shrink_kernel" },
	{ FAMILY_LINEAR, "void epilogue::impl::globalKernel<float, float, float, true, true>(int)" },
	{ FAMILY_LINEAR, "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float>(int)" },
	{ FAMILY_LINEAR, "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x6_tn_align8>(int)" },

	{ FAMILY_POOLING, "void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16>(int)" },
	{ FAMILY_LOSS, "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>(int)" },
	{ FAMILY_LOSS, "_cce_lse_forward_kernel" },
	{ FAMILY_NORM, "_fused_rms_mxfp4_quant_kernel" },
	{ FAMILY_SAMPLING, "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float> > >(int)" },
	{ FAMILY_SAMPLING, "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u>(float*)" },
	{ FAMILY_SAMPLING, "eagle_prepare_inputs_padded_kernel" },
	{ FAMILY_SAMPLING, "void VerifyTreeGreedy<int, int>(int)" },
	{ FAMILY_SAMPLING, "_logit_bias_kernel" },
	{ FAMILY_SOFTMAX, "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16>(int)" },
	{ FAMILY_OPTIMIZER, "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(int)" },
	{ FAMILY_ELEMENTWISE, "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat16, &(float silu<float>(float const&))>" },
	{ FAMILY_QUANTIZATION, "void tensorrt_llm::kernels::quantize_with_block_size<(tensorrt_llm::BlockScaleQuantizationType)2>(int)" },
	{ FAMILY_QUANTIZATION, "void cuda::per_token_cast_to_fp8_with_channels<__nv_bfloat16, 128>(int)" },
	{ FAMILY_QUANTIZATION, "void transformer_engine::mxfp8_kernel::cast_mxfp8_2D_kernel<int>(int)" },
	{ FAMILY_RANDOM, "void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel<float, 4>(int)" },
	{ FAMILY_COPY, "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)" },
	{ FAMILY_COPY, "void at::native::unrolled_elementwise_kernel<at::native::copy_device_to_device(at::TensorIterator&, bool)::{lambda()#2}>(int)" },
	{ FAMILY_COPY, "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>(float*)" },
	{ FAMILY_COPY, "memcpy32_post" },
	{ FAMILY_COPY, "void at::native::index_elementwise_kernel<128, 4>(long)" },
	{ FAMILY_REDUCTION, "void cub::DeviceRadixSortOnesweepKernel<int>(int*)" },
	{ FAMILY_REDUCTION, "void rocprim::ROCPRIM_400400_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400400_NS::default_config, rocprim::ROCPRIM_400400_NS::detail::partition_config_selector<int> >(int)" },
	{ FAMILY_ELEMENTWISE, "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)" },
	{ FAMILY_ELEMENTWISE, "SubTensorOpWithScalar1d" },
	{ FAMILY_ELEMENTWISE, "void rocprim::ROCPRIM_400400_NS::detail::trampoline_kernel<rocprim::ROCPRIM_400400_NS::default_config, rocprim::ROCPRIM_400400_NS::detail::transform_config_selector<int> >(int)" },

	{ FAMILY_UNKNOWN, "main_kernel" },
	{ FAMILY_UNKNOWN, "_fwd_kernel" },
	{ FAMILY_UNKNOWN, "prefill_step" },
	{ FAMILY_UNKNOWN, "" },
};
/* clang-format on */

#define NKNOWN (sizeof(known) / sizeof(*known))
#define NROWS  (sizeof(rows) / sizeof(*rows))

static void names_of_recordings_have_their_family(void **state)
{
	(void)state;
	for (size_t i = 0; i < NKNOWN; i++) {
		enum kernel_family got =
			kernel_family_of(WORK_COMPUTE, str_of(known[i].name));
		if (got != known[i].family)
			fail_msg("%s: %s, not %s", known[i].name, kernel_family_name(got),
				 kernel_family_name(known[i].family));
	}
}

static void each_row_decides_a_name_of_a_recording(void **state)
{
	bool has_name[NROWS] = { false };

	(void)state;
	for (size_t i = 0; i < NKNOWN; i++) {
		const struct family_row *row = row_of(str_of(known[i].name));
		if (row)
			has_name[row - rows] = true;
	}
	for (size_t i = 0; i < NROWS; i++)
		if (!has_name[i])
			fail_msg("no name for %s", rows[i].part);
}

static void what_communicates_or_copies_is_so_whatever_its_name(void **state)
{
	(void)state;
	assert_int_equal(FAMILY_COMMUNICATION,
			 kernel_family_of(WORK_COMMUNICATION, str_of("gemm")));
	assert_int_equal(FAMILY_COPY, kernel_family_of(WORK_MEMSET, str_of("gemm")));
}

static void every_family_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < NKERNEL_FAMILIES; i++)
		assert_non_null(kernel_family_name((enum kernel_family)i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_recordings_have_their_family),
		cmocka_unit_test(each_row_decides_a_name_of_a_recording),
		cmocka_unit_test(what_communicates_or_copies_is_so_whatever_its_name),
		cmocka_unit_test(every_family_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
