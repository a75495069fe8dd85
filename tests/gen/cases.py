"""The programs that the machine runs, one a case.  gputrace.py says what each is for."""
from machine import Machine

SGEMM = "ampere_sgemm_128x64_nn"
RELU = ("void at::native::vectorized_elementwise_kernel<4, at::native::relu_functor<float>, "
        "at::detail::Array<char*, 2> >(int, at::native::relu_functor<float>, at::detail::Array<char*, 2>)")
ADAM = ("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
        "TensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4> >(int)")
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def kernel(name, dur, stream=7, device=0, extra="", **how):
    def args(correlation, _):
        return (f'"queued": 0, "device": {device}, "context": {device + 1},      "stream": {stream}, '
                f'"correlation": {correlation},      "registers per thread": 32,      "shared memory": 0,      '
                f'"blocks per SM": 1.185185,      "warps per SM": 4.740741,      "grid": [128, 1, 1],      '
                f'"block": [128, 1, 1],      "est. achieved occupancy %": 7{extra}')
    return dict(cat="kernel", name=name, dur=dur, stream=stream, device=device, args=args, **how)


def transfer(cat, name, size, dur, stream=7, device=0, peer=None):
    def args(correlation, ns):
        bandwidth = size / ns
        where = f'"device": {device}, "context": {device + 1},'
        if peer is not None:
            where = (f'"fromDevice": {device}, "inDevice": {device}, "toDevice": {peer},      "fromContext": '
                     f'{device + 1}, "inContext": {device + 1}, "toContext": {peer + 1},')
        return (f'{where}      "stream": {stream}, "correlation": {correlation},      '
                f'"bytes": {size}, "memory bandwidth (GB/s)": {bandwidth:.6f}')
    return dict(cat=cat, name=name, dur=dur, stream=stream, device=device, args=args)


def copy(name, size, dur, **where):
    return transfer("gpu_memcpy", f"Memcpy {name}", size, dur, **where)


def dims(*shapes):
    text = ", ".join(str(list(s)) for s in shapes)
    kinds = ", ".join('"float"' if s else '"Scalar"' for s in shapes)
    return [("Input type", f"[{kinds}]"), ("Input Dims", f"[{text}]")]


def linear(m, width, seq, dur, stream=7):
    with m.op("aten::linear", args=dims((32, width), (width, width), (width,)), seq=seq) as forward:
        with m.op("aten::t", args=dims((width, width))):
            with m.op("aten::transpose", args=dims((width, width), (), ())):
                pass
        with m.op("aten::addmm", args=dims((width,), (32, width), (width, width), (), ()), seq=seq):
            m.launch(kernel(SGEMM, dur, stream))
    return forward


def relu(m, dur, stream=7):
    with m.op("aten::relu", args=dims((32, 64))):
        with m.op("aten::clamp_min", args=dims((32, 64), ())):
            m.launch(kernel(RELU, dur, stream))


def optimizer(m, dur):
    with m.annotation("Optimizer.step#Adam.step"):
        with m.op("aten::_fused_adam_"):
            m.launch(kernel(ADAM, dur))


def one_stream(dialect="D"):
    m = Machine("one_stream", dialect)
    m.metadata = [("record_shapes", 1), ("trace_id", '"00000000000000000000000000000001"')]
    for n in range(3, 7):
        with m.step(n):
            with m.annotation("forward"):
                for layer in range(3):
                    linear(m, 64, 10 * n + layer, m.some(9000, 40000))
                    relu(m, m.some(1500, 4000))
            m.cpu(120_000)                          # the device runs dry: a host wait
            with m.annotation("backward"):
                for layer in range(3):
                    with m.op("aten::mm", args=dims((32, 64), (64, 64))):
                        m.launch(kernel(SGEMM, m.some(15000, 60000)))
            if n == 4:
                m.launch(kernel(SGEMM, 3000, pause=45_000))  # work is queued, yet the stream pauses: other
            with m.op("aten::sum", args=dims((32, 64))):
                with m.op("aten::sum", args=dims((32, 64), (), ())):    # torch folds the pair into one row
                    m.launch(kernel(RELU, 2100))
            optimizer(m, 30_000)
            m.runtime("cudaDeviceGetAttribute", 700, cbid=200)
            m.synchronize("cudaDeviceSynchronize")
    return m


def two_streams():
    m = Machine("two_streams", "E")
    for n in range(2):
        with m.step(n):
            with m.annotation("main work"):
                linear(m, 128, n, 180_000)
            with m.annotation("side work"):
                m.wait_for(20, 7)
                linear(m, 256, n + 10, 90_000, stream=20)
                relu(m, 70_000, stream=24)
            linear(m, 128, n + 20, 150_000)         # runs beside stream 20 and 24
            m.wait_for(7, 20)
            relu(m, 5000)
            m.synchronize("cudaDeviceSynchronize")
    return m


def copies():
    m = Machine("copies", "D")
    with m.step(0):
        for name, size, dur, api in (
                ("HtoD (Pageable -> Device)", 19267584, 1_940_000, "cudaMemcpyAsync"),
                ("HtoD (Pinned -> Device)", 19267584, 810_000, "cudaMemcpyAsync"),
                ("HtoD (Pinned -> Device)", 4096, 1500, "cudaMemcpyAsync"),
                ("DtoH (Device -> Pageable)", 1024, 2100, "cudaMemcpyAsync"),
                ("DtoH (Device -> Pinned)", 1048576, 44_000, "cudaMemcpyAsync"),
                ("DtoD (Device -> Device)", 4194304, 7_700, "cudaMemcpyAsync")):
            with m.op("aten::copy_"):
                m.launch(copy(name, size, dur), api, cbid=41)
                note_copy(m, name, size, dur)
        for size, dur in ((12845056, 15_776), (512, 1024)):
            with m.op("aten::zero_"):
                m.launch(transfer("gpu_memset", "Memset (Device)", size, dur), "cudaMemsetAsync", cbid=51)
                note_copy(m, "Memset (Device)", size, dur)
        linear(m, 64, 1, 20_000)
        m.synchronize()
    return m


def note_copy(m, name, size, dur):
    rows = m.extra.setdefault("transfers", [])
    row = next((r for r in rows if r["name"].endswith(name)), None)
    if row is None:
        row = {"name": name if name.startswith("Memset") else f"Memcpy {name}", "count": 0, "bytes": 0, "sum_ns": 0}
        rows.append(row)
    for key, value in (("count", 1), ("bytes", size), ("sum_ns", dur)):
        row[key] += value


def memory(dialect="E"):
    m = Machine("memory", dialect)
    m.metadata = [("profile_memory", 1), ("record_shapes", 1)]
    m.memory.start_from("cuda", 8 << 20, 20 << 20)
    for n in range(2):
        kept = []
        with m.step(n):
            with m.op("aten::empty"):
                batch = m.malloc(131072, "cpu")
            for layer in range(2):
                with m.op("aten::addmm"):
                    with m.op("aten::empty"):
                        kept.append(m.malloc((1 << 20) * (layer + 1), grow=(2 << 20) * (1 - n)))
                    m.launch(kernel(SGEMM, 20_000))
                    scratch = m.malloc(512)
                    m.free(scratch)
            with m.on(m.pid + 7):
                with m.op("autograd::engine::evaluate_function: AddmmBackward0", seq=n, fwd=1):
                    grad = m.malloc(3 << 20)
                    m.launch(kernel(SGEMM, 25_000))
                    m.free(kept.pop())
                    m.free(grad)
            m.free(batch)                           # inside the step, in no operator
            if n == 1:
                with m.op("aten::empty"):
                    m.out_of_memory(40 << 30)
        m.cpu(3000)
        m.free(kept.pop())                          # between the steps: in no range at all
        m.cpu(3000)
    return m


def graph():
    m = Machine("graph", "E")
    for n in range(3):
        with m.step(n):
            with m.op("aten::copy_"):
                m.launch(copy("DtoD (Device -> Device)", 65536, 2000), "cudaMemcpyAsync", cbid=41)
            with m.annotation("CUDAGraph.replay"):
                m.launch([kernel(SGEMM if i % 3 == 0 else RELU, 3000 + 500 * i,
                                 extra=f', "graph id": 5, "graph node id": {4294967296 * 5 + i}',
                                 pause=0 if i == 6 else 600, early=250 if i == 7 else 0) for i in range(12)],
                         "cudaGraphLaunch", host_ns=14_000, latency=9000, cbid=311)
            m.synchronize()
    return m


def two_devices():
    m = Machine("two_devices", "D")
    for n in range(2):
        with m.step(n):
            for device in (0, 1):
                with m.annotation(f"shard {device}"):
                    for i in range(3):
                        with m.op("aten::mm"):
                            m.launch(kernel(SGEMM, 30_000 + 7000 * i, device=device))
            with m.op("aten::copy_"):
                m.launch(copy("PtoP (Device -> Device)", 1 << 20, 21_000, stream=12, device=1, peer=0),
                         "cudaMemcpyPeerAsync", cbid=248)
            m.synchronize("cudaDeviceSynchronize", device=1)
    return m


def unlinked():
    m = Machine("unlinked", "D")
    for dur in (50_000, 70_000, 20_000):            # queued before the recording began
        m.launch(kernel(SGEMM, dur, pause=m.some(700, 3000)), recorded=False, latency=40_000)
    for n in range(2):
        with m.step(n):
            linear(m, 64, n, 25_000)
            m.cpu(90_000)
            m.launch(kernel(RELU, 4000), recorded=False)
            m.launch(kernel(RELU, 6000))            # launched, but inside no operator
            m.synchronize()
    return m


def useless_ids():
    m = Machine("useless_ids", "C", quantum=1000)
    m.useless_ids = True
    m.next_correlation = 0                          # so that correlations equal ids of other operators
    for n in range(2):
        with m.step(n):
            for i in range(3):
                linear(m, 64, n * 10 + i, 30_000)
                relu(m, 8000)
            m.synchronize("cudaDeviceSynchronize")
    return m


def api_names():
    m = Machine("api_names", "E")
    driver = dict(cat="cuda_driver", cbid=307)
    with m.step(0):
        with m.op("triton_poi_fused_add_cos_sin_0", args=[("stream", 0), ("kernel_backend", '"triton"')]):
            m.launch(kernel("triton_poi_fused_add_cos_sin_0", 1760), "cuLaunchKernel", **driver)
        with m.op("triton_red_fused_sum_1", args=[("stream", 0), ("kernel_backend", '"triton"')]):
            m.launch(kernel("triton_red_fused_sum_1", 4200), "cuLaunchKernelEx", cat="cuda_driver", cbid=652)
        with m.op("aten::mm"):
            m.launch(kernel(SGEMM, 33_000), "cudaLaunchKernelExC", cbid=430)
        with m.op("aten::add"):
            m.launch(kernel(RELU, 2500), "hipLaunchKernel", extra=', "stream": "0x0"')
        with m.op("aten::mm"):
            m.launch(kernel("Cijk_Alik_Bljk_SB_Bias_AS_SAV_MT64x16x32", 17_600), "hipExtModuleLaunchKernel")
        with m.op("aten::softmax"):
            m.launch(kernel(RELU, 2700), "cudaLaunchCooperativeKernel", cbid=317)
        with m.op("aten::copy_"):
            m.launch(copy("DtoD (Device -> Device)", 4096, 1300), "cudaMemcpyAsync", cbid=41)
        with m.op("aten::fill_"):
            m.launch(transfer("gpu_memset", "Memset (Device)", 4096, 900), "cudaMemsetAsync", cbid=51)
        m.synchronize()
    return m


def collectives(rank):
    """Rank 1 computes longer, so rank 0's collectives start early and wait for it."""
    m = Machine(f"collectives_rank{rank}", "E", pid=4242 + rank)
    m.metadata = [("distributedInfo",
                   f'{{"backend": "nccl", "rank": {rank}, "world_size": 2, "pg_count": 1, "pg_config": [{{"pg_name": '
                   f'"0", "pg_desc": "default_pg", "backend_config": "cuda:nccl", "pg_size": 2, "ranks": [0, 1]}}], '
                   f'"nccl_version": "2.21.5"}}')]
    rows = m.extra["collectives"] = []
    begin = m.main.now
    for n in range(2):
        m.until(begin + n * 1_000_000 + 1)          # both ranks begin a step at the same moment
        with m.step(n):
            with m.op("aten::mm"):
                m.launch(kernel(SGEMM, 100_000 + 80_000 * rank))
            for i, (what, name, inputs, outputs) in enumerate((
                    ("allreduce", ALL_REDUCE, 262144, 262144), ("_allgather_base", ALL_GATHER, 65536, 131072))):
                m.until(begin + n * 1_000_000 + 250_000 * (i + 1))
                end = m.main.now + 200_000          # and both end a collective at the same moment
                rows.append(collective(m, what, name, inputs, outputs, late=60_000 * rank, end=end, rank=rank, seq=i))
            m.synchronize("cudaDeviceSynchronize")
    return m


def collective(m, what, name, inputs, outputs, late, end, rank, seq):
    message = (f'"Collective name": "{what}", "In msg nelems": {inputs}, "Out msg nelems": {outputs}, '
               f'"Group size": 2, "dtype": "Float"')
    group = (' "Process Group Name": "0", "Process Group Description": "default_pg", '
             '"Process Group Ranks": "[0, 1]"')
    pairs = [("Rank", rank), ("Seq", seq), ("Collective name", f'"{what}"'), ("In msg nelems", inputs),
             ("Out msg nelems", outputs), ("In split size", '"[]"'), ("Out split size", '"[]"'), ("Group size", 2),
             ("dtype", '"Float"'), ("Process Group Name", '"0"'), ("Process Group Description", '"default_pg"'),
             ("Process Group Ranks", '"[0, 1]"'), ("Is asynchronized op", "false")]
    stream = 20
    with m.op(f"c10d::{'allreduce_' if what == 'allreduce' else what + '_'}"):
        with m.op("record_param_comms", args=pairs):
            with m.range("user_annotation", f"nccl:{what}", (300, 800), (300, 800), is_async=True):
                latency = 20_000 + late
                extra = f', {message}, "In split size": "[]", "Out split size": "[]",{group}'
                work = m.launch(kernel(name, end - m.thread.now - latency, stream, extra=extra),
                                "cudaLaunchKernelExC", latency=latency, cbid=430)
    return {"name": what, "kernel": name, "start_ns": work.start, "end_ns": work.end, "in_elements": inputs,
            "out_elements": outputs, "dtype": "Float", "element_bytes": 4, "in_bytes": 4 * inputs,
            "out_bytes": 4 * outputs, "group_size": 2, "process_group": "0", "ranks": [0, 1]}


def annotations():
    m = Machine("annotations", "E")
    for n in range(2):
        with m.step(n):
            with m.annotation("epoch part"):
                with m.annotation("encoder"):
                    linear(m, 64, n, 40_000)
                    with m.annotation("attention"):
                        relu(m, 11_000)
                        relu(m, 60_000, stream=20)
                    linear(m, 64, n + 5, 30_000)
                with m.annotation("decoder"):
                    linear(m, 64, n + 10, 20_000)
            with m.annotation("host only"):
                m.cpu(15_000)
            with m.annotation("aten::linear"):      # a row apart from the operator's; its only child is folded into it
                linear(m, 64, n + 15, 10_000)
            m.synchronize("cudaDeviceSynchronize")
    return m


def python_stack(dialect):
    m = Machine("python_stack" if dialect == "F" else "python_stack_2_6", dialect)
    m.metadata = [("with_stack", 1), ("record_shapes", 1)]
    stack = [("Call stack", '"torch/nn/modules/linear.py(125): forward;train.py(12): step;train.py(30): <module>;"')]
    pairs = m.extra["backward"] = []
    with m.python("train.py(30): <module>"):
        for n in range(2):
            with m.python("train.py(12): step"):
                forwards = []
                with m.python_annotation("forward"):
                    with m.python("nn.Module: Linear_0"):
                        with m.python("torch/nn/modules/linear.py(125): forward"):
                            for seq in (10 * n, 10 * n + 1):
                                with m.op("aten::addmm", args=dims((64,), (32, 64), (64, 64)) + stack, seq=seq) as op:
                                    m.launch(kernel(SGEMM, 12_000))
                                forwards.append(op)
                with m.python("torch/_tensor.py(570): backward"):
                    with m.python("<built-in method run_backward of torch._C._EngineBase object>"):
                        backward(m, forwards, pairs)
                with m.python("torch/cuda/__init__.py(892): synchronize"):
                    m.synchronize("cudaDeviceSynchronize")
    return m


def backward(m, forwards, pairs):
    with m.on(m.pid + 7):
        for forward in reversed(forwards):
            with m.op("autograd::engine::evaluate_function: AddmmBackward0", seq=forward.seq, fwd=1):
                with m.op("AddmmBackward0", seq=forward.seq, fwd=1) as gradient:
                    with m.op("aten::mm"):
                        m.launch(kernel(SGEMM, 16_000))
            m.connect_backward(forward, gradient)
            pairs.append({"name": gradient.name, "start_ns": gradient.start, "thread": gradient.thread.tid,
                          "sequence_number": forward.seq, "forward": forward.name,
                          "forward_start_ns": forward.start, "forward_thread": forward.thread.tid})


def sync():
    m = Machine("sync", "D")
    for n in range(2):
        with m.step(n):
            linear(m, 64, n, 150_000)
            with m.op("aten::item"):
                with m.op("aten::_local_scalar_dense"):
                    m.launch(copy("DtoH (Device -> Pageable)", 4, 1400), "cudaMemcpyAsync", cbid=41)
                    m.synchronize("cudaStreamSynchronize")
            linear(m, 64, n + 5, 80_000)
            m.wait_for(20, 7)
            relu(m, 9000, stream=20)
            m.synchronize("cudaStreamSynchronize", stream=20)
            m.synchronize("cudaDeviceSynchronize")  # nothing is left to wait for
    return m


def everything():
    m = Machine("everything", "F")
    m.metadata = [("profile_memory", 1), ("with_stack", 1), ("record_shapes", 1)]
    m.memory.start_from("cuda", 1 << 20, 4 << 20)
    for n in range(2):
        with m.step(n):
            with m.python("train.py(12): step"):
                with m.op("aten::copy_"):
                    m.launch(copy("HtoD (Pageable -> Device)", 1 << 20, 90_000), "cudaMemcpyAsync", cbid=41)
                with m.python("nn.Module: Linear_0"):
                    with m.op("aten::empty"):
                        out = m.malloc(1 << 19)
                    linear(m, 64, n, 40_000)
                relu(m, 9000, stream=24)
                collective(m, "allreduce", ALL_REDUCE, 65536, 65536, late=0, end=m.thread.now + 200_000, rank=0, seq=n)
                m.free(out)
                m.synchronize("cudaDeviceSynchronize")
    return m


ALL = [one_stream, two_streams, copies, memory, graph, two_devices, unlinked, useless_ids, api_names,
       lambda: collectives(0), lambda: collectives(1), annotations, lambda: python_stack("F"),
       lambda: python_stack("D"), sync, everything]
