#!/usr/bin/env python3
"""training.py FOLDER: writes training.json, a made recording of a vision model's training.

Ten steps: images are loaded while the device waits, a forward and a backward pass with memory
that grows and shrinks, a loss that is read, and the sum of gradients over ranks on a stream of
its own.  The README tells its story; the page of ptool report is tested and shown with it.
"""
import os
import sys

from cases import ADAM, ALL_REDUCE, RELU, SGEMM, copy, dims, kernel
from machine import Machine

CONV = "cutlass_80_tensorop_s1688fprop_optimized_tf32_128x128_16x4_nhwc_align4"
DGRAD = "cutlass_80_tensorop_s1688dgrad_optimized_tf32_128x128_16x4_nhwc_unity_stride_align4"
NORM = ("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>"
        "(cudnn::cudnnTensorStruct, float const*, float*, float*)")
LAYERS = 16
MIB = 1 << 20


def load(m, ns):
    """Images are read and decoded by the main thread: no workers."""
    with m.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"):
        for _ in range(6):
            with m.op("aten::stack", args=dims((3, 224, 224))):
                m.cpu(m.some(ns // 8, ns // 6))
    with m.op("aten::to", args=dims((64, 3, 224, 224))):
        with m.op("aten::copy_", args=dims((64, 3, 224, 224), (64, 3, 224, 224))):
            m.launch(copy("HtoD (Pageable -> Device)", 64 * 3 * 224 * 224 * 4, 3_100_000), "cudaMemcpyAsync", cbid=41)


def layer(m, at, live):
    shape = (64, 64 << (at // 4), 112 >> (at // 4), 112 >> (at // 4))
    with m.op("aten::conv2d", args=dims(shape), seq=at) as forward:
        with m.op("aten::cudnn_convolution", args=dims(shape)):
            live.append(m.malloc((12 << (at // 4)) * MIB))
            m.launch(kernel(CONV, m.some(280_000, 900_000)))
    with m.op("aten::batch_norm", args=dims(shape)):
        with m.op("aten::cudnn_batch_norm", args=dims(shape)):
            m.launch(kernel(NORM, m.some(90_000, 160_000)))
    with m.op("aten::relu_", args=dims(shape)):
        m.launch(kernel(RELU, m.some(30_000, 70_000)))
    return forward


def backward(m, forwards, live):
    with m.on(m.pid + 1):
        for at, forward in reversed(list(enumerate(forwards))):
            with m.op("autograd::engine::evaluate_function: ConvolutionBackward0", seq=at, fwd=1) as grad:
                with m.op("aten::convolution_backward"):
                    m.launch(kernel(DGRAD, m.some(500_000, 1_500_000)))
                    m.launch(kernel(SGEMM, m.some(250_000, 500_000)))
            m.connect_backward(forward, grad)
            m.free(live.pop())
            if at % 4 == 0:
                with m.op("nccl:all_reduce"):
                    m.wait_for(20, 7)
                    m.launch(kernel(ALL_REDUCE, m.some(900_000, 1_300_000), stream=20))


def train(steps=10):
    m = Machine("training", "E")
    for n in range(1, steps + 1):
        with m.step(n):
            load(m, m.some(9_000_000, 16_000_000))
            live = []
            with m.annotation("forward"):
                forwards = [layer(m, at, live) for at in range(LAYERS)]
            backward(m, forwards, live)
            with m.op("aten::item"):
                with m.op("aten::_local_scalar_dense"):
                    m.launch(copy("DtoH (Device -> Pageable)", 4, 1800), "cudaMemcpyAsync", cbid=41)
                    m.synchronize()
            with m.annotation("Optimizer.step#Adam.step"):
                m.wait_for(7, 20)
                for _ in range(12):
                    with m.op("aten::_fused_adam_"):
                        m.launch(kernel(ADAM, m.some(60_000, 90_000)))
    m.synchronize("cudaDeviceSynchronize")
    return m


def write(folder):
    train().save(folder)
    return os.path.join(folder, "training.json")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: training.py FOLDER")
    write(sys.argv[1])
