/* Names of collectives, their sizes and bandwidths, element types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest/sink.h"
#include "query/comm/collective_name.h"
#include "trace/dtype.h"

static void is_collective(const char *spelled, const char *name)
{
	const char *got = collective_text(collective_of(str_of(spelled)));

	if (!name)
		assert_null(got);
	else
		assert_string_equal(name, got);
}

static void all_spellings_are_one_collective(void **state)
{
	(void)state;
	is_collective("allreduce", "all_reduce");
	is_collective("all_reduce", "all_reduce");
	is_collective("allreduce_coalesced", "all_reduce");
	is_collective("_allgather_base", "all_gather");
	is_collective("all_gather_into_tensor_coalesced", "all_gather");
	is_collective("_reduce_scatter_base", "reduce_scatter");
	is_collective("all_to_allv", "all_to_all");
	is_collective("_broadcast_oop", "broadcast");
	is_collective("_reduce_oop", "reduce");
	is_collective("gather", "gather");
	is_collective("scatter", "scatter");
	is_collective("send", "send");
	is_collective("recvAnySource", "recv");
	is_collective("barrier", "barrier");
	is_collective(
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"all_reduce");
	is_collective("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
		      "send_recv");
	is_collective("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(reduce)",
		      "all_reduce");
	is_collective("one_shot_all_reduce_kernel", "all_reduce");
	is_collective("void deep_ep::intranode::dispatch<8, 768>(int4*)", "all_to_all");
	is_collective("ncclBroadcastRingLLKernel_copy_i8(ncclColl)", "broadcast");
	is_collective("ncclDevKernel_Generic(allreduce)", NULL);
	is_collective("wait", NULL);
	is_collective("", NULL);
}

static void is_kernel(const char *name, const char *algorithm, const char *protocol,
		      const char *dtype)
{
	struct collective_kernel k = collective_kernel_of(str_of(name));

	assert_true(str_is(k.algorithm, algorithm));
	assert_true(str_is(k.protocol, protocol));
	assert_true(str_is(k.dtype, dtype));
}

static void kernels_of_nccl_tell_algorithm_protocol_and_type(void **state)
{
	(void)state;
	is_kernel(
		"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
		"RING", "LL", "f32");
	is_kernel("ncclDevKernel_ReduceScatter_Sum_bf16_TREE_LL128(x)", "TREE", "LL128",
		  "bf16");
	is_kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "RING", "LL",
		  "float");
	is_kernel("ncclKernel_AllReduce_TREE_SIMPLE_Sum___nv_bfloat16(x)", "TREE",
		  "SIMPLE", "bfloat16");
	is_kernel("ncclKernel_AllReduce_RING_LL_Sum_uint8_t(x)", "RING", "LL", "uint8");
	/* bytes, whatever the elements are */
	is_kernel("ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclWorkElem)", "RING", "LL",
		  "");
	is_kernel("cross_device_reduce_RING", "", "", "");
	/* before NCCL 2.10 */
	is_kernel("ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "RING", "LL", "f32");
	is_kernel("ncclAllReduceTreeLL128Kernel_max_f16(ncclWorkElem)", "TREE", "LL128",
		  "f16");
	is_kernel("ncclAllReduceCollNetSimpleKernel_sum_f64(x)", "COLLNET", "SIMPLE",
		  "f64");
	is_kernel("ncclAllGatherRingSimpleKernel_copy_i8(ncclColl)", "RING", "SIMPLE",
		  "");
	/* symmetric memory, from 2.27 */
	is_kernel("ncclSymkDevKernel_AllReduce_AGxLLMC_R_sum_bf16(x)", "", "", "bf16");
	is_kernel("n", "", "", "");
}

#define NONE NUMBER_NONE

static int64_t size_of(enum collective collective, int64_t in, int64_t out, int64_t n)
{
	struct message m = { in, out, 4, n };

	return collective_bytes(collective, &m);
}

static void sizes_are_those_of_nccl_tests(void **state)
{
	(void)state;
	assert_int_equal(40, size_of(COLLECTIVE_ALL_REDUCE, 10, 10, 8));
	assert_int_equal(320, size_of(COLLECTIVE_ALL_GATHER, 10, 80, 8));
	assert_int_equal(320, size_of(COLLECTIVE_ALL_GATHER, 10, NONE, 8));
	assert_int_equal(320, size_of(COLLECTIVE_REDUCE_SCATTER, 80, 10, 8));
	assert_int_equal(320, size_of(COLLECTIVE_REDUCE_SCATTER, NONE, 10, 8));
	assert_int_equal(40, size_of(COLLECTIVE_ALL_TO_ALL, 10, 10, 8));
	assert_int_equal(320, size_of(COLLECTIVE_GATHER, 10, 0, 8)); /* not the root */
	assert_int_equal(320, size_of(COLLECTIVE_SCATTER, 0, 10, 8));
	assert_int_equal(44, size_of(COLLECTIVE_RECV, 10, 11, NONE));
	assert_int_equal(40, size_of(COLLECTIVE_BROADCAST, 10, 10, NONE));
}

static void what_is_not_known_has_no_size(void **state)
{
	struct message unknown_type = { 10, 10, -1, 8 };
	(void)state;

	assert_int_equal(NONE, size_of(COLLECTIVE_ALL_GATHER, 10, NONE, NONE));
	assert_int_equal(NONE, size_of(COLLECTIVE_ALL_REDUCE, NONE, NONE, 8));
	assert_int_equal(NONE, size_of(COLLECTIVE_ALL_REDUCE, INT64_MAX, 1, 8));
	assert_int_equal(NONE, size_of(COLLECTIVE_ALL_REDUCE, -1, 1, 8));
	assert_int_equal(NONE, size_of(COLLECTIVE_BARRIER, 1, 1, 8));
	assert_int_equal(NONE, collective_bytes(COLLECTIVE_ALL_REDUCE, &unknown_type));
}

static void ranks_are(const char *shapes, int64_t n)
{
	assert_int_equal(n, collective_ranks_of_shapes(str_of(shapes)));
}

static void shapes_of_what_all_and_one_have_tell_how_many_ranks_there_are(void **state)
{
	(void)state;
	ranks_are("[[65536, 64], [8192, 64], []]", 8);
	ranks_are("[[8192, 384], [65536, 384], [], [], []]", 8);
	ranks_are("[[16], [16], []]", 1);
	ranks_are("[[10], [3]]", NONE);
	ranks_are("[[10]]", NONE);
	ranks_are("[[10], []]", NONE);
	ranks_are("[[], [10]]", NONE);
	ranks_are("[[0], [10]]", NONE);
	ranks_are("[[4294967296, 4294967296], [1]]", NONE);
	ranks_are("[[99999999999999999999], [1]]", NONE);
	ranks_are("[[[2]], [1]]", NONE);
	ranks_are("[[8], [2", NONE);
	ranks_are("[[8, ], [2]]", NONE);
	ranks_are("[[8],[2]]", NONE);
	ranks_are("", NONE);
}

static void is_factor(enum collective collective, int64_t n, double factor)
{
	assert_float_equal((float)factor, (float)collective_bus_factor(collective, n),
			   1e-6F);
}

static void factors_are_those_of_nccl_tests(void **state)
{
	(void)state;
	is_factor(COLLECTIVE_ALL_REDUCE, 8, 1.75);
	is_factor(COLLECTIVE_ALL_GATHER, 8, 0.875);
	is_factor(COLLECTIVE_REDUCE_SCATTER, 2, 0.5);
	is_factor(COLLECTIVE_ALL_TO_ALL, 4, 0.75);
	is_factor(COLLECTIVE_GATHER, 4, 0.75);
	is_factor(COLLECTIVE_ALL_REDUCE, 1, 0);
	is_factor(COLLECTIVE_BROADCAST, NONE, 1);
	is_factor(COLLECTIVE_SEND, NONE, 1);
	assert_true(collective_bus_factor(COLLECTIVE_ALL_REDUCE, NONE) < 0);
	assert_true(collective_bus_factor(COLLECTIVE_ALL_GATHER, 0) < 0);
	assert_true(collective_bus_factor(COLLECTIVE_BARRIER, 8) < 0);
}

static void is_dtype(const char *spelled, const char *name, int64_t bytes)
{
	const struct dtype *dtype = dtype_find(str_of(spelled));

	assert_non_null(dtype);
	assert_string_equal(name, dtype->name);
	assert_int_equal(bytes, dtype->bytes);
}

static void types_are_known_in_all_spellings(void **state)
{
	(void)state;
	is_dtype("Float", "float32", 4);
	is_dtype("float", "float32", 4);
	is_dtype("f32", "float32", 4);
	is_dtype("float32", "float32", 4);
	is_dtype("c10::BFloat16", "bfloat16", 2);
	is_dtype("Float8_e4m3fn", "float8_e4m3fn", 1);
	is_dtype("c10::Float8_e5m2", "float8_e5m2", 1);
	is_dtype("long int", "int64", 8);
	is_dtype("ComplexDouble", "complex128", 16);
	is_dtype("bool", "bool", 1);
	assert_null(dtype_find(STR_LIT("TensorList")));
	assert_null(dtype_find(STR_LIT("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_spellings_are_one_collective),
		cmocka_unit_test(kernels_of_nccl_tell_algorithm_protocol_and_type),
		cmocka_unit_test(sizes_are_those_of_nccl_tests),
		cmocka_unit_test(what_is_not_known_has_no_size),
		cmocka_unit_test(
			shapes_of_what_all_and_one_have_tell_how_many_ranks_there_are),
		cmocka_unit_test(factors_are_those_of_nccl_tests),
		cmocka_unit_test(types_are_known_in_all_spellings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
