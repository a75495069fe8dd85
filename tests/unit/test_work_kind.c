/* What device work does, by class and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/devices/device_work.h"

struct example {
	enum slice_class class;
	const char *name;
	enum work_kind kind;
};

static void are(const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (work_kind_of(examples[i].class, str_of(examples[i].name)) !=
		    examples[i].kind)
			fail_msg("'%s' is something else", examples[i].name);
}

#define ARE(...)                                     \
	are((const struct example[]){ __VA_ARGS__ }, \
	    sizeof((const struct example[]){ __VA_ARGS__ }) / sizeof(struct example))

static void collectives_are_known_by_their_names(void **state)
{
	(void)state;
	ARE({ CLASS_KERNEL, "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "ncclDevKernel_Generic", WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void rcclGenericKernel<1, 1>", WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void vllm::cross_device_reduce_1stage<__half, 2>(...)",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "oneShotAllReduceKernel", WORK_COMMUNICATION },
	    { CLASS_KERNEL,
	      "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_"
	      "lamport<__nv_bfloat16, 8>",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void quickreduce::allreduce_prototype_twoshot<half>",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void deep_ep::internode_ll::combine<false, 7168>",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void deep_ep::layout::get_dispatch_layout<256>",
	      WORK_COMMUNICATION },
	    { CLASS_KERNEL, "void two_shot_all_reduce_kernel<c10::BFloat16, 8>",
	      WORK_COMMUNICATION });
}

static void copies_and_sets_are_memory_whoever_runs_them(void **state)
{
	(void)state;
	ARE({ CLASS_MEMCPY, "Memcpy HtoD (Pageable -> Device)", WORK_MEMCPY },
	    { CLASS_MEMCPY, "", WORK_MEMCPY },
	    { CLASS_MEMSET, "Memset (Device)", WORK_MEMSET },
	    { CLASS_KERNEL, "__amd_rocclr_copyBuffer.kd", WORK_MEMCPY },
	    { CLASS_KERNEL, "__amd_rocclr_fillBufferAligned.kd", WORK_MEMSET },
	    { CLASS_KERNEL, "MEMORY_COPY_DEVICE_TO_DEVICE", WORK_MEMCPY },
	    { CLASS_ACCELERATOR, "dma_in", WORK_MEMCPY });
}

static void everything_else_computes(void **state)
{
	(void)state;
	ARE({ CLASS_KERNEL, "ampere_sgemm_128x64_nn", WORK_COMPUTE },
	    { CLASS_KERNEL, "hipblaslt_kernel", WORK_COMPUTE },
	    { CLASS_KERNEL, "waitForSync(int*)", WORK_COMPUTE },
	    { CLASS_KERNEL, "", WORK_COMPUTE },
	    { CLASS_KERNEL, "my_dma_checker", WORK_COMPUTE },
	    { CLASS_ACCELERATOR, "pe_exe", WORK_COMPUTE });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_are_known_by_their_names),
		cmocka_unit_test(copies_and_sets_are_memory_whoever_runs_them),
		cmocka_unit_test(everything_else_computes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
