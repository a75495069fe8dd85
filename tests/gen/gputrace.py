#!/usr/bin/env python3
"""gputrace.py OUTDIR: synthetic traces whose truth is known because a machine decided it.

For each case CASE.json, as a profiler would write it, and CASE.truth.json.  The output is the
same, byte for byte, at every run and under every Python.  The truth comes from the machine that
ran the program (machine.py, facts.py), never from reading the trace.

  one_stream        four steps on one stream; gaps of each cause: the host was late, the kernel
                    was queued and near, the stream paused; an aten::sum pair that torch folds
  two_streams       streams 7, 20 and 24 overlap, with cudaStreamWaitEvent between them
  copies            HtoD, DtoH and DtoD, pinned and pageable, and memsets, with their bytes
  memory            [memory] records on CPU and CUDA, a base above zero, allocation on the autograd
                    thread, records in no operator and in no range, one [OutOfMemory]
  graph             cudaGraphLaunch: one call, twelve kernels with one correlation, two overlapping
  two_devices       the process id of device work is its device; a peer copy without "device"
  unlinked          kernels whose launch is not in the trace, and kernels outside every operator
  useless_ids       dialect C, whole microseconds since the epoch; External id is the correlation
                    throughout, and equals ids of unrelated operators
  api_names         cuda_driver and hip launches, cudaLaunchKernelExC; operators with "stream": 0
  collectives_rank0 and _rank1: one job's two ranks, nccl kernels with their arguments, the first
                    rank waiting for the second in every collective
  annotations       nested labels, labels on two streams, one that launches nothing, one that has
                    an operator's name and folds it; gpu_user_annotation rows as widened
  python_stack      dialect F: Python frames, record_function overlapping them, a backward thread
  python_stack_2_6  the same program in dialect D, where torch leaves the frames out of its tree
  sync              .item(), cuda_sync rows, a wait for a device that has nothing to do
  everything        something for every command: copies, modules, memory, a collective, three streams
  phases_of_chrome  no PyTorch at all: every phase of the Trace Event Format, out of order,
                    crossed, unmatched, and with ids in all spellings
  phases_unsorted   the same events, now B and E out of order as well, and no closing bracket

Truth files hold integer ns (as the trace counts them: relative to base_ns) and bytes.
  slices       X events by name and category, but for the "Trace" row of the recording itself
  devices      span, union and gaps of kernel, gpu_memcpy and gpu_memset
  streams      gaps with their cause: host_wait (launched after the last end), kernel_wait
               (a shorter gap than 30 us), other, launch_unknown
  device_work  each piece, its launch, the innermost cpu_op around that, the step open then; what
               has no recorded launch has none of them
  steps        device_* is the work launched in the step, on any thread
  annotations  device_* is all work launched inside by the same thread, once; gpu_rows are the
               exporter's rows (innermost label only) without its 1 ns and 2 ns
  operators    key_averages() by torch's rules; *_bytes of a CUDA allocation are device_bytes;
               [memory] and device rows are left out
  memory       each allocator's records, base, peak and final totals
The phases files are of their own kind: every slice (crossed ends by their names, beside
that by_stack), the arrows as lists of slices, asynchronous spans, counters, names, other phases.
"""
import os
import sys

import cases
import chrome


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for case in cases.ALL:
        case().save(folder)
    chrome.save(folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: gputrace.py OUTDIR")
    main(sys.argv[1])
