/* Lists of events of torch without Kineto (ingest/kineto.c). */
#include "reading.h"

#define HOST(name, ts, dur)                                                     \
	"{\"name\": \"" name "\", \"ph\": \"X\", \"ts\": " ts ", \"dur\": " dur \
	", \"tid\": 1, \"pid\": \"CPU functions\", \"args\": {}}"
#define WORK(name, ts, dur)                                                     \
	"{\"name\": \"" name "\", \"ph\": \"X\", \"ts\": " ts ", \"dur\": " dur \
	", \"tid\": 3, \"pid\": \"CUDA functions\", \"args\": {}}"
#define START(name, ts, id)                                                      \
	"{\"name\": \"" name "\", \"ph\": \"s\", \"ts\": " ts ", \"tid\": 1, "   \
	"\"pid\": \"CPU functions\", \"id\": " id ", \"cat\": \"cpu_to_cuda\", " \
	"\"args\": {}}"
#define FINISH(name, ts, id)                                                      \
	"{\"name\": \"" name "\", \"ph\": \"f\", \"ts\": " ts ", \"tid\": 3, "    \
	"\"pid\": \"CUDA functions\", \"id\": " id ", \"cat\": \"cpu_to_cuda\", " \
	"\"args\": {}}"

#define MM   "slice thread \"CPU functions\"/1 \"mm\" 5500+9000 op\n"
#define GEMM "slice stream \"CUDA functions\"/3 \"gemm\" 7250+3125 kernel device=3\n"
#define MM_ARROW \
	"flow start \"CPU functions\"/1 \"cpu_to_cuda\"/\"cpu_to_cuda\" #0 5500 enclosing\n"

static void functions_of_the_host_are_operators_and_those_of_a_device_its_work(
	void **state)
{
	(void)state;
	assert_sound("[" HOST("mm", "5.5", "9.000000000000002") ", " WORK("gemm", "7.25",
									  "3.125") "]",
		     MM GEMM);
}

static void an_arrow_without_an_end_leads_to_the_work_behind_it(void **state)
{
	(void)state;
	assert_sound(
		"[" HOST("mm", "5.5", "9.0") ", " START("mm", "5.5", "0") ", " WORK(
			"gemm", "7.25", "3.125") "]",
		MM MM_ARROW
		"flow finish \"CUDA functions\"/3 \"cpu_to_cuda\"/\"cpu_to_cuda\" #0 7250\n" GEMM);
}

static void an_arrow_with_an_end_is_as_it_stands(void **state)
{
	(void)state;
	assert_sound(
		"[" HOST("mm", "5.5", "9.0") ", " START("mm", "5.5", "0") ", " FINISH(
			"gemm", "7.25", "0") ", " WORK("gemm", "7.25", "3.125") "]",
		MM MM_ARROW
		"flow finish \"CUDA functions\"/3 \"cpu_to_cuda\"/\"cpu_to_cuda\" #0 7250\n" GEMM);
}

/* A file that was sorted by time: what is next to an arrow says nothing. */
static void work_behind_another_operator_is_nobodys(void **state)
{
	(void)state;
	assert_sound("[" HOST("mm", "5.5", "9.0") ", " START("mm", "5.5", "0") ", " HOST(
			     "add", "6", "1") ", " WORK("gemm", "7.25", "3.125") "]",
		     MM MM_ARROW
		     "slice thread \"CPU functions\"/1 \"add\" 6000+1000 op\n" GEMM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			functions_of_the_host_are_operators_and_those_of_a_device_its_work),
		cmocka_unit_test(an_arrow_without_an_end_leads_to_the_work_behind_it),
		cmocka_unit_test(an_arrow_with_an_end_is_as_it_stands),
		cmocka_unit_test(work_behind_another_operator_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
