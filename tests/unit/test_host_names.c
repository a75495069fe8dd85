/* What the names of operators and labels say about the parts of a step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/steps/host_names.h"

static void says(unsigned bits, const char *name)
{
	if (host_name_bits(str_of(name)) != bits)
		fail_msg("%s: %u", name, host_name_bits(str_of(name)));
}

static void names_of_pytorch_are_what_it_means_by_them(void **state)
{
	(void)state;
	says(HOST_STEP, "ProfilerStep#12");
	says(HOST_DATA_LOADING,
	     "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
	says(HOST_DATA_LOADING, "enumerate(DataPipe)#IterDataPipe(3)");
	says(HOST_COMMUNICATION, "nccl:_all_gather_base");
	says(HOST_COMMUNICATION, "gloo:all_reduce");
	says(HOST_OPTIMIZER, "Optimizer.zero_grad#SGD.zero_grad");
	says(HOST_ENGINE, "autograd::engine::evaluate_function: AddmmBackward0");
	says(HOST_TRANSFER, "aten::_to_copy");
	says(HOST_TRANSFER, "aten::to.dtype");
}

static void words_in_labels_tell_the_phase_whatever_is_around_them(void **state)
{
	(void)state;
	says(HOST_SAYS_FORWARD, "## forward ##");
	says(HOST_SAYS_FORWARD, "DistributedDataParallel.forward");
	says(HOST_SAYS_BACKWARD, "Loss.Backward()");
	says(HOST_SAYS_OPTIMIZER, "## optimizer ##");
	says(HOST_SAYS_DATA, "data_loading");
	says(HOST_SAYS_DATA, "fetch next batch");
}

static void operators_and_names_of_two_phases_tell_none(void **state)
{
	(void)state;
	says(0, "");
	says(0, "aten::_log_softmax_backward_data");
	says(0, "AddmmBackward0");
	says(0, "forward_backward_func");
	says(0, "fast-forwarding");
	says(0, "## all2all_data:lengths_wait ##");
	says(0, "cudaLaunchKernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_pytorch_are_what_it_means_by_them),
		cmocka_unit_test(words_in_labels_tell_the_phase_whatever_is_around_them),
		cmocka_unit_test(operators_and_names_of_two_phases_tell_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
