/* Recordings to make small stores of: see small_recordings.h. */
#include "small_recordings.h"

#define TEXT(name)                                        \
	{                                                 \
		(const uint8_t *)(name), sizeof(name) - 1 \
	}

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

/* StragglerAnalysis's timeline of two stages, a replica, two steps. */
static const char pipeline[] =
	"[{\"name\":\"forward-compute\",\"cat\":\"forward-compute\","
	"\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":8,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-send\",\"cat\":\"forward-send\","
	"\"pid\":0,\"tid\":1,\"ts\":9,\"dur\":1,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-recv\",\"cat\":\"backward-recv\","
	"\"pid\":0,\"tid\":1,\"ts\":10,\"dur\":22,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-compute\",\"cat\":\"backward-compute\","
	"\"pid\":0,\"tid\":0,\"ts\":32,\"dur\":12,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-recv\",\"cat\":\"forward-recv\","
	"\"pid\":0,\"tid\":6,\"ts\":2,\"dur\":8,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-compute\",\"cat\":\"forward-compute\","
	"\"pid\":0,\"tid\":5,\"ts\":10,\"dur\":9.5,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-compute\",\"cat\":\"backward-compute\","
	"\"pid\":0,\"tid\":5,\"ts\":20,\"dur\":11,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-send\",\"cat\":\"backward-send\","
	"\"pid\":0,\"tid\":6,\"ts\":31,\"dur\":1,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"optimizer\",\"cat\":\"optimizer\",\"pid\":0,"
	"\"tid\":0,\"ts\":50,\"dur\":3,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":null,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"optimizer\",\"cat\":\"optimizer\",\"pid\":0,"
	"\"tid\":5,\"ts\":50,\"dur\":4,\"ph\":\"X\","
	"\"args\":{\"step\":3,\"model_chunk\":null,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-compute\",\"cat\":\"forward-compute\","
	"\"pid\":0,\"tid\":0,\"ts\":101,\"dur\":8,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-send\",\"cat\":\"forward-send\","
	"\"pid\":0,\"tid\":1,\"ts\":109,\"dur\":1,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-recv\",\"cat\":\"backward-recv\","
	"\"pid\":0,\"tid\":1,\"ts\":110,\"dur\":22,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-compute\",\"cat\":\"backward-compute\","
	"\"pid\":0,\"tid\":0,\"ts\":132,\"dur\":12,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-recv\",\"cat\":\"forward-recv\","
	"\"pid\":0,\"tid\":6,\"ts\":102,\"dur\":8,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"forward-compute\",\"cat\":\"forward-compute\","
	"\"pid\":0,\"tid\":5,\"ts\":110,\"dur\":9.5,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-compute\",\"cat\":\"backward-compute\","
	"\"pid\":0,\"tid\":5,\"ts\":120,\"dur\":11,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":0,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"backward-send\",\"cat\":\"backward-send\","
	"\"pid\":0,\"tid\":6,\"ts\":131,\"dur\":1,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":0,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"optimizer\",\"cat\":\"optimizer\",\"pid\":0,"
	"\"tid\":0,\"ts\":150,\"dur\":3,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":null,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"optimizer\",\"cat\":\"optimizer\",\"pid\":0,"
	"\"tid\":5,\"ts\":150,\"dur\":4,\"ph\":\"X\","
	"\"args\":{\"step\":4,\"model_chunk\":null,\"mb_id\":null,"
	"\"seq_id\":0}},\n"
	"{\"name\":\"thread_name\",\"pid\":0,\"tid\":0,\"ph\":\"M\","
	"\"args\":{\"name\":\"PP rank 0, TP rank 0, compute\"}},\n"
	"{\"name\":\"thread_name\",\"pid\":0,\"tid\":1,\"ph\":\"M\","
	"\"args\":{\"name\":\"PP rank 0, TP rank 0, pp-comm\"}},\n"
	"{\"name\":\"thread_name\",\"pid\":0,\"tid\":5,\"ph\":\"M\","
	"\"args\":{\"name\":\"PP rank 1, TP rank 0, compute\"}},\n"
	"{\"name\":\"thread_name\",\"pid\":0,\"tid\":6,\"ph\":\"M\","
	"\"args\":{\"name\":\"PP rank 1, TP rank 0, pp-comm\"}},\n"
	"{\"name\":\"process_name\",\"pid\":0,\"ph\":\"M\","
	"\"args\":{\"name\":\"DP rank [0]\"}}]\n";

/* Two ranks of a collective. */
#define RANK(rank, ts, dur)                                            \
	"{\"schemaVersion\":1,"                                        \
	"\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":" rank "," \
	"\"world_size\":2},\"deviceProperties\":[{\"id\":" rank ","    \
	"\"name\":\"GPU\",\"totalGlobalMem\":99}],"                    \
	"\"traceEvents\":[\n"                                          \
	"{\"ph\":\"X\",\"cat\":\"user_annotation\","                   \
	"\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"             \
	"\"ts\":0,\"dur\":60},\n"                                      \
	"{\"ph\":\"X\",\"cat\":\"cpu_op\","                            \
	"\"name\":\"record_param_comms\",\"pid\":1,\"tid\":1,"         \
	"\"ts\":2,\"dur\":9,\"args\":{\"External id\":1,"              \
	"\"Collective name\":\"allreduce\",\"dtype\":\"Float\","       \
	"\"In msg nelems\":8,\"Out msg nelems\":8,"                    \
	"\"Group size\":2,\"Process Group Name\":\"0\","               \
	"\"Process Group Description\":\"default_pg\","                \
	"\"Process Group Ranks\":\"[0, 1]\",\"Seq\":1}},\n"            \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\","                      \
	"\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,"           \
	"\"ts\":3,\"dur\":1,\"args\":{\"External id\":1,"              \
	"\"correlation\":5}},\n"                                       \
	"{\"ph\":\"X\",\"cat\":\"kernel\","                            \
	"\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\","        \
	"\"pid\":" rank ",\"tid\":7,\"ts\":" ts ",\"dur\":" dur ","    \
	"\"args\":{\"External id\":1,\"correlation\":5,"               \
	"\"device\":" rank ",\"stream\":7,"                            \
	"\"Collective name\":\"allreduce\",\"dtype\":\"Float\","       \
	"\"In msg nelems\":8,\"Out msg nelems\":8,"                    \
	"\"Group size\":2,\"Process Group Name\":\"0\","               \
	"\"Process Group Ranks\":\"[0, 1]\",\"Seq\":1}},\n"            \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\","          \
	"\"pid\":" rank ",\"tid\":7,\"ts\":32,\"dur\":20,"             \
	"\"args\":{\"correlation\":6,\"device\":" rank ","             \
	"\"stream\":7}}]}\n"
static const char rank_0[] = RANK("0", "10", "20");
static const char rank_1[] = RANK("1", "15", "15");

/* py-spy's stacks, one a line. */
static const char stacks[] =
	"process 4:\"python a.py\";thread (7): Main;main (a.py:9);f (a.py:3) 4\n"
	"process 4:\"python a.py\";thread (7): Main;main (a.py:9) 2\n"
	"process 4:\"python a.py\";thread (8): w;run (a.py:5);g (a.py:3) 5\n";

static const char speedscope[] =
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
	"\"profiles\":[{\"type\":\"evented\",\"name\":\"main\","
	"\"unit\":\"milliseconds\",\"startValue\":1.5,"
	"\"endValue\":12.5,\"events\":[{\"type\":\"O\",\"frame\":0,"
	"\"at\":1.5},{\"type\":\"O\",\"frame\":1,\"at\":2},"
	"{\"type\":\"C\",\"frame\":1,\"at\":7},{\"type\":\"C\","
	"\"frame\":0,\"at\":12.5}]},\n"
	"{\"type\":\"sampled\",\"name\":\"w\",\"unit\":\"seconds\","
	"\"startValue\":0,\"endValue\":0.03,\"samples\":[[0,1],[0],"
	"[1]],\"weights\":[0.01,0.01,0.01]},\n"
	"{\"type\":\"sampled\",\"name\":\"bytes\",\"unit\":\"bytes\","
	"\"startValue\":0,\"endValue\":5000,\"samples\":[[1],[0]],"
	"\"weights\":[4096,904]}],"
	"\"shared\":{\"frames\":[{\"name\":\"main\","
	"\"file\":\"a.py\",\"line\":3},{\"name\":\"f\","
	"\"file\":\"a.py\",\"line\":9}]}}\n";

/* What line_profiler prints. */
static const char lines[] =
	"Timer unit: 1e-06 s\n"
	"\n"
	"Total time: 0.5 s\n"
	"File: a.py\n"
	"Function: f at line 3\n"
	"\n"
	"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
	"==============================================================\n"
	"     3                                           def f(n):\n"
	"     4         1     100000.0 100000.0     20.0      x = 0\n"
	"     5         4     400000.0 100000.0     80.0      return x\n"
	"\n";

/* Two runs of mprof. */
static const char mprof[] = "CMDLINE python3 a.py\n"
			    "MEM 7.5 1700000000.0\n"
			    "FUNC a.f 7.5 1700000000.1 20.5 1700000000.5\n"
			    "MEM 20.5 1700000000.3\n"
			    "CHLD 31650 16.9 1700000000.3\n"
			    "MEM 9.0 1700000000.6\n"
			    "CMDLINE python3 b.py\n"
			    "MEM 1.5 1700000001.0\n"
			    "MEM 2.5 1700000001.1\n";

/* torch's timeline of memory by category. */
static const char timeline[] =
	"[[1700000000000000,1700000000001000,1700000000002000],[[0,"
	"10,20,0,0,0,0,0,0],[0,10,20,30,0,0,0,0,0],[0,10,20,0,5,0,0,"
	"0,0]]]";

/* torch.cuda.memory._snapshot(), a pickle of protocol 2. */
static const char snapshot[] =
	"\200\002}q\000(X\010\000\000\000segmentsq\001]q\002}q\003(X"
	"\006\000\000\000deviceq\004K\000X\007\000\000\000addressq"
	"\005\212\006\000\000\000\000\000\177X\n\000\000\000total_siz"
	"eq\006J\000\000 \000X\016\000\000\000allocated_sizeq\007M"
	"\000\010X\013\000\000\000active_sizeq\010M\000\010X\006\000"
	"\000\000streamq\011K\000X\014\000\000\000segment_typeq\nX"
	"\005\000\000\000smallq\013X\006\000\000\000framesq\014]q\015"
	"}q\016(X\010\000\000\000filenameq\017X\004\000\000\000a.pyq"
	"\020X\004\000\000\000lineq\021K\003X\004\000\000\000nameq"
	"\022X\001\000\000\000fq\023uaX\006\000\000\000blocksq\024]q"
	"\025(}q\026(h\005\212\006\000\000\000\000\000\177X\004\000"
	"\000\000sizeq\027M\000\020X\016\000\000\000requested_sizeq"
	"\030K\000X\005\000\000\000stateq\031X\010\000\000\000inactiv"
	"eq\032h\014]q\033u}q\034(h\005\212\006\000\020\000\000\000"
	"\177h\027M\000\010h\030M\320\007h\031X\020\000\000\000active"
	"_allocatedq\035h\014h\015u}q\036(h\005\212\006\000\030\000"
	"\000\000\177h\027J\000\350\037\000h\030K\000h\031h\032h\014]"
	"q\037ueuaX\015\000\000\000device_tracesq ]q!]q\"(}q#(X\006"
	"\000\000\000actionq$X\015\000\000\000segment_allocq%X\004"
	"\000\000\000addrq&\212\006\000\000\000\000\000\177h\027J\000"
	"\000 \000h\011K\000h\014h\015X\007\000\000\000time_usq'\212"
	"\007\000@\036\030$\n\006u}q((h$X\005\000\000\000allocq)h&"
	"\212\006\000\000\000\000\000\177h\027M\000\004h\011K\000h"
	"\014h\015h'\212\007\001@\036\030$\n\006u}q*(h$h)h&\212\006"
	"\000\020\000\000\000\177h\027M\000\010h\011K\000h\014h\015h'"
	"\212\007\002@\036\030$\n\006u}q+(h$X\016\000\000\000free_req"
	"uestedq,h&\212\006\000\000\000\000\000\177h\027M\000\004h"
	"\011K\000h\014h\015h'\212\007\003@\036\030$\n\006u}q-(h$X"
	"\016\000\000\000free_completedq.h&\212\006\000\000\000\000"
	"\000\177h\027M\000\004h\011K\000h\014h\015h'\212\007\004@"
	"\036\030$\n\006ueau.";

const struct small_recording small_recordings[NSMALL_STORES] = {
	[SMALL_TRACE] = { { TEXT(trace) } },
	[SMALL_GRAPH] = { { TEXT(graph) } },
	[SMALL_RANKS] = { { TEXT(rank_0), TEXT(rank_1) } },
	[SMALL_PIPELINE] = { { TEXT(pipeline) } },
	[SMALL_STACKS] = { { TEXT(stacks) } },
	[SMALL_SPEEDSCOPE] = { { TEXT(speedscope) } },
	[SMALL_LINES] = { { TEXT(lines) } },
	[SMALL_MPROF] = { { TEXT(mprof) } },
	[SMALL_TIMELINE] = { { TEXT(timeline) } },
	[SMALL_SNAPSHOT] = { { TEXT(snapshot) } },
};
