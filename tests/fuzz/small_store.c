/* Stores for fuzzing: see small_store.h. */
#include "small_store.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/import.h"

static const char trace[] =
	"{\"schemaVersion\":1,\"baseTimeNanoseconds\":1000,\"deviceProperties\":["
	"{\"id\":0,\"name\":\"GPU\",\"totalGlobalMem\":99}],\"traceEvents\":[\n"
	"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"t\"}},\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
	"\"ts\":0.000,\"dur\":20.000},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\":1,"
	"\"ts\":1.000,\"dur\":10.000,\"args\":{\"External id\":1,\"Input Dims\":[[8, 3]],"
	"\"Call stack\":\"a.py(1): f;b.py(2): g\"}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,"
	"\"ts\":2.000,\"dur\":6.000,\"args\":{\"External id\":2}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"
	"\"ts\":3.000,\"dur\":2.000,\"args\":{\"External id\":2,\"correlation\":9}},\n"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":6.000,"
	"\"dur\":4.000,\"args\":{\"External id\":2,\"correlation\":9,\"device\":0,\"stream\":7}},\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":1,\"tid\":1,\"ts\":3"
	"0.000,\"dur\":30.000},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::copy_\",\"pid\":1,\"tid\":1,\"ts\":31.000,\"dur\":"
	"4.000,\"args\":{\"External id\":3}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaMemcpyAsync\",\"pid\":1,\"tid\":1,\"ts\":32."
	"000,\"dur\":2.000,\"args\":{\"External id\":3,\"correlation\":10}},\n"
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\",\"pid\":0,\""
	"tid\":7,\"ts\":35.000,\"dur\":3.000,\"args\":{\"External id\":3,\"correlation\":10,\"device\""
	":0,\"stream\":7,\"bytes\":4096}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":36"
	".000,\"dur\":1.000,\"args\":{\"correlation\":11}},\n"
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDev"
	"Comm*)\",\"pid\":0,\"tid\":9,\"ts\":40.000,\"dur\":5.000,\"args\":{\"correlation\":11,\"device"
	"\":0,\"stream\":9,\"grid\":[2,1,1],\"block\":[64,1,1],\"blocks per SM\":0.5,\"est. achieve"
	"d occupancy %\":20,\"Collective name\":\"allreduce\",\"In msg nelems\":8,\"Out msg nelem"
	"s\":8,\"Group size\":2,\"dtype\":\"Float\"}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\",\"pid\":1,\"tid\":1,\"t"
	"s\":41.000,\"dur\":9.000,\"args\":{\"correlation\":12}},\n"
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":31.50"
	"0,\"args\":{\"Bytes\":1024,\"Addr\":77,\"Device Type\":1,\"Device Id\":0,\"Total Allocated\""
	":1024,\"Total Reserved\":4096}},\n"
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":51.50"
	"0,\"args\":{\"Bytes\":-1024,\"Addr\":77,\"Device Type\":1,\"Device Id\":0,\"Total Allocated"
	"\":0,\"Total Reserved\":4096}},\n"
	"{\"ph\":\"s\",\"name\":\"ac2g\",\"cat\":\"ac2g\",\"id\":9,\"pid\":1,\"tid\":1,\"ts\":3.000},\n"
	"{\"ph\":\"f\",\"name\":\"ac2g\",\"cat\":\"ac2g\",\"id\":9,\"pid\":0,\"tid\":7,\"ts\":6.000,"
	"\"bp\":\"e\"},\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#5\",\"pid"
	"\":1,\"tid\":1,\"ts\":100.000,\"dur\":9000.000},\n"
	"{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: Linear_0\","
	"\"pid\":1,\"tid\":1,\"ts\":110.000,\"dur\":8000.000,\"args\":{\"Python id\":"
	"1,\"Python module id\":0}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\""
	":1,\"ts\":200.000,\"dur\":1200.000,\"args\":{\"External id\":5,\"Sequence nu"
	"mber\":7,\"Input Dims\":[[8, 3]]}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\""
	":1,\"ts\":2000.000,\"dur\":1300.000,\"args\":{\"External id\":6,\"Input Dims"
	"\":[[8, 3]]}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::linear\",\"pid\":1,\"tid\""
	":1,\"ts\":4000.000,\"dur\":3900.000,\"args\":{\"External id\":7,\"Input Dims"
	"\":[[8, 3]]}},\n"
	"{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"AddmmBackward0\",\"pid\":1,\"tid"
	"\":2,\"ts\":8200.000,\"dur\":300.000,\"args\":{\"External id\":8,\"Sequence "
	"number\":7,\"Fwd thread id\":1}},\n"
	"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Wait Event\",\"pid\":0"
	",\"tid\":7,\"ts\":8300.000,\"dur\":20.000,\"args\":{\"device\":0,\"stream\":"
	"7,\"wait_on_stream\":9,\"wait_on_cuda_event_record_corr_id\":11,\"wait_on_cu"
	"da_event_id\":1,\"correlation\":12}},\n"
	"{\"ph\":\"C\",\"name\":\"queue\",\"pid\":1,\"ts\":4,\"args\":{\"depth\":3}},\n"
	"{\"ph\":\"X\",\"name\":\"odd\",\"pid\":1,\"tid\":1,\"ts\":7,\"dur\":-1},\n"
	"{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,"
	"\"ts\":2.500,\"args\":{\"Bytes\":512,\"Device Type\":0,\"Device Id\":-1}}\n"
	"]}\n";

/* What print_stats() and print_callers() say of a program. */
static const char graph[] =
	"         12 function calls (10 primitive calls) in 0.030 seconds\n\n"
	"   Ordered by: internal time\n\n"
	"   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
	"      4/2    0.015    0.004    0.020    0.010 a.py:3(walk)\n"
	"        6    0.010    0.002    0.010    0.002 b.py:7(leaf)\n"
	"        1    0.005    0.005    0.030    0.030 a.py:1(<module>)\n"
	"        1    0.000    0.000    0.030    0.030 {built-in method builtins.exec}\n\n\n"
	"   Ordered by: internal time\n\n"
	"Function                         was called by...\n"
	"                                     ncalls  tottime  cumtime\n"
	"a.py:3(walk)                     <-     2/1    0.005    0.008  a.py:3(walk)\n"
	"                                          2    0.010    0.012  a.py:1(<module>)\n"
	"b.py:7(leaf)                     <-       6    0.010    0.010  a.py:3(walk)\n"
	"a.py:1(<module>)                 <-       1    0.005    0.030  {built-in method builtins.exec}\n"
	"{built-in method builtins.exec}  <-  \n\n\n";

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	abort();
}

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static const char *tmp_folder(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* All of a file; the caller frees bytes.p. */
static struct bytes read_all(const char *path)
{
	FILE *in = fopen(path, "rb");
	long size = in && fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;

	must(size >= 0, path);
	uint8_t *bytes = xmalloc((size_t)size + 1);
	rewind(in);
	must(fread(bytes, 1, (size_t)size, in) == (size_t)size, path);
	fclose(in);
	return (struct bytes){ bytes, (size_t)size };
}

static void write_file(const char *path, struct bytes bytes)
{
	FILE *out = fopen(path, "wb");

	must(out != NULL, path);
	must(fwrite(bytes.p, 1, bytes.n, out) == bytes.n, path);
	must(fclose(out) == 0, path);
}

static struct bytes make(const char *folder, const char *text)
{
	char *input = xasprintf("%s/input", folder), *db = xasprintf("%s/a.db", folder);
	const char *const paths[] = { input };
	struct import_options options = { .store = db, .run = "it" };
	struct import_events events = { .to = NULL };
	struct import_result result;
	struct err err = ERR_INIT;

	write_file(input, bytes_of(text));
	must(import_files(&options, paths, 1, &events, &result, &err) == 0, err.text);
	struct bytes bytes = read_all(db);
	remove(input);
	remove(db);
	free(input);
	free(db);
	return bytes;
}

static struct bytes made_once(struct bytes *bytes, const char *text)
{
	if (bytes->n)
		return *bytes;
	char *folder = xasprintf("%s/ptool-fuzz-XXXXXX", tmp_folder());
	must(mkdtemp(folder) != NULL, folder);
	*bytes = make(folder, text);
	rmdir(folder);
	free(folder);
	return *bytes;
}

struct bytes small_store(void)
{
	static struct bytes bytes;

	return made_once(&bytes, trace);
}

struct bytes small_store_graph(void)
{
	static struct bytes bytes;

	return made_once(&bytes, graph);
}

char *small_store_copy(struct bytes bytes)
{
	char *path = xasprintf("%s/ptool-fuzz-%ld.db", tmp_folder(), (long)getpid());

	write_file(path, bytes);
	return path;
}

static char store_path[4096], trace_path[4096];

static void remove_file(void)
{
	unlink(store_path);
}

static void remove_trace(void)
{
	unlink(trace_path);
}

char *small_store_trace(void)
{
	if (*trace_path)
		return trace_path;
	int n = snprintf(trace_path, sizeof(trace_path), "%s/ptool-fuzz-%ld.json",
			 tmp_folder(), (long)getpid());
	must(n < (int)sizeof(trace_path) && atexit(remove_trace) == 0,
	     "TMPDIR is too long");
	write_file(trace_path, bytes_of(trace));
	return trace_path;
}

const char *small_store_file(struct bytes bytes)
{
	static int fd = -1;

	if (fd < 0) {
		int n = snprintf(store_path, sizeof(store_path), "%s/ptool-fuzz-XXXXXX",
				 tmp_folder());
		must(n < (int)sizeof(store_path), "TMPDIR is too long");
		fd = mkstemp(store_path);
		must(fd >= 0 && atexit(remove_file) == 0, store_path);
	}
	must(pwrite(fd, bytes.p, bytes.n, 0) == (ssize_t)bytes.n, "write");
	must(ftruncate(fd, (off_t)bytes.n) == 0, "truncate");
	return store_path;
}

void small_store_free(struct bytes bytes)
{
	void *p;

	memcpy(&p, &bytes.p, sizeof(p)); /* it was made here, and is no longer const */
	free(p);
}

bool small_store_is_in(const char *path, struct bytes bytes)
{
	struct bytes now = read_all(path);
	bool is = now.n == bytes.n && memcmp(now.p, bytes.p, now.n) == 0;

	small_store_free(now);
	return is;
}

bool small_store_is(struct bytes bytes)
{
	return small_store_is_in(store_path, bytes);
}
