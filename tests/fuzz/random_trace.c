/* Random traces: see random_trace.h. */
#include "random_trace.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What stands for a value; most are of the kind that belongs there. */
static const char *const times[] = { "0",      "1",     "2",   "3.5",  "10",   "\"12\"",
				     "12.001", "100",   "1e3", "-5",   "1e9",  "7",
				     "20",     "1e300", "[]",  "null", "\"x\"" };
static const char *const idents[] = {
	"1",    "2",   "7", "0", "-1", "\"7\"", "\"stream 7\"", "18446744073709551615",
	"\"\"", "null"
};
static const char *const names[] = { "\"aten::mm\"",
				     "\"aten::add\"",
				     "\"ProfilerStep#3\"",
				     "\"ProfilerStep#x\"",
				     "\"[memory]\"",
				     "\"[OutOfMemory]\"",
				     "\"cudaLaunchKernel\"",
				     "\"sgemm\"",
				     "\"thread_name\"",
				     "\"process_name\"",
				     "\"process_labels\"",
				     "\"gloo:all_reduce\"",
				     "\"nn.Module: A_0\"",
				     "\"a.py(1): f\"",
				     "\"\\ud83d\\ude80\"",
				     "\"Record Window End\"",
				     "5",
				     "{\"a\":[1]}",
				     "\"PyTorch Profiler (0)\"" };
static const char *const categories[] = { "cpu_op",
					  "cpu_op",
					  "user_annotation",
					  "kernel",
					  "cuda_runtime",
					  "gpu_memcpy",
					  "gpu_memset",
					  "cuda_sync",
					  "gpu_user_annotation",
					  "python_function",
					  "Trace",
					  "ac2g",
					  "cpu_instant_event",
					  "overhead",
					  "mtia_ccp_events" };
static const char *const arg_keys[] = { "External id",
					"correlation",
					"stream",
					"device",
					"Bytes",
					"Device Type",
					"Device Id",
					"Total Allocated",
					"Input Dims",
					"Sequence number",
					"Fwd thread id",
					"Python id",
					"Python parent id",
					"name",
					"labels",
					"sort_index",
					"Collective name",
					"grid",
					"wait_on_stream",
					"Call stack" };
static const char *const arg_values[] = { "1",
					  "2",
					  "41",
					  "41",
					  "7",
					  "0",
					  "-1",
					  "[[2,3],[3,4]]",
					  "[]",
					  "\"a;b\"",
					  "null",
					  "[1,1,1]",
					  "9e99",
					  "\"text\"",
					  "123456789012345678901",
					  "true" };
static const char phases[] = "XXXXXXXXXXXXBEBEiIRCMMsftbneSTpFPNODvc()Q";

uint64_t random_below(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (*state >> 33) % below;
}

static const char *one_of(uint64_t *state, const char *const *from, size_t n)
{
	/* The first ones are the usual ones. */
	size_t most = random_below(state, 4) ? (n + 1) / 2 : n;

	return from[random_below(state, most)];
}

static bool one_in(uint64_t *state, uint64_t n)
{
	return random_below(state, n) == 0;
}

static void add_args(uint64_t *state, struct buf *out)
{
	uint64_t n = random_below(state, 6);

	buf_add_text(out, ",\"args\":{");
	for (uint64_t i = 0; i < n; i++)
		buf_addf(out, "%s\"%s\":%s", i ? "," : "",
			 arg_keys[random_below(state, COUNT(arg_keys))],
			 arg_values[random_below(state, COUNT(arg_values))]);
	buf_add_char(out, '}');
}

static void add_event(uint64_t *state, struct buf *out)
{
	char phase = phases[random_below(state, sizeof(phases) - 1)];

	buf_addf(out, "{\"ph\":\"%c\"", phase);
	if (!one_in(state, 30))
		buf_addf(out, ",\"name\":%s", one_of(state, names, COUNT(names)));
	if (!one_in(state, 10))
		buf_addf(out, ",\"cat\":\"%s\"",
			 categories[random_below(state, COUNT(categories))]);
	if (!one_in(state, 30))
		buf_addf(out, ",\"pid\":%s,\"tid\":%s",
			 one_of(state, idents, COUNT(idents)),
			 one_of(state, idents, COUNT(idents)));
	if (!one_in(state, 30))
		buf_addf(out, ",\"ts\":%s", one_of(state, times, COUNT(times)));
	if (phase == 'X' && !one_in(state, 30))
		buf_addf(out, ",\"dur\":%s", one_of(state, times, COUNT(times)));
	if (phase != 'X' || one_in(state, 20))
		buf_addf(out, ",\"id\":%s%s", one_of(state, idents, COUNT(idents)),
			 one_in(state, 2) ? ",\"bp\":\"e\"" : "");
	if (!one_in(state, 3))
		add_args(state, out);
	buf_add_char(out, '}');
}

void random_trace(uint64_t *state, struct buf *out)
{
	uint64_t n = 1 + random_below(state, 60);
	bool is_array = one_in(state, 3);

	if (!is_array)
		buf_addf(out, "{%s\"traceEvents\":",
			 one_in(state, 2) ? "\"schemaVersion\":1,"
					    "\"baseTimeNanoseconds\":1700000000000000000,"
					  : "");
	buf_add_char(out, '[');
	for (uint64_t i = 0; i < n; i++) {
		buf_add_text(out, i ? ",\n" : "");
		add_event(state, out);
	}
	buf_add_text(out, is_array ? "]" : "],\"displayTimeUnit\":\"ms\"}");
}
