/*
 * Which kernels communicate: names as traces and the sources of the projects have them,
 * and names that only look like it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/comm/comm_kernel.h"

static void function_is(const char *name, const char *function)
{
	char text[FUNCTION_NAME_MAX];
	struct str got = function_name(str_of(name), text);

	if (!str_is(got, function))
		fail_msg("the function of '%s' is '%.*s', not '%s'", name, (int)got.n,
			 got.p, function);
}

static void a_function_is_read_without_types(void **state)
{
	(void)state;
	function_is(
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<9>)",
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL");
	function_is(
		"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, "
		"16>(c10::BFloat16*, unsigned long)",
		"multimem_all_reduce_kernel");
	function_is("void at::native::(anonymous namespace)::f<int, (char)1>(int)",
		    "at::native::f");
	function_is("std::enable_if<true, void>::type a::B<int>::run<2>(a::B<int>&)",
		    "a::B::run");
	function_is("ncclKernel(x) [clone .kd]", "ncclKernel");
	function_is("__amd_rocclr_copyBuffer.kd", "__amd_rocclr_copyBuffer.kd");
	function_is("kernel [clone .kd]", "kernel");
	function_is("triton_poi_fused_add_0", "triton_poi_fused_add_0");
	function_is("a<b", "a");
	function_is("(", "");
	function_is("", "");
}

static void a_mangled_name_is_read_too(void **state)
{
	(void)state;
	function_is("_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_"
		    "8RankDataENS_11RankSignalsEjiiiP13__hip_stream_t",
		    "aiter::reduce_scatter_cross_device_store");
	function_is("_Z36barrier_on_stream_kernel_threadgroupIL13threadgroup_t1EEvii",
		    "barrier_on_stream_kernel_threadgroup");
	function_is("_ZN12_GLOBAL__N_126one_shot_all_reduce_kernelILi8EEEvPf",
		    "one_shot_all_reduce_kernel");
	/* newer than the demangler, or cut */
	function_is("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_",
		    "sgl_hip::activation::act_and_mul_kernel");
	function_is("_ZL14two_shot_a2a_kI", "two_shot_a2a_k");
	function_is("_ZN4vllm999cross_device", "vllm::cross_device");
	function_is("_Z", "");
	function_is("_Z99999999999999999999999a", "a");
}

static void parts_of_names_are_found_however_they_are_spelled(void **state)
{
	(void)state;
	assert_true(function_name_has(str_of("oneShotAllReduceKernel"), "all_reduce"));
	assert_true(function_name_has(str_of("ALL-REDUCE.1"), "all_reduce"));
	assert_true(function_name_has(str_of("a::b::hcom_send_"), "^hcom_"));
	assert_false(function_name_has(str_of("a::not_hcom_send_"), "^hcom_"));
	assert_false(function_name_has(str_of("r_ccl"), "rccl"));
	assert_false(function_name_has(str_of("all_reduc"), "all_reduce"));
	assert_false(function_name_has(str_of(""), "all_reduce"));
}

/* A kernel that communicates; collective is NULL where its name does not say which. */
struct example {
	const char *project, *name, *collective;
};

static const struct example communicate[] = {
	{ "NCCL",
	  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	  "all_reduce" },
	{ "NCCL", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	  "all_gather" },
	{ "NCCL", "ncclDevKernel_ReduceScatter_Sum_bf16_TREE_LL128(x)",
	  "reduce_scatter" },
	{ "NCCL", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
	  "send_recv" },
	{ "NCCL", "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	  "broadcast" },
	{ "NCCL", "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)",
	  "all_reduce" },
	{ "NCCL", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
	  "send_recv" },
	{ "NCCL", "ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce" },
	{ "NCCL", "ncclSymkDevKernel_AllReduce_AGxLLMC_R_sum_bf16(x)", "all_reduce" },
	{ "NCCL EP", "void nccl_ep::internode_ll::dispatch<(bool)0, 7168>(void*)",
	  "all_to_all" },
	{ "RCCL", "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", NULL },
	{ "RCCL", "void rcclGenericKernel<1, 1>(ncclDevComm*)", NULL },
	{ "MSCCL", "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*)", NULL },
	{ "MSCCL++", "void mscclpp::collective::allreducePacket<0, __half>(__half*)",
	  "all_reduce" },
	{ "MSCCL++", "void mscclpp::collective::allgatherFullmesh2<false>(void*)",
	  "all_gather" },
	{ "MSCCL++ in SGLang", "void allreduce_LL_1node<__nv_bfloat16>(mscclpp::Handle*)",
	  "all_reduce" },
	{ "HCCL", "hcom_allReduce__428_0_1", "all_reduce" },
	{ "HCCL", "hcom_reduceScatter__012_3_1", "reduce_scatter" },
	{ "HCCL", "hcom_alltoallv__012_3_1", "all_to_all" },
	{ "HCCL", "hcom_broadcast__012_3_1", "broadcast" },
	{ "HCCL", "allreduceAicpuKernel", "all_reduce" },
	{ "oneCCL", "oneccl_allreduce_pcie", "all_reduce" },
	{ "oneCCL", "oneccl_reduce_scatter_large_read<float, 8, 4>", "reduce_scatter" },
	{ "NVSHMEM", "void nvshmemi_transfer_rma_p<int>(void*, int, int)", NULL },
	{ "NVSHMEM",
	  "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
	  "barrier" },
	{ "NVSHMEM", "_Z36barrier_on_stream_kernel_threadgroupIL13threadgroup_t1EEvii",
	  "barrier" },
	{ "PyTorch",
	  "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, "
	  "16>(c10::BFloat16*, unsigned long, unsigned int**, unsigned long)",
	  "all_reduce" },
	{ "PyTorch",
	  "void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<float, "
	  "16>(float*, float*)",
	  "all_reduce" },
	{ "PyTorch", "void (anonymous namespace)::multimem_all_gather_kernel<16>(char*)",
	  "all_gather" },
	{ "PyTorch",
	  "void (anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16, "
	  "16, 8>(c10::BFloat16**)",
	  "all_reduce" },
	{ "PyTorch",
	  "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, "
	  "2>(c10::BFloat16**, unsigned long, unsigned long, unsigned int**)",
	  "all_reduce" },
	{ "PyTorch", "_ZN12_GLOBAL__N_126two_shot_all_reduce_kernelIfLi16ELi8EEEvPPf",
	  "all_reduce" },
	{ "PyTorch",
	  "c10d::symmetric_memory::barrier_kernel(unsigned int**, int, int, int, unsigned "
	  "long)",
	  "barrier" },
	{ "PyTorch",
	  "c10d::symmetric_memory::put_signal_kernel(unsigned int**, int, int, int)",
	  NULL },
	{ "PyTorch", "c10d::nvshmem_extension::allToAllV(void*, void*, long*, int)",
	  "all_to_all" },
	{ "PyTorch",
	  "void c10d::intra_node_comm::hybridCubeMeshAllReduceKernel<8u>(c10d::State*)",
	  "all_reduce" },
	{ "helion, torchtitan", "symm_mem_barrier", "barrier" },
	{ "Megatron-LM", "_multimem_reduce_scatter_kernel", "reduce_scatter" },
	{ "Megatron-LM", "multimem_all_gatherv_3tensor", "all_gather" },
	{ "vLLM",
	  "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)",
	  "all_reduce" },
	{ "SGLang",
	  "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*)",
	  "all_reduce" },
	{ "SGLang",
	  "void (anonymous namespace)::all_reduce_one_shot_push_kernel<__nv_bfloat16, 8u, "
	  "true>((anonymous namespace)::AllReducePushData)",
	  "all_reduce" },
	{ "vLLM, AITER",
	  "void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<__half,"
	  " quickreduce::CodecQ4<__half, 4>, true>, __half>(__half const*, __half*)",
	  "all_reduce" },
	{ "AITER",
	  "void aiter::cross_device_reduce_1stage_naive<std::bfloat16_t, 8>(int)",
	  "all_reduce" },
	{ "AITER",
	  "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataENS_"
	  "11RankSignalsEjiiiP13__hip_stream_t",
	  "reduce_scatter" },
	{ "AITER", "reduce_scatter_cross_device_store<bf16,8>", "reduce_scatter" },
	{ "AITER", "void aiter::allgather_vec<std::bfloat16_t, 8>(aiter::RankData*)",
	  "all_gather" },
	{ "AITER", "void aiter::allgather_lastdim<std::bfloat16_t, 4>(aiter::RankData*)",
	  "all_gather" },
	{ "AITER", "void aiter::allreduce_fusion_kernel_1stage<__half, 8>(int)",
	  "all_reduce" },
	{ "FlashInfer",
	  "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<"
	  "(flashinfer::trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, "
	  "false, false>(flashinfer::trtllm_allreduce_fusion::AllReduceFusionParams<int>)",
	  "all_reduce" },
	{ "FlashInfer",
	  "void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<(unsigned char)2, "
	  "__nv_bfloat16, true>(flashinfer::trtllm_mnnvl_allreduce::AllReduceFusionParams)",
	  "all_reduce" },
	{ "FlashInfer",
	  "void flashinfer::trtllm_mnnvl_allreduce::rmsNormLamport<4>(int*)",
	  "all_reduce" },
	{ "TensorRT-LLM",
	  "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true>(int)",
	  "all_reduce" },
	{ "TensorRT-LLM",
	  "void tensorrt_llm::kernels::lamportStyleOneShotAllReduceNormKernel<__half>(int)",
	  "all_reduce" },
	{ "TensorRT-LLM",
	  "void ar_fusion::moe::moefinalize_allreduce_fusion_kernel_oneshot_lamport<"
	  "__nv_bfloat16, 8, false, true, false, __nv_bfloat16, true>(int)",
	  "all_reduce" },
	{ "TensorRT-LLM, FlashInfer", "void moeA2ADispatchKernel<8, false>(int const*)",
	  "all_to_all" },
	{ "TensorRT-LLM, FlashInfer", "void moeA2ACombineKernel<__half, 8>(int const*)",
	  "all_to_all" },
	{ "FBGEMM", "void fbgemm_gpu::two_shot_all_reduce<8, true>(int, int)",
	  "all_reduce" },
	{ "TransformerEngine", "void userbuffers_fp16_sum_inplace_gpu_rw<8>(int, int)",
	  "all_reduce" },
	{ "TransformerEngine",
	  "void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<2>(int, int)",
	  "reduce_scatter" },
	{ "TransformerEngine",
	  "void userbuffers_fp16_sum_inplace_gpu_mc_ag<16>(int, int)", "all_gather" },
	{ "TransformerEngine", "kuserbuffers_pushsend(int*, int*, int4*, int4*, int)",
	  "send" },
	{ "TransformerEngine", "kuserbuffers_pushrecv(int, int, int, int*, int)",
	  "recv" },
	{ "DeepEP",
	  "void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*, float*)",
	  "all_to_all" },
	{ "DeepEP", "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16>(int4*)",
	  "all_to_all" },
	{ "DeepEP", "void dpsk::ep::internode::notify_dispatch<false, 8>(int const*)",
	  "all_to_all" },
	{ "DeepEP", "void dpsk::ep::internode::cached_notify<false>(int, int, int)",
	  "all_to_all" },
	{ "DeepEP", "void deep_ep::internode_ll::combine<false, 7168>(void*)",
	  "all_to_all" },
	{ "DeepEP", "void deep_ep::intranode::cached_notify_combine<8>(void**)",
	  "all_to_all" },
	{ "DeepEP", "void deep_ep::intranode::barrier<8>(int**, int)", "barrier" },
	{ "DeepEP",
	  "void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*, int*)",
	  "all_to_all" },
	{ "DeepEP 2", "void deep_ep::elastic::dispatch_impl<true, false, 24>(void*)",
	  "all_to_all" },
	{ "UCCL", "void uccl::intranode::dispatch<8, 768, 8192>(int4*)", "all_to_all" },
	{ "Primus-Turbo",
	  "void primus_turbo::deep_ep::intranode::combine<__half, 8>(int)",
	  "all_to_all" },
	{ "NIXL EP", "void nixl_ep::ep_kernels::dispatch<true, false, 7168>(int)",
	  "all_to_all" },
	{ "NIXL EP", "void nixl_ep::ht::notify_dispatch<false, 1>(int)", "all_to_all" },
	{ "NIXL EP", "nixl_ep::ep_kernels::barrier(nixl_ep::gpu_nixl_ctx)", "barrier" },
	{ "Hybrid-EP", "void hybrid_ep::dispatch_kernel<unsigned char, 8>(int)",
	  "all_to_all" },
	{ "Hybrid-EP", "hybrid_ep::device_sync_kernel(unsigned int*)", "barrier" },
	{ "MoRI", "void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(int)",
	  "all_to_all" },
	{ "MoRI", "EpCombineInterNodeV1Kernel_bf16", "all_to_all" },
	{ "pplx-garden", "void a2a_dispatch_send_kernel<true, 16, 4>(unsigned long)",
	  "all_to_all" },
	{ "XLA", "void stream_executor::gpu::RaggedAllToAllKernelImpl<8l>(void const*)",
	  "all_to_all" },
	{ "XLA", "all-reduce-start.1", "all_reduce" },
	{ "XLA", "collective-permute.3", "send_recv" },
};

static void communicates(const struct example *e)
{
	enum collective known;

	if (!comm_kernel_find(str_of(e->name), &known))
		fail_msg("%s: '%s' does not communicate", e->project, e->name);
	const char *got = collective_text(collective_of(str_of(e->name)));
	if (!got != !e->collective || (got && strcmp(got, e->collective) != 0))
		fail_msg("%s: '%s' is %s", e->project, e->name, got ? got : "unknown");
}

static void kernels_of_all_projects_communicate(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(communicate) / sizeof(*communicate); i++)
		communicates(&communicate[i]);
}

/* A struct: clang-tidy takes names in two parts for ones without a comma. */
static const struct {
	const char *name;
} compute[] = {
	{ "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
	  "at::native::func_wrapper_t<float, at::native::sum_functor<float>>>>(int)" },
	{ "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<bool, "
	  "at::native::func_wrapper_t<bool, at::native::and_kernel_cuda>>>(int)" },
	{ "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)" },
	{ "void at::native::_scatter_gather_elementwise_kernel<128, 4, "
	  "at::native::_cuda_scatter_gather_internal_kernel<true, float>>(int)" },
	{ "void at::native::index_elementwise_kernel<128, 4>(int)" },
	{ "void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long>(int)" },
	{ "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<"
	  "at::native::BroadcastFunctor<float>>>(int)" },
	{ "void at::native::sbtopk::gatherTopK<float, unsigned int, 2, false>(int)" },
	{ "aten::all" },
	{ "aten::allclose" },
	{ "allclose_kernel" },
	{ "broadcast_add_kernel" },
	{ "void tensorflow::functor::BroadcastToKernel<float>(int)" },
	{ "void (anonymous namespace)::groupnorm_kernel_dispatch_up<__hip_bfloat16>(int)" },
	{ "void deep_ep::elastic::dispatch_copy_epilogue_impl<8>(void*)" },
	{ "void cuda::reduce_fused_impl<__nv_bfloat16, false, false>(int4 const*)" },
	{ "triton_poi_fused_add_all_reduce_4" },
	{ "triton_red_fused__to_copy_all_gather_into_tensor_wait_tensor_mean_1" },
	{ "triton_per_fused_reduce_scatter_tensor_sum_0" },
	{ "triton_poi_fused_symm_mem_one_shot_all_reduce_2" },
	{ "loop_all_reduce_fusion" },
	{ "input_reduce_scatter_fusion" },
	{ "block_all_reduce_sum_f32_f32_kernel" },
	{ "void warpAllReduceSoftmax<float>(float*)" },
	{ "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>>(int)" },
	{ "void splitKreduce_kernel<float, float, float, float, true, false, false>(int)" },
	{ "void cudnn::cnn::reduce_wgrad_nchw_helper<float, float>(void*)" },
	{ "void cutlass::Kernel2<cutlass::reduction::kernel::ReduceSplitK<nccl>>(int)" },
	{ "void cutlass::device_kernel<GemmAllReduce>(int)" },
	{ "gemm_all_reduce_persistent" },
	{ "allgather_matmul_kernel" },
	{ "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, 128>(int)" },
	{ "_combined_routing_compute" },
	{ "_finalize_matmul_scatter_bf16" },
	{ "reduce_segments" },
	{ "moeA2APrepareDispatchKernel(int)" },
	{ "void aiter::local_device_load_rmsnorm_512n<__half>(int)" },
	{ "void flash::flash_fwd_splitkv_combine_kernel<int>(flash::Flash_fwd_params)" },
	{ "volta_scudnn_128x64_relu_small_nn_v1" },
	{ "waitForSync(int*)" },
	{ "_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_S2_E" },
	{ "hipblaslt_kernel" },
	{ "ncc" },
	{ "" },
};

static void kernels_that_only_look_like_it_compute(void **state)
{
	enum collective known;

	(void)state;
	for (size_t i = 0; i < sizeof(compute) / sizeof(*compute); i++)
		if (comm_kernel_find(str_of(compute[i].name), &known))
			fail_msg("'%s' communicates", compute[i].name);
}

static void a_name_of_any_length_is_cut_and_judged(void **state)
{
	const struct str head = STR_LIT("_ZN4nccl");
	char name[3 * FUNCTION_NAME_MAX], text[FUNCTION_NAME_MAX];
	enum collective known;

	(void)state;
	memset(name, 'a', sizeof(name));
	assert_int_equal(FUNCTION_NAME_MAX,
			 function_name((struct str){ name, sizeof(name) }, text).n);
	memcpy(name, head.p, head.n);
	assert_true(comm_kernel_find((struct str){ name, sizeof(name) }, &known));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_read_without_types),
		cmocka_unit_test(a_mangled_name_is_read_too),
		cmocka_unit_test(parts_of_names_are_found_however_they_are_spelled),
		cmocka_unit_test(kernels_of_all_projects_communicate),
		cmocka_unit_test(kernels_that_only_look_like_it_compute),
		cmocka_unit_test(a_name_of_any_length_is_cut_and_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
