/* Names of copies and sets, and whether the host waited for one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/comm/transfers.h"

static void is_transfer(const char *name, const char *kind, const char *memory)
{
	struct transfer_name got = transfer_name_of(false, str_of(name));
	const char *got_memory = host_memory_name(got.memory);

	assert_string_equal(kind, transfer_kind_name(got.kind));
	if (memory)
		assert_string_equal(memory, got_memory);
	else
		assert_null(got_memory);
}

static void directions_are_known_in_all_spellings(void **state)
{
	(void)state;
	is_transfer("Memcpy HtoD (Pageable -> Device)", "HtoD", "pageable");
	is_transfer("Memcpy DtoH (Device -> Pinned)", "DtoH", "pinned");
	is_transfer("Memcpy DtoD (Device -> Device)", "DtoD", NULL);
	is_transfer("Memcpy PtoP (Device -> Device)", "PtoP", NULL);
	is_transfer("Memcpy HtoH (Pageable -> Pageable)", "HtoH", "pageable");
	is_transfer("Memcpy HtoA (Pinned -> Array)", "HtoD", "pinned");
	is_transfer("Memcpy HtoD (Host -> Device)", "HtoD", NULL);
	is_transfer("MEMORY_COPY_DEVICE_TO_HOST", "DtoH", NULL);
	is_transfer("CopyHostToDevice", "HtoD", NULL);
	is_transfer("Memcpy M2D", "HtoD", NULL);
	is_transfer("MemcpyH2D", "HtoD", NULL);
	is_transfer("Memcpy DtoD (Managed -> Managed Static)", "DtoD", "managed");
	is_transfer("__amd_rocclr_copyBuffer", "copy", NULL);
	is_transfer("", "copy", NULL);
}

static void memory_stands_in_parentheses(void **state)
{
	(void)state;
	is_transfer("Pinned Memcpy HtoD", "HtoD", NULL);
	is_transfer("Memcpy HtoD (", "HtoD", NULL);
}

static void a_set_is_a_set_whatever_its_name(void **state)
{
	(void)state;
	assert_int_equal(TRANSFER_SET,
			 transfer_name_of(true, STR_LIT("Memset HtoD (Device)")).kind);
	assert_string_equal("memset", transfer_kind_name(TRANSFER_SET));
}

static enum transfer_wait waits(const char *name, const char *call, const char *next)
{
	bool is_set = strstr(name, "Memset");

	return transfer_wait_of(transfer_name_of(is_set, str_of(name)), str_of(call),
				str_of(next));
}

static void a_call_that_is_not_asynchronous_waits(void **state)
{
	(void)state;
	assert_int_equal(WAIT_CALL,
			 waits("Memcpy HtoD (Pinned -> Device)", "cudaMemcpy", ""));
	assert_int_equal(WAIT_CALL, waits("Memcpy DtoH (Device -> Host)",
					  "hipMemcpyWithStream", ""));
	assert_int_equal(WAIT_NO,
			 waits("Memcpy HtoD (Pinned -> Device)", "cudaMemcpyAsync", ""));
	/* a graph's copies */
	assert_int_equal(WAIT_NO,
			 waits("Memcpy HtoD (Pinned -> Device)", "cudaGraphLaunch", ""));
}

static void nothing_waits_for_a_copy_between_devices(void **state)
{
	(void)state;
	assert_int_equal(WAIT_NO,
			 waits("Memcpy DtoD (Device -> Device)", "cudaMemcpy", ""));
	assert_int_equal(WAIT_NO,
			 waits("Memcpy PtoP (Device -> Device)", "cudaMemcpyPeer", ""));
	assert_int_equal(WAIT_NO, waits("Memset (Pageable)", "cudaMemset", ""));
}

static void pageable_memory_and_a_wait_behind_block(void **state)
{
	(void)state;
	assert_int_equal(WAIT_PAGEABLE,
			 waits("Memcpy DtoH (Device -> Pageable)", "cudaMemcpyAsync",
			       "cudaStreamSynchronize"));
	assert_int_equal(WAIT_SYNCHRONIZE,
			 waits("Memcpy DtoH (Device -> Pinned)", "cudaMemcpyAsync",
			       "cudaStreamSynchronize"));
	assert_int_equal(WAIT_SYNCHRONIZE, waits("Memset (Device)", "cudaMemsetAsync",
						 "hipDeviceSynchronize"));
	assert_null(transfer_wait_name(WAIT_UNKNOWN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions_are_known_in_all_spellings),
		cmocka_unit_test(memory_stands_in_parentheses),
		cmocka_unit_test(a_set_is_a_set_whatever_its_name),
		cmocka_unit_test(a_call_that_is_not_asynchronous_waits),
		cmocka_unit_test(nothing_waits_for_a_copy_between_devices),
		cmocka_unit_test(pageable_memory_and_a_wait_behind_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
