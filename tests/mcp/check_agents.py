#!/usr/bin/env python3
"""check_agents.py: the three calls of docs/agents.md, on each of ../shared/data/cases, fit in 4,000 tokens (of 3.5
bytes) together, and name the cause that the README there gives.   timeout: 200 s
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "store"))
from storetap import SHARED, Tap, Workplace

TOKENS, BYTES_A_TOKEN, IDLE_PCT = 4000, 3.5, 10

# A part of the file's name: what its cause is called, each somewhere in the three answers.
CAUSES = {
    "deepseek-v3": ["busy 99.1%", r"Communication 2\.\d%", r"dispatch", r"combine"],
    "execution_trace-benchmark": [r"First use: 99\.4%", "cudaDeviceGetStreamPriorityRange", "too little to judge"],
    "timesformer": ["Host work: 57.0%", "before the first kernel", "image_transforms.*normalize", "Unfused attention"],
    "falconsai": ["Launch-bound: 84.3%", "launch less often"],
    "h100-qwen": ["Unfused kernels: 63.5%", r"aten::mul", "47.151 ms"],
    "sglang_decode": ["wait for an event", r"resolve_future_token_ids_kernel"],
    "sglang_prefilldecode": ["wait for an event", r"49[34]\.\d+ ?ms"],
    "vllm_decode": [r"idle 0\.2%", r"busy 99\.8% of the step", "_matmul_ogs"],
    "xdit_sd_3.5": ["Launch-bound", "Python", "compiled model"],
    "mi300-resnet": ["Exposed communication: 66.1%", "launch not recorded"],
    "mtia_inference": ["busy 95.3%", "Host work: 3.4%"],
    "nccl_parser": ["busy 23.6%", "Launch-bound: 46.0%", "Broadcast of buffers"],
    "negative_queue_length": [r"inside a graph", r"cudaGraphLaunch", "launch"],
    "torch_compile_triton": ["no problem found", r"busy 98\.1%", "aten::mm"],
}
NEVER = {
    "deepseek-v3": ["CUDA graph"],
    "vllm_decode": ["replay them as a CUDA graph", "reduce-overhead"],
    "negative_queue_length": ["fuse small kernels"],
    "falconsai": ["occupancy"],
}


def three_calls(place, path):
    """The answers, the third as the page says: of the idle time where there is any, else of the kernels."""
    screen = place.ptool(path, check=False).stdout
    advice = place.ptool("advise", "--budget", "1500", path, check=False).stdout
    idle = re.search(r"idle ([0-9.]+)%", screen)
    third = ["gaps"] if idle and float(idle[1]) > IDLE_PCT else ["kernels", "--by", "op"]
    return screen + advice + place.ptool(*third, "--budget", "1500", path, check=False).stdout


def main():
    tap = Tap()
    paths = sorted(glob.glob(os.path.join(SHARED, "data", "cases", "*.json.gz")))
    if not paths:
        tap.skip("the three calls of docs/agents.md", "../shared/data/cases is not here")
    with Workplace() as place:
        for path in paths:
            name = os.path.basename(path)
            answers = three_calls(place, path)
            tokens = len(answers.encode()) / BYTES_A_TOKEN
            told = " ".join(answers.split())
            tap.ok(tokens <= TOKENS, f"{name}: {tokens:.0f} tokens")
            for key, causes in CAUSES.items():
                if key in name:
                    missing = [cause for cause in causes if not re.search(cause, told)]
                    tap.ok(not missing, f"{name}: the cause is named", f"not found: {missing} in: {told}")
            wrong = [words for key, list_ in NEVER.items() if key in name for words in list_ if words in told]
            tap.ok(not wrong, f"{name}: no wrong remedy", f"{wrong} in: {told}")
    tap.done()


if __name__ == "__main__":
    main()
