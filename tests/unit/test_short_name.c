/* Names cut to a width: what tells them apart stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "query/short_name.h"

static void assert_short(const char *name, size_t cells, const char *expected)
{
	struct buf out;

	buf_init(&out, SIZE_MAX);
	buf_add_text(&out, "");
	short_name_add(&out, str_of(name), cells);
	assert_true(utf8_width(buf_str(&out)) <= cells);
	assert_int_equal(strlen(expected), out.n);
	assert_memory_equal(expected, out.p, out.n);
	buf_release(&out);
}

static void what_fits_stays(void **state)
{
	(void)state;
	assert_short("void f<int>(int*)", 17, "void f<int>(int*)");
	assert_short("aten::mm", 8, "aten::mm");
}

static void kernels_lose_what_they_all_have_and_keep_what_tells_them_apart(void **state)
{
	const char *name = "void at::native::vectorized_elementwise_kernel<4, "
			   "at::native::CUDAFunctor_add<float>, (anonymous "
			   "namespace)::Loader>(int, float*)";

	(void)state;
	assert_short("void at::native::f<int>(int*)", 20, "at::native::f<int>");
	assert_short("void at::native::f<int>(int*)", 12, "f<int>");
	assert_short(name, 70,
		     "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>, Loader>");
	assert_short(name, 60, "vectorized_elementwise_kernel<CUDAFunctor_add, Loader>");
	assert_short(name, 40, "vectorized_elementw…<CUDAFunctor_add, L…");
	assert_short(name, 12, "vectorized_…");
	assert_short(
		"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x128_16x3_nt_"
		"align1>(cutlass_80_tensorop_s1688gemm_256x128_16x3_nt_align1::Params)",
		30, "cutlass_80_tens…16x3_nt_align1");
	assert_short("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<"
		     "float>, float>(int, int)",
		     40, "multi_tensor_apply_kernel<AdamFunctor>");
	assert_short("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_MT256x224x64_MI16x16x1_SN_WG16_"
		     "16_1",
		     30, "Cijk_Alik_Bljk…MT256x224x64");
	assert_short("void at::native::elementwise_kernel<128, 4, "
		     "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<c10::"
		     "BFloat16, c10::BFloat16, at::native::binary_internal::MulFunctor<"
		     "float> > >(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
		     40, "elementwise_kernel<MulFunctor>");
	assert_short("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", 40,
		     "ncclKernel_AllReduce_RING_LL_Sum_float");
	assert_short("Memcpy HtoD (Pinned -> Device)", 20, "Memcpy Hto…> Device)");
}

static void functions_lose_their_folders(void **state)
{
	(void)state;
	assert_short("/usr/lib/python3.11/site-packages/torch/nn/modules/module.py:1518("
		     "_call_impl)",
		     30, "module.py:1518(_call_impl)");
	assert_short("torch/nn/modules/module.py(1518): _call_impl", 30,
		     "module.py(1518): _call_impl");
	assert_short("torch/nn/modules/module.py(1518): _call_impl", 20,
		     "module…_call_impl");
	assert_short("torch/nn/modules/module.py:1518(_call_impl)", 12, "(_call_impl)");
	assert_short("/tmp/ov/cov463qhi2m2kw6ldmzzijfv5t3c.py(2533): call", 26,
		     "cov463qhi2….py(2533): call");
	assert_short("    torch/nn/modules/module.py(1518): _call_impl", 31,
		     "    module.py(1518): _call_impl");
	assert_short("    [12] torch/nn/modules/module.py(1518): _call_impl", 36,
		     "    [12] module.py(1518): _call_impl");
	assert_short("<built-in method mm of Tensor object at 0x7faf8498c940>", 30,
		     "<built-in method mm>");
	assert_short("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
		     "cublasGemvParamsEx<int> >(cublasGemvParamsEx<int>)",
		     30, "kernel<cublasGemvParamsEx>");
	assert_short("<built-in method mm of Tensor object at 0x7faf8498c940>", 99,
		     "<built-in method mm of Tensor object>");
	/* export_stacks() */
	assert_short("<built-in_method_run_of_it_of_Tensor_object_at_0x7faf8498c940>", 99,
		     "<built-in method run_of_it of Tensor object>");
	assert_short("<built-in_function_len>", 99, "<built-in function len>");
	assert_short("<built-in_method_mm_of_Tensor_object_at_0x7faf8498c940>", 12,
		     "<mm>");
	assert_short("<function f at 0x7f> > <C object at 0x55>, at 0xz>", 99,
		     "<function f> > <C object>, at 0xz>");
	assert_short("<built-in method builtins.exec>", 20, "<builtins.exec>");
	assert_short("_ZN2ns11some_kernelIfLi4EEEvPT_", 30, "ns::some_kernel<float, 4>");
	/* TnPF is newer than what demangles it here */
	assert_short("_ZN7sgl_hip10activation18act_and_mul_kernelI14__hip_bfloat16TnPFT_",
		     30, "act_and_mul_kernel");
	assert_short("/logs/run/of/today/rank0.pt.trace.json.gz", 30,
		     "rank0.pt.trace.json.gz");
	assert_short("{built-in method torch._C._jit_get_operation}", 30,
		     "{torch._C._jit_get_operation}");
	assert_short("{method 'read' of '_io.BufferedReader' objects}", 30,
		     "{read of _io.BufferedReader}");
}

static void of_several_places_the_first_line_stays_and_how_many_more(void **state)
{
	static const char places[] =
		"/app/annotate.py(40): forward; /app/annotate.py(38): forward; /app/loss.py(9): f";

	(void)state;
	assert_short(places, 70,
		     "annotate.py(40): forward; annotate.py(38): forward; loss.py(9): f");
	assert_short(places, 40, "annotate.py(40): forward +2");
	assert_short(places, 20, "annotate.py(40) +2");
	assert_short(places, 14, "ann….py(40) +2");
	assert_short(places, 6, "forwa…");
}

static void places_behind_functions_lose_their_folders(void **state)
{
	static const char *json =
		"JSONEncoder.iterencode (/usr/lib/python3/json/encoder.py)";

	(void)state;
	assert_short(json, 48, "JSONEncoder.iterencode (python3/json/encoder.py)");
	assert_short(json, 44, "JSONEncoder.iterencode (json/encoder.py)");
	assert_short(json, 36, "JSONEncoder.iterencode (encoder.py)");
	assert_short(json, 30, "JSONEncoder.iterencode (enco…)");
	assert_short(json, 28, "JSONEncoder.iterencode");
	assert_short(json, 12, "JSONEncoder…");
	assert_short("    wait (/usr/lib/python3/threading.py:320)", 30,
		     "    wait (threading.py:320)");
	assert_short("f (C:\\Users\\me\\train.py:7)", 15, "f (train.py:7)");
	assert_short("FileLoader.get_data (<frozen importlib._bootstrap_external>)", 40,
		     "FileLoader.get_data (<frozen importlib…)");
	assert_short("0x7fa2a02a3f16 (/usr/lib/libc.so.6)", 28,
		     "0x7fa2a02a3f16 (libc.so.6)");
}

static void threads_keep_their_numbers(void **state)
{
	(void)state;
	assert_short("thread 563677 (python3.10)", 26, "thread 563677 (python3.10)");
	assert_short("thread 563677 (python3.10)", 20, "563677 (python3.10)");
	assert_short("thread 563677 (python3.10)", 14, "563677 …n3.10)");
	assert_short("thread pool of workers", 12, "thread…rkers");
}

static void labels_keep_what_stands_behind_the_hash(void **state)
{
	(void)state;
	assert_short("Optimizer.step#SGD.step", 20, "SGD.step");
	assert_short("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 40,
		     "_SingleProcessDataLoaderIter.__next__");
	assert_short("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 16,
		     "_SingleProcessD…");
	assert_short("a very long name of step ProfilerStep#12", 20,
		     "a very lon…erStep#12");
}

static void nothing_is_cut_beyond_its_bytes(void **state)
{
	struct buf out;

	(void)state;
	for (size_t cells = 1; cells < 12; cells++)
		for (const char *s = "void a::(b<c)#d/日(1)>:\xff:#"; *s; s++) {
			buf_init(&out, SIZE_MAX);
			short_name_add(&out, str_of(s), cells);
			assert_true(utf8_width(buf_str(&out)) <= cells);
			buf_release(&out);
		}
	buf_init(&out, SIZE_MAX);
	short_name_add(&out, (struct str){ "", 0 }, 1);
	assert_int_equal(0, out.n);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_stays),
		cmocka_unit_test(
			kernels_lose_what_they_all_have_and_keep_what_tells_them_apart),
		cmocka_unit_test(functions_lose_their_folders),
		cmocka_unit_test(
			of_several_places_the_first_line_stays_and_how_many_more),
		cmocka_unit_test(places_behind_functions_lose_their_folders),
		cmocka_unit_test(threads_keep_their_numbers),
		cmocka_unit_test(labels_keep_what_stands_behind_the_hash),
		cmocka_unit_test(nothing_is_cut_beyond_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
